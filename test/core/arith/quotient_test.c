/* The exact quotient and the exact square root where they are hardest: ties of subnormal results,
 * either side of the overflow threshold and of the smallest number, signs that must survive. The
 * numerator and the square are deposited bit by bit, so that they may be what no sum of a few
 * products is. */
#include "core/arith/quotient.h"

#include "oracle.h"
#include "test_random.h"
#include "testing.h"

/* v = (n + half / 2) 2^exp2 d plus `far` of the smallest product 2^-2148. */
static void numerator(exb_superacc *v, bool negative, uint64_t n, int half, int exp2, double d,
                      int far)
{
    exb_decomposed p = exb_split(d);
    exb_superacc_deposit(v, negative, (exb_u128)(2 * n + (unsigned)half) * p.significand,
                         exp2 - 1 + p.exp2);
    if (far)
        exb_superacc_deposit(v, (far < 0) != negative, 1, -2148);
}

/* n, half and far decide the result: n + 1 above a tie, n below, to even on it. */
static double expected(exb_format f, bool negative, uint64_t n, int half, int exp2, int far)
{
    int up = half ? far > 0 || (far == 0 && (n & 1)) : 0;
    return exb_number_in(f, exb_encode(f, n + (unsigned)up, exp2), negative);
}

/* The root of ((n + half / 2) 2^exp2)^2, plus `far` of 2^-2150. */
static void check_root(exb_format f, uint64_t n, int half, int exp2, int far)
{
    exb_product_acc storage;
    exb_superacc *a = exb_product_acc_init(&storage);
    uint64_t m = 2 * n + (unsigned)half; /* below 2^55: the square has up to 110 bits */
    exb_u128 square = (exb_u128)m * m;
    exb_superacc_deposit(a, false, (uint64_t)square, 2 * exp2 - 2);
    exb_superacc_deposit(a, false, square >> 64, 2 * exp2 - 2 + 64);
    if (far)
        exb_superacc_deposit(a, far < 0, 1, -2150);
    assert_same_bits(exb_superacc_root(f, a), expected(f, false, n, half, exp2, far));
}

/* As a quotient by d, and as a root unless that would be of what is negative or below a power of
 * two. */
static void check(exb_format f, uint64_t n, int half, int exp2, double d, int far)
{
    bool is_power = half == 0 && (n & (n - 1)) == 0, is_negative = n == 0 && far < 0;
    if (!(is_power && far < 0) && (!is_negative || f.n_bits == 24))
        check_root(f, n, half, exp2, far);
    for (int negative = 0; negative < 2; negative++) {
        exb_product_acc storage, other;
        exb_superacc *v = exb_product_acc_init(&storage), *w = exb_product_acc_init(&other);
        numerator(v, negative, n, half, exp2, d, far);
        assert_same_bits(exb_quotient(f, v, d),
                         expected(f, negative != (d < 0), n, half, exp2, far));
        numerator(w, negative, n, half, exp2, d, far); /* it keeps its value */
        assert_int_equal(exb_superacc_compare(v, w), 0);
    }
}

/* d must be so large that (n + 1/2) 2^exp2 d has room for the far bit beneath it. */
static double random_divisor(test_random *r, int exp2)
{
    int low = -2090 - exp2, high = 1000;
    low = low < -1074 ? -1074 : low;
    return random_number(r, FORMAT_D, (int)random_between(r, low, high));
}

static const exb_format *format(int i)
{
    static exb_format formats[2];
    formats[0] = exb_format_d();
    formats[1] = exb_format_s();
    return &formats[i & 1];
}

static void subnormal_ties(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "subnormal quotients");
    for (int i = 0; i < 4000; i++) {
        const exb_format *f = format(i);
        uint64_t n =
            i % 7 ? random_bits(&r) >> random_between(&r, 65 - f->n_bits, 63) : (uint64_t)(i % 5);
        check(*f, n, 1, f->min_exp2, random_divisor(&r, f->min_exp2),
              (int)random_between(&r, -1, 1));
    }
}

/* 0 | 1/2 | 1 and largest subnormal | smallest normal, in units of the smallest number. */
static void borders_of_the_subnormal_range(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "subnormal borders");
    for (int i = 0; i < 2; i++)
        for (int far = -1; far <= 1; far++)
            for (int k = 0; k < 50; k++) {
                const exb_format *f = format(i);
                double d = random_divisor(&r, f->min_exp2);
                uint64_t smallest_normal = (uint64_t)1 << (f->n_bits - 1);
                check(*f, 0, 1, f->min_exp2, d, far);
                check(*f, 1, 1, f->min_exp2, d, far);
                check(*f, smallest_normal - 1, 1, f->min_exp2, d, far);
                check(*f, smallest_normal - 1, 0, f->min_exp2, d, far);
                check(*f, smallest_normal, 0, f->min_exp2, d, far);
            }
}

