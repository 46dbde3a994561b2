/* Products of matrices by residues on a device against the processor's bits: all kinds of hard
 * data, transposes, sizes at the edges of tiles, blocks and panels, sizes of work-groups. */
#include "gemm_case.h"
#include "gpu_testing.h"
#include "level3/residue.h"

#include <math.h>

static void set_param(const char *name, int value)
{
    assert_int_equal(exblas_cl_set_param(gpu_queue(), "dgemm", name, value), EXBLAS_OK);
}

static void set_sizes(int group, int rows, int columns, int terms)
{
    set_param("residue_group", group);
    set_param("residue_rows", rows);
    set_param("residue_columns", columns);
    set_param("residue_terms", terms);
}

/* NaN that come before a matrix. */
enum { PAD = 3 };

/* The call on the device, C to out. */
static void run(const gemm_case *g, double *out)
{
    bool rows = g->layout == EXBLAS_ROW_MAJOR, ta = g->ta != EXBLAS_NO_TRANS,
         tb = g->tb != EXBLAS_NO_TRANS;
    cl_mem a = gpu_vector('d', g->lda * (ta == rows ? g->k : g->m), g->a, PAD);
    cl_mem b = gpu_vector('d', g->ldb * (tb == rows ? g->n : g->k), g->b, PAD);
    cl_mem c = gpu_vector('d', (int64_t)(g->c_bytes / sizeof(double)), g->c, PAD);
    gpu_ok(exblas_set_method("residue"));
    gpu_ok(exblas_cl_dgemm(gpu_queue(), g->layout, g->ta, g->tb, (size_t)g->m, (size_t)g->n,
                           (size_t)g->k, g->alpha[0], a, PAD, (size_t)g->lda, b, PAD,
                           (size_t)g->ldb, g->beta[0], c, PAD, (size_t)g->ldc, 0, NULL, NULL));
    gpu_ok(exblas_set_method(NULL));
    gpu_read(gpu_queue(), c, PAD * sizeof(double), g->c_bytes, out);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(c);
}

static void check(const gemm_case *g)
{
    size_t n = g->c_bytes / sizeof(double), bad = 0, first = 0;
    double *here = malloc(g->c_bytes), *there = malloc(g->c_bytes);
    assert_true(here && there);
    gemm_case_run(g, here);
    run(g, there);
    for (size_t i = 0; i < n; i++)
        if (!same_bits(here[i], there[i]) && bad++ == 0)
            first = i;
    if (bad)
        fail_msg("%s, m %d n %d k %d, layout %d ta %d tb %d alpha %a beta %a: %d elements differ; "
                 "number %d is %a, not %a; TEST_SEED=%llu",
                 g->kind, (int)g->m, (int)g->n, (int)g->k, g->layout, g->ta, g->tb, g->alpha[0],
                 g->beta[0], (int)bad, (int)first, there[first], here[first],
                 (unsigned long long)test_seed());
    free(here);
    free(there);
}

static void check_size(test_random *r, size_t kind, int64_t m, int64_t n, int64_t k)
{
    gemm_case g;
    gemm_case_init(&g, r, 'd', kind, m, n, k);
    check(&g);
    gemm_case_clear(&g);
}

static void test_kinds(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "gpu residue kinds");
    static const int sizes[][3] = {
        {1, 1, 1}, {5, 7, 3}, {33, 17, 70}, {64, 40, 520}, {31, 65, 129}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t kind = 0; kind < gemm_kinds(); kind++)
            check_size(&r, kind, sizes[s][0], sizes[s][1], sizes[s][2]);
}

static void test_blocks(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "gpu residue blocks");
    static const int groups[] = {64, 7, 3, 128, 2};
    for (int i = 0; i < 5; i++) {
        set_sizes(groups[i], 64, i % 2 ? 64 : 128, 512);
        check_size(&r, gemm_kind("uniform"), 150, 130, 1300);
        check_size(&r, gemm_kind("integers"), 70, 65, 1024);
        check_size(&r, gemm_kind("wide"), 100, 30, 1025);
    }
    set_sizes(256, 32768, 32768, 131072);
}

static void test_group_sizes(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "gpu residue groups");
    for (int i = 0; i < GPU_N_GROUPS; i++) {
        set_param("residue_group", gpu_groups[i]);
        for (size_t kind = 0; kind < gemm_kinds(); kind += 3)
            check_size(&r, (kind + (size_t)i) % gemm_kinds(), 20 + i, 35 - i, 90 + 7 * i);
    }
    set_param("residue_group", 256);
}

