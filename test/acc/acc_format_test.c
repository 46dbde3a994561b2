/* Results of accumulators in half, single and double, and second moments about means, against MPFR
 * numbers that hold every sum: one operation of MPFR in the format, subnormal numbers included. */
#include "test_random.h"
#include "testing.h"

#include "exact_sample.h"
#include "mpfr_range.h"

#include <exblas/exblas.h>
#include <math.h>

enum { BITS = 9000, LONGEST = 12 };

/* Exponents are MPFR's, of significands in [1/2, 1). */
static const struct {
    int format, least, largest;
} formats[] = {{EXBLAS_HALF, -23, 16}, {EXBLAS_SINGLE, -148, 128}, {EXBLAS_DOUBLE, -1073, 1024}};
enum { N_FORMATS = sizeof formats / sizeof *formats };

typedef enum { VALUE, ROOT, QUOTIENT } form;

/* n, its root, or n / d, rounded once. */
static double expected(int i, form f, const mpfr_t n, const mpfr_t d)
{
    MPFR(r, formats[i].format);
    int ternary = f == VALUE  ? mpfr_set(r, n, MPFR_RNDN)
                  : f == ROOT ? mpfr_sqrt(r, n, MPFR_RNDN)
                              : mpfr_div(r, n, d, MPFR_RNDN);
    return mpfr_in_range(r, ternary, formats[i].least, formats[i].largest, MPFR_RNDN);
}

/* A zero has the sign of what underflowed to it, a sum that is 0 is +0. */
static void check(double got, double wanted, bool is_zero)
{
    assert_same_bits(got, is_zero ? 0 : wanted);
}

/* Around the ends of the formats, of few bits, so that ties are among them. */
static double number_near(test_random *r, int i)
{
    int place = (int)random_between(r, 0, 3);
    int least = formats[i].least, largest = formats[i].largest;
    int exp2 = place == 0   ? (int)random_between(r, least - 3, least + formats[i].format + 2)
               : place == 1 ? (int)random_between(r, largest - 4, largest - 1)
                            : (int)random_between(r, -3, 3);
    double m = (double)random_between(r, -(1 << 13), 1 << 13);
    return ldexp(m, exp2 - 13);
}

static void sums_roots_and_quotients(NO_STATE)
{
    MPFR(sum, BITS);
    MPFR(divisor, BITS);
    test_random r = test_random_start(test_seed(), "formats");
    for (int round = 0; round < 6000; round++) {
        exblas_acc a;
        int i = round % N_FORMATS, n = (int)random_between(&r, 1, 4);
        exblas_acc_init(&a);
        mpfr_set_zero(sum, 1);
        for (int j = 0; j < n; j++) {
            double x = j < 2 ? number_near(&r, i) : ldexp(1, (int)random_between(&r, -1074, -60));
            exblas_acc_add(&a, x);
            mpfr_add_d(sum, sum, x, MPFR_RNDN);
        }
        double d = (double)random_between(&r, 1, 4096);
        mpfr_set_d(divisor, d, MPFR_RNDN);
        bool is_zero = mpfr_zero_p(sum);
        check(exblas_acc_to_format(&a, formats[i].format), expected(i, VALUE, sum, divisor),
              is_zero);
        check(exblas_acc_quotient_to_format(&a, d, formats[i].format),
              expected(i, QUOTIENT, sum, divisor), is_zero);
        if (mpfr_sgn(sum) >= 0)
            check(exblas_acc_root_to_format(&a, formats[i].format), expected(i, ROOT, sum, divisor),
                  is_zero);
        else
            assert_true(isnan(exblas_acc_root_to_format(&a, formats[i].format)));
    }
}

typedef struct {
    exblas_acc x, y, xx, yy, xy;
    exact_sample exact;
} sums;

static void add_pair(sums *s, double x, double y)
{
    exblas_acc_add(&s->x, x);
    exblas_acc_add(&s->y, y);
    exblas_acc_add_product(&s->xx, x, x);
    exblas_acc_add_product(&s->yy, y, y);
    exblas_acc_add_product(&s->xy, x, y);
    sample_add(&s->exact, x, y);
}

static void begin(sums *s)
{
    exblas_acc *a[SAMPLE_SUMS] = {&s->x, &s->y, &s->xx, &s->yy, &s->xy};
    for (int i = 0; i < SAMPLE_SUMS; i++)
        exblas_acc_init(a[i]);
    sample_init(&s->exact);
}

static void end(sums *s)
{
    sample_clear(&s->exact);
}

