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

static int trans_of(char letter)
{
    return EXBLAS_NO_TRANS + (int)(strchr("ntc", letter) - "ntc");
}

/* The call on the device. */
static void run(const fuzz_case *c, fuzz_memory *m)
{
    cl_mem v[3];
    for (int w = OPERAND_A; w <= OPERAND_C; w++)
        v[w] = gpu_vector('d', m->image[w].n, m->image[w].first, PAD);
    gpu_ok(exblas_set_method("residue"));
    gpu_ok(exblas_cl_dgemm(gpu_queue(), c->layout == 'r' ? EXBLAS_ROW_MAJOR : EXBLAS_COL_MAJOR,
                           trans_of(c->transa), trans_of(c->transb), (size_t)c->m, (size_t)c->n,
                           (size_t)c->k, c->alpha.re, v[0], PAD, (size_t)fuzz_integer(c, "lda"),
                           v[1], PAD, (size_t)fuzz_integer(c, "ldb"), c->beta.re, v[2], PAD,
                           (size_t)fuzz_integer(c, "ldc"), 0, NULL, NULL));
    gpu_ok(exblas_set_method(NULL));
    gpu_read(gpu_queue(), v[2], PAD * sizeof(double),
             (size_t)m->image[OPERAND_C].n * sizeof(double), m->image[OPERAND_C].first);
    for (int w = OPERAND_A; w <= OPERAND_C; w++)
        clReleaseMemObject(v[w]);
}

static void check(const fuzz_case *c, const char *kind)
{
    fuzz_memory here = fuzz_memory_of(c), there = fuzz_memory_of(c);
    assert_null(fuzz_call(c, &here).wrong);
    run(c, &there);
    fuzz_verdict v = fuzz_compare(c, &here, &there);
    if (v.differs) {
        fuzz_print(stderr, c, &v);
        fail_msg("%s; TEST_SEED=%llu", kind, (unsigned long long)test_seed());
    }
    fuzz_memory_free(&here);
    fuzz_memory_free(&there);
}

static void check_size(test_random *r, size_t kind, int64_t m, int64_t n, int64_t k)
{
    fuzz_case c = gemm_random(r, 'd', kind, m, n, k);
    check(&c, gemm_kind_name(kind));
    fuzz_case_free(&c);
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

static fuzz_case bound_case(double alpha, double beta)
{
    fuzz_case c = fuzz_case_named("dgemm");
    c.m = c.n = BOUND_SIDE;
    c.k = BOUND_TERMS;
    c.alpha.re = alpha;
    c.beta.re = beta;
    fuzz_allocate(&c);
    return c;
}

/* Row and column `at` have nothing but x, the others zeros; C is 1 throughout. */
static void check_bound(double x, double alpha, int at)
{
    fuzz_case c = bound_case(alpha, 1);
    for (int l = 0; l < BOUND_TERMS; l++)
        c.operand[OPERAND_A].v[l * BOUND_SIDE + at].re =
            c.operand[OPERAND_B].v[at * BOUND_TERMS + l].re = x;
    for (int i = 0; i < BOUND_SIDE * BOUND_SIDE; i++)
        c.operand[OPERAND_C].v[i].re = 1;
    check(&c, "bound");
    fuzz_memory m = fuzz_memory_of(&c);
    run(&c, &m);
    assert_same_bits(fuzz_number_in(&c, &m, OPERAND_C, at, at).re, 1);
    fuzz_memory_free(&m);
    fuzz_case_free(&c);
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

static void scale(const fuzz_operand *o, int exp2)
{
    for (int64_t i = 0; i < o->rows * o->cols; i++)
        o->v[i].re = ldexp(o->v[i].re, exp2);
}

/* Numbers whose squares vanish or overflow, in products that do neither. */
static void test_scales(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "gpu residue scales");
    static const int exponents[] = {-700, -449, 489, 700, -530};
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
        fuzz_case c = gemm_random(&r, 'd', gemm_kind("uniform"), 40, 35, 200);
        scale(&c.operand[OPERAND_A], exponents[i]);
        scale(&c.operand[OPERAND_B], -exponents[i]);
        c.alpha.re = 1;
        c.beta.re = 0;
        check(&c, "scales");
        fuzz_case_free(&c);
    }
}

/* Squares that round to 0, beside one that does not: rows of 2^-536 and 4095 numbers whose squares
 * are just below 2^-1075. A norm from those squares is 2^-536, and the true one 21 times that: rows
 * scaled by it have products with a column of ones, all of one sign, beyond P / 2. */
static void test_vanishing_squares(NO_STATE)
{
    fuzz_case c = bound_case(1, 0);
    for (int i = 0; i < BOUND_SIDE * BOUND_TERMS; i++) {
        c.operand[OPERAND_A].v[i].re = i < BOUND_SIDE ? 0x1p-536 : 0x1.5p-538;
        c.operand[OPERAND_B].v[i].re = 1;
    }
    check(&c, "vanishing squares");
    fuzz_case_free(&c);
}

int main(void)
{
    return gpu_run(run_each(test_kinds, test_blocks, test_group_sizes, test_bound, test_scales,
                            test_vanishing_squares));
}
