/* Quotients in the lanes of vectors.
 *
 * A complex quotient (v + w i) / (a + b i) has parts (a v + b w) / D and (a w - b v) / D, D = a^2 +
 * b^2. v and w are s + c +- E each, E being above their errors by u |c|, u = 2^-53, and more. With
 * products p + r1 and q + r2 of a and b with the s, and H + r3 = p + q, exactly, a numerator is H +
 * (r1 + a c) + (r2 + b c') + r3. If fl(a c) is rounded by itself, E has the error. With l1 and l2
 * for what is in brackets the additions err by at most 4u (1 + 3u) M, M = |l1| + |l2| + |r3|.
 *
 * square = fl(D), and low is the rest but for 4u^2 square, |low| <= 2u (1 + u) square. q0 = fl(H
 * g), g = fl(1 / square), is H / square but for 2u (1 + u): rem = H - q0 square, at most 3u |H|,
 * rounds by 3u^2 |H|, q0 low by 2u^2 |H|. f = fl(fl(fl(rem + (l1 + l2 + r3)) - fl(q0 low)) g) errs
 * by 5u |f|, and by u of q0 low, which is in the first sum and not in the second. (q0, f) is off by
 * at most
 *
 *   (|a| E + |b| E' + 4u M) g (1 + 7u) + 2^-101 |q0| + 2^-50 |f|
 *
 * and (1 + 2^-40) times the first, 2^-98 |q0| and 2^-48 |f| are enough for a rounding test. |a| and
 * |b| are 0 or in [2^-200, 2^200], each s is 0 or in [2^-500, 2^390]: products are in two_prod's
 * range or 0; H is a multiple of 2^-752, 0 where q0 is, and else far above what underflows beside
 * it; g is at most 2^400. */
#pragma once

#include "core/simd/round_simd.h"
#include "level2/kernels/solve_rows.h"

#define EXB_NUMERATOR_LEAST 0x1p-500
#define EXB_NUMERATOR_MOST 0x1p390

/* What lanes are divided by; by_...: what bounds are multiplied by. */
typedef struct {
    exb_v re, im, square, low, inverse, by_re, by_im, by_lost;
} divisors;

EXB_INLINE divisors divisors_of(exb_v re, exb_v im)
{
    exb_v r1, r2, r3, p = v_two_prod(re, re, &r1), q = v_two_prod(im, im, &r2);
    divisors d = {.re = re, .im = im};
    d.square = v_two_sum(p, q, &r3);
    d.low = v_add(v_add(r1, r2), r3);
    d.inverse = v_div(v_set1(1), d.square);
    exb_v wide = v_mul(d.inverse, v_set1(1 + 0x1p-40));
    d.by_re = v_mul(v_abs(re), wide);
    d.by_im = v_mul(v_abs(im), wide);
    d.by_lost = v_mul(v_set1(0x1p-51), wide);
    return d;
}

/* s - q d for q within two units of s / d. */
EXB_INLINE exb_v remainder_lanes(exb_v s, exb_v q, exb_v d)
{
#if EXB_HAVE_FMA
    return v_sub(v_zero(), v_fms(q, d, s));
#else
    exb_v low, p = v_two_prod(q, d, &low);
    return v_sub(v_sub(s, p), low);
#endif
}

/* fl(h + l) to r, in some lanes 0. */
EXB_INLINE void store_unknowns(exb_v h, exb_v l, unsigned zero, exb_real *r)
{
    exb_v x = v_add(h, l);
    if (zero)
        x = v_zero_lanes(x, zero);
    (void)v_same_real(x, x, r);
}

/* Lanes in which the rounding test's ends, for a bound of `base` and 2^-98 |h|, do not agree. */
EXB_INLINE unsigned open_lanes(exb_v h, exb_v l, exb_v base)
{
    exb_v e = v_add_product(v_set1(0x1p-98), v_abs(h), base);
    exb_v lo = v_add(h, v_sub(l, e)), hi = v_add(h, v_add(l, e));
#if EXB_IS_S
    float same[EXB_LANES];
    return ~round_floats(lo, hi, 0, same);
#else
    return ~v_equal(lo, hi);
#endif
}

/* (re v + im w) / D, im being that of d or its negative, but for the shares of q0 and f. */
EXB_INLINE enclosures complex_quotient(const divisors *d, exb_v im, enclosures v, enclosures w)
{
    exb_v r1, r2, r3, p = v_two_prod(d->re, v.h, &r1), q = v_two_prod(im, w.h, &r2);
    exb_v l1 = v_add_product(d->re, v.l, r1), l2 = v_add_product(im, w.l, r2);
    exb_v numerator = v_two_sum(p, q, &r3), lost = v_add(v_add(v_abs(l1), v_abs(l2)), v_abs(r3));
    enclosures x = {.h = v_mul(numerator, d->inverse)};
    exb_v rest = v_add(remainder_lanes(numerator, x.h, d->square), v_add(v_add(l1, l2), r3));
    x.l = v_mul(v_sub(rest, v_mul(x.h, d->low)), d->inverse);
    x.e = v_add_product(v.e, d->by_re, v_set1(EXB_UNDERFLOW_LOSS));
    x.e = v_add_product(lost, d->by_lost, v_add_product(w.e, d->by_im, x.e));
    return x;
}
