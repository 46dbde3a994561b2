/* exb_inverse_magnitude, on which bounds rest, against products that are rounded once. */
#include "lapack/inverse_magnitude.h"

#include "modes.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>

enum { MOST = 330 };

static double s[MOST * MOST], lower[MOST * MOST], product[MOST * MOST], magnitudes[MOST * MOST],
    x[MOST], y[MOST], z[MOST];

static void multiply(int n, const double *a, const double *b, double *c)
{
    excblas_dgemm(EXBLAS_ROW_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, n, n, n, 1, a, n, b, n, 0, c,
                  n);
}

/* z = |X_U'| x */
static void set_magnitudes(const exb_plain_factors *f)
{
    for (int64_t j = 0; j < f->n; j++) {
        z[j] = 0;
        for (int64_t i = 0; i <= j; i++)
            z[j] += fabs(f->upper[i * f->n + j]) * x[i];
    }
}

/* Products of row `first` of X_L' and of later ones: y is theirs, and what was there, but for what
 * exb_inverse_magnitude_error says. Returns where they end. */
static int64_t check(const exb_plain_factors *f, int first, double before, double limit,
                     bool patient)
{
    int n = (int)f->n;
    for (int i = 0; i < n; i++)
        y[i] = before;
    set_magnitudes(f);
    int64_t end = exb_inverse_magnitude(f, first, x, z, limit, patient, y);
    assert_true(end >= first && end <= n);
    memset(lower, 0, sizeof lower);
    memcpy(lower + first * n, f->lower + first * n, (size_t)((end - first) * n) * sizeof *lower);
    multiply(n, f->upper, lower, product);
    for (int i = 0; i < n * n; i++) {
        s[i] = fabs(f->upper[i]);
        lower[i] = fabs(lower[i]);
    }
    multiply(n, s, lower, magnitudes);
    for (int j = 0; j < n; j++) {
        double sum = before, most = 0;
        for (int i = 0; i < n; i++) {
            sum += fabs(product[i * n + j]) * x[i];
            most += magnitudes[i * n + j] * x[i];
        }
        double error = exb_inverse_magnitude_error(n) * most;
        assert_true(fabs(y[j] - sum) <= error + n * 0x1p-51 * sum);
        assert_true(end == first ? y[j] == before : y[j] <= limit);
    }
    return end;
}

/* Between all and nothing. */
static void check_limits(const exb_plain_factors *f, int first)
{
    double most = 0;
    for (int j = 0; j < f->n; j++)
        most = fmax(most, y[j]);
    for (int part = 1; part <= 2; part++)
        check(f, first, 0, ldexp(most, -part * part), part == 1);
    assert_true(check(f, first, 1, 0.5, false) == first);
}

static void check_all(test_random *r, int n)
{
    exb_plain_factors f;
    for (int i = 0; i < n * n; i++)
        s[i] = random_number(r, FORMAT_D, (int)random_between(r, -4, 0));
    assert_true(exb_plain_factors_init(&f, n, s));
    assert_true(exb_inverse_magnitude_error(n) < 0x1p-46);
    for (int part = 0; part <= 2; part++) {
        for (int i = 0; i < n; i++)
            x[i] = fabs(random_number(r, FORMAT_D, 0));
        check(&f, part * n / 3, 1, INFINITY, part == 1);
        for (int i = 0; i < n; i++) /* one row, so that few roundings are of sums over rows */
            x[i] = i == n / 4;
        assert_true(check(&f, part * n / 3, 0, INFINITY, part == 2) == n);
        if (part < 2)
            check_limits(&f, part * n / 3);
    }
    exb_plain_factors_free(&f);
}

static void bounds_hold(void **state)
{
    (void)state;
    static const int size[] = {1, 2, 63, 65, 130};
    test_random r = test_random_start(test_seed(), "magnitudes");
    call_mode *modes;
    size_t n_modes = modes_product(1u << FACTOR_ISA, &modes);
    for (size_t m = 0; m < n_modes; m++)
        for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
            mode_select(&modes[m]);
            check_all(&r, size[k]);
        }
    mode_restore();
    free(modes);
    check_all(&r, MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
