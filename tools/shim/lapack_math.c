/* What LAPACK calls of libm, with one answer everywhere: a system's libm has other code on other
 * processors, and other last bits. Hidden in liblapack.so.3, in place of the system's.
 *
 * Everything is computed in pairs of doubles (value hi + lo, |lo| <= ulp(hi)/2, about 2^-100 of
 * relative error) by operations that IEEE 754 defines, in a fixed order, and rounded at the end.
 * The results are within 0.501 ulp for the arguments LAPACK has (none above 2^20 for sin and cos,
 * no subnormal results), those of csqrt within 3, and of sin and cos beside their zeros within 2.
 * What sqrt, frexp, lround and the conversions return is defined by the standards. */
#include "core/arith/eft.h"

#include <complex.h>
#include <math.h>

/* A function that has that name in libm; one of floats, by that of doubles. */
#define LIBM(type, name, ...)                                                                      \
    type lapack_##name(__VA_ARGS__) __asm__(#name);                                                \
    type lapack_##name(__VA_ARGS__)
#define OF_FLOATS(name, arguments, ...)                                                            \
    LIBM(float, name##f, __VA_ARGS__)                                                              \
    {                                                                                              \
        return (float)lapack_##name arguments;                                                     \
    }

typedef struct {
    double hi, lo;
} pair;

static pair pair_of(double hi, double lo)
{
    pair r;
    r.hi = exb_fast_two_sum(hi, lo, &r.lo);
    return r;
}

static pair add(pair a, pair b)
{
    double e, s = exb_two_sum(a.hi, b.hi, &e);
    double f, t = exb_two_sum(a.lo, b.lo, &f);
    pair r = pair_of(s, e + t);
    return pair_of(r.hi, r.lo + f);
}

static pair negative(pair a)
{
    return (pair){-a.hi, -a.lo};
}

static pair multiply(pair a, pair b)
{
    double e, p = exb_two_prod(a.hi, b.hi, &e);
    return pair_of(p, e + (a.hi * b.lo + a.lo * b.hi));
}

static pair scale(pair a, double power_of_2)
{
    return (pair){a.hi * power_of_2, a.lo * power_of_2};
}

static pair divide(pair a, pair b)
{
    double q = a.hi / b.hi;
    pair r = add(a, negative(multiply((pair){q, 0}, b)));
    pair result = pair_of(q, r.hi / b.hi);
    r = add(a, negative(multiply(result, b)));
    return pair_of(result.hi, result.lo + r.hi / b.hi);
}

/* One step of Newton's from a root that is right to a double. */
static pair root(pair a)
{
    double s = sqrt(a.hi);
    pair r = add(a, negative(multiply((pair){s, 0}, (pair){s, 0})));
    return s > 0 ? pair_of(s, r.hi / (2 * s)) : (pair){0, 0};
}

/* ---- complex numbers ---- */

/* |a + bi|, by pairs: the larger in [1/2, 1), where products are exact in pairs, a^2 + b^2 to
 * 2^-100, so the root is. */
static double modulus(double a, double b)
{
    int exponent;
    a = fabs(a);
    b = fabs(b);
    double most = a > b ? a : b;
    if (isinf(a) || isinf(b))
        return INFINITY;
    if (isnan(a) || isnan(b) || most == 0)
        return a + b;
    frexp(most, &exponent);
    a = ldexp(a, -exponent);
    b = ldexp(b, -exponent);
    if (a < 0x1p-60 || b < 0x1p-60) /* less than half an ulp of the other's square */
        return ldexp(a > b ? a : b, exponent);
    pair s = add(multiply((pair){a, 0}, (pair){a, 0}), multiply((pair){b, 0}, (pair){b, 0}));
    pair r = root(s);
    return ldexp(r.hi, exponent);
}

LIBM(double, cabs, double complex z)
{
    return modulus(creal(z), cimag(z));
}

LIBM(float, cabsf, float complex z)
{
    double a = crealf(z), b = cimagf(z), s = a * a + b * b; /* each square is exact */
    return (float)(isnan(s) && (isinf(a) || isinf(b)) ? INFINITY : sqrt(s));
}

/* The principal root: t = sqrt((|a| + |z|) / 2), and |b| / 2t beside it. */
static double complex complex_root(double a, double b)
{
    int exponent;
    if (isinf(b))
        return CMPLX(INFINITY, b);
    if (isnan(a) || isnan(b))
        return CMPLX(NAN, NAN);
    if (isinf(a))
        return a > 0 ? CMPLX(a, copysign(0, b)) : CMPLX(0, copysign(INFINITY, b));
    double most = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    if (most == 0)
        return CMPLX(0, b);
    frexp(most, &exponent);
    exponent += exponent & 1;
    double x = ldexp(a, -exponent), y = ldexp(b, -exponent), up = ldexp(1, exponent / 2);
    double t = sqrt(0.5 * (fabs(x) + modulus(x, y)));
    double other = t > 0 ? 0.5 * fabs(y) / t : 0;
    return a >= 0 ? CMPLX(t * up, copysign(other * up, b)) : CMPLX(other * up, copysign(t * up, b));
}

LIBM(double complex, csqrt, double complex z)
{
    return complex_root(creal(z), cimag(z));
}

LIBM(float complex, csqrtf, float complex z)
{
    double complex r = complex_root(crealf(z), cimagf(z));
    return CMPLXF((float)creal(r), (float)cimag(r));
}

/* ---- exponential and logarithm ---- */

static const pair ln_2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
static const pair ln_10 = {0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53};
static const pair half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/* 1 + x (1 + x/2 (1 + x/3 ...)): |x| <= ln 2 / 2, so the terms left out are below 2^-110. */
static pair exponential_of(pair x)
{
    const pair one = {1, 0};
    pair s = one;
    for (int i = 27; i >= 1; i--)
        s = add(one, multiply(divide(x, (pair){i, 0}), s));
    return s;
}

static double exponential(pair x)
{
    if (!(x.hi < 710 && x.hi > -745)) /* Inf, NaN, 0 */
        return isnan(x.hi) ? x.hi : x.hi > 0 ? INFINITY : 0;
    double k = nearbyint(x.hi / ln_2.hi);
    pair r = exponential_of(add(x, negative(multiply((pair){k, 0}, ln_2))));
    return ldexp(r.hi, (int)k);
}

/* 2 atanh(z), z = (m - 1)/(m + 1), m in [sqrt(1/2), sqrt(2)): z^2 <= 0.0295, 22 terms reach 2^-111.
 */
static pair logarithm(double x)
{
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        exponent--;
    }
    pair z = divide((pair){m - 1, 0}, add((pair){m, 0}, (pair){1, 0}));
    pair square = multiply(z, z), s = {0, 0};
    for (int i = 22; i >= 0; i--)
        s = add(divide((pair){1, 0}, (pair){2 * i + 1, 0}), multiply(square, s));
    return add(multiply((pair){exponent, 0}, ln_2), scale(multiply(z, s), 2));
}

