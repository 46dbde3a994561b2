/* Products of matrices by residues on a device against the processor's bits, where bounds and norms
 * are at their edges. */
#include "gpu_testing.h"
#include "level3/residue.h"
#include "test_random.h"

#include <exblas/cblas.h>
#include <math.h>

enum { SIDE = 64, TERMS = 4096 };
static double a[SIDE * TERMS], b[SIDE * TERMS], c[SIDE * SIDE], wanted[SIDE * SIDE];

/* C = alpha A B + beta C with k terms, packed by columns. */
static void check(const char *what, int k, double alpha, double beta)
{
    memcpy(wanted, c, sizeof c);
    gpu_ok(exblas_set_method("residue"));
    gpu_ok(exblas_cl_host_dgemm(gpu_queue(), 102, 111, 111, SIDE, SIDE, (size_t)k, alpha, a, SIDE,
                                b, (size_t)k, beta, c, SIDE));
    gpu_ok(exblas_set_method(NULL));
    excblas_dgemm(102, 111, 111, SIDE, SIDE, k, alpha, a, SIDE, b, k, beta, wanted, SIDE);
    for (int i = 0; i < SIDE * SIDE; i++)
        if (!same_bits(c[i], wanted[i]))
            fail_msg("%s: number %d is %a, not %a", what, i, c[i], wanted[i]);
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
    gpu_ok(exblas_cl_set_param(gpu_queue(), "dgemm", "moduli", EXB_MODULI_MIN));
    for (int i = 0; i < SIDE * TERMS; i++) {
        a[i] = i % SIDE == 0 ? x : 0;
        b[i] = i < TERMS ? x : 0;
    }
    for (int i = 0; i < SIDE * SIDE; i++)
        c[i] = 1;
    check("bound", TERMS, 0x1p-53 / (TERMS * x * x + TERMS / 20.0), 1);
    assert_same_bits(c[0], 1);
    exblas_cl_release(gpu_context()); /* and with it what was set */
}

/* Numbers whose squares vanish or overflow, in products that do neither. */
static void scales(NO_STATE)
{
    static const int exponents[] = {-700, -449, 489, 700, -530};
    test_random r = test_random_start(test_seed(), "gpu residue scales");
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
        for (int i = 0; i < SIDE * 200; i++) {
            a[i] = random_number(&r, FORMAT_D, exponents[e]);
            b[i] = random_number(&r, FORMAT_D, -exponents[e]);
        }
        check("scales", 200, 1, 0);
    }
}

/* Squares that round to 0, beside one that does not: rows of 2^-536 and 4095 numbers whose squares
 * are just below 2^-1075. A norm from those squares is 2^-536, and the true one 21 times that: rows
 * scaled by it have products with a column of ones, all of one sign, beyond P / 2. */
static void vanishing_squares(NO_STATE)
{
    for (int i = 0; i < SIDE * TERMS; i++) {
        a[i] = i < SIDE ? 0x1p-536 : 0x1.5p-538;
        b[i] = 1;
    }
    check("vanishing squares", TERMS, 1, 0);
}

int main(void)
{
    return gpu_run(run_each(bound, scales, vanishing_squares));
}
