/* Sums of products in progress, for loops without branches that the compiler turns into
 * vectors: what the kernels of linear combinations and of rank updates share. */
#pragma once

#include "core/arith/eft.h"
#include "core/kernel.h"
#include "core/simd/element_simd.h"

/* c ? a : b in integer operations: conditional expressions on doubles become branches
 * before GCC 12 looks for vectors. */
EXB_INLINE double exb_choose(bool c, double a, double b)
{
    uint64_t mask = -(uint64_t)c;
    return exb_from_bits((exb_bits(a) & mask) | (exb_bits(b) & ~mask));
}

/* A sum of products (high + low) x, high x = p + e, low x = q, in progress:
 *   h        the p, added by two_sum
 *   last     the error of the latest of these additions, from the second term on
 *   low      the earlier errors, the e and the q, added in floating point
 *   size     sum of |p|
 *   inexact  the bits that are set in a term of low: 0 or the sign bit alone if h + last is the
 *            exact sum */
typedef struct {
    double h, last, low, size;
    uint64_t inexact;
} exb_sum;

/* What is known of the coefficients. */
typedef enum {
    EXB_FLOAT_FACTORS,    /* floats, as the x are: products are exact */
    EXB_DOUBLE_FACTORS,   /* doubles */
    EXB_TWO_PART_FACTORS, /* high + low, |low| <= 2^-53 |high| */
} exb_factors;

/* The bits of x where the term (high + low) x may have an error that no computed number shows. Only
 * where there are none is the term p + e exactly:
 *
 *   low x    low = 0 or x = 0. Otherwise it counts as inexact whatever q is: low may be as small as
 *            2^-960 |high| and less (the sum of two products of a complex coefficient), so that
 *            q = fl(low x) may be 0 although low x is not, and p says nothing about that.
 *   high x   high = 0, x = 0, or |p| >= 2^-960, where two_prod is exact (eft.h); without FMA it
 *            makes e NaN where it cannot split.
 *
 * Lemma: if `inexact` has no bit but signs, h + last is the exact sum. Every term is p + 0 then,
 * and the errors of all additions to h but the latest are 0. */
EXB_INLINE uint64_t exb_hidden(exb_factors f, double high, double low, double x, double p)
{
    double threshold = high == 0 ? 0 : EXB_PRODUCT_LEAST;
    bool is_tiny = f != EXB_FLOAT_FACTORS && __builtin_fabs(p) < threshold;
    bool has_low = f == EXB_TWO_PART_FACTORS && low != 0;
    return (-(uint64_t)is_tiny | -(uint64_t)has_low) & exb_bits(x);
}

/* p + e + q is the term, but for what exb_hidden knows and the rounding of q; e: that sum. */
EXB_INLINE double exb_sum_term(exb_factors f, double high, double low, double x, double *e,
                               uint64_t *inexact)
{
    double p = high * x;
    *e = 0;
    if (f != EXB_FLOAT_FACTORS)
        p = exb_two_prod(high, x, e);
    *inexact |= exb_bits(*e) | exb_hidden(f, high, low, x, p);
    if (f == EXB_TWO_PART_FACTORS)
        *e += low * x;
    return p;
}

/* The first term. */
EXB_INLINE exb_sum exb_sum_of(exb_factors f, double high, double x)
{
    exb_sum s = {0};
    s.h = exb_sum_term(f, high, 0, x, &s.low, &s.inexact);
    s.size = __builtin_fabs(s.h);
    return s;
}

EXB_INLINE exb_sum exb_sum_add(exb_factors f, exb_sum s, double high, double low, double x)
{
    double e, p = exb_sum_term(f, high, low, x, &e, &s.inexact);
    s.low += f == EXB_FLOAT_FACTORS ? s.last : s.last + e;
    s.inexact |= exb_bits(s.last);
    s.h = exb_two_sum(s.h, p, &s.last);
    s.size += __builtin_fabs(p);
    return s;
}

/* The interval of the rounding test (certify.h). With u = 2^-53, k <= 4 terms, perhaps a number
 * before them, and A the exact sum of its and all |p|: |e| <= u|p|, |q| <= u|p|(1 + 2u), and the k
 * errors of h are at most uA(1 + 5u) each, so that the terms of low + last have magnitudes of
 * 6uA(1 + 5u) together. Their at most 12 additions err by at most u times that each, the products q
 * by u^2 A together: |l - exact| <= 74 u^2 A < 2^-99 A. The slack bounds what the coefficients
 * leave out; 2^-1020 covers underflow, and 2^-50 |l| + 2^-98 A all of this and what certify.h adds
 * for the two roundings below. */
