/* Sums that end in ties, or next to one, among numbers of all sizes: what decides them without
 * an accumulator must know when something was lost. */
#include "core/kernels.h"
#include "oracle.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/cblas.h>
#include <math.h>

enum { MOST = 1500 };

/* Numbers with few bits, sometimes with one that is small, by its place anywhere. */
static void fill(test_random *r, number_format f, int n, double *x)
{
    int bits = (int)random_between(r, 2, f == FORMAT_D ? 53 : 24);
    for (int i = 0; i < n; i++)
        x[i] = rint(random_number(r, f, 0) * ldexp(1, bits)) * ldexp(1, -bits);
    if (random_chance(r, 2))
        x[random_between(r, 0, n - 1)] = random_number(
            r, f, -(int)(f == FORMAT_D ? random_between(r, 30, 120) : random_between(r, 10, 60)));
}

/* The last two numbers move the sum to a midpoint of rounding, if that is a number. */
static void end_in_tie(number_format f, int n, double *x)
{
    oracle o;
    oracle_init(&o);
    for (int i = 0; i < n - 2; i++)
        oracle_add(&o, -x[i]);
    double near = oracle_round(&o, f);
    oracle_add(&o, -near - half_ulp(near, f));
    for (int i = n - 2; i < n; i++) {
        x[i] = oracle_round(&o, f);
        oracle_add(&o, -x[i]);
    }
    oracle_clear(&o);
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
    for (int round = 0; round < 1500; round++) {
        number_format f = round % 2 ? FORMAT_D : FORMAT_S;
        int n = (int)random_between(&r, 3, random_chance(&r, 4) ? MOST : 150);
        fill(&r, f, n, x);
        if (!random_chance(&r, 4))
            end_in_tie(f, n, x);
        for (int isa = 0; isa < exb_isa_count(); isa++)
            if (exb_isa_select(exb_isa_name(isa)) == 0)
                check(f, n, x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_are_decided_rightly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
