/* The kernel of rank updates (kernels.h): a_i + S c_k x_k,i with coefficients that are
 * unevaluated sums c_k = high_k + low_k, |low_k| <= 2^-53 |high_k|.
 * Types: s d. */
#include "core/simd/element_simd.h"
#include "level1/kernels/certified_sum.h"

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
EXB_INLINE uint64_t hidden(double high, double low, double x, double p)
{
    double threshold = high == 0 ? 0 : EXB_PRODUCT_LEAST;
    bool is_tiny = __builtin_fabs(p) < threshold;
    return (-(uint64_t)is_tiny | -(uint64_t)(low != 0)) & exb_bits(x);
}

EXB_INLINE exb_sum add_term(exb_sum s, double high, double low, double x)
{
    double e, p = exb_two_prod(high, x, &e), q = low * x;
    s.low += s.last + (e + q);
    s.inexact |= exb_bits(s.last) | exb_bits(e) | hidden(high, low, x, p);
    s.h = exb_two_sum(s.h, p, &s.last);
    s.size += __builtin_fabs(p);
    return s;
}

/* The interval of the rounding test (certify.h). With u = 2^-53, k <= 4 terms and A the exact
 * sum of |a| and |p_k|: |e_k| <= u|p_k|, |q_k| <= u|p_k|(1 + 2u), and the k errors of h are at
 * most uA(1 + 5u) each, so that the terms of low + last have magnitudes of 6uA(1 + 5u)
 * together. Their at most 12 additions err by at most u times that each, the products q_k by
 * u^2 A together: |l - exact| <= 74 u^2 A < 2^-99 A. The slack bounds what the coefficients
 * leave out; 2^-1020 covers underflow, and 2^-50 |l| + 2^-98 A all of this and what certify.h
 * adds for the two roundings below. */
EXB_INLINE exb_bracket bracket(exb_sum s, double slack)
{
    double l = s.low + s.last;
    double e2 = 0x1p-50 * __builtin_fabs(l) + ((0x1p-98 * s.size + slack) + EXB_UNDERFLOW_LOSS);
    return (exb_bracket){s.h + (l - e2), s.h + (l + e2)};
}

/* Two numbers that round to the same exb_real if the element is decided; one is NaN if not.
 * If nothing was inexact but the last addition, h is the exact sum rounded, a zero with
 * IEEE's sign; but where several terms make a coefficient that sign may be another if a is
 * -0. Otherwise the rounding test decides, in its range. */
EXB_INLINE exb_bracket bracket_element(int n_terms, exb_sum s, double a, double slack)
{
    exb_bracket b = bracket(s, slack);
    double m = __builtin_fabs(s.h), nan = (double)NAN;
    bool inexact = s.inexact << 1 != 0;
    double h = EXB_IS_S ? exb_to_odd(s.h, s.last) : s.h;
    double known = exb_choose(m <= DBL_MAX, h, nan);
    if (n_terms > 1)
        known = exb_choose((m == 0) & (exb_bits(a) == (uint64_t)1 << 63), nan, known);
    double lo = exb_choose(m >= EXB_CERTIFIED_LEAST, b.lo, nan),
           hi = exb_choose(m <= EXB_CERTIFIED_MOST, b.hi, nan);
    if (EXB_IS_S) { /* as exb_certify_s */
        lo = exb_choose(b.lo * b.hi > 0, exb_next_below(lo), nan);
        hi = exb_next_above(hi);
    }
    return (exb_bracket){exb_choose(inexact, lo, known), exb_choose(inexact, hi, known)};
}