EXB_INLINE exb_bracket exb_sum_bracket(exb_sum s, double slack)
{
    double l = s.low + s.last;
    double e2 = 0x1p-50 * __builtin_fabs(l) + ((0x1p-98 * s.size + slack) + EXB_UNDERFLOW_LOSS);
    return (exb_bracket){s.h + (l - e2), s.h + (l + e2)};
}

/* h + last rounded to odd (round.h), h = RN(h + last), to be rounded to float: if h is
 * even and not exact, the neighbour on the side of last. */
EXB_INLINE double exb_to_odd(double h, double last)
{
    uint64_t b = exb_bits(h);
    uint64_t step = (uint64_t)(last != 0) & ~b;
    uint64_t inward = (b ^ exb_bits(last)) >> 63;
    return exb_from_bits(b + step - 2 * (step & inward));
}

/* The neighbours of a double that is not 0, in the bits, which order magnitudes. */
EXB_INLINE double exb_next_above(double x)
{
    uint64_t b = exb_bits(x);
    return exb_from_bits(b + 1 - 2 * (b >> 63));
}

EXB_INLINE double exb_next_below(double x)
{
    return -exb_next_above(-x);
}

/* Two numbers that round to the same exb_real if the sum is decided; one is NaN if not. If nothing
 * was inexact but the last addition, h is the exact sum rounded, a zero with IEEE's sign: that
 * decides ties, which are common (averages), and zeros. Otherwise the rounding test decides, in its
 * range; of floats lo and hi move outward by one double (certify.h) and must have the same sign,
 * since two zeros compare equal. */
EXB_INLINE exb_bracket exb_sum_ends(exb_sum s, double slack)
{
    exb_bracket b = exb_sum_bracket(s, slack);
    double m = __builtin_fabs(s.h), nan = (double)NAN;
    bool inexact = s.inexact << 1 != 0;
    double known = exb_choose(m <= DBL_MAX, EXB_IS_S ? exb_to_odd(s.h, s.last) : s.h, nan);
    double lo = exb_choose(m >= EXB_CERTIFIED_LEAST, b.lo, nan),
           hi = exb_choose(m <= EXB_CERTIFIED_MOST, b.hi, nan);
    if (EXB_IS_S) {
        lo = exb_choose(b.lo * b.hi > 0, exb_next_below(lo), nan);
        hi = exb_next_above(hi);
    }
    return (exb_bracket){exb_choose(inexact, lo, known), exb_choose(inexact, hi, known)};
}

/* The numbers that both ends round to, or NaN; true if there is none. A loop of its own: a compiler
 * may put a conversion behind a branch, which ends vectorisation. */
EXB_INLINE bool exb_sums_round(int64_t n, const double *lo, const double *hi, exb_real *out)
{
    int64_t n_uncertified = 0;
    for (int64_t i = 0; i < n; i++) {
        exb_real r = (exb_real)lo[i];
        out[i] = r == (exb_real)hi[i] ? r : (exb_real)NAN;
        n_uncertified += out[i] != out[i];
    }
    return n_uncertified == 0;
}

/* --- in lanes, for random numbers ------------------------------------------------ */

/* c x - z, z near RN(c x). */
EXB_INLINE exb_v exb_product_less(exb_v c, exb_v x, exb_v z)
{
#if EXB_HAVE_FMA
    return v_fms(c, x, z);
#else
    exb_v e, p = v_two_prod(c, x, &e);
    return v_add(v_sub(p, z), e);
#endif
}

/* What is known of the products of a sum in lanes. */
typedef enum {
    EXB_PRODUCTS_ANY,     /* nothing: their magnitudes are summed up */
    EXB_PRODUCTS_BOUNDED, /* a bound P of the sum of all |high_k x_k| */
    EXB_PRODUCTS_NORMAL,  /* |high x| >= 2^-800 of the only one, low the error of a product */
} exb_products;

/* The neighbours of h, if it is a number but 0, in each lane. */
EXB_INLINE exb_v exb_neighbours(exb_v h, exb_v *above)
{
    typedef uint64_t places __attribute__((vector_size(sizeof(exb_v))));
    *above = (exb_v)((places)h + 1);
    return (exb_v)((places)h - 1);
}