static void check_moments(const sums *s, int i, int n, int64_t d)
{
    const int f = formats[i].format;
    const exblas_moment xy = {n, 1, &s->xy, {&s->x}, {&s->y}},
                        xx = {n, 1, &s->xx, {&s->x}, {&s->x}},
                        yy = {n, 1, &s->yy, {&s->y}, {&s->y}};
    const exact_sample *e = &s->exact;
    mpfr_t m, mx, my, by;
    mpfr_inits2(2 * BITS, m, mx, my, by, (mpfr_ptr)NULL);
    sample_moment(m, e, &e->x, &e->y, &e->xy);
    sample_moment(mx, e, &e->x, &e->x, &e->xx);
    sample_moment(my, e, &e->y, &e->y, &e->yy);
    mpfr_set_si(by, n, MPFR_RNDN);
    mpfr_mul_si(by, by, (long)d, MPFR_RNDN);
    check(exblas_moment_to_format(&xy, d, f), expected(i, QUOTIENT, m, by), mpfr_zero_p(m));
    /* sqrt(mx / by) = sqrt(mx by) / by; the inner root is exact or far from every tie. */
    mpfr_mul(m, mx, by, MPFR_RNDN);
    mpfr_sqrt(m, m, MPFR_RNDN);
    check(exblas_moment_root_to_format(&xx, d, f), expected(i, QUOTIENT, m, by), mpfr_zero_p(mx));
    sample_moment(m, e, &e->x, &e->y, &e->xy);
    double ratio = exblas_moment_ratio_to_format(&xy, &xx, &yy, f);
    mpfr_mul(mx, mx, my, MPFR_RNDN);
    if (mpfr_zero_p(mx)) {
        assert_true(isnan(ratio));
    } else {
        mpfr_sqrt(by, mx, MPFR_RNDN);
        check(ratio, expected(i, QUOTIENT, m, by), mpfr_zero_p(m));
    }
    mpfr_clears(m, mx, my, by, (mpfr_ptr)NULL);
}

static void moments(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "moments");
    for (int round = 0; round < 600; round++) {
        sums s;
        int i = round % N_FORMATS, n = (int)random_between(&r, 2, LONGEST);
        int spread = round % 5 == 4 ? 300 : 6;
        begin(&s);
        for (int j = 0; j < n; j++)
            add_pair(&s, random_number(&r, FORMAT_D, (int)random_between(&r, -spread, spread)),
                     round % 7 ? random_number(&r, FORMAT_D, (int)random_between(&r, -3, 3)) : 0.1);
        check_moments(&s, i, n, n - round % 2);
        end(&s);
    }
}

/* n Sxy = Sx Sy < 0: the zero that is left has no sign. */
static void uncorrelated(NO_STATE)
{
    static const double x[] = {1, 2, 1, 2}, y[] = {-1, -1, -2, -2};
    sums s;
    begin(&s);
    for (int j = 0; j < 4; j++)
        add_pair(&s, x[j], y[j]);
    for (int i = 0; i < N_FORMATS; i++)
        check_moments(&s, i, 4, 3);
    end(&s);
}

/* A limit of room, and what is not finite. */
static void refused_moments(NO_STATE)
{
    exblas_acc one, huge, inf;
    exblas_acc_init(&one);
    exblas_acc_add(&one, 1);
    exblas_acc_init(&huge);
    exblas_acc_add_product(&huge, 0x1p1023, 0x1p1023);
    exblas_acc_add_product(&huge, 0x1p-1074, 0x1p-1074);
    exblas_acc_init(&inf);
    exblas_acc_add(&inf, HUGE_VAL);
    const exblas_moment m[] = {{2, 1, &one, {&huge}, {&huge}},
                               {2, 1, &inf, {&one}, {&one}},
                               {2, 1, &one, {&one}, {&inf}},
                               {0, 1, &one, {&one}, {&one}}};
    for (int i = 0; i < 4; i++)
        assert_true(isnan(exblas_moment_to_format(&m[i], 1, EXBLAS_DOUBLE)));
    const exblas_moment fine = {2, 1, &one, {&one}, {&one}};
    assert_same_bits(exblas_moment_to_format(&fine, 1, EXBLAS_DOUBLE), 0.5);
    assert_true(isinf(exblas_moment_to_format(&fine, 0, EXBLAS_DOUBLE)));
}

/* Sums that no numbers have: M = -1, whose root counts as 0. */
static void negative_moments(NO_STATE)
{
    exblas_acc zero, one;
    exblas_acc_init(&zero);
    exblas_acc_init(&one);
    exblas_acc_add(&one, 1);
    const exblas_moment m = {1, 1, &zero, {&one}, {&one}};
    for (int i = 0; i < N_FORMATS; i++) {
        int f = formats[i].format;
        assert_same_bits(exblas_moment_to_format(&m, 4, f), -0.25);
        assert_same_bits(exblas_moment_root_to_format(&m, 4, f), 0);
        assert_same_bits(exblas_moment_to_format(&m, 0, f), -(double)INFINITY);
        assert_same_bits(exblas_moment_root_to_format(&m, 0, f), INFINITY);
    }
}

TESTS(sums_roots_and_quotients, moments, uncorrelated, refused_moments, negative_moments)
