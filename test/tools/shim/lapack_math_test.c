/* The functions that LAPACK has in place of libm's against MPFR. They are linked into this program
 * under libm's names. */
#include "testing.h"

#include <complex.h>
#include <math.h>
#include <mpfr.h>
#include <stdint.h>

double own_cabs(double complex) __asm__("cabs");
float own_cabsf(float complex) __asm__("cabsf");
double complex own_csqrt(double complex) __asm__("csqrt");
double own_log(double) __asm__("log");
double own_log10(double) __asm__("log10");
double own_pow(double, double) __asm__("pow");
double own_sin(double) __asm__("sin");
double own_cos(double) __asm__("cos");
double own_atan2(double, double) __asm__("atan2");
double complex own_cexp(double complex) __asm__("cexp");

enum { TIMES = 5000, BITS = 400 };

static uint64_t state = 7;

/* Uniform in [0, 1). */
static double draw(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) * 0x1p-53;
}

/* Of any sign, and of a size within 2^-range ... 2^range. */
static double draw_wide(int range)
{
    double x = ldexp(1 + draw(), (int)(2 * range * draw()) - range);
    return draw() < 0.5 ? -x : x;
}

/* How many ulps of the result `found` is off. */
static double ulps(double found, const mpfr_t exact)
{
    mpfr_t d;
    mpfr_init2(d, BITS);
    mpfr_sub_d(d, exact, found, MPFR_RNDN);
    double size = fabs(mpfr_get_d(exact, MPFR_RNDN));
    double off = fabs(mpfr_get_d(d, MPFR_RNDN)) / (nextafter(size, INFINITY) - size);
    mpfr_clear(d);
    return off;
}

typedef int mpfr_function(mpfr_t, const mpfr_t, mpfr_rnd_t);

static double off_by(mpfr_function *exact, double (*own)(double), double x)
{
    mpfr_t t;
    mpfr_init2(t, BITS);
    mpfr_set_d(t, x, MPFR_RNDN);
    exact(t, t, MPFR_RNDN);
    double off = ulps(own(x), t);
    mpfr_clear(t);
    return off;
}

