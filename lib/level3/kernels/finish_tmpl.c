/* The finish of Level 3, a vector of elements at a time: kernels finish and solve (kernels.h). The
 * vector form of exb_enclosure_affine (enclosure.c) and of the rounding test (certify.h), whose
 * comments bound the errors.
 * Types: s d. */
#include "core/arith/compensated.h"
#include "core/simd/element_simd.h"
#include "core/kernel.h"

uint64_t exb_ti(finish)(int, const exb_column *, exb_real *);
uint64_t exb_ti(solve)(int, const exb_unknowns *, exb_real *);

/* h + l +- e; lanes in `exact` have e = 0, lanes in `bad` are unknown. */
typedef struct {
    exb_v h, l, e;
    unsigned exact, bad;
} enclosures;

/* The product of alpha or beta with a vector; lanes out of two_prod's range are bad. A zero has an
 * exact product. */
EXB_INLINE exb_v product(exb_v a, exb_v b, exb_v *low, unsigned *bad)
{
    exb_v p = v_two_prod(a, b, low);
    unsigned outside = v_outside(p, EXB_PRODUCT_LEAST, EXB_PRODUCT_MOST);
    unsigned zero = v_equal(b, v_zero()) & outside;
    *bad |= outside & ~zero;
    *low = v_zero_lanes(*low, zero);
    return v_zero_lanes(p, zero);
}

