/* Enclosures in the lanes of a vector: the vector form of exb_affine_of (enclosure.h) and of
 * the rounding test (certify.h), whose comments bound the errors. */
#pragma once

#include "core/arith/enclosure.h"
#include "core/simd/element_simd.h"

/* h + l +- e; lanes in `exact` have e = 0, lanes in `bad` are unknown. */
typedef struct {
    exb_v h, l, e;
    unsigned exact, bad;
} enclosures;

/* The product of alpha or beta with a vector; lanes out of two_prod's range are bad. A zero has an
 * exact product with what is finite. */
EXB_INLINE exb_v product_lanes(exb_v a, exb_v b, exb_v *low, unsigned *bad)
{
    exb_v p = v_two_prod(a, b, low);
    unsigned outside = v_outside(p, EXB_PRODUCT_LEAST, EXB_PRODUCT_MOST);
    if (outside == 0) /* nothing waits for masks then */
        return p;
    unsigned zero = v_equal(a, v_zero()) & ~v_outside(b, 0, DBL_MAX);
    zero |= v_equal(b, v_zero()) & ~v_outside(a, 0, DBL_MAX);
    zero &= outside;
    *bad |= outside & ~zero;
    *low = v_zero_lanes(*low, zero);
    return v_zero_lanes(p, zero);
}

/* a v + b c */
EXB_INLINE enclosures affine_lanes(double a, enclosures v, double b, exb_v c)
{
    exb_v q, qc, r, e1, e2, e3, alpha = v_set1(a);
    exb_v p = product_lanes(alpha, v.h, &q, &v.bad);
    exb_v pc = product_lanes(v_set1(b), c, &qc, &v.bad);
    exb_v t = v_mul(alpha, v.l);
    exb_v was_whole = v.l;
    v.h = v_two_sum(p, pc, &r);
    exb_v l1 = v_two_sum(q, t, &e1);
    exb_v l2 = v_two_sum(qc, r, &e2);
    v.l = v_two_sum(l1, l2, &e3);
    exb_v lost = v_add(v_add(v_abs(e1), v_abs(e2)), v_abs(e3));
    exb_v wide = v_mul(v_abs(alpha), v_add(v.e, v_set1(EXB_UNDERFLOW_LOSS)));
    wide = v_zero_lanes(wide, v.exact);
    v.exact &= v_equal(was_whole, v_zero()) & v_equal(lost, v_zero());
    v.e = v_add(v_add(wide, v_mul(v_set1(0x1p-53), v_abs(t))), lost);
    v.e = v_zero_lanes(v_mul(v.e, v_set1(1 + 0x1p-49)), v.exact);
    return v;
}

/* x + y, as exb_enclosure_add. */
EXB_INLINE enclosures add_lanes(enclosures x, enclosures y)
{
    exb_v r, e1, e2;
    enclosures s = {.bad = x.bad | y.bad};
    s.h = v_two_sum(x.h, y.h, &r);
    exb_v t = v_two_sum(x.l, y.l, &e1);
    s.l = v_two_sum(t, r, &e2);
    exb_v lost = v_add(v_abs(e1), v_abs(e2));
    s.exact = x.exact & y.exact & v_equal(lost, v_zero());
    s.e = v_mul(v_add(v_add(x.e, y.e), lost), v_set1(EXB_BOUND_UP));
    s.e = v_zero_lanes(s.e, s.exact);
    return s;
}

/* What the four-product formula has of the other parts, which are neighbours: -im, re. */
EXB_INLINE exb_v v_other_parts(exb_v x)
{
    static const double signs[8] = {-1, 1, -1, 1, -1, 1, -1, 1};
    return v_mul(v_swap(x, 1), v_load(signs));
}

/* Of a vector, what is added to a line. */
typedef enum {
    LINE_NUMBERS, /* l = e = 0 */
    LINE_SUMS,    /* h + l +- e */
    LINE_COVERED, /* the same, and e has 2^-101 |h| + 2^-50 |l| besides and 2^-48 of it all, of
                   * floats 2^-49 |h| */
} line_kind;

/* Adds a v to *x, by fewer steps than affine_lanes and add_lanes take; where what is exact, or
 * decided by that alone, may be open after round_sum. At most four products p_k = a_k h_k, the
 * first one with `begins`. In double, u = 2^-53, with P the sum of the |p_k| and Q that of the
 * |a_k l_k|: errors of products are below u |p_k|, the three of sums below u P, so that the low
 * parts come to Q + 4u P. Rounded are the q_k, a_k l_k and the error of p_k, by u (Q + u P), their
 * sums with errors of sums, by u (Q + 4u P), three sums of these, by 3u (Q + 4u P), and l -+ e, by
 * u (Q + 4u P + e): 6u Q + 21 u^2 P + u e, for which e has 8u of the |q_k|, more than Q - u P
 * together, 32 u^2 P and 2^-48 of |a_k| e_k; its own roundings take some 14u. What underflows is
 * below the 2^-1020 that the e_k get, and the line. What overflows before the ends do makes l
 * infinite or NaN, as q_k may be where h and l cancel. In float, products and sums lose 4u P, and
 * the ends u (P + e), of 16u P. */
