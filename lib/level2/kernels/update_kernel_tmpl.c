/* The kernel of rank updates (kernel_slots.h): a_i + S c_k x_k,i with coefficients that are
 * unevaluated sums c_k = high_k + low_k, |low_k| <= 2^-53 |high_k|.
 * Types: s d. */
#include "core/simd/element_simd.h"
#include "level1/kernels/certified_sum.h"

/* As exb_sum_ends: but if several terms make a coefficient, the sign of a zero may be another where
 * a is -0. */
EXB_INLINE exb_bracket element_ends(int n_terms, exb_sum s, double a, double slack)
{
    exb_bracket b = exb_sum_ends(s, slack);
    bool unsure = n_terms > 1 && (s.h == 0) & (exb_bits(a) == (uint64_t)1 << 63);
    b.lo = exb_choose(unsure, (double)NAN, b.lo);
    return b;
}

EXB_INLINE exb_sum add_term(exb_sum s, double high, double low, double x)
{
    return exb_sum_add(EXB_TWO_PART_FACTORS, s, high, low, x);
}

EXB_INLINE bool update_elements(int n_terms, int64_t n, const double *high, const double *low,
                                bool exact, double slack, const double *const *x, const exb_real *a,
                                exb_real *out)
{
    double lo[EXB_GROUP], hi[EXB_GROUP];
    const double *x0 = x[0], *x1 = n_terms > 1 ? x[1] : NULL;
    const double *x2 = n_terms > 2 ? x[2] : NULL, *x3 = n_terms > 2 ? x[3] : NULL;
    for (int64_t i = 0; i < n; i++) {
        double ai = a[i];
        exb_sum s = {.h = ai, .size = __builtin_fabs(ai), .inexact = !exact};
        s = add_term(s, high[0], low[0], x0[i]);
        if (n_terms > 1)
            s = add_term(s, high[1], low[1], x1[i]);
        if (n_terms > 2) {
            s = add_term(s, high[2], low[2], x2[i]);
            s = add_term(s, high[3], low[3], x3[i]);
        }
        exb_bracket b = element_ends(n_terms, s, ai, slack);
        lo[i] = b.lo;
        hi[i] = b.hi;
    }
    return exb_sums_round(n, lo, hi, out);
}

/* --- columns in place, of one term ------------------------------------------- */

enum { EIGHT = 8, VECTORS = EIGHT / EXB_LANES };

#if !EXB_IS_S
/* A vector of elements with one term, their bounds as exb_sum_interval() has them: l takes up t
 * exactly, and f = fl(low x + e), |f| <= 2u|p|(1 + u), with an error of u|f|; so l is off by u|l| +
 * 2u^2 |p|(1 + u), plus what underflows. The rounding test (certify.h) asks for 2^-51 |l| more and
 * a factor 1 + 2^-50: 2^-49 |l| + 2^-103 |p| + base is above all, base = 2^-1019. A test that
 * passes needs no lower limit of h: base alone keeps lo and hi apart if |h| < 2^-968. */
EXB_INLINE exb_v add_term_to(exb_v a, exb_v high, exb_v low, exb_v base, exb_v x, exb_v *hi)
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

/* The range of h needs no look. Below, see add_term_to. Above, if the product or h overflows so
 * does what is subtracted from it, and l is NaN; if both ends overflow so does what they enclose.
 */
EXB_INLINE unsigned decided_lanes(exb_v lo, exb_v hi)
{
    return v_equal(lo, hi);
}

EXB_INLINE void store_rounded(double *p, exb_v x)
{
    v_store(p, x);
}

#else
/* As exb_sum_interval() has it: two_prod is not needed, low is 0. */
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
#endif

/* Up to eight elements; false: they are as they were. fused: the coefficient is the number
 * c, and RN(a + c x) is one FMA, an exact zero with the sign of IEEE. */
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

EXB_INLINE bool update_terms(int n_terms, int64_t n, const double *high, const double *low,
                             bool exact, double slack, const double *const *x, const exb_real *a,
                             exb_real *out)
{
    return exb_sums_plainly(true, n_terms, n, high, low, slack, x, a, out) ||
           update_elements(n_terms, n, high, low, exact, slack, x, a, out);
}

bool exb_ti(update)(int n_terms, int64_t n, const double *high, const double *low, bool exact,
                    double slack, const double *const *x, const exb_real *a, exb_real *out)
{
    return n_terms == 1   ? update_terms(1, n, high, low, exact, slack, x, a, out)
           : n_terms == 2 ? update_terms(2, n, high, low, exact, slack, x, a, out)
                          : update_terms(4, n, high, low, exact, slack, x, a, out);
}
