/* The compensated filter for sums and dots: an enclosure of the sum of a chunk
 * (kernels.h), one compensated sum per lane. Cost per element: 8 operations for a
 * sum, 12 for a dot (10 in single precision), all vectorised.
 * Types: s d. */
#include "core/arith/compensated.h"
#include "core/simd/compensated_simd.h"
#include "core/simd/element_simd.h"
#include "core/simd/triple_simd.h"
#include "core/kernel.h"

#include <float.h>

enum { STEP = 2 * EXB_LANES };

/* The state after one term. */
EXB_INLINE exb_vcomp first_term(exb_term term, exb_v x, exb_v y)
{
    exb_vcomp a = {x, v_zero(), v_zero()};
    if (term == EXB_TERM_ABS_X)
        a.s = v_abs(x);
    if (term == EXB_TERM_XY && EXB_IS_S)
        a.s = v_mul(x, y);
    if (term == EXB_TERM_XY && !EXB_IS_S) {
        a.s = v_two_prod(x, y, &a.c);
        a.w = v_abs(a.c);
    }
    return a;
}

EXB_INLINE exb_vcomp add_term(exb_term term, exb_vcomp a, exb_v x, exb_v y)
{
    if (term == EXB_TERM_X)
        return v_comp_add(a, x);
    if (term == EXB_TERM_ABS_X)
        return v_comp_add(a, v_abs(x));
    return EXB_IS_S ? v_comp_add(a, v_mul(x, y)) : v_comp_add_product(a, x, y);
}

/* Vector number i of x or y, or what is left of it. */
EXB_INLINE exb_v vector_at(const exb_real *x, int64_t n, int64_t i)
{
    return (i + 1) * EXB_LANES <= n ? v_load_real(x + i * EXB_LANES)
                                    : v_load_few_real(x + i * EXB_LANES, n - i * EXB_LANES);
}

/* Two sums are enough: an addition takes less time than what goes with half of it. */
EXB_INLINE exb_vcomp many(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    bool has_y = term == EXB_TERM_XY;
    exb_vcomp a = first_term(term, v_load_real(x), has_y ? v_load_real(y) : v_zero());
    exb_vcomp b =
        first_term(term, v_load_real(x + EXB_LANES), has_y ? v_load_real(y + EXB_LANES) : v_zero());
    int64_t i = STEP;
    for (; i + STEP <= n; i += STEP) {
        a = add_term(term, a, v_load_real(x + i), has_y ? v_load_real(y + i) : v_zero());
        b = add_term(term, b, v_load_real(x + i + EXB_LANES),
                     has_y ? v_load_real(y + i + EXB_LANES) : v_zero());
    }
    if (i + EXB_LANES <= n) {
        a = add_term(term, a, v_load_real(x + i), has_y ? v_load_real(y + i) : v_zero());
        i += EXB_LANES;
    }
    if (i < n)
        b = add_term(term, b, v_load_few_real(x + i, n - i),
                     has_y ? v_load_few_real(y + i, n - i) : v_zero());
    return v_comp_join(a, b);
}

/* One sum, for few terms. least, unless NULL: the least magnitude in x and y, but for zeros. */
EXB_INLINE exb_vcomp chain(exb_term term, int64_t n, const exb_real *x, const exb_real *y,
                           exb_v *least)
{
    bool has_y = term == EXB_TERM_XY;
    exb_vcomp a = v_comp_zero();
    int64_t i = 0;
    do {
        exb_v xi = vector_at(x, n, i), yi = has_y ? vector_at(y, n, i) : v_zero();
        a = i == 0 ? first_term(term, xi, yi) : add_term(term, a, xi, yi);
        if (least)
            *least = v_min_nonzero(*least, xi);
        if (least && has_y)
            *least = v_min_nonzero(*least, yi);
    } while (++i * EXB_LANES < n);
    return a;
}

/* w = 0 says that the sum is exact. */
EXB_INLINE exb_enclosure enclosure_of(exb_vcomp a, double w, int64_t n_lane, bool exact_terms)
{
    return exb_compensated_enclosure(v_first(a.s), v_first(a.c), w, n_lane + EXB_LANE_JOINS,
                                     exact_terms);
}

EXB_INLINE bool has_exact_terms(exb_term term, int64_t n)
{
    return EXB_IS_S || term != EXB_TERM_XY || n == 0;
}

/* What two parts leave open, three often decide: ties and cancellation. */
EXB_INLINE exb_enclosure triple_few(exb_term term, int64_t n, const exb_real *x, double least)
{
    exb_vtriple a = v_triple_zero();
    for (int64_t i = 0; i * EXB_LANES < n; i++) {
        exb_v xi = vector_at(x, n, i);
        a = v_triple_add(a, term == EXB_TERM_ABS_X ? v_abs(xi) : xi, v_zero(), false);
    }
    exb_triple sum = exb_triple_of_numbers(v_triple_join_lanes(a), least);
    return exb_triple_enclosure(sum, n, true);
}

/* Numbers, not products, are multiples of g = 2^(k - 52), 2^k <= least, and so is all that is added
 * up in c and w. If w <= least, no addition there was inexact: the first one would have rounded a
 * number above 2^53 g, which is more than least, to no less than that, and w only grows. */
EXB_INLINE exb_few few(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    bool numbers = term != EXB_TERM_XY;
    exb_v lanes = v_set1(DBL_MAX);
    exb_vcomp a = v_comp_join_lanes(chain(term, n, x, y, &lanes));
    double least = v_least(lanes), w = v_first(a.w);
    if (numbers && w <= least && least >= EXB_CERTIFIED_LEAST)
        w = 0;
    exb_enclosure v = enclosure_of(a, w, n / EXB_LANES + 1, has_exact_terms(term, n));
    exb_bracket b = exb_bracket_of(v.h, v.l, v.e);
    if (numbers && !v.exact && b.lo != b.hi)
        v = triple_few(term, n, x, least);
    return (exb_few){v, least >= (EXB_IS_S ? FLT_MIN : EXB_FEW_LEAST)};
}

exb_few exb_ti(few)(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    switch (term) {
    case EXB_TERM_X:
        return few(EXB_TERM_X, n, x, y);
    case EXB_TERM_ABS_X:
        return few(EXB_TERM_ABS_X, n, x, y);
    default:
        return few(EXB_TERM_XY, n, x, y);
    }
}

EXB_INLINE exb_enclosure filter(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    bool is_short = n <= EXB_FEW;
    exb_vcomp a = v_comp_join_lanes(is_short ? chain(term, n, x, y, NULL) : many(term, n, x, y));
    return enclosure_of(a, v_first(a.w), is_short ? n / EXB_LANES + 1 : n / STEP + 2 + 1,
                        has_exact_terms(term, n));
}

exb_enclosure exb_ti(filter)(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    switch (term) {
    case EXB_TERM_X:
        return filter(EXB_TERM_X, n, x, y);
    case EXB_TERM_ABS_X:
        return filter(EXB_TERM_ABS_X, n, x, y);
    default:
        return filter(EXB_TERM_XY, n, x, y);
    }
}