enum { BOUND_SIDE = 64, BOUND_TERMS = 4096 };
static double bound_a[BOUND_SIDE * BOUND_TERMS], bound_b[BOUND_SIDE * BOUND_TERMS],
    bound_c[BOUND_SIDE * BOUND_SIDE];

static gemm_case bound_case(const char *kind, double alpha, double beta)
{
    return (gemm_case){.type = 'd',
                       .kind = kind,
                       .layout = EXBLAS_COL_MAJOR,
                       .ta = EXBLAS_NO_TRANS,
                       .tb = EXBLAS_NO_TRANS,
                       .m = BOUND_SIDE,
                       .n = BOUND_SIDE,
                       .k = BOUND_TERMS,
                       .lda = BOUND_SIDE,
                       .ldb = BOUND_TERMS,
                       .ldc = BOUND_SIDE,
                       .alpha = {alpha},
                       .beta = {beta},
                       .a = bound_a,
                       .b = bound_b,
                       .c = bound_c,
                       .c_bytes = sizeof bound_c};
}

/* Row and column `at` have nothing but x, the others zeros; C is 1 throughout. */
static void check_bound(double x, double alpha, int at)
{
    gemm_case g = bound_case("bound", alpha, 1);
    memset(bound_a, 0, sizeof bound_a);
    memset(bound_b, 0, sizeof bound_b);
    for (int l = 0; l < BOUND_TERMS; l++)
        bound_a[l * BOUND_SIDE + at] = bound_b[at * BOUND_TERMS + l] = x;
    for (int i = 0; i < BOUND_SIDE * BOUND_SIDE; i++)
        bound_c[i] = 1;
    check(&g);
    run(&g, bound_c);
    assert_same_bits(bound_c[at * BOUND_SIDE + at], 1);
}

/* All that rounding to integers leaves out goes to one side, and the bound has nothing to spare:
 * with a' = b' = N + 1 for a mu = b mu = N + 1/2 it is k (N + 1/2 + N + 1) / 2, which is what the
 * sum of the products of integers exceeds the exact one by; the 1/2 in the norm of the rounded
 * column is k / 4 of it. alpha makes 1 + alpha v a midpoint for a v that exceeds the exact sum by k
 * / 20 in the same units: RN is 1, and a bound too small by k / 8 decides for the next number, N
 * being below 2^14 so that the factor 1 + 2^-18 of the bound adds less than k / 16. */
static void test_bound(NO_STATE)
{
    double most = exp2((exb_residue_log2(EXB_MODULI_MIN) - 1) / 2 - 0.01); /* 2-norm */
    double n = 2 * floor(0.45 * most / sqrt(BOUND_TERMS)) + 1, x = n + 0.5;
    assert_true(n > 1000 && n < 0x1p14);
    double v = BOUND_TERMS * x * x, alpha = 0x1p-53 / (v + BOUND_TERMS / 20.0);
    set_param("moduli", EXB_MODULI_MIN);
    check_bound(x, alpha, 0);
    exblas_cl_release(gpu_context()); /* and with it what was set */
}

static void scale(double *x, int64_t n, int exp2)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = ldexp(x[i], exp2);
}

/* Numbers whose squares vanish or overflow, in products that do neither. */
static void test_scales(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "gpu residue scales");
    static const int exponents[] = {-700, -449, 489, 700, -530};
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
        gemm_case g;
        gemm_case_init(&g, &r, 'd', gemm_kind("uniform"), 40, 35, 200);
        bool rows = g.layout == EXBLAS_ROW_MAJOR;
        scale(g.a, g.lda * ((g.ta != EXBLAS_NO_TRANS) == rows ? g.k : g.m), exponents[i]);
        scale(g.b, g.ldb * ((g.tb != EXBLAS_NO_TRANS) == rows ? g.n : g.k), -exponents[i]);
        g.alpha[0] = 1;
        g.beta[0] = 0;
        check(&g);
        gemm_case_clear(&g);
    }
}

/* Squares that round to 0, beside one that does not: rows of 2^-536 and 4095 numbers whose squares
 * are just below 2^-1075. A norm from those squares is 2^-536, and the true one 21 times that: rows
 * scaled by it have products with a column of ones, all of one sign, beyond P / 2. */
static void test_vanishing_squares(NO_STATE)
{
    gemm_case g = bound_case("vanishing squares", 1, 0);
    for (int i = 0; i < BOUND_SIDE * BOUND_TERMS; i++) {
        bound_a[i] = i < BOUND_SIDE ? 0x1p-536 : 0x1.5p-538;
        bound_b[i] = 1;
    }
    check(&g);
}

int main(void)
{
    return gpu_run(run_each(test_kinds, test_blocks, test_group_sizes, test_bound, test_scales,
                            test_vanishing_squares));
}