/* largest + half a unit: Inf from there on, the largest below. */
static void overflow_threshold(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "overflowing quotients");
    for (int i = 0; i < 2; i++)
        for (int far = -1; far <= 1; far++)
            for (int k = 0; k < 100; k++) {
                const exb_format *f = format(i);
                uint64_t largest = ((uint64_t)1 << f->n_bits) - 1;
                int exp2 = exb_max_exponent(*f) - f->n_bits + 1;
                double d = random_number(&r, FORMAT_D, (int)random_between(&r, -1074, 1020));
                check(*f, largest, 1, exp2, d, far);
                check(*f, largest, 0, exp2, d, far);
                check(*f, largest - 1, 1, exp2, d, far);
            }
}

/* Below a power of two the spacing halves: 2^k - a quarter, a half of the unit above. */
static void beside_powers_of_two(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "powers of two");
    for (int i = 0; i < 4000; i++) {
        const exb_format *f = format(i);
        int last = exb_max_exponent(*f) - f->n_bits;
        int exp2 = (int)random_between(&r, f->min_exp2, last);
        uint64_t top = (uint64_t)1 << f->n_bits;
        int far = (int)random_between(&r, -1, 1);
        check(*f, top - 1, 1, exp2, random_divisor(&r, exp2), far);
        check(*f, top / 2, 1, exp2, random_divisor(&r, exp2), far);
        check(*f, top / 2, 0, exp2, random_divisor(&r, exp2), far < 0 ? 0 : far);
        check(*f, top / 2 | (random_bits(&r) & (top / 2 - 1)), 1, exp2, random_divisor(&r, exp2),
              far); /* ties of any significand */
    }
}

/* Operands beyond the doubles on both sides. */
static void huge_and_tiny(NO_STATE)
{
    static const int exp2[] = {-2164, -2150, -2148, -1075, -1074, 1023, 1024, 1942};
    static const double d[] = {0x1p-1074, 0x1p-1022, 1, 3, 0x1p1023, DBL_MAX};
    for (size_t i = 0; i < sizeof exp2 / sizeof *exp2; i++)
        for (size_t j = 0; j < sizeof d / sizeof *d; j++) {
            exb_product_acc storage;
            exb_superacc *v = exb_product_acc_init(&storage);
            exb_superacc_deposit(v, true, 0xaaaaaaaaaaaaaaabu, exp2[i]);
            ORACLE(o);
            mpfr_set_uj_2exp(o.sum, 0xaaaaaaaaaaaaaaabu, exp2[i], MPFR_RNDN);
            mpfr_neg(o.sum, o.sum, MPFR_RNDN);
            assert_same_bits(exb_quotient(exb_format_d(), v, d[j]),
                             oracle_quotient(&o, d[j], FORMAT_D));
            assert_same_bits(exb_quotient(exb_format_s(), v, -d[j]),
                             oracle_quotient(&o, -d[j], FORMAT_S));
        }
}

/* The sum of the products x y over d. */
static void check_sum(int n, const double *x, const double *y, double d)
{
    exb_product_acc storage;
    exb_superacc *a = exb_product_acc_init(&storage);
    ORACLE(o);
    for (int i = 0; i < n; i++) {
        exb_superacc_add_product(a, x[i], y[i]);
        oracle_add_product(&o, x[i], y[i]);
    }
    assert_same_bits(exb_quotient(exb_format_d(), a, d), oracle_quotient(&o, d, FORMAT_D));
    assert_same_bits(exb_quotient(exb_format_s(), a, d), oracle_quotient(&o, d, FORMAT_S));
}

/* Sums anywhere between the smallest and the largest product, any d. */
static void all_sizes(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "quotients");
    for (int i = 0; i < 6000; i++) {
        double x[7];
        for (int k = 0; k < 7; k++)
            x[k] = random_number(&r, FORMAT_D, (int)random_between(&r, -1074, 1023));
        check_sum(3, x, x + 3, x[6]);
    }
}

static void borders_and_special_values(NO_STATE)
{
    static const double x[] = {DBL_MAX,        0x1p-1074, -0x1p-1022, 1,        -3,        0x1p-149,
                               0x1.fffffep127, 0,         -0.0,       INFINITY, -INFINITY, NAN};
    enum { N = sizeof x / sizeof *x };
    for (int i = 0; i < N * N * N; i++) {
        double first[] = {x[i % N], x[i % N]}, second[] = {x[i / N % N], 1};
        check_sum(1 + i % 2, first, second, x[i / N / N]);
        check_sum(2 - i % 2, first, second, x[i / N / N]);
    }
}

/* --- roots -------------------------------------------------------------------- */

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

TESTS(subnormal_ties, borders_of_the_subnormal_range, overflow_threshold, beside_powers_of_two,
      huge_and_tiny, all_sizes, borders_and_special_values, out_of_range, sums_of_squares)
