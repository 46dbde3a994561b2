/* The compensated filter for sums and dots: an enclosure of the sum of a chunk
 * (kernel_slots.h), one compensated sum per lane. Cost per element: 8 operations for a
 * sum, 12 for a dot (10 in single precision), all vectorised.
 * Types: s d. */
#include "core/arith/compensated.h"
#include "core/kernel.h"
#include "level1/kernels/compensated_steps.h"

EXB_INLINE exb_enclosure filter(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    exb_vcomp a = v_comp_join_lanes(chain(term, n, x, y, NULL));
    bool exact_terms = EXB_IS_S || term != EXB_TERM_XY || n == 0;
    return exb_compensated_enclosure(v_first(a.s), v_first(a.c), v_first(a.w),
                                     n / EXB_LANES + 1 + EXB_LANE_JOINS, exact_terms);
}

exb_enclosure exb_ti(filter)(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    return EXB_FOR_TERM(filter, term, n, x, y);
}