EXB_INLINE void add_to_line(bool begins, line_kind kind, enclosures *x, exb_v a, enclosures v)
{
    exb_v q = v_zero(), r, p = EXB_IS_S ? v_mul(a, v.h) : v_two_prod(a, v.h, &q);
    if (begins)
        *x = (enclosures){.e = v_set1(EXB_UNDERFLOW_LOSS)};
    if (!EXB_IS_S && kind != LINE_NUMBERS)
        q = v_add_product(a, v.l, q);
    if (!EXB_IS_S && kind == LINE_SUMS)
        x->e = v_add_product(v_abs(q), v_set1(0x1p-50), x->e);
    if (kind == LINE_SUMS)
        v.e = v_add_product(v.e, v_set1(1 + 0x1p-48), v_set1(EXB_UNDERFLOW_LOSS));
    if (kind != LINE_NUMBERS)
        x->e = v_add_product(v_abs(a), v.e, x->e);
    if (kind != LINE_COVERED)
        x->e = v_add_product(v_abs(p), v_set1(EXB_IS_S ? 0x1p-49 : 0x1p-101), x->e);
    if (begins) {
        x->h = p;
        x->l = q;
    } else if (EXB_IS_S) {
        x->h = v_add(x->h, p);
    } else {
        x->h = v_two_sum(x->h, p, &r);
        x->l = v_add(x->l, v_add(q, r));
    }
}

/* Rounds such a line; returns the lanes that are open. An infinite l makes e infinite, and an end
 * NaN. */
EXB_INLINE unsigned round_sum(enclosures x, exb_real *r)
{
    if (!EXB_IS_S)
        x.e = v_add_product(v_abs(x.l), v_set1(0x1p-53), x.e);
    exb_v lo = EXB_IS_S ? v_sub(x.h, x.e) : v_add(x.h, v_sub(x.l, x.e));
    exb_v hi = EXB_IS_S ? v_add(x.h, x.e) : v_add(x.h, v_add(x.l, x.e));
    return ~v_same_real(lo, hi, r) & ((1u << EXB_LANES) - 1);
}

/* The e2 of certify.h. */
EXB_INLINE exb_v widened_bound(exb_v l, exb_v e)
{
    exb_v e2 = v_add(v_mul(v_set1(0x1p-51), v_abs(l)), v_mul(e, v_set1(1 + 0x1p-50)));
    return v_add(e2, v_set1(EXB_UNDERFLOW_LOSS));
}

/* Rounds lanes in which lo and hi are the same float, each moved outwards by at least a double, as
 * certify_s does it, but for `whole`. */
EXB_INLINE unsigned round_floats(exb_v lo, exb_v hi, unsigned whole, float *r)
{
    exb_v step = v_zero_lanes(v_set1(0x1p-52), whole);
    lo = v_sub(lo, v_mul(v_abs(lo), step));
    hi = v_add(hi, v_mul(v_abs(hi), step));
    return v_same_s(lo, hi, r) & v_equal(lo, lo); /* no NaN, of which both may have the same bits */
}

/* Rounds; returns the uncertified lanes. */
EXB_INLINE unsigned decide_lanes(enclosures v, exb_real *r)
{
    exb_v e2 = v_zero_lanes(widened_bound(v.l, v.e), v.exact);
    exb_v lo = v_add(v.h, v_sub(v.l, e2)), hi = v_add(v.h, v_add(v.l, e2));
    lo = v_add(lo, v_zero()); /* an exact zero is +0 */
    hi = v_add(hi, v_zero());
#if EXB_IS_S
    /* One double if l = 0, else rounded to one: the step outwards is larger than that. */
    unsigned same = round_floats(lo, hi, v.exact & v_equal(v.l, v_zero()), r);
#else
    unsigned same = v_same_real(lo, hi, r);
#endif
    unsigned sound = v.exact & ~v_outside(lo, 0, DBL_MAX);
    sound |= ~v_outside(v.h, EXB_CERTIFIED_LEAST, EXB_CERTIFIED_MOST);
    return (~(same & sound) | v.bad) & ((1u << EXB_LANES) - 1);
}
