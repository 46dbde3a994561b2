/* Statistics from cells against the formulas in MPFR numbers that hold every sum and product: one
 * division or root, whose rounding is decided from 128 bits and an exactness flag. */
#include "cell_support.h"
#include "exact_sample.h"
#include "test_random.h"

#include <float.h>
#include <math.h>

enum { BITS = 20000, LONGEST = 40 };

typedef struct {
    roomy_cell x, y, xx, yy, xy;
    exact_sample exact;
} sample;

static void begin(sample *s)
{
    roomy_cell *all[SAMPLE_SUMS] = {&s->x, &s->y, &s->xx, &s->yy, &s->xy};
    for (int i = 0; i < SAMPLE_SUMS; i++)
        roomy_clear(all[i]);
    sample_init(&s->exact);
}

static void end(sample *s)
{
    sample_clear(&s->exact);
}

static void exactly(int ternary)
{
    assert_int_equal(ternary, 0);
}

static void add_pair(sample *s, double x, double y)
{
    roomy_add(&s->x, x);
    roomy_add(&s->y, y);
    roomy_add_product(&s->xx, x, x);
    roomy_add_product(&s->yy, y, y);
    roomy_add_product(&s->xy, x, y);
    sample_add(&s->exact, x, y);
}

/* RN(n / d), RN(sqrt(|n| / d)) with n's sign. A quotient or root that is not exact in 128 bits is
 * truncated, and what was cut off is said. For the root, n / d must be exact enough: sqrt(n d) / d
 * is truncated twice, so the test multiplies instead: r = floor of sqrt(n / d) in BITS bits. */
static double expected_ratio(const mpfr_t n, const mpfr_t d, bool root)
{
    mpfr_t q, back;
    mpfr_init2(q, ORACLE_GUARD_BITS);
    mpfr_init2(back, 3 * BITS);
    if (root) {
        MPFR(wide, BITS);
        mpfr_div(wide, n, d, MPFR_RNDZ);
        mpfr_abs(wide, wide, MPFR_RNDN);
        mpfr_sqrt(q, wide, MPFR_RNDZ);
        exactly(mpfr_sqr(back, q, MPFR_RNDN));
    } else {
        mpfr_div(q, n, d, MPFR_RNDZ);
        exactly(mpfr_set(back, q, MPFR_RNDN));
    }
    exactly(mpfr_mul(back, back, d, MPFR_RNDN));
    bool inexact = mpfr_cmpabs(back, n) != 0;
    if (root && mpfr_sgn(n) < 0)
        mpfr_neg(q, q, MPFR_RNDN);
    double r = oracle_round_exact(q, inexact, FORMAT_D);
    mpfr_clears(q, back, (mpfr_ptr)NULL);
    return r;
}

static void check(exblas_status status, double r, bool defined, double expected)
{
    assert_int_equal(status, defined ? EXBLAS_OK : EXBLAS_EINVAL);
    assert_same_bits(r, defined ? expected : NAN);
}

static void check_spread(const sample *s, const mpfr_t mx, const mpfr_t mxy)
{
    double r;
    MPFR(d, 128);
    for (int i = 0; i < 3; i++) {
        int64_t by = i == 0 ? s->exact.n : i == 1 ? s->exact.n - 1 : 1;
        mpfr_set_si(d, s->exact.n, MPFR_RNDN);
        mpfr_mul_si(d, d, (long)by, MPFR_RNDN);
        exblas_status status = exblas_cell_covariance(&s->x.cell, &s->y.cell, &s->xy.cell, by, &r);
        check(status, r, by > 0, by > 0 ? expected_ratio(mxy, d, false) : 0);
        status = exblas_cell_covariance(&s->x.cell, &s->x.cell, &s->xx.cell, by, &r);
        check(status, r, by > 0, by > 0 ? expected_ratio(mx, d, false) : 0);
        status = exblas_cell_deviation(&s->x.cell, &s->xx.cell, by, &r);
        check(status, r, by > 0, by > 0 ? expected_ratio(mx, d, true) : 0);
    }
    mpfr_set_si(d, s->exact.n, MPFR_RNDN);
    exblas_status status = exblas_cell_mean(&s->x.cell, &r);
    check(status, r, true, expected_ratio(s->exact.x.sum, d, false));
}