static bool has_no_logarithm(double x)
{
    return !(x > 0) || isinf(x);
}

/* The logarithm of 0, of negative numbers, Inf and NaN. */
static double special_logarithm(double x)
{
    return x == 0 ? -INFINITY : x < 0 ? NAN : x;
}

LIBM(double, log, double x)
{
    return has_no_logarithm(x) ? special_logarithm(x) : logarithm(x).hi;
}

OF_FLOATS(log, (x), float x)

LIBM(double, log10, double x)
{
    return has_no_logarithm(x) ? special_logarithm(x) : divide(logarithm(x), ln_10).hi;
}

OF_FLOATS(log10, (x), float x)

/* LAPACK takes powers of positive numbers only. */
LIBM(double, pow, double x, double y)
{
    if (y == 0 || x == 1)
        return 1;
    if (has_no_logarithm(x))
        return x == 0 || isinf(x) ? ((x == 0) == (y > 0) ? 0 : INFINITY) : NAN;
    return exponential(multiply((pair){y, 0}, logarithm(x)));
}

OF_FLOATS(pow, (x, y), float x, float y)

/* ---- angles ---- */

/* The series of cos (first = 0) or sin (first = 1): |x| <= pi/4, terms left out below 2^-110. */
static pair series(pair x, int first)
{
    pair square = negative(multiply(x, x)), s = {1, 0};
    for (int i = 28 + first; i > first; i -= 2)
        s = add((pair){1, 0}, divide(multiply(square, s), (pair){(double)i * (i - 1), 0}));
    return first ? multiply(x, s) : s;
}

