/* The sums of residual_rows.h, which proofs rest on, against those of R S - I rounded once. */
#include "lapack/residual_rows.h"

#include "lapack/plain_factors.h"
#include "modes.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>

enum { MOST = 400 };

static double r[MOST * MOST], s[MOST * MOST], e[MOST * MOST], sums[MOST];

/* sums_i is at least the sum of the row, and little more. */
static void check(int n)
{
    memset(e, 0, sizeof e);
    for (int i = 0; i < n; i++)
        e[i * n + i] = 1;
    assert_true(exb_residual_rows(n, r, s, sums));
    excblas_dgemm(EXBLAS_ROW_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, n, n, n, 1, r, n, s, n, -1, e,
                  n);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += fabs(e[i * n + j]);
        assert_true(sums[i] >= sum * (1 - 0x1p-40));
        assert_true(sums[i] <= sum * (1 + 0x1p-40) + 1.01 * EXB_RESIDUAL_LOST);
    }
}

/* R = X_U X_L P, for conditions of about 2^bits: what is summed cancels as far as it can. */
static void set_inverse(test_random *random, int n, int bits)
{
    exb_plain_factors f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s[i * n + j] = i < n - 1 || n == 1
                               ? random_number(random, FORMAT_D, (int)random_between(random, -8, 0))
                               : ldexp(random_number(random, FORMAT_D, 0), -bits) + s[j];
    assert_true(exb_plain_factors_init(&f, n, s));
    excblas_dgemm(EXBLAS_ROW_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, n, n, n, 1, f.upper, n,
                  f.lower, n, 0, e, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            r[i * n + f.order[j]] = e[i * n + j];
    exb_plain_factors_free(&f);
}

static void sums_are_bounds(void **state)
{
    (void)state;
    static const int size[] = {1, 7, 130}, bits[] = {1, 48};
    test_random random = test_random_start(test_seed(), "residual rows");
    call_mode *modes;
    size_t n_modes = modes_product(1u << FACTOR_ISA, &modes);
    for (size_t m = 0; m < n_modes; m++)
        for (size_t k = 0; k < sizeof size / sizeof *size; k++)
            for (size_t b = 0; b < sizeof bits / sizeof *bits; b++) {
                mode_select(&modes[m]);
                set_inverse(&random, size[k], bits[b]);
                check(size[k]);
            }
    mode_restore();
    free(modes);
}

/* No inverse at all, rows and columns of any scale, zeros. */
static void any_matrices(void **state)
{
    (void)state;
    test_random random = test_random_start(test_seed(), "residual rows of any");
    for (int n = 1; n < 200; n += 48) {
        for (int i = 0; i < n * n; i++) {
            r[i] = random_number(&random, FORMAT_D, (int)random_between(&random, -20, 20));
            s[i] = random_number(&random, FORMAT_D, (int)random_between(&random, -20, 0));
        }
        check(n);
        memset(r, 0, sizeof r);
        check(n);
    }
}

/* Tiles of a row go to several tasks. */
static void several_tasks(void **state)
{
    (void)state;
    test_random random = test_random_start(test_seed(), "residual rows in tasks");
    set_inverse(&random, MOST, 40);
    exblas_set_num_threads(4);
    check(MOST);
    exblas_set_num_threads(0);
}

/* What overflows is not small. */
static void overflow(void **state)
{
    (void)state;
    for (int i = 0; i < 64; i++)
        r[i] = 0x1p1000, s[i] = 0x1p600;
    assert_true(exb_residual_rows(8, r, s, sums));
    for (int i = 0; i < 8; i++)
        assert_false(sums[i] < 0x1p1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_bounds),
                                       cmocka_unit_test(any_matrices),
                                       cmocka_unit_test(several_tasks), cmocka_unit_test(overflow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
