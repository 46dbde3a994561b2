/* The compensated filter for sums and dots: an enclosure of the sum of a chunk
 * (kernel_slots.h), one compensated sum per lane. Cost per element: 8 operations for a
 * sum, 12 for a dot (10 in single precision), all vectorised.
 * Types: s d. */
#include "core/arith/compensated.h"
#include "core/kernel.h"
#include "level1/kernels/compensated_steps.h"

enum { STEP = 2 * EXB_LANES };

/* Two sums are enough: an addition takes less time than what goes with half of it. */
EXB_INLINE exb_vcomp many(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    bool has_y = term == EXB_TERM_XY;
    exb_vcomp a = first_term(term, v_load_real(x), has_y ? v_load_real(y) : v_zero());
    exb_vcomp b =
        first_term(term, v_load_real(x + EXB_LANES), has_y ? v_load_real(y + EXB_LANES) : v_zero());
    int64_t i = STEP;
    for (; i + STEP <= n; i += STEP) {
        a = add_compensated(term, a, v_load_real(x + i), has_y ? v_load_real(y + i) : v_zero());
        b = add_compensated(term, b, v_load_real(x + i + EXB_LANES),
                            has_y ? v_load_real(y + i + EXB_LANES) : v_zero());
    }
    if (i + EXB_LANES <= n) {
        a = add_compensated(term, a, v_load_real(x + i), has_y ? v_load_real(y + i) : v_zero());
        i += EXB_LANES;
    }
    if (i < n)
        b = add_compensated(term, b, v_load_few_real(x + i, n - i),
                            has_y ? v_load_few_real(y + i, n - i) : v_zero());
    return v_comp_join(a, b);
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

EXB_INLINE exb_enclosure filter(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    bool is_short = n <= EXB_FEW;
    exb_vcomp a = v_comp_join_lanes(is_short ? chain(term, n, x, y, NULL) : many(term, n, x, y));
    return enclosure_of(a, v_first(a.w), is_short ? n / EXB_LANES + 1 : n / STEP + 2 + 1,
                        has_exact_terms(term, n));
}

exb_enclosure exb_ti(filter)(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    return EXB_FOR_TERM(filter, term, n, x, y);
}
