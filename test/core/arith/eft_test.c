/* Error-free transformations are error-free, up to the borders of the ranges that eft.h names:
 * compared with MPFR. Compiled with and without FMA, since two_prod is another algorithm in each.
 */
#include "core/arith/eft.h"
#include "core/arith/fma.h"

#include "oracle.h"
#include "test_random.h"
#include "testing.h"

enum { N_BITS = 2400 };

/* Exact a * b == p + err, p = RN(ab). */
static void check_product(double a, double b)
{
    double err, p = exb_two_prod(a, b, &err);
    MPFR(exact, N_BITS);
    mpfr_set_d(exact, a, MPFR_RNDN);
    assert_int_equal(mpfr_mul_d(exact, exact, b, MPFR_RNDN), 0);
    assert_same_bits(p, mpfr_get_d(exact, MPFR_RNDN));
    mpfr_sub_d(exact, exact, p, MPFR_RNDN);
    if (mpfr_cmp_d(exact, err) != 0)
        fail_msg("%a * %a is not %a + %a", a, b, p, err);
}

/* a + b == s + err, s = RN(a + b). */
static void check_sum(double a, double b)
{
    double err, err2, s = exb_two_sum(b, a, &err), s2 = exb_two_sum(a, b, &err2);
    assert_same_bits(s, s2);
    assert_same_bits(err, err2);
    MPFR(exact, N_BITS);
    mpfr_set_d(exact, a, MPFR_RNDN);
    assert_int_equal(mpfr_add_d(exact, exact, b, MPFR_RNDN), 0);
    assert_same_bits(s + 0.0, mpfr_get_d(exact, MPFR_RNDN) + 0.0);
    mpfr_sub_d(exact, exact, s, MPFR_RNDN);
    assert_int_equal(mpfr_cmp_d(exact, err), 0);
    if (fabs(a) >= fabs(b)) {
        assert_same_bits(exb_fast_two_sum(a, b, &err2), s);
        assert_true(err == err2);
    }
}

static const double significands[] = {1,
                                      0x1.0000000000001p0,
                                      0x1.fffffffffffffp0,
                                      0x1.0000004p0,
                                      0x1.0000003ffffffp0,
                                      0x1.0000004000001p0,
                                      0x1.7ffffffffffffp0};
enum { N_SIGNIFICANDS = sizeof significands / sizeof *significands };

/* 2^-968 <= |p| < 2^1023 with factors below 2^996: the smallest and the largest product,
 * shared between the factors in all ways. */
static void two_prod_at_its_borders(NO_STATE)
{
    for (int i = 0; i < N_SIGNIFICANDS; i++)
        for (int j = 0; j < N_SIGNIFICANDS; j++)
            for (int e = -1022; e <= 995; e += 31) {
                int low = -968 - e, high = 1020 - e;
                double a = ldexp(significands[i], e);
                if (low <= 995)
                    check_product(a, ldexp(-significands[j], low > -1022 ? low : -1022));
                if (high >= -1022)
                    check_product(a, ldexp(significands[j], high < 995 ? high : 995));
            }
}

/* Exact sums of numbers at all distances, and products of all sizes in the range. */
static void random_ones(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "eft");
    for (int i = 0; i < 20000; i++) {
        int e = (int)random_between(&r, -1074, 1000);
        int near = (int)random_between(&r, e > -1010 ? e - 64 : -1074, e);
        check_sum(random_number(&r, FORMAT_D, e), random_number(&r, FORMAT_D, near));
        int total = (int)random_between(&r, -967, 990);
        int low = total > 0 ? total - 990 : -990, high = total > 0 ? 990 : total + 990;
        int factor = (int)random_between(&r, low > -990 ? low : -990, high < 990 ? high : 990);
        check_product(random_number(&r, FORMAT_D, factor),
                      random_number(&r, FORMAT_D, total - factor));
    }
}

/* Below the range at most 2^-1070 is lost (compensated.h relies on it). */
static void two_prod_below_range(NO_STATE)
{
    MPFR(rest, N_BITS);
    test_random r = test_random_start(test_seed(), "two_prod below");
    for (int i = 0; i < 40000; i++) {
        int total = (int)random_between(&r, -1150, -969);
        int e = (int)random_between(&r, -1074, 0);
        if (total - e > 900 || total - e < -1074)
            continue;
        double err, a = random_number(&r, FORMAT_D, e), b = random_number(&r, FORMAT_D, total - e);
        double p = exb_two_prod(a, b, &err);
        mpfr_set_d(rest, a, MPFR_RNDN);
        mpfr_mul_d(rest, rest, b, MPFR_RNDN);
        mpfr_sub_d(rest, rest, p, MPFR_RNDN);
        mpfr_sub_d(rest, rest, err, MPFR_RNDN);
        assert_true(mpfr_zero_p(rest) || mpfr_get_exp(rest) <= -1070);
    }
}

/* What product_in_range lets pass is exact, also where products begin to underflow. */
static void range_test_is_right(NO_STATE)
{
    size_t n_passed = 0, n_refused = 0;
    test_random r = test_random_start(test_seed(), "range");
    for (int i = 0; i < 20000; i++) {
        int e = (int)random_between(&r, -500, -400), f = (int)random_between(&r, -1030, -940) - e;
        double a = random_number(&r, FORMAT_D, e), b = random_number(&r, FORMAT_D, f);
        if (exb_product_in_range(a * b)) {
            check_product(a, b);
            n_passed++;
        } else
            n_refused++;
    }
    assert_true(n_passed > 1000 && n_refused > 1000);
}