static void check_line(const sample *s, const mpfr_t mx, const mpfr_t my, const mpfr_t mxy)
{
    const exblas_cell *x = &s->x.cell, *y = &s->y.cell, *xx = &s->xx.cell, *yy = &s->yy.cell,
                      *xy = &s->xy.cell;
    bool has_x = mpfr_sgn(mx) != 0, has_both = has_x && mpfr_sgn(my) != 0;
    double r;
    MPFR(n, BITS);
    MPFR(d, BITS);
    exblas_status status = exblas_cell_slope(x, y, xx, xy, &r);
    check(status, r, has_x, has_x ? expected_ratio(mxy, mx, false) : 0);
    const exact_sample *e = &s->exact;
    sample_determinant(n, e->y.sum, e->xx.sum, e->x.sum, e->xy.sum);
    status = exblas_cell_intercept(x, y, xx, xy, &r);
    check(status, r, has_x, has_x ? expected_ratio(n, mx, false) : 0);
    exactly(mpfr_sqr(n, mxy, MPFR_RNDN));
    exactly(mpfr_mul(d, mx, my, MPFR_RNDN));
    status = exblas_cell_determination(x, y, xx, yy, xy, &r);
    check(status, r, has_both, has_both ? expected_ratio(n, d, false) : 0);
    if (mpfr_sgn(mxy) < 0)
        mpfr_neg(n, n, MPFR_RNDN);
    status = exblas_cell_correlation(x, y, xx, yy, xy, &r);
    check(status, r, has_both, has_both ? expected_ratio(n, d, true) : 0);
}

static void check_all(const sample *s)
{
    mpfr_t mx, my, mxy;
    mpfr_inits2(BITS, mx, my, mxy, (mpfr_ptr)NULL);
    const exact_sample *e = &s->exact;
    sample_moment(mx, e, &e->x, &e->x, &e->xx);
    sample_moment(my, e, &e->y, &e->y, &e->yy);
    sample_moment(mxy, e, &e->x, &e->y, &e->xy);
    check_spread(s, mx, mxy);
    check_line(s, mx, my, mxy);
    mpfr_clears(mx, my, mxy, (mpfr_ptr)NULL);
}

/* Numbers that are alike, spread over exponents, whole, at the ends of the range, and points of a
 * line, whose correlation is 1. */
static void fill(test_random *r, int kind, int i, double *x, double *y)
{
    int exp2 = kind == 1 ? (int)random_between(r, -900, 900) : kind == 4 ? 1020 : 0;
    *x = random_number(r, FORMAT_D, exp2);
    *y = random_number(r, FORMAT_D, kind == 1 ? (int)random_between(r, -900, 900) : exp2);
    if (kind == 2) {
        *x = (double)random_between(r, -3, 3);
        *y = (double)random_between(r, -3, 3);
    } else if (kind == 3) {
        *x = 1e9 + i;
        *y = 1e-9 * (double)random_between(r, 0, 9);
    } else if (kind == 5) {
        *x = (double)random_between(r, -100, 100) * 0x1p-1074;
        *y = (double)random_between(r, -100, 100) * 0x1p-1000;
    } else if (kind == 6) {
        *x = i;
        *y = -3 * (double)i + 0x1p-30;
    }
}

static void samples(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "cell_statistics");
    for (int round = 0; round < 420; round++) {
        sample s;
        begin(&s);
        int n = round < 20 ? 1 + round % 3 : (int)random_between(&r, 1, LONGEST);
        for (int i = 0; i < n; i++) {
            double x, y;
            fill(&r, round % 7, i, &x, &y);
            add_pair(&s, x, y);
        }
        check_all(&s);
        end(&s);
    }
}

/* The text's own examples: cancellation that defeats every formula in floating point. */
static void known_values(NO_STATE)
{
    double r;
    sample s;
    begin(&s);
    for (int i = 0; i < 3; i++)
        add_pair(&s, 1e15 + 4 + 3 * i, 2 * i);
    assert_int_equal(exblas_cell_covariance(&s.x.cell, &s.x.cell, &s.xx.cell, 2, &r), EXBLAS_OK);
    assert_same_bits(r, 9);
    assert_int_equal(exblas_cell_deviation(&s.x.cell, &s.xx.cell, 2, &r), EXBLAS_OK);
    assert_same_bits(r, 3);
    exblas_status status =
        exblas_cell_correlation(&s.x.cell, &s.y.cell, &s.xx.cell, &s.yy.cell, &s.xy.cell, &r);
    assert_int_equal(status, EXBLAS_OK);
    assert_same_bits(r, 1);
    end(&s);
}

