/* The functions that LAPACK has in place of libm's against MPFR, and the addition they share. */
#include "testing.h"

#include "../../../tools/shim/lapack_math.c"

#include <mpfr.h>
#include <stdint.h>

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

static void sums_of_pairs(void **unused)
{
    (void)unused;
    pair s = add((pair){1, 0x1p-54}, (pair){-1, 0x1p-120}); /* what is left is exact */
    assert_true(s.hi == 0x1p-54 && s.lo == 0x1p-120);
}

static void logarithms(void **unused)
{
    (void)unused;
    for (int i = 0; i < TIMES; i++) {
        double x = fabs(draw_wide(i % 2 ? 1000 : 1));
        assert_true(off_by(mpfr_log, lapack_log, x) <= 0.501);
        assert_true(off_by(mpfr_log10, lapack_log10, x) <= 0.501);
    }
    assert_true(lapack_log(1) == 0 && lapack_log10(1000) == 3);
    assert_true(isinf(lapack_log(0)) && isnan(lapack_log(-1)) && isinf(lapack_log(INFINITY)));
}

static void powers(void **unused)
{
    (void)unused;
    for (int i = 0; i < TIMES; i++) {
        double x = fabs(draw_wide(20)), y = 20 * draw() - 10;
        assert_true(off_by_2(mpfr_pow, lapack_pow(x, y), x, y) <= 0.501);
    }
    assert_true(lapack_pow(0x1p-53, -0.125) == lapack_pow(0x1p53, 0.125));
    assert_true(lapack_pow(2, 10) == 1024 && lapack_pow(5, 0) == 1 && lapack_pow(0, 2) == 0);
    assert_true(lapack_pow(0, 0.5) == 0 && lapack_pow(0, 0) == 1 && lapack_pow(1, INFINITY) == 1);
    assert_true(lapack_powf(2, 3) == 8 && isinf(lapack_pow(10, 400)) && lapack_pow(10, -400) == 0);
}

static void angles(void **unused)
{
    (void)unused;
    for (int i = 0; i < TIMES; i++) {
        double x = 20 * (draw() - 0.5), y = draw_wide(100), z = draw_wide(100);
        assert_true(off_by(mpfr_sin, lapack_sin, x) <= 0.51);
        assert_true(off_by(mpfr_cos, lapack_cos, x) <= 0.51);
        assert_true(off_by_2(mpfr_atan2, lapack_atan2(y, z), y, z) <= 0.501);
    }
    for (int i = 1; i < 100; i++) /* beside the zeros */
        assert_true(off_by(mpfr_sin, lapack_sin, i * M_PI) <= 0.51 &&
                    off_by(mpfr_cos, lapack_cos, i * M_PI - M_PI_2) <= 0.51);
    assert_true(signbit(lapack_sin(-0.0)) && lapack_sin(0) == 0 && lapack_cos(0) == 1);
    assert_true(lapack_atan2(0, -1) == M_PI && lapack_atan2(-0.0, -1) == -M_PI);
    assert_true(lapack_atan2(INFINITY, INFINITY) == M_PI_4 && lapack_atan2(1, INFINITY) == 0);
    assert_true(isnan(lapack_atan2(NAN, 1)) && isnan(lapack_sin(INFINITY)));
}

static void moduli(void **unused)
{
    (void)unused;
    for (int i = 0; i < TIMES; i++) {
        int range = i % 2 ? 30 : 1000;
        double x = draw_wide(range), y = draw_wide(range);
        assert_true(off_by_2(mpfr_hypot, lapack_cabs(CMPLX(x, y)), x, y) <= 0.5);
    }
    assert_true(lapack_cabs(CMPLX(3, -4)) == 5 && lapack_cabsf(CMPLXF(-3, 4)) == 5);
    assert_true(lapack_cabs(CMPLX(0, -0x1p-1074)) == 0x1p-1074 && lapack_cabs(0) == 0);
    assert_true(isinf(lapack_cabs(CMPLX(NAN, -INFINITY))) && isnan(lapack_cabs(CMPLX(NAN, 1))) &&
                isnan(lapack_cabs(CMPLX(1, NAN))));
    assert_true(lapack_cabsf(CMPLXF(0x1p127f, 0)) == 0x1p127f &&
                isinf(lapack_cabsf(CMPLXF(NAN, INFINITY))));
}

/* The exact root: sqrt((|a| + |z|) / 2) and |b| / 2 over that. */
static double root_off_by(double complex z)
{
    double complex found = lapack_csqrt(z);
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

static void complex_functions(void **unused)
{
    (void)unused;
    for (int i = 0; i < TIMES; i++)
        assert_true(root_off_by(CMPLX(draw_wide(i % 200), draw_wide(i % 300))) <= 3);
    assert_true(lapack_csqrt(-4) == CMPLX(0, 2) && cimag(lapack_csqrt(CMPLX(-4, -0.0))) == -2);
    assert_true(lapack_csqrt(0) == 0 && isinf(creal(lapack_csqrt(CMPLX(NAN, INFINITY)))) &&
                isnan(creal(lapack_csqrt(CMPLX(NAN, 0)))) && isinf(cimag(lapack_csqrt(-INFINITY))));
    assert_true(lapack_cexp(0) == 1 && fabs(creal(lapack_cexp(CMPLX(0, M_PI))) + 1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_pairs), cmocka_unit_test(logarithms),
        cmocka_unit_test(powers),        cmocka_unit_test(angles),
        cmocka_unit_test(moduli),        cmocka_unit_test(complex_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
