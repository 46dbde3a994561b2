/* Level 2 across its blocks: more rows, columns and terms than kernels take at once, sums kept on
 * the stack, waves of a product in place, strips of an update; in both layouts, transposes and
 * triangles, with vectors in all increments, by the filter and exactly. Against the model. */
#include "core/kernels.h"
#include "fuzz/differential/compare.h"
#include "fuzz/differential/expect.h"
#include "testing.h"

#include <exblas/exblas.h>

/* The limits: 512 elements of a row that is copied, 2048 (floats 8192) of one in place, sums of
 * 2048 columns; blocks of 64 (complex 32) and 2048 (512) rows; 16 of the small ones in place;
 * strips of 128 (64) rows of updates. */
typedef struct {
    const char *name;
    int64_t m, n, k;
} shape;

static const shape products[] = {
    {"sgemv", 20, 8400, 0},    {"sgemv", 8400, 20, 0},   {"dgemv", 2300, 70, 0},
    {"dgemv", 70, 2300, 0},    {"cgemv", 40, 2300, 0},   {"zgemv", 2300, 40, 0},
    {"dgbmv", 1400, 1300, 90}, {"zgbmv", 600, 700, 60},  {"sgbmv", 400, 90, 40},
    {"dgbmv", 90, 400, 5},     {"dsymv", 700, 700, 0},   {"zhemv", 600, 600, 0},
    {"ssbmv", 1300, 1300, 70}, {"chbmv", 700, 700, 600}, {"dsbmv", 500, 500, 90},
    {"zhpmv", 60, 60, 0},      {"dspmv", 900, 900, 0},   {"chpmv", 600, 600, 0},
    {"dtrmv", 1100, 1100, 0},  {"ztrmv", 590, 590, 0},   {"stbmv", 1300, 1300, 99},
    {"ztbmv", 1100, 1100, 40}, {"stpmv", 1100, 1100, 0}, {"ctpmv", 590, 590, 0},
    {"dtpmv", 200, 200, 0},    {"ztrmv", 70, 70, 0},     {"dskewsymv", 170, 170, 0},
    {"zsymv", 129, 129, 0},
};

static const shape solves_and_updates[] = {
    {"dtrsv", 700, 700, 0},  {"ctrsv", 300, 300, 0},   {"dtbsv", 1300, 1300, 40},
    {"stpsv", 600, 600, 0},  {"dtbsv", 600, 600, 300}, {"stbsv", 300, 300, 90},
    {"ztbsv", 300, 300, 20}, {"dtbsv", 50, 50, 0},     {"ztpsv", 300, 300, 0},
    {"sger", 300, 150, 0},   {"cgeru", 200, 150, 0},   {"zgerc", 150, 200, 0},
    {"dsyr", 300, 300, 0},   {"zher", 200, 200, 0},    {"sspr", 300, 300, 0},
    {"dsyr2", 300, 300, 0},  {"cher2", 200, 200, 0},   {"zhpr2", 200, 200, 0},
    {"zsyr", 129, 129, 0},   {"zsyr2", 129, 129, 0},   {"dskewsyr2", 170, 170, 0},
};

static void fill(test_random *r, const fuzz_case *c)
{
    number_format f = fuzz_format(c);
    for (int w = 0; w < N_OPERANDS; w++)
        for (int64_t i = 0; i < c->operand[w].rows * c->operand[w].cols; i++) {
            test_number *x = &c->operand[w].v[i];
            x->re = random_number(r, f, (int)random_between(r, -3, 3));
            x->im = fuzz_parts(c) == 2 ? random_number(r, f, (int)random_between(r, -3, 3)) : 0;
        }
    for (int64_t i = 0; c->t.solves && i < c->n; i++) /* unknowns keep their size */
        c->operand[OPERAND_A].v[i * c->n + i].re = (double)(2048 + i % 7);
}

static fuzz_case case_of(test_random *r, const shape *s, int way)
{
    fuzz_case c = fuzz_case_named(s->name);
    bool is_complex = fuzz_parts(&c) == 2 && (c.t.has_beta || c.t.has_y);
    c.transa = fuzz_has(c.routine, "trans") ? "ntc"[way % 3] : 'n';
    c.uplo = way & 1 ? 'u' : 'l';
    c.diag = way % 5 == 2 ? 'u' : 'n';
    c.m = s->m;
    c.n = s->n;
    c.kl = s->k;
    c.ku = s->k ? s->k + 3 : 0;
    c.alpha = (test_number){0.75, is_complex && way % 2 ? -0.5 : 0};
    c.beta = (test_number){way % 4 == 3 ? 0 : -2, 0};
    fuzz_allocate(&c);
    fill(r, &c);
    return c;
}