/* With an Inf or NaN among the terms all but the mean is NaN; with no terms nothing is defined. */
static void not_finite(NO_STATE)
{
    static const double special[] = {INFINITY, -INFINITY, NAN};
    double r;
    sample s;
    for (int i = 0; i < 3; i++) {
        begin(&s);
        assert_int_equal(exblas_cell_mean(&s.x.cell, &r), EXBLAS_EINVAL);
        assert_int_equal(exblas_cell_deviation(&s.x.cell, &s.xx.cell, 1, &r), EXBLAS_EINVAL);
        add_pair(&s, 1, 2);
        add_pair(&s, special[i], 5);
        assert_int_equal(exblas_cell_mean(&s.x.cell, &r), EXBLAS_OK);
        assert_same_bits(r, special[i]);
        assert_int_equal(exblas_cell_covariance(&s.x.cell, &s.y.cell, &s.xy.cell, 2, &r),
                         EXBLAS_OK);
        assert_same_bits(r, NAN);
        assert_int_equal(exblas_cell_slope(&s.x.cell, &s.y.cell, &s.xx.cell, &s.xy.cell, &r),
                         EXBLAS_OK);
        assert_same_bits(r, NAN);
        end(&s);
    }
}

/* A mean that overflows only as a sum, and one that the fast way cannot decide. */
static void means(NO_STATE)
{
    double r;
    roomy_cell c;
    roomy_clear(&c);
    roomy_add(&c, DBL_MAX);
    roomy_add(&c, DBL_MAX);
    assert_true(isinf(exblas_cell_to_double(&c.cell)));
    assert_int_equal(exblas_cell_mean(&c.cell, &r), EXBLAS_OK);
    assert_same_bits(r, DBL_MAX);
    roomy_clear(&c);
    roomy_add(&c, 1); /* (1 + (1 + 2^-52)) / 2 is a tie */
    roomy_add(&c, 1 + 0x1p-52);
    assert_int_equal(exblas_cell_mean(&c.cell, &r), EXBLAS_OK);
    assert_same_bits(r, 1);
}

/* Counts that are no doubles, and the last that is one: a cell of many zeros, by doubling. Sums of
 * two doubles, near to ties of the quotient by a count next to it. */
static void means_of_many(NO_STATE)
{
    for (int64_t more = -1; more <= 3; more++)
        for (int k = 0; k < 8; k++) {
            sample s;
            double r;
            begin(&s);
            add_pair(&s, 0, 0);
            for (int i = 0; i < 53; i++, s.exact.n *= 2)
                exblas_cell_combine(&s.x.cell, &s.x.cell);
            for (int64_t i = 0; i < more; i++, s.exact.n++)
                roomy_add(&s.x, 0);
            for (; more < 0 && s.exact.n == 1L << 53; s.exact.n--)
                exblas_cell_sub(&s.x.cell, 0);
            double first = 0x1p53 + 2 * k, second = k % 2 ? 1 : -0.75;
            roomy_add(&s.x, first - 1); /* a zero becomes the first, and another the second */
            roomy_add(&s.x, second + 1);
            exblas_cell_sub(&s.x.cell, 0);
            exblas_cell_sub(&s.x.cell, 0);
            oracle_add(&s.exact.x, first - 1);
            oracle_add(&s.exact.x, second + 1);
            assert_int_equal(exblas_cell_count(&s.x.cell), s.exact.n);
            MPFR(d, 64);
            mpfr_set_si(d, s.exact.n, MPFR_RNDN);
            assert_int_equal(exblas_cell_mean(&s.x.cell, &r), EXBLAS_OK);
            assert_same_bits(r, expected_ratio(s.exact.x.sum, d, false));
            end(&s);
        }
}

/* Sums of products in place of sums: moments with more bits than those of doubles have. */
static void products_for_numbers(NO_STATE)
{
    double r;
    roomy_cell x, xx;
    roomy_clear(&x);
    roomy_clear(&xx);
    for (int i = 0; i < 2; i++) {
        roomy_add_product(&x, DBL_MAX, DBL_MAX);
        roomy_add_product(&x, DBL_TRUE_MIN, DBL_TRUE_MIN);
        roomy_add_product(&xx, i, DBL_TRUE_MIN);
    }
    const exblas_cell *sx = &x.cell, *sxx = &xx.cell;
    assert_int_equal(exblas_cell_correlation(sx, sx, sxx, sxx, sxx, &r), EXBLAS_EINVAL);
    assert_same_bits(r, NAN);
    assert_int_equal(exblas_cell_determination(sx, sx, sxx, sxx, sxx, &r), EXBLAS_EINVAL);
    assert_same_bits(r, NAN);
    assert_int_equal(exblas_cell_slope(sx, sx, sxx, sxx, &r), EXBLAS_EINVAL);
    assert_int_equal(exblas_cell_covariance(sx, sx, sxx, 1, &r), EXBLAS_OK);
    assert_same_bits(r, -INFINITY);
    assert_int_equal(exblas_cell_intercept(sxx, sx, sx, sx, &r), EXBLAS_OK);
}

TESTS(samples, known_values, not_finite, means, means_of_many, products_for_numbers)