/* cos(x - turns pi/2) for turns = 0, sin(x) for turns = 1. */
static double circular(double x, int turns)
{
    if (!(fabs(x) <= 0x1p20)) /* LAPACK asks for no such angle */
        return NAN;
    const double parts[] = {half_pi.hi, half_pi.lo,
                            -0x1.f1976b7ed8fbcp-110}; /* near a zero, the third counts */
    double k = nearbyint(x / half_pi.hi);
    pair r = {x, 0};
    for (int i = 0; i < 3; i++)
        r = add(r, negative(multiply((pair){k, 0}, (pair){parts[i], 0})));
    int quarter = ((int)k - turns) & 3; /* cos -sin -cos sin */
    pair s = series(r, quarter & 1);
    return quarter == 1 || quarter == 2 ? -s.hi : s.hi;
}

LIBM(double, sin, double x)
{
    return x == 0 ? x : circular(x, 1);
}

LIBM(double, cos, double x)
{
    return circular(x, 0);
}

OF_FLOATS(sin, (x), float x)

OF_FLOATS(cos, (x), float x)

LIBM(void, sincos, double x, double *s, double *c)
{
    *s = lapack_sin(x);
    *c = lapack_cos(x);
}

LIBM(void, sincosf, float x, float *s, float *c)
{
    *s = lapack_sinf(x);
    *c = lapack_cosf(x);
}

/* atan(t) for 0 <= t <= 1: atan(t) = 2 atan(t / (1 + sqrt(1 + t^2))), three times; then t < 0.0985
 * and 16 terms of the series reach 2^-113. */
static pair arc(pair t)
{
    const pair one = {1, 0};
    for (int i = 0; i < 3; i++)
        t = divide(t, add(one, root(add(one, multiply(t, t)))));
    pair square = negative(multiply(t, t)), s = {0, 0};
    for (int i = 16; i >= 0; i--)
        s = add(divide(one, (pair){2 * i + 1, 0}), multiply(square, s));
    return scale(multiply(t, s), 8);
}

/* The angle of the point with these sizes of coordinates, in [0, pi/2]. */
static pair first_quadrant(double y, double x)
{
    bool is_steep = y > x;
    double least = is_steep ? x : y, most = is_steep ? y : x;
    pair t = isinf(least)                ? (pair){1, 0}
             : least == 0 || isinf(most) ? (pair){0, 0}
                                         : divide((pair){ldexp(least, -ilogb(most)), 0},
                                                  (pair){ldexp(most, -ilogb(most)), 0});
    pair a = arc(t);
    return is_steep ? add(half_pi, negative(a)) : a;
}

LIBM(double, atan2, double y, double x)
{
    if (isnan(x) || isnan(y))
        return x + y;
    pair a = first_quadrant(fabs(y), fabs(x));
    if (signbit(x))
        a = add(scale(half_pi, 2), negative(a));
    return copysign(a.hi, y);
}

OF_FLOATS(atan2, (y, x), float y, float x)

/* e^z. Its callers draw random numbers on the unit circle. */
LIBM(double complex, cexp, double complex z)
{
    double r = exponential((pair){creal(z), 0});
    return CMPLX(r * lapack_cos(cimag(z)), r * lapack_sin(cimag(z)));
}

LIBM(float complex, cexpf, float complex z)
{
    double complex r = lapack_cexp(CMPLX((double)crealf(z), (double)cimagf(z)));
    return CMPLXF((float)creal(r), (float)cimag(r));
}
