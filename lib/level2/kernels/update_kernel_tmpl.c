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

/* What is known of a column's products: that the coefficient is one number, so that of doubles
 * RN(a + c x) is one FMA, an exact zero with the sign of IEEE; or that they are normal. */
typedef enum { COLUMN_ANY, COLUMN_NORMAL, COLUMN_FUSED } column_kind;

/* Up to eight elements; false: they are as they were. */
EXB_INLINE bool update_eight(column_kind kind, int n, exb_v c, exb_v d, exb_v base,
                             const exb_real *x, exb_real *a)
{
    const exb_factors f = kind == COLUMN_FUSED ? EXB_DOUBLE_FACTORS : EXB_TWO_PART_FACTORS;
    const exb_products known = kind == COLUMN_NORMAL ? EXB_PRODUCTS_NORMAL : EXB_PRODUCTS_ANY;
    exb_v lo[VECTORS], hi;
    exb_real r[EIGHT];
    unsigned missing = 0;
    for (int v = 0; v < VECTORS; v++) {
        int at = v * EXB_LANES, few = n - at < 0 ? 0 : n - at;
        bool whole = few >= EXB_LANES;
        exb_v ai = whole ? v_load_real(a + at) : v_load_few_real(a + at, few);
        exb_v xi = whole ? v_load_real(x + at) : v_load_few_real(x + at, few);
        unsigned lanes = whole ? (1u << EXB_LANES) - 1 : (1u << few) - 1;
#if EXB_HAVE_FMA
        if (!EXB_IS_S && kind == COLUMN_FUSED) {
            lo[v] = v_fma(c, xi, ai);
            missing |= lanes & ~v_equal(lo[v], lo[v]);
            continue;
        }
#endif
        ai = v_keep(ai); /* used three times; without this GCC loads it again */
        xi = v_keep(xi);
        lo[v] = exb_sum_interval(f, known, true, 1, ai, &c, &d, base, &xi, &hi);
        missing |= lanes & ~v_same_real(lo[v], hi, r + v * EXB_LANES);
    }
    if (missing)
        return false;
    exb_real *to = n < EIGHT ? r : a;
    for (int v = 0; v < VECTORS; v++)
        (void)v_same_real(lo[v], lo[v], to + v * EXB_LANES);
    if (n < EIGHT)
        memcpy(a, r, (size_t)n * sizeof *a);
    return true;
}

EXB_INLINE uint32_t update_in_place(column_kind kind, int64_t n, double high, double low,
                                    const exb_real *x, exb_real *a)
{
    const exb_v c = v_set1(high), d = v_set1(low), base = v_set1(2 * EXB_UNDERFLOW_LOSS);
    uint32_t open = 0;
    int64_t i = 0;
    for (; i + EIGHT <= n; i += EIGHT)
        if (!update_eight(kind, EIGHT, c, d, base, x + i, a + i))
            open |= (uint32_t)1 << (i / EIGHT);
    if (i < n && !update_eight(kind, (int)(n - i), c, d, base, x + i, a + i))
        open |= (uint32_t)1 << (i / EIGHT);
    return open;
}

/* No x is 0, and with a coefficient of 2^-400 or more all products are normal. */
static bool all_far_from_zero(int64_t n, const exb_real *x)
{
    unsigned outside = 0;
    for (int64_t i = 0; i < n; i += EXB_LANES) {
        unsigned lanes = n - i < EXB_LANES ? (1u << (n - i)) - 1 : (1u << EXB_LANES) - 1;
        outside |= lanes & v_outside(v_load_up_to_real(x + i, n - i), 0x1p-400, DBL_MAX);
    }
    return outside == 0;
}

void exb_ti(update_columns)(int64_t n, int64_t n_columns, const double *high, const double *low,
                            const exb_real *x, exb_real *a, int64_t lda, uint32_t *open)
{
    _Static_assert(EXB_GROUP <= 32 * EIGHT, "a bit for each eight");
    bool is_far = !EXB_IS_S && EXB_HAVE_FMA && all_far_from_zero(n, x);
    int64_t j = 0;
    if (EXB_IS_S && EXB_HAVE_FMA && n >= 4 * EIGHT) /* floats, as with alpha = 1, all low are 0 */
        for (; j < n_columns && high[j] == (exb_real)high[j]; j++) {
            exb_ti(axpy)(n, (exb_real)high[j], x, a + j * lda);
            open[j] = 0;
        }
    for (; j < n_columns; j++) {
        exb_real *column = a + j * lda;
        if (EXB_HAVE_FMA && low[j] == 0)
            open[j] = update_in_place(COLUMN_FUSED, n, high[j], 0, x, column);
        else if (is_far && __builtin_fabs(high[j]) >= 0x1p-400)
            open[j] = update_in_place(COLUMN_NORMAL, n, high[j], low[j], x, column);
        else
            open[j] = update_in_place(COLUMN_ANY, n, high[j], low[j], x, column);
    }
}

EXB_INLINE bool update_terms(int n_terms, int64_t n, const double *high, const double *low,
                             bool exact, double slack, double most, const double *const *x,
                             exb_real *a, exb_real *out)
{
    if (exb_sums_plainly(EXB_TWO_PART_FACTORS, EXB_PRODUCTS_BOUNDED, true, n_terms, n, high, low,
                         slack, most, (const void *const *)x, a, a, out))
        return true;
    if (update_elements(n_terms, n, high, low, exact, slack, x, out, a))
        return true;
    for (int64_t i = 0; i < n; i++) {
        exb_real sum = a[i];
        a[i] = out[i];
        out[i] = sum;
    }
    return false;
}

bool exb_ti(update)(int n_terms, int64_t n, const double *high, const double *low, bool exact,
                    double slack, double most, const double *const *x, exb_real *a, exb_real *out)
{
    return n_terms == 1   ? update_terms(1, n, high, low, exact, slack, most, x, a, out)
           : n_terms == 2 ? update_terms(2, n, high, low, exact, slack, most, x, a, out)
                          : update_terms(4, n, high, low, exact, slack, most, x, a, out);
}
