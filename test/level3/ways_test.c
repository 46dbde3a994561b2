/* Every way to an element of a product is taken by some call, and has the bits of the accumulator
 * there: the table of ways (lib/level3/way.h), walked. */
#include "core/kernels.h"
#include "entry.h"
#include "level3/way.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>

enum { MOST = 3000, COUNT = 4 * MOST };

/* What numbers are like: of one size, or such that sums cancel to 2^-45 or to 2^-150. */
typedef enum { USUAL, CANCELS, HIDES } kind;

typedef struct {
    exb_product_way way;
    const char *method;
    kind kind;
    int transa, m, n, k;
    double beta;
} sample;

static const sample samples[] = {
    {EXB_WAY_SMALL, "auto", USUAL, EXBLAS_NO_TRANS, 40, 30, 20, 0.5},
    {EXB_WAY_ELEMENTS, "auto", USUAL, EXBLAS_TRANS, 2, 2, MOST, 0},
    {EXB_WAY_RESIDUE, "residue", USUAL, EXBLAS_NO_TRANS, 60, 50, 40, 0},
    {EXB_WAY_CHAIN, "anchor", USUAL, EXBLAS_NO_TRANS, 60, 50, 40, 0},
    {EXB_WAY_GENERAL, "general", USUAL, EXBLAS_NO_TRANS, 60, 50, 40, 0},
    {EXB_WAY_TWICE, "anchor", CANCELS, EXBLAS_NO_TRANS, 60, 50, 40, 0},
    {EXB_WAY_TWICE, "anchor", HIDES, EXBLAS_NO_TRANS, 60, 50, 40, 0},
};

static double a[COUNT], b[COUNT], c[COUNT], c0[COUNT];

/* The second half of the terms takes away the first, but for the last one if it hides. */
static void fill(test_random *r, const sample *s)
{
    for (int i = 0; i < COUNT; i++) {
        a[i] = random_number(r, FORMAT_D, (int)random_between(r, -1, 1));
        b[i] = random_number(r, FORMAT_D, (int)random_between(r, -1, 1));
        c[i] = random_number(r, FORMAT_D, 0);
    }
    double change = s->kind == CANCELS ? 1 + 0x1p-45 : 1;
    for (int l = 0; s->kind != USUAL && l < s->k / 2; l++) {
        bool is_last = s->kind == HIDES && l == s->k / 2 - 1;
        for (int i = 0; i < s->m; i++)
            a[(s->k / 2 + l) * s->m + i] = is_last ? 0 : -change * a[l * s->m + i];
        for (int i = 0; is_last && i < s->m; i++)
            a[l * s->m + i] *= 0x1p-150;
        for (int j = 0; j < s->n; j++)
            b[j * s->k + s->k / 2 + l] = b[j * s->k + l];
    }
}

/* Returns the ways that the call took. */
static unsigned multiply(const sample *s, const char *method, double *out)
{
    static const exb_site site = {"cblas_dgemm", EXB_CALL_CBLAS, NULL};
    exb_call_stats stats, *outer;
    assert_int_equal(exblas_set_method(method), EXBLAS_OK);
    exblas_stats_enable(1);
    assert_true(exb_stats_open_call(&stats, &outer));
    int lda = s->transa == EXBLAS_NO_TRANS ? s->m : s->k;
    exb_entry_dgemm(&site, EXBLAS_COL_MAJOR, s->transa, EXBLAS_NO_TRANS, s->m, s->n, s->k, 1, a,
                    lda, b, s->k, s->beta, out, s->m);
    unsigned ways = atomic_load(&stats.ways);
    exb_stats_close_call(&stats, outer, "dgemm", 0);
    exblas_stats_enable(0);
    exblas_set_method(NULL);
    return ways;
}

/* The engine of statistics, but for what follows it. */
static void check_name(const sample *s)
{
    exblas_stats last;
    assert_int_equal(exblas_stats_last(&last), EXBLAS_OK);
    if (s->way < EXB_WAY_TWICE)
        assert_string_equal(last.engine, exb_product_way_name(s->way));
}

static void every_way_is_taken(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "ways");
    unsigned taken = 0, all = (1u << EXB_N_WAYS) - 1;
    if (!exb_kernels_current()->has_fma)
        all &= ~(1u << EXB_WAY_SMALL | 1u << EXB_WAY_CHAIN | 1u << EXB_WAY_TWICE);
    if (!exb_residue_permitted())
        all &= ~(1u << EXB_WAY_RESIDUE);
    exblas_set_num_threads(1);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const sample *s = &samples[i];
        if (!(all >> s->way & 1))
            continue;
        fill(&r, s);
        memcpy(c0, c, sizeof c);
        multiply(s, "superacc", c0);
        unsigned ways = multiply(s, s->method, c);
        if (!(ways >> s->way & 1))
            fail_msg("sample %zu does not go the way called %s", i, exb_product_way_name(s->way));
        check_name(s);
        for (int j = 0; j < s->m * s->n; j++)
            assert_same_bits(c[j], c0[j]);
        taken |= ways;
    }
    assert_int_equal(taken, all);
}

TESTS(every_way_is_taken)
