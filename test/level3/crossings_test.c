/* Products of several row blocks, several column blocks and several panels at once: working memory
 * that is a fraction of what the whole product would take, one thread and three, and data of
 * which every tenth row is so near to rounding boundaries that it is computed otherwise.
 * Every element against the exact method, which knows no blocks, and some against MPFR. */
#include "core/partition.h"
#include "gemm_case.h"
#include "modes.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <stdlib.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

typedef struct {
    const char *method;
    int threads;
    size_t workspace;
} setting;

/* The residue engine holds a part of 192 x 192 in about a megabyte; at 1.3 to 1.8 k goes in panels.
 * A block of chains takes two hundred kilobytes. */
static const setting settings[] = {
    {"residue", 1, 1150000}, {"residue", 1, 1300000},  {"residue", 3, 500000},
    {"residue", 1, 1800000}, {"residue", 3, 700000},   {"residue", 1, 4000000},
    {"anchor", 1, 400000},   {"anchor", 1, 560000},    {"anchor", 3, 200000},
    {"anchor", 1, 1000000},  {"anchor", 3, 330000},    {"general", 3, 100000},
    {"residue", 1, 0},       {"residue", 1, 12000000},
};

static void apply(const setting *s)
{
    assert_int_equal(exblas_set_method(s->method), EXBLAS_OK);
    exblas_set_num_threads(s->threads);
    assert_int_equal(exblas_set_workspace(s->workspace), EXBLAS_OK);
    exb_partition_set_grain(s->threads == 1 ? 0 : 1);
}

static void check_some(const fuzz_case *c, test_random *r, const test_number *found)
{
    enum { SOME = 30 };
    for (int s = 0; s < SOME; s++) {
        int64_t i = s ? random_between(r, 0, c->m - 1) : c->m - 1;
        int64_t j = s ? random_between(r, 0, c->n - 1) : c->n - 1;
        i = s % 2 ? i / 10 * 10 : i; /* a row at boundaries */
        test_number x = found[j * c->m + i], wanted = fuzz_element(c, i, j);
        assert_true(same_bits(x.re, wanted.re) && same_bits(x.im, wanted.im));
    }
}

static void check(test_random *r, char type, const char *kind, int way, int64_t m, int64_t n,
                  int64_t k)
{
    static const setting exact = {"superacc", 3, 0};
    fuzz_case c = gemm_plain(r, type, gemm_kind(kind), way, m, n, k);
    apply(&exact);
    test_number *expected = fuzz_computed(&c);
    check_some(&c, r, expected);
    for (int i = 0; i < COUNT(settings); i++) {
        const setting *s = &settings[i];
        apply(s);
        fuzz_verdict v = fuzz_check(&c, expected);
        if (v.differs) {
            fuzz_print(stderr, &c, &v);
            fail_msg("%s: %s with %d threads and %zu bytes differs from the exact method; "
                     "TEST_SEED=%llu",
                     kind, s->method, s->threads, s->workspace, (unsigned long long)test_seed());
        }
    }
    free(expected);
    fuzz_case_free(&c);
}

/* Residues: blocks of rows, of columns and panels; the chains' panels are longer. */
static void blocks_and_panels(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "blocks and panels");
    for (int i = 0; i < 4; i++) {
        check(&r, 'd', "some boundaries", i, i % 2 ? 400 : 200, i % 2 ? 200 : 400, 200);
        check(&r, "szcs"[i], "some boundaries", i + 4, 230, 210, 150);
    }
    check(&r, 'd', "wide", 6, 400, 390, 131);
    check(&r, 'd', "integers", 3, 210, 590, 260);
    check(&r, 'z', "wide", 5, 250, 230, 100);
    check(&r, 'd', "specials", 1, 390, 230, 140);
    check(&r, 'c', "specials", 2, 130, 120, 150);
    check(&r, 'd', "graded", 4, 230, 390, 140);
    check(&r, 'd', "zero sums", 2, 230, 210, 150);
    check(&r, 'c', "zero sums", 7, 130, 220, 150);
    check(&r, 'd', "zero sums", 1, 60, 50, 4100); /* whose sets some workspaces do not hold */
    /* Several parts of one block go through two panels only beyond 4096 terms. */
    check(&r, 'd', "uniform", 0, 200, 197, 4100);
    mode_restore();
}

/* Products that are halved once, whole and in panels. */
static void halves(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "halves");
    check(&r, 'd', "some boundaries", 0, 530, 520, 515);
    check(&r, 'd', "integers", 5, 512, 577, 543);
    mode_restore();
}

TESTS(blocks_and_panels, halves)
