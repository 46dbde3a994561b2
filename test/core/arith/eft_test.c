/* Error-free transformations are error-free: compared with MPFR. */
#include "core/arith/eft.h"

#include "test_random.h"
#include "testing.h"

#include <mpfr.h>

enum { N_BITS = 2400 };

typedef struct {
    mpfr_t exact, sum, term;
} numbers;

static void start(numbers *v)
{
    mpfr_inits2(N_BITS, v->exact, v->sum, v->term, (mpfr_ptr)0);
}

static void stop(numbers *v)
{
    mpfr_clears(v->exact, v->sum, v->term, (mpfr_ptr)0);
}

/* v->exact == h + l */
static void check_sum(numbers *v, double h, double l)
{
    assert_int_equal(mpfr_set_d(v->sum, h, MPFR_RNDN), 0);
    assert_int_equal(mpfr_add_d(v->sum, v->sum, l, MPFR_RNDN), 0);
    assert_true(mpfr_equal_p(v->exact, v->sum));
    assert_same_bits(h, mpfr_get_d(v->exact, MPFR_RNDN) + 0.0);
}

static void check_two_sum(numbers *v, double a, double b)
{
    double err;
    double s = exb_two_sum(a, b, &err);
    mpfr_set_d(v->exact, a, MPFR_RNDN);
    assert_int_equal(mpfr_add_d(v->exact, v->exact, b, MPFR_RNDN), 0);
    check_sum(v, s, err);
    if (fabs(a) >= fabs(b)) {
        s = exb_fast_two_sum(a, b, &err);
        check_sum(v, s, err);
    }
}

static void two_sum(void **state)
{
    static const double edge[] = {1, 0x1p-53, 0x1p-1074, 0x1.fffffffffffffp1022, -0x1p-1022, 3};
    numbers v;
    (void)state;
    start(&v);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 6; j++)
            if (edge[i] + edge[j] != 0)
                check_two_sum(&v, edge[i], edge[j]);
    test_random r = test_random_start(test_seed(), "two_sum");
    for (int i = 0; i < 20000; i++) {
        int e = (int)random_between(&r, -1074, 1000);
        int near = (int)random_between(&r, e > -1010 ? e - 64 : -1074, e);
        double a = random_number(&r, FORMAT_D, e), b = random_number(&r, FORMAT_D, near);
        if (a + b != 0)
            check_two_sum(&v, a, b);
    }
    stop(&v);
}

/* Exact down to |ab| = 2^-968; checked at that border and at random. */
static void two_prod(void **state)
{
    numbers v;
    (void)state;
    start(&v);
    test_random r = test_random_start(test_seed(), "two_prod");
    for (int i = 0; i < 40000; i++) {
        int total = i % 4 ? (int)random_between(&r, -967, 990) : -967 + i % 3;
        int low = total > 0 ? total - 990 : -990, high = total > 0 ? 990 : total + 990;
        int e = (int)random_between(&r, low > -990 ? low : -990, high < 990 ? high : 990);
        double err, a = random_number(&r, FORMAT_D, e), b = random_number(&r, FORMAT_D, total - e);
        double p = exb_two_prod(a, b, &err);
        mpfr_set_d(v.exact, a, MPFR_RNDN);
        assert_int_equal(mpfr_mul_d(v.exact, v.exact, b, MPFR_RNDN), 0);
        check_sum(&v, p, err);
    }
    stop(&v);
}

/* Below the range at most 2^-1070 is lost (compensated.h relies on it). */
static void two_prod_below_range(void **state)
{
    numbers v;
    (void)state;
    start(&v);
    test_random r = test_random_start(test_seed(), "two_prod below");
    for (int i = 0; i < 40000; i++) {
        int total = (int)random_between(&r, -1150, -969);
        int e = (int)random_between(&r, -1074, 0);
        if (total - e > 900 || total - e < -1074)
            continue;
        double err, a = random_number(&r, FORMAT_D, e), b = random_number(&r, FORMAT_D, total - e);
        double p = exb_two_prod(a, b, &err);
        mpfr_set_d(v.exact, a, MPFR_RNDN);
        mpfr_mul_d(v.exact, v.exact, b, MPFR_RNDN);
        mpfr_sub_d(v.exact, v.exact, p, MPFR_RNDN);
        mpfr_sub_d(v.exact, v.exact, err, MPFR_RNDN);
        assert_true(mpfr_zero_p(v.exact) || mpfr_get_exp(v.exact) <= -1070);
    }
    stop(&v);
}

/* Overflow leaves a value that cannot pass for a finite one. */
static void overflow_shows(void **state)
{
    double err;
    (void)state;
    double p = exb_two_prod(0x1p1000, 0x1p100, &err);
    assert_false(isfinite(p) && isfinite(err));
    double s = exb_two_sum(0x1.8p1023, 0x1.8p1023, &err);
    assert_false(isfinite(s) && isfinite(err));
    assert_false(exb_product_in_range((double)NAN));
    assert_false(exb_product_in_range((double)INFINITY));
    assert_false(exb_product_in_range(0x1p-961));
    assert_true(exb_product_in_range(-0x1p-960));
}

/* h - q d for q = RN(h / d) is exact. */
static void remainder_is_exact(void **state)
{
    numbers v;
    (void)state;
    start(&v);
    test_random r = test_random_start(test_seed(), "remainder");
    for (int i = 0; i < 20000; i++) {
        double h = random_number(&r, FORMAT_D, (int)random_between(&r, -450, 450));
        double d = random_number(&r, FORMAT_D, (int)random_between(&r, -450, 450));
        double q = h / d;
        mpfr_set_d(v.exact, q, MPFR_RNDN);
        mpfr_mul_d(v.exact, v.exact, d, MPFR_RNDN);
        mpfr_d_sub(v.exact, h, v.exact, MPFR_RNDN);
        assert_int_equal(mpfr_cmp_d(v.exact, exb_remainder(h, q, d)), 0);
    }
    stop(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sum),
        cmocka_unit_test(two_prod),
        cmocka_unit_test(two_prod_below_range),
        cmocka_unit_test(overflow_shows),
        cmocka_unit_test(remainder_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