typedef int mpfr_function_2(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

static double off_by_2(mpfr_function_2 *exact, double found, double x, double y)
{
    mpfr_t t, u;
    mpfr_inits2(BITS, t, u, NULL);
    mpfr_set_d(t, x, MPFR_RNDN);
    mpfr_set_d(u, y, MPFR_RNDN);
    exact(t, t, u, MPFR_RNDN);
    double off = ulps(found, t);
    mpfr_clears(t, u, NULL);
    return off;
}

static void logarithms(NO_STATE)
{
    for (int i = 0; i < TIMES; i++) {
        double x = fabs(draw_wide(i % 2 ? 1000 : 1));
        assert_true(off_by(mpfr_log, own_log, x) <= 0.501);
        assert_true(off_by(mpfr_log10, own_log10, x) <= 0.501);
    }
    assert_true(own_log(1) == 0 && own_log10(1000) == 3);
    assert_true(isinf(own_log(0)) && isnan(own_log(-1)) && isinf(own_log(INFINITY)));
}

static void powers(NO_STATE)
{
    for (int i = 0; i < TIMES; i++) {
        double x = fabs(draw_wide(20)), y = 20 * draw() - 10;
        assert_true(off_by_2(mpfr_pow, own_pow(x, y), x, y) <= 0.501);
    }
    assert_true(own_pow(0x1p-53, -0.125) == own_pow(0x1p53, 0.125));
    assert_true(own_pow(2, 10) == 1024 && own_pow(5, 0) == 1 && own_pow(0, 2) == 0);
    assert_true(isinf(own_pow(10, 400)) && own_pow(10, -400) == 0);
}

static void angles(NO_STATE)
{
    for (int i = 0; i < TIMES; i++) {
        double x = 20 * (draw() - 0.5), y = draw_wide(100), z = draw_wide(100);
        assert_true(off_by(mpfr_sin, own_sin, x) <= 0.51);
        assert_true(off_by(mpfr_cos, own_cos, x) <= 0.51);
        assert_true(off_by_2(mpfr_atan2, own_atan2(y, z), y, z) <= 0.501);
    }
    for (int i = 1; i < 100; i++) /* beside the zeros */
        assert_true(off_by(mpfr_sin, own_sin, i * M_PI) <= 0.51 &&
                    off_by(mpfr_cos, own_cos, i * M_PI - M_PI_2) <= 0.51);
    assert_true(signbit(own_sin(-0.0)) && own_sin(0) == 0 && own_cos(0) == 1);
    assert_true(own_atan2(0, -1) == M_PI && own_atan2(-0.0, -1) == -M_PI);
    assert_true(own_atan2(INFINITY, INFINITY) == M_PI_4 && own_atan2(1, INFINITY) == 0);
    assert_true(isnan(own_atan2(NAN, 1)) && isnan(own_sin(INFINITY)) && isnan(own_cos(0x1p21)));
}

static void moduli(NO_STATE)
{
    for (int i = 0; i < TIMES; i++) {
        int range = i % 2 ? 30 : 1000;
        double x = draw_wide(range), y = draw_wide(range);
        assert_true(off_by_2(mpfr_hypot, own_cabs(CMPLX(x, y)), x, y) <= 0.5);
    }
    assert_true(own_cabs(CMPLX(3, -4)) == 5 && own_cabsf(CMPLXF(-3, 4)) == 5);
    assert_true(own_cabs(CMPLX(0, -0x1p-1074)) == 0x1p-1074 && own_cabs(0) == 0);
    assert_true(isinf(own_cabs(CMPLX(NAN, -INFINITY))) && isnan(own_cabs(CMPLX(NAN, 1))) &&
                isnan(own_cabs(CMPLX(1, NAN))));
    assert_true(own_cabsf(CMPLXF(0x1p127f, 0)) == 0x1p127f &&
                isinf(own_cabsf(CMPLXF(NAN, INFINITY))));
}

/* The exact root: sqrt((|a| + |z|) / 2) and |b| / 2 over that. */
static double root_off_by(double complex z)
{
    double complex found = own_csqrt(z);
    mpfr_t t, u, b;
    mpfr_inits2(BITS, t, u, b, NULL);
    mpfr_set_d(t, creal(z), MPFR_RNDN);
    mpfr_set_d(b, cimag(z), MPFR_RNDN);
    mpfr_hypot(u, t, b, MPFR_RNDN);
    mpfr_abs(t, t, MPFR_RNDN);
    mpfr_add(t, t, u, MPFR_RNDN);
    mpfr_div_2ui(t, t, 1, MPFR_RNDN);
    mpfr_sqrt(t, t, MPFR_RNDN);
    mpfr_div(u, b, t, MPFR_RNDN);
    mpfr_div_2ui(u, u, 1, MPFR_RNDN);
    mpfr_abs(u, u, MPFR_RNDN);
    bool is_right = creal(z) >= 0;
    double one = ulps(fabs(is_right ? creal(found) : cimag(found)), t);
    double other = ulps(fabs(is_right ? cimag(found) : creal(found)), u);
    assert_true(creal(found) >= 0 && !signbit(cimag(found)) == !signbit(cimag(z)));
    mpfr_clears(t, u, b, NULL);
    return fmax(one, other);
}

static void complex_functions(NO_STATE)
{
    for (int i = 0; i < TIMES; i++)
        assert_true(root_off_by(CMPLX(draw_wide(i % 200), draw_wide(i % 300))) <= 3);
    assert_true(own_csqrt(-4) == CMPLX(0, 2) && cimag(own_csqrt(CMPLX(-4, -0.0))) == -2);
    assert_true(own_csqrt(0) == 0 && isinf(creal(own_csqrt(CMPLX(NAN, INFINITY)))) &&
                isnan(creal(own_csqrt(CMPLX(NAN, 0)))) && isinf(cimag(own_csqrt(-INFINITY))));
    assert_true(own_cexp(0) == 1 && fabs(creal(own_cexp(CMPLX(0, M_PI))) + 1) == 0);
}

TESTS(logarithms, powers, angles, moduli, complex_functions)