EXB_INLINE bool update_elements(int n_terms, int64_t n, const double *high, const double *low,
                                bool exact, double slack, const double *const *x, const exb_real *a,
                                exb_real *out)
{
    double lo[EXB_GROUP], hi[EXB_GROUP];
    const double *x0 = x[0], *x1 = n_terms > 1 ? x[1] : NULL;
    const double *x2 = n_terms > 2 ? x[2] : NULL, *x3 = n_terms > 2 ? x[3] : NULL;
    int64_t n_uncertified = 0;
    for (int64_t i = 0; i < n; i++) {
        double ai = a[i];
        exb_sum s = {1, ai, 0, 0, __builtin_fabs(ai), !exact, 0};
        s = add_term(s, high[0], low[0], x0[i]);
        if (n_terms > 1)
            s = add_term(s, high[1], low[1], x1[i]);
        if (n_terms > 2) {
            s = add_term(s, high[2], low[2], x2[i]);
            s = add_term(s, high[3], low[3], x3[i]);
        }
        exb_bracket b = bracket_element(n_terms, s, ai, slack);
        lo[i] = b.lo;
        hi[i] = b.hi;
    }
    for (int64_t i = 0; i < n; i++) {
        exb_real r = (exb_real)lo[i];
        out[i] = r == (exb_real)hi[i] ? r : (exb_real)NAN;
        n_uncertified += out[i] != out[i];
    }
    return n_uncertified == 0;
}

/* The interval of an element with the coefficients known up to slack. In double: l as in bracket(),
 * with no more additions, so that its bound holds. In float h takes up all terms with FMAs: each,
 * and what is left out of each coefficient, adds at most u times size, at most 5u size (1 + 8u) for
 * k <= 4, and the roundings below u size more; 8u size covers them. 2^-1020 covers underflow. */
EXB_INLINE exb_bracket interval(int n_terms, double a, const double *high, const double *low,
                                double slack, const double *x)
{
    double h = a, l = 0, size = __builtin_fabs(a);
    for (int k = 0; k < n_terms; k++) {
        double e, t, p = exb_two_prod(high[k], x[k], &e);
        size += __builtin_fabs(p);
        if (EXB_IS_S) {
            h = exb_fma(high[k], x[k], h);
            continue;
        }
        h = exb_two_sum(h, p, &t);
        l += t + exb_fma(low[k], x[k], e);
    }
    if (!EXB_IS_S)
        return bracket((exb_sum){.h = h, .low = l, .size = size}, slack);
    double e2 = (0x1p-50 * size + slack * (1 + 0x1p-49)) + EXB_UNDERFLOW_LOSS;
    return (exb_bracket){h - e2, h + e2};
}

/* Decides all elements by the rounding test, if it can: numbers in the middle of the range, no
 * ties, no zeros, nothing exact. For these it takes half the time of update_elements(). */
EXB_INLINE bool update_plainly(int n_terms, int64_t n, const double *high, const double *low,
                               double slack, const double *const *x, const exb_real *a,
                               exb_real *out)
{
    int64_t n_uncertified = 0;
    for (int64_t i = 0; i < n; i++) {
        double xi[4];
        for (int k = 0; k < n_terms; k++)
            xi[k] = x[k][i];
        exb_bracket b = interval(n_terms, a[i], high, low, slack, xi);
        exb_real lo = (exb_real)b.lo, hi = (exb_real)b.hi;
        double m = __builtin_fabs(b.lo);
        out[i] = lo;
        n_uncertified +=
            !((lo == hi) & (lo != 0) & (m >= EXB_CERTIFIED_LEAST) & (m <= EXB_CERTIFIED_MOST));
    }
    return n_uncertified == 0;
}

/* One term, whose coefficient is the number c: RN(a + c x) is one FMA, an exact zero with IEEE's
 * sign. NaN is left to others. */
EXB_INLINE bool update_fused(int64_t n, double c, const double *x, const exb_real *a, exb_real *out)
{
    int64_t n_uncertified = 0;
    for (int64_t i = 0; i < n; i++) {
        out[i] = (exb_real)exb_fma(c, x[i], a[i]);
        n_uncertified += out[i] != out[i];
    }
    return n_uncertified == 0;
}

#if !EXB_IS_S
/* A vector of elements with one term, their bounds as interval() has them: l takes up t exactly,
 * and f = fl(low x + e), |f| <= 2u|p|(1 + u), with an error of u|f|; so l is off by u|l| + 2u^2
 * |p|(1 + u), plus what underflows, and the slack. The rounding test (certify.h) asks for 2^-51 |l|
 * more and a factor 1 + 2^-50: 2^-49 |l| + 2^-103 |p| + base is above all, base = slack (1 + 2^-40)
 * + 2^-1019. A test that passes needs no lower limit of h: base alone keeps lo and hi apart if |h|
 * < 2^-968. */
