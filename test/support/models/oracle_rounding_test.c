/* The oracle's own roundings against MPFR's conversions and its emulation of
 * subnormal numbers, at and around every kind of boundary. */
#include "mpfr_range.h"
#include "oracle.h"
#include "test_random.h"
#include "testing.h"

#include <math.h>

enum { N_VALUES = 20000, WIDE_BITS = 2300 };

/* A number of the format, up to two halves of its last place away from it, and
 * perhaps something far below. */
static void random_boundary(test_random *r, number_format f, mpfr_t value)
{
    format_limits l = limits_of(f);
    int exp2 = (int)random_between(r, l.min_exp2 - 2, l.max_exp2);
    double x = random_number(r, f, exp2 < l.min_exp2 ? l.min_exp2 : exp2);
    int last = exp2 - l.n_bits < l.min_exp2 - 1 ? l.min_exp2 - 1 : exp2 - l.n_bits;
    if (random_chance(r, 8))
        x = copysign(ldexp(1, exp2 < l.min_exp2 ? l.min_exp2 : exp2), x);
    if (random_chance(r, 8))
        x = copysign(ldexp(2 - ldexp(1, 1 - l.n_bits), l.max_exp2), x);
    if (fabs(x) > ldexp(1, l.max_exp2))
        last = l.max_exp2 - l.n_bits;
    MPFR(part, 8);
    assert_int_equal(mpfr_set_d(value, random_chance(r, 50) ? 0 : x, MPFR_RNDN), 0);
    mpfr_set_si_2exp(part, (long)random_between(r, -2, 2), last, MPFR_RNDN);
    assert_int_equal(mpfr_add(value, value, part, MPFR_RNDN), 0);
    mpfr_set_si_2exp(part, (long)random_between(r, -1, 1), -1200, MPFR_RNDN);
    assert_int_equal(mpfr_add(value, value, part, MPFR_RNDN), 0);
}

static double emulated(const mpfr_t value, number_format f)
{
    format_limits l = limits_of(f);
    MPFR(rounded, l.n_bits);
    int ternary = mpfr_set(rounded, value, MPFR_RNDN);
    return mpfr_in_range(rounded, ternary, l.min_exp2 + 1, l.max_exp2 + 1, MPFR_RNDN);
}

static void conversions(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "conversions");
    MPFR(value, WIDE_BITS);
    for (int i = 0; i < N_VALUES; i++) {
        number_format f = i % 2 ? FORMAT_S : FORMAT_D;
        random_boundary(&r, f, value);
        double x = oracle_round_exact(value, false, f);
        assert_same_bits(x, f == FORMAT_S ? (double)mpfr_get_flt(value, MPFR_RNDN)
                                          : mpfr_get_d(value, MPFR_RNDN));
        assert_same_bits(x, emulated(value, f));
    }
}

/* (x - ulp/2)^2 <= S <= (x + ulp/2)^2 with all terms exact, and x even where one
 * of them is equal: the definition of the rounded root. */
static void check_root(const oracle *s, number_format f)
{
    double x = oracle_root(s, f), half = half_ulp(x, f);
    MPFR(bound, 200);
    MPFR(square, 200);
    for (int side = -1; side <= 1; side += 2) {
        mpfr_set_d(bound, x, MPFR_RNDN);
        assert_int_equal(mpfr_add_d(bound, bound, side * half, MPFR_RNDN), 0);
        assert_int_equal(mpfr_sqr(square, bound, MPFR_RNDN), 0);
        int order = mpfr_cmp(s->sum, square);
        assert_true(side < 0 ? order >= 0 : order <= 0);
        uint64_t last_bit = bits_of(x) >> (f == FORMAT_S ? 29 : 0) & 1;
        assert_true(order != 0 || last_bit == 0);
    }
}

/* Sums of two squares; every other one the square of a midpoint. Powers of two,
 * whose lower neighbour is nearer, do not occur. */
static void roots(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "roots");
    ORACLE(s);
    for (int i = 0; i < N_VALUES; i++) {
        number_format f = i % 2 ? FORMAT_S : FORMAT_D;
        int64_t unit = (int64_t)1 << limits_of(f).n_bits;
        double k = (double)(random_between(&r, unit / 5 + 1, unit / 3 - 2) | 1);
        double x = i % 4 < 2 ? 3 * k : random_number(&r, f, 3), y = i % 4 < 2 ? 4 * k : 0.5;
        oracle_reset(&s);
        oracle_add_product(&s, x, x);
        oracle_add_product(&s, y, y);
        check_root(&s, f);
    }
}

TESTS(conversions, roots)