static void check(test_random *r, const shape *s, int way, int n_runs)
{
    static const char *const methods[] = {"auto", "superacc", "auto", "fpe4"};
    static const int increments[][2] = {{1, 1}, {-1, 2}, {3, -1}, {-2, -3}, {2, 1}};
    fuzz_case c = case_of(r, s, way);
    test_number *result = fuzz_model(&c);
    for (int i = 0; i < n_runs; i++) {
        int run = way + i;
        c.layout = i & 1 ? 'r' : 'c';
        c.incx = increments[run % 5][0];
        c.incy = increments[run % 5][1];
        c.padding[OPERAND_A] = run % 3;
        c.set.isa = exb_isa_current();
        c.set.method = methods[run / 2 % 4];
        c.set.threads = i % 3 ? 1 : 3;
        fuzz_verdict v = fuzz_try(&c, result);
        if (v.differs) {
            fuzz_print(stderr, &c, &v);
            fail_msg("TEST_SEED=%llu", (unsigned long long)test_seed());
        }
    }
    free(result);
    fuzz_case_free(&c);
}

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static void all_products(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "products in blocks");
    for (int i = 0; i < COUNT(products); i++)
        for (int way = 0; way < 3; way++)
            check(&r, &products[i], i + way, 5);
    mode_restore();
}

static void all_solves_and_updates(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "solves and updates in blocks");
    for (int i = 0; i < COUNT(solves_and_updates); i++)
        for (int way = 0; way < 2; way++)
            check(&r, &solves_and_updates[i], i + way, 5);
    mode_restore();
}

/* Columns so far apart that panels of rows are long: as those of a copy without gaps. */
static void columns_far_apart(NO_STATE)
{
    enum { M = 2300, N = 48, LDA = 160000 };
    double *far = malloc(sizeof *far * LDA * N), *near = malloc(sizeof *near * M * N);
    double *ends = malloc(sizeof *ends * 2 * M), factors[N];
    assert_true(far && near && ends);
    test_random r = test_random_start(test_seed(), "far apart");
    for (int64_t j = 0; j < N; j++) {
        factors[j] = random_number(&r, FORMAT_D, 0);
        for (int64_t i = 0; i < M; i++)
            far[j * LDA + i] = near[j * M + i] = random_number(&r, FORMAT_D, 0);
    }
    excblas_dgemv_64(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, M, N, 1, far, LDA, factors, 1, 0, ends, 1);
    excblas_dgemv_64(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, M, N, 1, near, M, factors, 1, 0, ends + M,
                     1);
    for (int64_t i = 0; i < M; i++)
        assert_same_bits(ends[i], ends[M + i]);
    free(far);
    free(near);
    free(ends);
}

/* Squares in place change places in tiles: as a copy. */
static void squares_in_place(NO_STATE)
{
    enum { MOST_N = 40, LD = 43 };
    static double in[2 * LD * MOST_N], out[2 * LD * MOST_N], alpha[2] = {0.75, -0.5};
    test_random r = test_random_start(test_seed(), "in place");
    for (int n = 1; n <= MOST_N; n++)
        for (int op = EXBLAS_TRANS; op <= EXBLAS_CONJ_TRANS; op++) {
            for (int i = 0; i < 2 * LD * n; i++)
                in[i] = out[i] = random_number(&r, FORMAT_D, 0);
            excblas_zomatcopy(EXBLAS_COL_MAJOR, op, n, n, alpha, in, LD, out, LD);
            excblas_zimatcopy(EXBLAS_COL_MAJOR, op, n, n, alpha, in, LD, LD);
            for (int i = 0; i < 2 * LD * n; i++)
                if (i % (2 * LD) < 2 * n)
                    assert_same_bits(in[i], out[i]);
            excblas_domatcopy(EXBLAS_COL_MAJOR, op, n, n, 0.75, in, LD, out, LD);
            excblas_dimatcopy(EXBLAS_COL_MAJOR, op, n, n, 0.75, in, LD, LD);
            for (int i = 0; i < LD * n; i++)
                if (i % LD < n)
                    assert_same_bits(in[i], out[i]);
        }
}

TESTS(all_products, all_solves_and_updates, columns_far_apart, squares_in_place)