EXB_INLINE exb_v add_one(exb_v a, exb_v high, exb_v low, exb_v base, exb_v x, exb_v *hi)
{
    a = v_keep(a); /* used three times; without this GCC loads it again */
    x = v_keep(x);
    exb_v e, p = v_two_prod(high, x, &e), h = v_add(a, p);
    exb_v z = v_sub(h, a), kept = v_sub_by_fma(h, z), came = v_sub_by_fma(p, z);
#if EXB_HAVE_FMA
    exb_v f = v_fma(low, x, e);
    exb_v wide = v_fma(v_abs(p), v_set1(0x1p-103), base);
    exb_v l = v_add(v_add(v_sub(a, kept), came), f);
    wide = v_fma(v_abs(l), v_set1(0x1p-49), wide);
#else /* two roundings of f: u^2 |p| more */
    exb_v f = v_add(v_mul(low, x), e);
    exb_v wide = v_add(v_mul(v_abs(p), v_set1(0x1p-102)), base);
    exb_v l = v_add(v_add(v_sub(a, kept), came), f);
    wide = v_add(v_mul(v_abs(l), v_set1(0x1p-49)), wide);
#endif
    *hi = v_add_by_fma(v_add(l, wide), h);
    return v_add_by_fma(v_sub(l, wide), h);
}

/* As update_plainly, of one term; out has EXB_GROUP elements. */
EXB_INLINE bool update_one(int64_t n, double high, double low, double slack, const double *x,
                           const double *a, double *out)
{
    exb_v base = v_set1(slack * (1 + 0x1p-40) + 2 * EXB_UNDERFLOW_LOSS), most = v_zero(), hi;
    exb_v c = v_set1(high), d = v_set1(low);
    unsigned same = ~0u;
    int64_t i = 0;
    for (; i + EXB_LANES <= n; i += EXB_LANES) {
        exb_v lo = add_one(v_load(a + i), c, d, base, v_load(x + i), &hi);
        same &= v_equal(lo, hi);
        most = v_max_abs(most, lo);
        v_store(out + i, lo);
    }
    if (i < n) {
        exb_v lo = add_one(v_load_few(a + i, n - i), c, d, base, v_load_few(x + i, n - i), &hi);
        same &= v_equal(lo, hi) | ~0u << (n - i);
        most = v_max_abs(most, lo);
        v_store(out + i, lo);
    }
    const unsigned all = (1u << EXB_LANES) - 1;
    return (same & all) == all && v_outside(most, 0, EXB_CERTIFIED_MOST) == 0;
}
#else
EXB_INLINE bool update_one(int64_t n, double high, double low, double slack, const double *x,
                           const float *a, float *out)
{
    return update_plainly(1, n, &high, &low, slack, &x, a, out);
}
#endif

/* --- columns in place, of one term ------------------------------------------- */

enum { EIGHT = 8, VECTORS = EIGHT / EXB_LANES };

#if EXB_IS_S
/* As interval() has it: two_prod is not needed, low is 0. */
EXB_INLINE exb_v add_term_to(exb_v a, exb_v high, exb_v low, exb_v base, exb_v x, exb_v *hi)
{
    exb_v p = v_mul(high, x), h = v_add(a, p);
    exb_v wide = v_add(v_mul(v_add(v_abs(a), v_abs(p)), v_set1(0x1p-50)), base);
    (void)low;
    *hi = v_add(h, wide);
    return v_sub(h, wide);
}

/* Numbers that round to the same float, which is not 0. */
EXB_INLINE unsigned decided_lanes(exb_v lo, exb_v hi)
{
    float r[EXB_LANES];
    return v_same_s(lo, hi, r) & ~v_outside(lo, 0x1p-149, EXB_CERTIFIED_MOST);
}

EXB_INLINE void store_rounded(float *p, exb_v x)
{
    (void)v_same_s(x, x, p);
}
#else
#define add_term_to add_one

