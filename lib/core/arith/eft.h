/* Error-free transformations of doubles.
 *
 * All of them need round-to-nearest without FTZ and DAZ (fpenv.h) and
 * evaluation in the format itself. Sources: Knuth, TAOCP 2, 4.2.2 (TwoSum);
 * Dekker, Numer. Math. 18 (1971) (FastTwoSum, TwoProd, Veltkamp's split);
 * Muller et al., Handbook of Floating-Point Arithmetic, chapter 4 (ranges). */
#pragma once

#include "core/arith/compiler.h"

/* 1 (s390x in ISO C mode) evaluates floats as doubles, which all code here does anyway;
 * doubles are doubles. */
#if !defined(EXB_DEVICE) && FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1
#error "doubles must be evaluated as doubles (on x86: SSE2)"
#endif

#if defined(__FAST_MATH__)
#error "error-free transformations do not survive -ffast-math"
#endif

#if defined(__FMA__) || defined(__aarch64__) || defined(__FP_FAST_FMA) || defined(EXB_DEVICE)
#define EXB_HAVE_FMA 1
#else
#define EXB_HAVE_FMA 0
#endif

/* s + *err = a + b exactly, s = RN(a + b). Exact for all finite a, b whose sum
 * does not overflow, subnormals included: an addition has no underflow error. */
EXB_INLINE double exb_two_sum(double a, double b, double *err)
{
    double s = a + b;
    double z = s - a;
    *err = (a - (s - z)) + (b - z);
    return s;
}

/* As two_sum, for |a| >= |b| or a = 0. */
EXB_INLINE double exb_fast_two_sum(double a, double b, double *err)
{
    double s = a + b;
    *err = b - (s - a);
    return s;
}

/* Veltkamp: a = hi + lo with 26 bits each. Exact for |a| < 2^996; above,
 * the product with 2^27 + 1 overflows and both parts become NaN. */
EXB_INLINE double exb_veltkamp_split(double a, double *lo)
{
    double c = 0x1.0000002p27 * a;
    double hi = c - (c - a);
    *lo = a - hi;
    return hi;
}

/* p + *err = a * b exactly, p = RN(ab). Exact if a or b is 0 or
 * 2^-968 <= |p| < 2^1023, and, without FMA, |a|, |b| < 2^996. Below that range
 * |ab - (p + *err)| <= 2^-1075 with FMA. Whatever overflows leaves a p or *err
 * that is Inf or NaN. Checked by machine: proof/two_prod.g. */
EXB_INLINE double exb_two_prod(double a, double b, double *err)
{
    double p = a * b;
#if EXB_HAVE_FMA
    *err = exb_fma(a, b, -p);
#else
    double al, bl;
    double ah = exb_veltkamp_split(a, &al);
    double bh = exb_veltkamp_split(b, &bl);
    *err = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
#endif
    return p;
}

/* Where two_prod is exact, by the first of these with room to spare (2^-969 is the least product
 * whose error is a double); a product could be added 2^40 times to others below the second without
 * overflow. */
#define EXB_PRODUCT_LEAST 0x1p-960
#define EXB_PRODUCT_MOST 0x1p960

/* True if p = RN(ab) lies where two_prod is exact, with room to spare; also
 * asks that p could be added 2^40 times without overflow. False for NaN. */
EXB_INLINE bool exb_product_in_range(double p)
{
    double m = exb_fabs(p);
    return m >= EXB_PRODUCT_LEAST && m <= EXB_PRODUCT_MOST;
}

/* h - qd, exact for q = RN(h / d) with 2^-900 <= |h|, |q| <= 2^1000: the
 * remainder is a double (Handbook, theorem 4.9); h - p is exact by Sterbenz's
 * lemma because p = RN(qd) is within a factor two of h (proof/quotient.g). */
EXB_INLINE double exb_remainder(double h, double q, double d)
{
    double err;
    double p = exb_two_prod(q, d, &err);
    return (h - p) - err;
}

/* The lesser of `least` and |x|, unless x = 0: products that are not below the range of two_prod
 * lose nothing. */
EXB_INLINE double exb_least_magnitude(double least, double x)
{
    double m = exb_fabs(x);
    return m < least && m > 0 ? m : least;
}