/* Ends that round to one number only if a + sum of (high_k + low_k) x_k rounds to it, in each lane;
 * without a if not `updates`. base: slack + 2^-1019, and of products that are bounded 2^-96 P, of
 * floats 2^-49 P.
 *
 * In double, with A as in exb_sum_bracket() and u = 2^-53: a new h errs by before - kept and p - z,
 * both exact, |p - z| <= 2u A (1 + u). So a term adds 5u A + 2u |p| to l, with an error of 9u^2 A +
 * 6u^2 |p|, FMA or not. Four terms are 22u A, added up in three steps: |l - exact| <= 108u^2 A (1 +
 * 30u). Both ends round once more, 44u^2 A, and A <= |h| (1 + 2^-49) + 2P (1 + 4u): 2^-97 |h| +
 * base, or 2^-97 A, covers that.
 *
 * Two numbers need no |p|: a or products without low parts, or a and a product whose low part an
 * FMA takes up. If |h| < |p| / 2 then h = a + p exactly (Sterbenz), z = p, and l is rounded once:
 * it errs by u |l|. Otherwise |p| <= 2 |h|, the other number is at most (3 + u) |h|, and l errs by
 * 17u^2 |h| < 2^-101 |h|. Where 2^-31 |l| is less than that, |l| < 2^-70 |h|: then the sum rounds
 * to h, and so do both ends, or they differ by base (slack = 0 of one such term). A product that is
 * normal has no bit below 2^-960, nor have z, e and h if it is less than the product: nothing
 * underflows, and the ends are RN(h + (1 +- 2^-31) l), without base. Of h = 0, which is +0 as
 * neither a nor the product is 0, they are 0 only if l is.
 *
 * In float, the sum of two numbers that are exact in double, floats and products of floats, or by
 * FMA of a float and the product of a float and a double, is h but for one rounding. A midpoint of
 * floats is a double, so all that rounds to h rounds to one float if the neighbours of h do. Of 0,
 * of Inf and of a NaN at least one neighbour is a NaN, which decides nothing.
 *
 * Otherwise h takes up all terms with FMAs, or two roundings: with what is left out of each
 * coefficient products of size A are off by at most 6u A (1 + 6u) for k <= 4, and the ends by u A
 * more; 2^-49 P and 2^-50 |h| are 16u P + 8u |h|, and A <= (|h| + 2P)(1 + 8u), without a P (1 + u).
 * Of one term |p| and |a| count as 8u of themselves: it errs by 2u |p|, its sum by u |h|.
 *
 * The range of h needs no look. Below, base alone keeps the ends of doubles apart if |h| < 2^-968.
 * Above, if a product or h overflows so does what is subtracted from it, and l is NaN; without FMA
 * l may be infinite where a product is split, which makes both ends NaN; if both ends overflow so
 * does what they enclose. Of a zero of floats they have other signs, or are +0 where h = wide, and
 * not all its terms are -0. */
EXB_INLINE exb_v exb_sum_interval(exb_factors f, exb_products known, bool updates, int n_terms,
                                  exb_v a, const exb_v *high, const exb_v *low, exb_v base,
                                  const exb_v *x, exb_v *hi)
{
    const exb_v unit = v_set1(EXB_IS_S ? 0x1p-50 : 0x1p-97);
    const bool has_low = f == EXB_TWO_PART_FACTORS;
    const bool is_two = n_terms + updates == 2;
    const bool is_once =
        EXB_IS_S && is_two && (f == EXB_FLOAT_FACTORS || (EXB_HAVE_FMA && !has_low && updates));
    const bool of_two = !EXB_IS_S && is_two && (!has_low || (EXB_HAVE_FMA && updates));
    const bool by_terms = !of_two && !is_once && (known == EXB_PRODUCTS_ANY || n_terms == 1);
    exb_v h = a, l = v_zero(), wide = base;
    if (by_terms && updates)
        wide = v_add_product(v_abs(a), unit, wide);
    for (int k = 0; k < n_terms; k++) {
        bool is_first = k == 0 && !updates;
        exb_v before = h, p = v_mul(high[k], x[k]), z = p;
        if (by_terms)
            wide = v_add_product(v_abs(p), unit, wide);
        h = is_first ? p : EXB_IS_S ? v_add_product(high[k], x[k], h) : v_add(h, p);
        if (EXB_IS_S)
            continue;
        z = is_first ? p : v_sub(h, before);
        exb_v e = exb_product_less(high[k], x[k], z);
        e = has_low ? v_add_product(low[k], x[k], e) : e;
        e = is_first ? e : v_add(v_sub(before, v_sub(h, z)), e);
        l = k == 0 ? e : v_add(l, e);
    }
    if (is_once)
        return exb_neighbours(h, hi);
#if EXB_HAVE_FMA
    if (of_two && known == EXB_PRODUCTS_NORMAL) {
        *hi = v_fma(l, v_set1(1 + 0x1p-31), h);
        return v_fma(l, v_set1(1 - 0x1p-31), h);
    }
#endif
    if (of_two)
        wide = v_add_product(v_abs(l), v_set1(0x1p-31), wide);
    else if (!by_terms)
        wide = v_add_product(v_abs(h), unit, wide);
    if (!EXB_HAVE_FMA && !EXB_IS_S && !of_two)
        wide = v_add_product(v_abs(l), unit, wide);
    if (EXB_IS_S) {
        *hi = v_add(h, wide);
        return v_sub(h, wide);
    }
    *hi = v_add_by_fma(v_add(l, wide), h);
    return v_add_by_fma(v_sub(l, wide), h);
}