/* Subnormal factors are as good as others while the product is in range. */
static void two_prod_of_subnormals(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "subnormal factors");
    for (int i = 0; i < 20000; i++) {
        int e = (int)random_between(&r, -1074, -1020);
        int f = (int)random_between(&r, -967 - e, 995);
        check_product(random_number(&r, FORMAT_D, e), random_number(&r, FORMAT_D, f));
    }
}

static void two_prod_of_zero(NO_STATE)
{
    static const double x[] = {0.0, -0.0, 1, -0x1p-1074, 0x1p995, -3};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 2; j++) {
            double err, p = exb_two_prod(x[i], x[j], &err);
            assert_true(p == 0 && err == 0);
        }
}

/* Of numbers of all sizes, products next to half a unit of c, and c next to what cancels. */
static void emulated_fma_rounds_once(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "fma");
    for (int i = 0; i < 80000; i++) {
        int e = (int)random_between(&r, -1074, 970), f = (int)random_between(&r, -1074, 970);
        double a = random_number(&r, FORMAT_D, e), b = random_number(&r, FORMAT_D, i % 3 ? -e : f);
        double c = i % 5 ? random_number(&r, FORMAT_D, i % 2 ? f : 0) : -(a * b);
        if (i % 4 == 0) {
            a = copysign(significands[i / 4 % N_SIGNIFICANDS], a);
            b = ldexp(significands[i / 28 % N_SIGNIFICANDS], f);
            c = i % 8 ? random_number(&r, FORMAT_D, f + 53) : ldexp(i % 16 ? 1 : 0, f + 53);
        } else if (i % 2 && isfinite(c))
            c = from_bits(bits_of(c) + (uint64_t)random_between(&r, -1, 1));
        ORACLE(o);
        oracle_add_product(&o, a, b);
        oracle_add(&o, c);
        assert_same_bits(exb_fma_emulated(a, b, c), oracle_round(&o, FORMAT_D));
    }
    assert_same_bits(exb_fma_emulated(-0.0, 1, -0.0), -0.0);
}

/* Whatever overflows leaves an Inf or a NaN in p or the error. */
static void overflow_shows(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "overflow");
    for (int i = 0; i < 20000; i++) {
        int e = (int)random_between(&r, 1, 1023);
        double err, a = random_number(&r, FORMAT_D, e);
        double p = exb_two_prod(
            a, random_number(&r, FORMAT_D, (int)random_between(&r, 1024 - e, 1023)), &err);
        assert_false(isfinite(p) && isfinite(err));
        assert_false(exb_product_in_range(p));
        double b = copysign(random_number(&r, FORMAT_D, 1023), a);
        double s =
            exb_two_sum(copysign(b, 1) == b ? fabs(b) : -fabs(b), copysign(0x1p1023, b), &err);
        assert_false(isfinite(s) && isfinite(err));
    }
    double err;
    for (int e = 0; e < 1023; e++) { /* Inf and NaN operands */
        assert_false(isfinite(exb_two_sum((double)INFINITY, power_of_two(e), &err)) &&
                     isfinite(err));
        assert_false(isfinite(exb_two_prod((double)NAN, power_of_two(e), &err)));
    }
}

/* The largest sums that do not overflow, subnormal errors, operands of all distances. */
static void two_sum_at_its_borders(NO_STATE)
{
    for (int i = 0; i < N_SIGNIFICANDS; i++)
        for (int j = 0; j < N_SIGNIFICANDS; j++)
            for (int e = -1022; e <= 1022; e += 14)
                for (int f = -1022; f <= e; f += 13)
                    for (int sign = -1; sign <= 1; sign += 2)
                        check_sum(ldexp(significands[i], e), sign * ldexp(significands[j], f));
}

/* h - qd at the ends of 2^-900 <= |h|, |q| <= 2^1000. */
static void remainder_at_its_borders(NO_STATE)
{
    static const int ends[] = {-900, -899, -1, 0, 1, 998, 999};
    MPFR(exact, N_BITS);
    test_random r = test_random_start(test_seed(), "remainder borders");
    for (int i = 0; i < 20000; i++) {
        int eh = ends[random_between(&r, 0, 6)], eq = ends[random_between(&r, 0, 6)];
        if (i % 2) {
            eh = (int)random_between(&r, -450, 450);
            eq = eh - (int)random_between(&r, -450, 450);
        }
        if (eh - eq < -1020 || eh - eq > 990)
            continue;
        double h = random_number(&r, FORMAT_D, eh), d = random_number(&r, FORMAT_D, eh - eq);
        double q = h / d;
        if (!(fabs(q) >= 0x1p-900 && fabs(q) <= 0x1p1000))
            continue;
        mpfr_set_d(exact, q, MPFR_RNDN);
        mpfr_mul_d(exact, exact, d, MPFR_RNDN);
        mpfr_d_sub(exact, h, exact, MPFR_RNDN);
        assert_int_equal(mpfr_cmp_d(exact, exb_remainder(h, q, d)), 0);
    }
}

int main(void)
{
#if defined(__x86_64__)
    if (EXB_HAVE_FMA && !__builtin_cpu_supports("fma")) {
        printf("1..0 # SKIP no FMA on this processor\n");
        return 0;
    }
#endif
    return run_each(two_prod_at_its_borders, random_ones, two_prod_below_range, range_test_is_right,
                    two_prod_of_subnormals, two_prod_of_zero, emulated_fma_rounds_once,
                    overflow_shows, two_sum_at_its_borders, remainder_at_its_borders);
}