/* The range of h needs no look. Below, see add_one. Above, if the product or h overflows so does
 * what is subtracted from it, and l is NaN; if both ends overflow so does what they enclose. */
EXB_INLINE unsigned decided_lanes(exb_v lo, exb_v hi)
{
    return v_equal(lo, hi);
}

EXB_INLINE void store_rounded(double *p, exb_v x)
{
    v_store(p, x);
}
#endif

/* Up to eight elements; false: they are as they were. fused: as update_fused. */
EXB_INLINE bool update_eight(bool fused, int n, exb_v c, exb_v d, exb_v base, const double *x,
                             exb_real *a)
{
    exb_v lo[VECTORS], hi;
    unsigned missing = 0;
    for (int v = 0; v < VECTORS; v++) {
        int at = v * EXB_LANES, few = n - at < 0 ? 0 : n - at;
        bool whole = few >= EXB_LANES;
        exb_v ai = whole ? v_load_real(a + at) : v_load_few_real(a + at, few);
        exb_v xi = whole ? v_load(x + at) : v_load_few(x + at, few);
        unsigned lanes = whole ? (1u << EXB_LANES) - 1 : (1u << few) - 1;
#if EXB_HAVE_FMA
        if (fused) {
            lo[v] = v_fma(c, xi, ai);
            missing |= lanes & ~v_equal(lo[v], lo[v]);
            continue;
        }
#else
        (void)fused;
#endif
        lo[v] = add_term_to(ai, c, d, base, xi, &hi);
        missing |= lanes & ~decided_lanes(lo[v], hi);
    }
    if (missing)
        return false;
    exb_real r[EIGHT];
    exb_real *to = n < EIGHT ? r : a;
    for (int v = 0; v < VECTORS; v++)
        store_rounded(to + v * EXB_LANES, lo[v]);
    if (n < EIGHT)
        memcpy(a, r, (size_t)n * sizeof *a);
    return true;
}

EXB_INLINE uint32_t update_in_place(bool fused, int64_t n, double high, double low, const double *x,
                                    exb_real *a)
{
    const exb_v c = v_set1(high), d = v_set1(low), base = v_set1(2 * EXB_UNDERFLOW_LOSS);
    uint32_t open = 0;
    int64_t i = 0;
    for (; i + EIGHT <= n; i += EIGHT)
        if (!update_eight(fused, EIGHT, c, d, base, x + i, a + i))
            open |= (uint32_t)1 << (i / EIGHT);
    if (i < n && !update_eight(fused, (int)(n - i), c, d, base, x + i, a + i))
        open |= (uint32_t)1 << (i / EIGHT);
    return open;
}

void exb_ti(update_columns)(int64_t n, int64_t n_columns, const double *high, const double *low,
                            const double *x, exb_real *a, int64_t lda, uint32_t *open)
{
    _Static_assert(EXB_GROUP <= 32 * EIGHT, "a bit for each eight");
    for (int64_t j = 0; j < n_columns; j++)
        open[j] = !EXB_IS_S && EXB_HAVE_FMA && low[j] == 0
                      ? update_in_place(true, n, high[j], low[j], x, a + j * lda)
                      : update_in_place(false, n, high[j], low[j], x, a + j * lda);
}

bool exb_ti(update)(int n_terms, int64_t n, const double *high, const double *low, bool exact,
                    double slack, const double *const *x, const exb_real *a, exb_real *out)
{
    bool is_number = !EXB_IS_S && exact && low[0] == 0;
    switch (n_terms) {
    case 1:
        return (is_number ? update_fused(n, high[0], x[0], a, out)
                          : update_one(n, high[0], low[0], slack, x[0], a, out)) ||
               update_elements(1, n, high, low, exact, slack, x, a, out);
    case 2:
        return update_plainly(2, n, high, low, slack, x, a, out) ||
               update_elements(2, n, high, low, exact, slack, x, a, out);
    default:
        return update_plainly(4, n, high, low, slack, x, a, out) ||
               update_elements(4, n, high, low, exact, slack, x, a, out);
    }
}
