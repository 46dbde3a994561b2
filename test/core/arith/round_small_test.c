/* Rounding where the widths of words and formats count (superacc_small_test.c tries all numbers of
 * small ones); and rounding to odd, neighbour by neighbour. */
#include "core/arith/round.h"

#include "scoped.h"
#include "test_random.h"
#include "testing.h"

#include <math.h>

/* Far below the smallest and far above the largest number. */
static void far_outside(NO_STATE)
{
    exb_format formats[] = {exb_format_d(), exb_format_s(), exb_format_h()};
    for (int i = 0; i < 3; i++) {
        int low = formats[i].min_exp2 - 63, high = exb_max_exponent(formats[i]) - 63;
        for (int distance = 2; distance < 4000; distance += 7) {
            exb_leading small = {UINT64_MAX, low - distance, false, true};
            exb_leading large = {(uint64_t)1 << 63, high + distance - 1, false, false};
            assert_int_equal(exb_encode_leading(formats[i], &small), 0);
            assert_int_equal(exb_encode_leading(formats[i], &large), formats[i].infinity);
        }
    }
}

static void formats(NO_STATE)
{
    assert_int_equal(exb_max_exponent(exb_format_d()), 1023);
    assert_int_equal(exb_max_exponent(exb_format_s()), 127);
    for (int e = -1074; e <= 971; e++) {
        exb_decomposed p = exb_split(ldexp(0x1.fffffffffffffp52, e < -1022 ? -1022 : e));
        if (e >= -1022)
            assert_int_equal(p.exp2, e);
    }
    assert_same_bits(exb_signed_d(exb_encode(exb_format_d(), (uint64_t)1 << 52, -1074), true),
                     -0x1p-1022);
    assert_same_bits(exb_signed_d(exb_encode(exb_format_d(), (uint64_t)1 << 53, -1074), false),
                     0x1p-1021);
    assert_same_bits(exb_signed_d(exb_encode(exb_format_d(), (uint64_t)1 << 53, 971), true),
                     (double)-INFINITY);
}

/* leading: 64 bits and whether there are more, of values with one bit at every place and
 * another one far below. */
static void leading_bits(NO_STATE)
{
    for (int top = -1074; top <= 1023; top++)
        for (int gap = 1; gap <= top + 1074; gap = gap < 130 ? gap + 1 : gap * 2)
            for (int sign = -1; sign <= 1; sign += 2) {
                exb_product_acc storage;
                exb_superacc *a = exb_product_acc_init(&storage);
                exb_leading l;
                exb_superacc_add(a, sign * power_of_two(top));
                exb_superacc_add(a, sign * power_of_two(top - gap));
                assert_true(exb_superacc_leading(a, &l));
                uint64_t low = gap <= 63 ? (uint64_t)1 << (63 - gap) : 0;
                assert_true(l.significand == ((uint64_t)1 << 63 | low));
                assert_int_equal(l.exp2, top - 63);
                assert_int_equal(l.inexact, gap > 63);
                assert_int_equal(l.negative, sign < 0);
                assert_true(a->special == 0 && exb_superacc_sign(a) == sign);
            }
}

/* h + l itself, or of its two neighbours the odd one. */
static void check_odd(mpfr_t sum, double h, double l)
{
    mpfr_set_d(sum, h, MPFR_RNDN);
    assert_int_equal(mpfr_add_d(sum, sum, l, MPFR_RNDN), 0);
    double below = mpfr_get_d(sum, MPFR_RNDD), above = mpfr_get_d(sum, MPFR_RNDU);
    double expected = below == above || (bits_of(below) & 1) ? below : above;
    if (expected != 0) {
        assert_same_bits(exb_add_to_odd(h, l), expected);
        assert_same_bits(exb_add_to_odd(h, l), expected);
    }
}

static void rounding_to_odd(NO_STATE)
{
    static const double l[] = {0,          0x1p-53, -0x1p-53, 0x1p-54,   -0x1p-54,  0x1p-1074,
                               -0x1p-1074, 0x1p-52, -0x1p-52, 0x1.8p-53, -0x1.8p-53};
    MPFR(sum, 2400);
    test_random r = test_random_start(test_seed(), "odd neighbours");
    for (int sign = -1; sign <= 1; sign += 2)
        for (size_t i = 0; i < sizeof l / sizeof *l; i++)
            for (int e = -1022; e <= 1000; e += 7) {
                double tail = l[i] == 0x1p-1074 || l[i] == -0x1p-1074 ? l[i] : ldexp(l[i], e);
                check_odd(sum, sign * power_of_two(e), tail);
                check_odd(sum, sign * power_of_two(e) * 0x1.fffffffffffffp0, tail);
                check_odd(sum, sign * power_of_two(e) * 0x1.0000000000001p0, tail);
            }
    for (int i = 0; i < 20000; i++) {
        int e = (int)random_between(&r, -1074, 1000);
        double h = random_number(&r, FORMAT_D, e);
        check_odd(
            sum, h,
            random_number(&r, FORMAT_D, (int)random_between(&r, e < -974 ? -1074 : e - 120, e)));
    }
}

TESTS(far_outside, formats, leading_bits, rounding_to_odd)
