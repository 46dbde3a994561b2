/* Sums that end in ties, or next to one, among numbers of all sizes: what decides them without
 * an accumulator must know when something was lost. Products with zeros. */
#include "core/kernels.h"
#include "oracle.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/cblas.h>
#include <math.h>

enum { MOST = 1500 };

/* Multiples of a unit next to half of one of the sum's, so that ties are frequent. Sometimes two
 * small numbers that cancel but for the last bits of the one: what a sum of low parts loses. */
static void fill(test_random *r, number_format f, int n, double *x)
{
    int bits = (int)random_between(r, 0, 7) + (f == FORMAT_D ? 46 : 17);
    for (int i = 0; i < n; i++)
        x[i] = rint(random_number(r, f, -1) * ldexp(1, bits)) * ldexp(1, -bits);
    if (random_chance(r, 2)) {
        int exp2 = (int)(f == FORMAT_D ? random_between(r, 55, 75) : random_between(r, 26, 60));
        int kept = exp2 + (int)(f == FORMAT_D ? random_between(r, 20, 50) : 20);
        double t = random_number(r, f, -exp2);
        int at = (int)random_between(r, 0, n - 1);
        x[at] = t;
        x[(at + (int)random_between(r, 1, n - 1)) % n] = -ldexp(rint(ldexp(t, kept)), -kept);
    }
}

static double rounded_sum(number_format f, int n, const double *x, bool magnitudes)
{
    oracle o;
    oracle_init(&o);
    for (int i = 0; i < n; i++)
        oracle_add(&o, magnitudes ? fabs(x[i]) : x[i]);
    double sum = oracle_round(&o, f);
    oracle_clear(&o);
    return sum;
}

static void check(number_format f, int n, const double *x)
{
    float y[MOST];
    for (int i = 0; i < n; i++)
        y[i] = (float)x[i];
    if (f == FORMAT_D) {
        assert_same_bits(excblas_dsum(n, x, 1), rounded_sum(f, n, x, false));
        assert_same_bits(excblas_dasum(n, x, 1), rounded_sum(f, n, x, true));
    } else {
        assert_same_bits(excblas_ssum(n, y, 1), (float)rounded_sum(f, n, x, false));
        assert_same_bits(excblas_sasum(n, y, 1), (float)rounded_sum(f, n, x, true));
    }
}

static void ties_are_decided_rightly(void **state)
{
    static double x[MOST];
    test_random r = test_random_start(test_seed(), "tied sums");
    (void)state;
    for (int round = 0; round < 3000; round++) {
        number_format f = round % 2 ? FORMAT_D : FORMAT_S;
        int n = (int)random_between(&r, 3, random_chance(&r, 4) ? MOST : 150);
        fill(&r, f, n, x);
        for (int isa = 0; isa < exb_isa_count(); isa++)
            if (exb_isa_select(exb_isa_name(isa)) == 0)
                check(f, n, x);
    }
}

/* The dot product of n zeros but one with n times y. */
static double dot_with(int n, double x, double y)
{
    static double a[MOST], b[MOST];
    for (int i = 0; i < n; i++) {
        a[i] = i == n / 2 ? x : 0;
        b[i] = y;
    }
    double forth = excblas_ddot(n, a, 1, b, 1);
    assert_same_bits(excblas_ddot(n, b, 1, a, 1), forth);
    return forth;
}

static void products_with_zeros(void **state)
{
    static const int lengths[] = {1, 5, 40, 300, MOST};
    (void)state;
    for (int i = 0; i < 5; i++)
        for (int isa = 0; isa < exb_isa_count(); isa++) {
            if (exb_isa_select(exb_isa_name(isa)) != 0)
                continue;
            int n = lengths[i];
            assert_same_bits(dot_with(n, 0, 3), 0.0);
            assert_same_bits(dot_with(n, -0.0, 3), 0.0);
            assert_true(isnan(dot_with(n, 0, (double)INFINITY)));
            assert_true(isnan(dot_with(n, 0, (double)NAN)));
            assert_same_bits(dot_with(n, -0x1p-600, 0x1p-600), -0.0); /* rounded */
            double zeros[MOST] = {0};
            assert_same_bits(excblas_dnrm2(n, zeros, 1), 0.0);
            zeros[n / 2] = -0x1p-1074;
            assert_same_bits(excblas_dnrm2(n, zeros, 1), 0x1p-1074);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_are_decided_rightly),
        cmocka_unit_test(products_with_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