/* v_same_real for whole vectors of floats: `differ` gets bits where lo and hi, lo <= hi, round to
 * different floats, or to what is not finite. Masks of lanes cost more. */
typedef float exb_rounded __attribute__((vector_size(4 * EXB_LANES)));
typedef int32_t exb_rounded_bits __attribute__((vector_size(4 * EXB_LANES)));

EXB_INLINE void exb_round_both(exb_v lo, exb_v hi, exb_real *out, exb_rounded_bits *differ)
{
    exb_rounded a = __builtin_convertvector(lo, exb_rounded);
    memcpy(out, &a, sizeof a);
    *differ |= (exb_rounded_bits)(a - __builtin_convertvector(hi, exb_rounded));
}

/* Decides all elements by the rounding test, if it can: numbers in the middle of the range, no
 * ties, no zeros, nothing exact. For these it takes a fraction of the time of what looks for these.
 * Not `updates`: there is no a. Otherwise out may be a, and `before` then takes what was there.
 * most: P, if the products are bounded; x: vectors of doubles, if so, or of the element's type. */
EXB_INLINE bool exb_sums_plainly(exb_factors f, exb_products known, bool updates, int n_terms,
                                 int64_t n, const double *high, const double *low, double slack,
                                 double most, const void *const *x, const exb_real *a,
                                 exb_real *out, exb_real *before)
{
    exb_rounded_bits differ = {0};
    uint64_t bits[sizeof differ / 8];
    exb_v c[4], d[4], xi[4], ai = v_zero(), hi;
    exb_v base = v_set1((slack + most * (EXB_IS_S ? 0x1p-49 : 0x1p-96)) * (1 + 0x1p-49) +
                        2 * EXB_UNDERFLOW_LOSS);
    const void *from[4]; /* known not to change */
    exb_real last[EXB_LANES];
    unsigned missing = 0;
    for (int k = 0; k < n_terms; k++) {
        from[k] = x[k];
        c[k] = v_set1(high[k]);
        d[k] = v_set1(f == EXB_TWO_PART_FACTORS ? low[k] : 0);
    }
    int64_t i = 0;
    for (; i + EXB_LANES <= n; i += EXB_LANES) {
        for (int k = 0; k < n_terms; k++)
            xi[k] = known == EXB_PRODUCTS_BOUNDED ? v_load((const double *)from[k] + i)
                                                  : v_load_real((const exb_real *)from[k] + i);
        if (updates)
            ai = v_load_real(a + i);
        if (before)
            memcpy(before + i, a + i, EXB_LANES * sizeof *a);
        exb_v lo = exb_sum_interval(f, known, updates, n_terms, ai, c, d, base, xi, &hi);
        if (EXB_IS_S)
            exb_round_both(lo, hi, out + i, &differ);
        else
            missing |= ((1u << EXB_LANES) - 1) & ~v_same_real(lo, hi, out + i);
    }
    if (i < n) {
        for (int k = 0; k < n_terms; k++)
            xi[k] = known == EXB_PRODUCTS_BOUNDED
                        ? v_load_few((const double *)from[k] + i, n - i)
                        : v_load_few_real((const exb_real *)from[k] + i, n - i);
        if (updates)
            ai = v_load_few_real(a + i, n - i);
        exb_v lo = exb_sum_interval(f, known, updates, n_terms, ai, c, d, base, xi, &hi);
        missing |= ((1u << (n - i)) - 1) & ~v_same_real(lo, hi, last);
#pragma GCC unroll 8
        for (int k = 0; k < EXB_LANES - 1; k++) /* calls of memcpy would take longer */
            if (i + k < n) {
                if (before)
                    before[i + k] = a[i + k];
                out[i + k] = last[k];
            }
    }
    memcpy(bits, &differ, sizeof bits);
    for (size_t k = 0; EXB_IS_S && k < sizeof bits / 8; k++)
        missing |= bits[k] != 0;
    return missing == 0;
}