EXB_INLINE enclosures affine(const exb_column *k, enclosures v, const double *c)
{
    exb_v q, qc, r, e1, e2, e3, alpha = v_set1(k->alpha);
    exb_v p = product(alpha, v.h, &q, &v.bad);
    exb_v pc = product(v_set1(k->beta), c ? v_load(c) : v_zero(), &qc, &v.bad);
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

/* As exb_pair_bound. */
EXB_INLINE exb_v pair_bounds(const exb_column *k, int i)
{
    exb_v column = v_set1(k->col_bound), row = v_load(k->row_bound + i);
    exb_v none = v_set1(EXB_BOUND_OF_ZEROS);
    if (!k->has_zeros)
        return v_max_abs(column, row);
    return v_zero_lanes(v_max_abs(column, row), v_equal(row, none) | v_equal(column, none));
}

EXB_INLINE enclosures load(const exb_column *k, int i)
{
    enclosures v = {.l = v_load(k->l + i)};
    v.h = v_sub(v_load(k->h + i), v_set1(k->anchor));
    v.e = k->e ? v_load(k->e + i) : pair_bounds(k, i);
    v.exact = v_equal(v.e, v_zero());
    if (k->row_scale) {
        exb_v s = v_mul(v_load(k->row_scale + i), v_set1(k->col_scale));
        v.h = v_mul(v.h, s);
        v.l = v_mul(v.l, s);
        v.e = v_mul(v.e, s);
    }
    if (k->alpha != 1 || k->beta != 0)
        v = affine(k, v, k->beta != 0 ? k->c + i : NULL);
    return v;
}

/* Rounds; returns the uncertified lanes. */
EXB_INLINE unsigned decide(enclosures v, exb_real *r)
{
    exb_v e2 = v_add(v_add(v_mul(v_set1(0x1p-51), v_abs(v.l)), v_mul(v.e, v_set1(1 + 0x1p-50))),
                     v_set1(EXB_UNDERFLOW_LOSS));
    e2 = v_zero_lanes(e2, v.exact);
    exb_v lo = v_add(v.h, v_sub(v.l, e2)), hi = v_add(v.h, v_add(v.l, e2));
    lo = v_add(lo, v_zero()); /* an exact zero is +0 */
    hi = v_add(hi, v_zero());
#if EXB_IS_S
    /* Outwards by at least one double each, as certify_s. An exact sum is one double if l = 0. */
    unsigned whole = v.exact & v_equal(v.l, v_zero());
    exb_v step = v_set1(0x1p-52);
    exb_v below = v_sub(lo, v_zero_lanes(v_mul(v_abs(lo), step), whole));
    exb_v above = v_add(hi, v_zero_lanes(v_mul(v_abs(hi), step), whole));
    unsigned same = v_same_s(below, above, r) & (whole | ~v.exact);
#else
    unsigned same = v_equal(lo, hi);
    v_store(r, lo);
#endif
    unsigned sound = v.exact & ~v_outside(lo, 0, DBL_MAX);
    sound |= ~v_outside(v.h, EXB_CERTIFIED_LEAST, EXB_CERTIFIED_MOST);
    return (~(same & sound) | v.bad) & ((1u << EXB_LANES) - 1);
}

uint64_t exb_ti(finish)(int n, const exb_column *k, exb_real *r)
{
    uint64_t uncertified = 0;
    for (int i = 0; i < n; i += EXB_LANES)
        uncertified |= (uint64_t)decide(load(k, i), r + i) << i;
    return n < 64 ? uncertified & (((uint64_t)1 << n) - 1) : uncertified;
}

/* --- unknowns ------------------------------------------------------------- */

/* e (1 + 2^-49), as exb_bound_up; 0 where the value is exact. */
EXB_INLINE exb_v bound(exb_v e, unsigned exact)
{
    return v_zero_lanes(v_mul(e, v_set1(1 + 0x1p-49)), exact);
}

/* As exb_enclosure_add. */
EXB_INLINE enclosures add(enclosures x, enclosures y)
{
    exb_v r, e1, e2;
    enclosures s = {.bad = x.bad | y.bad};
    s.h = v_two_sum(x.h, y.h, &r);
    exb_v t = v_two_sum(x.l, y.l, &e1);
    s.l = v_two_sum(t, r, &e2);
    exb_v lost = v_add(v_abs(e1), v_abs(e2));
    s.exact = x.exact & y.exact & v_equal(lost, v_zero());
    s.e = bound(v_add(v_add(x.e, y.e), lost), s.exact);
    return s;
}

/* The products of the row, negated. */
EXB_INLINE enclosures load_sums(const exb_unknowns *k, int i)
{
    exb_v w = v_load(k->w + i);
    enclosures v = {.h = v_sub(v_zero(), v_load(k->s + i)), .l = v_sub(v_zero(), v_load(k->c + i))};
    v.exact = k->exact_terms ? v_equal(w, v_zero()) & ~v_outside(v.h, 0, DBL_MAX) : 0;
    exb_v e = v_mul(v_set1((double)(k->n_terms + 2)), v_mul(v_set1(0x1p-53), w));
    v.e = bound(v_add(e, v_set1(k->exact_terms ? 0 : EXB_PRODUCT_LOSS)), v.exact);
    if (!k->h)
        return v;
    enclosures kept = {.h = v_sub(v_zero(), v_load(k->h + i)),
                       .l = v_sub(v_zero(), v_load(k->l + i)),
                       .e = v_load(k->e + i)};
    kept.exact = v_equal(kept.e, v_zero());
    return add(v, kept);
}

/* As exb_enclosure_divide; exact zeros stay. */
EXB_INLINE enclosures divide(enclosures v, double divisor)
{
    exb_v low, d = v_set1(divisor), size = v_abs(d);
    unsigned zero = v.exact & v_equal(v.h, v_zero()) & v_equal(v.l, v_zero());
    exb_v q = v_div(v.h, d), p = v_two_prod(q, d, &low);
    exb_v r = v_sub(v_sub(v.h, p), low); /* both differences are exact */
    exb_v w = v_div(v_add(r, v.l), d);
    exb_v scaled = v_zero_lanes(v_div(v_add(v.e, v_set1(EXB_UNDERFLOW_LOSS)), size), v.exact);
    v.bad |= (v_outside(v.h, EXB_CERTIFIED_LEAST, EXB_PRODUCT_MOST) |
              v_outside(q, EXB_CERTIFIED_LEAST, EXB_PRODUCT_MOST)) &
             ~zero;
    v.exact &= v_equal(v.l, v_zero()) & v_equal(r, v_zero());
    v.e = bound(v_add(scaled, v_mul(v_set1(0x1p-51), v_abs(w))), v.exact);
    v.h = v_zero_lanes(q, zero);
    v.l = v_zero_lanes(w, zero);
    return v;
}

uint64_t exb_ti(solve)(int n, const exb_unknowns *k, exb_real *r)
{
    uint64_t uncertified = 0;
    for (int i = 0; i < n; i += EXB_LANES) {
        enclosures b = {.e = v_zero()};
        b.h = product(v_set1(k->alpha), v_load(k->b + i), &b.l, &b.bad);
        b.exact = (1u << EXB_LANES) - 1;
        enclosures v = add(b, load_sums(k, i));
        if (!k->unit)
            v = divide(v, k->divisor);
        uncertified |= (uint64_t)decide(v, r + i) << i;
    }
    return n < 64 ? uncertified & (((uint64_t)1 << n) - 1) : uncertified;
}
