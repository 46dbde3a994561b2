/* The exact square root where it is hardest: squares of midpoints, also of subnormal
 * ones and of the overflow threshold, with and without one bit far below. The square is
 * deposited bit by bit, since no sum of a few products makes some of them. */
#include "core/arith/round.h"

#include "oracle.h"
#include "test_random.h"
#include "testing.h"

/* a = ((n + half / 2) 2^exp2)^2, plus `far` of 2^-2150. */
static void check(exb_format f, uint64_t n, int half, int exp2, int far)
{
    exb_product_acc storage;
    exb_superacc *a = exb_product_acc_init(&storage);
    uint64_t m = 2 * n + (unsigned)half; /* below 2^55: the square has up to 110 bits */
    exb_u128 square = (exb_u128)m * m;
    exb_u128 low = square & (((exb_u128)1 << 64) - 1);
    exb_superacc_deposit(a, false, low, 2 * exp2 - 2);
    exb_superacc_deposit(a, false, square >> 64, 2 * exp2 - 2 + 64);
    if (far)
        exb_superacc_deposit(a, far < 0, 1, -2150);
    int up = half ? far > 0 || (far == 0 && (n & 1)) : 0;
    uint64_t expected = exb_encode(f, n + (unsigned)up, exp2);
    if (f.n_bits == 53)
        assert_same_bits(exb_superacc_root(exb_format_d(), a), exb_signed_d(expected, false));
    else
        assert_same_bits(exb_superacc_root(exb_format_s(), a),
                         (double)exb_signed_s(expected, false));
}

static exb_format format(int i)
{
    return i & 1 ? exb_format_s() : exb_format_d();
}

static void normal_ties(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "normal roots");
    for (int i = 0; i < 6000; i++) {
        exb_format f = format(i);
        int last = exb_max_exponent(f) - f.n_bits + 1;
        uint64_t top = (uint64_t)1 << (f.n_bits - 1);
        uint64_t n = top | (random_bits(&r) & (top - 1));
        n = i % 11 == 0 ? 2 * top - 1 : i % 13 == 0 ? top : n;
        int exp2 = (int)random_between(&r, f.min_exp2, last);
        check(f, n, i % 3 != 0, exp2, (int)random_between(&r, i % 3 || n > top ? -1 : 0, 1));
    }
}

/* In units of the smallest number, 1/2 and 0 included. */
static void subnormal_ties(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "subnormal roots");
    for (int i = 0; i < 6000; i++) {
        exb_format f = format(i);
        uint64_t n =
            i < 40 ? (uint64_t)i / 2 : random_bits(&r) >> random_between(&r, 65 - f.n_bits, 63);
        for (int far = -1; far <= 1; far++)
            if (n > 0 || far >= 0 || f.n_bits == 24)
                check(f, n, 1, f.min_exp2, far);
    }
}

static void overflow_threshold(NO_STATE)
{
    for (int i = 0; i < 2; i++)
        for (int far = -1; far <= 1; far++) {
            exb_format f = format(i);
            uint64_t largest = ((uint64_t)1 << f.n_bits) - 1;
            int exp2 = exb_max_exponent(f) - f.n_bits + 1;
            check(f, largest, 1, exp2, far);
            check(f, largest, 0, exp2, far);
            check(f, largest - 1, 1, exp2, far);
        }
}

/* Far outside the formats, odd and even exponents. */
static void out_of_range(NO_STATE)
{
    for (int e = -2164; e <= 2100; e++) {
        exb_product_acc storage;
        exb_superacc *a = exb_product_acc_init(&storage);
        exb_superacc_deposit(a, false, 1, e);
        double d = exb_superacc_root(exb_format_d(), a), s = exb_superacc_root(exb_format_s(), a);
        int half = e >= 0 ? e / 2 : -((1 - e) / 2); /* 2^half <= root < 2^(half + 1) */
        if (half >= 1024)
            assert_same_bits(d, (double)INFINITY);
        if (half < -1075)
            assert_same_bits(d, 0);
        if (half >= 128)
            assert_same_bits(s, (double)INFINITY);
        if (half < -150)
            assert_same_bits(s, 0);
        if (e % 2 == 0 && half >= -1074 && half < 1024)
            assert_same_bits(d, power_of_two(half));
    }
}

/* Sums of squares of all sizes, and of what is not finite. */
static void sums_of_squares(NO_STATE)
{
    static const double special[] = {0, -0.0, 0x1p-1074, DBL_MAX, INFINITY, NAN};
    test_random r = test_random_start(test_seed(), "roots");
    for (int e = -1074; e <= 1023 + 12; e++) {
        int i = e - 1024;
        double x = i < 0 ? random_number(&r, FORMAT_D, e) : special[i / 2];
        double y = i < 0 ? random_number(&r, FORMAT_D, (int)random_between(&r, -1074, e)) : DBL_MAX;
        exb_product_acc storage;
        exb_superacc *a = exb_product_acc_init(&storage);
        ORACLE(o);
        for (int k = 0; k < (i < 0 ? 2 : 1 + i % 2); k++) {
            exb_superacc_add_product(a, k ? y : x, k ? y : x);
            oracle_add_product(&o, k ? y : x, k ? y : x);
            assert_same_bits(exb_superacc_root(exb_format_d(), a), oracle_root(&o, FORMAT_D));
            assert_same_bits(exb_superacc_root(exb_format_s(), a), oracle_root(&o, FORMAT_S));
        }
    }
}

TESTS(normal_ties, subnormal_ties, overflow_threshold, out_of_range, sums_of_squares)
