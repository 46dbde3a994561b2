/* The routines of Level 2: what random numbers do not meet, and any calls (fuzz/differential)
 * against the model. */
#include "fuzz/differential/run.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>

/* Rows whose real parts are sums of zeros, and whose imaginary parts underflow, to -0. */
static void parts_that_are_zero(NO_STATE)
{
    enum { ROWS = 40, COLUMNS = 5 };
    double a[2 * ROWS * COLUMNS] = {0}, x[2 * COLUMNS] = {0}, y[2 * ROWS];
    const double one[] = {1, 0}, none[] = {0, 0};
    for (int i = 0; i < ROWS * COLUMNS; i++)
        a[2 * i] = 0x1p-600;
    for (int j = 0; j < COLUMNS; j++)
        x[2 * j + 1] = -0x1p-500;
    excblas_zgemv(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, ROWS, COLUMNS, one, a, ROWS, x, 1, none, y, 1);
    for (int i = 0; i < ROWS; i++) {
        assert_same_bits(y[2 * i], 0);
        assert_same_bits(y[2 * i + 1], -0.0);
    }
}

/* The diagonal of ones is beside the band: rows that are written out in full just find room, which
 * the sanitizers watch. */
static void unit_bands(NO_STATE)
{
    static const int bands[] = {16, 19, 33, 49, 62, 63, 97, 113, 121, 147, 241, 249};
    static double a[2 * 250 * 370], x[2][2 * 370];
    test_random r = test_random_start(test_seed(), "unit bands");
    for (int run = 0; run < 8 * (int)(sizeof bands / sizeof *bands); run++) {
        int k = bands[run / 8], n = k + 120;
        int uplo = run & 1 ? EXBLAS_UPPER : EXBLAS_LOWER;
        int trans = run & 2 ? EXBLAS_TRANS : EXBLAS_NO_TRANS;
        for (int i = 0; i < 2 * (k + 1) * n; i++)
            a[i] = random_number(&r, FORMAT_D, 0);
        if (run / 8 % 2) /* some rows go another way than those that follow */
            a[2 * k] = HUGE_VAL;
        for (int i = 0; i < 2 * n; i++)
            x[0][i] = x[1][i] = random_number(&r, FORMAT_D, 0);
        for (int way = 0; way < 2; way++) {
            assert_int_equal(exblas_set_method(way ? "superacc" : NULL), EXBLAS_OK);
            if (run & 4)
                excblas_ztbmv(EXBLAS_COL_MAJOR, uplo, trans, EXBLAS_UNIT, n, k, a, k + 1, x[way],
                              1);
            else
                excblas_dtbmv(EXBLAS_COL_MAJOR, uplo, trans, EXBLAS_UNIT, n, k, a, k + 1, x[way],
                              1);
        }
        for (int i = 0; i < 2 * n; i++)
            assert_same_bits(x[0][i], x[1][i]);
    }
    exblas_set_method(NULL);
}

static void any_calls(NO_STATE)
{
    assert_int_equal(fuzz_some("level2", 6000), 0);
}

TESTS(parts_that_are_zero, unit_bands, any_calls)
