/* Products of matrices by residues on a device against the processor's bits, where bounds and norms
 * are at their edges. */
#include "cuda_testing.h"
#include "level3/residue.h"

#include <math.h>

enum { SIDE = 64, TERMS = 4096 };

/* C = alpha A B + beta C with k terms. */
static fuzz_case product_of(int k, double alpha, double beta)
{
    fuzz_case c = case_of("dgemm", SIDE, SIDE, k, STYLE_RANDOM, "residue");
    c.alpha.re = alpha;
    c.beta.re = beta;
    return c;
}

/* By these moduli; 0: as many as it takes. */
static void check(fuzz_case c, int moduli)
{
    device_job *j = job_of(c);
    device_handle = create();
    if (moduli)
        cuda_ok(exblas_cuda_set_param(device_handle, "dgemm", "moduli", moduli));
    cuda_ok(job_call(j));
    assert_true(job_is_right(j));
    cuda_ok(exblas_cuda_destroy(device_handle));
    job_free(j);
}

/* All that rounding to integers leaves out goes to one side, and the bound has nothing to spare:
 * with a' = b' = N + 1 for a mu = b mu = N + 1/2 it is k (N + 1/2 + N + 1) / 2, which is what the
 * sum of the products of integers exceeds the exact one by; the 1/2 in the norm of the rounded
 * column is k / 4 of it. alpha makes 1 + alpha v a midpoint for a v that exceeds the exact sum by k
 * / 20 in the same units: RN is 1, and a bound too small by k / 8 decides for the next number, N
 * being below 2^14 so that the factor 1 + 2^-18 of the bound adds less than k / 16. The first row
 * and column have nothing but N + 1/2, the others zeros; C is 1 throughout. */
static void bound(NO_STATE)
{
    double most = exp2((exb_residue_log2(EXB_MODULI_MIN) - 1) / 2 - 0.01); /* 2-norm */
    double n = 2 * floor(0.45 * most / sqrt(TERMS)) + 1, x = n + 0.5;
    assert_true(n > 1000 && n < 0x1p14);
    fuzz_case c = product_of(TERMS, 0x1p-53 / (TERMS * x * x + TERMS / 20.0), 1);
    for (int i = 0; i < SIDE * TERMS; i++) {
        c.operand[OPERAND_A].v[i].re = i % SIDE == 0 ? x : 0;
        c.operand[OPERAND_B].v[i].re = i < TERMS ? x : 0;
    }
    for (int i = 0; i < SIDE * SIDE; i++)
        c.operand[OPERAND_C].v[i].re = 1;
    check(c, EXB_MODULI_MIN);
}

/* Numbers whose squares vanish or overflow, in products that do neither. */
static void scales(NO_STATE)
{
    static const int exponents[] = {-700, -449, 489, 700, -530};
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
        fuzz_case c = product_of(200, 1, 0);
        for (int i = 0; i < SIDE * 200; i++) {
            c.operand[OPERAND_A].v[i].re = ldexp(c.operand[OPERAND_A].v[i].re, exponents[e]);
            c.operand[OPERAND_B].v[i].re = ldexp(c.operand[OPERAND_B].v[i].re, -exponents[e]);
        }
        check(c, 0);
    }
}

/* Squares that round to 0, beside one that does not: rows of 2^-536 and 4095 numbers whose squares
 * are just below 2^-1075. A norm from those squares is 2^-536, and the true one 21 times that: rows
 * scaled by it have products with a column of ones, all of one sign, beyond P / 2. */
static void vanishing_squares(NO_STATE)
{
    fuzz_case c = product_of(TERMS, 1, 0);
    for (int i = 0; i < SIDE * TERMS; i++) {
        c.operand[OPERAND_A].v[i].re = i < SIDE ? 0x1p-536 : 0x1.5p-538;
        c.operand[OPERAND_B].v[i].re = 1;
    }
    check(c, 0);
}

TESTS(bound, scales, vanishing_squares)
