/* The compensated filter for sums and dots: an enclosure of the sum of a chunk
 * (kernels.h), one compensated sum per lane. Cost per element: 8 operations for a
 * sum, 12 for a dot (10 in single precision), all vectorised. */
#include "core/compensated.h"
#include "core/compensated_simd.h"
#include "core/element_simd.h"
#include "core/kernels.h"

EXB_INLINE exb_vcomp step(exb_term term, exb_vcomp a, exb_v x, exb_v y)
{
    if (term == EXB_TERM_X)
        return v_comp_add(a, x);
    if (term == EXB_TERM_ABS_X)
        return v_comp_add(a, v_abs(x));
    return EXB_IS_S ? v_comp_add(a, v_mul(x, y)) : v_comp_add_product(a, x, y);
}

EXB_INLINE exb_enclosure filter(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    double s[EXB_UNROLL * EXB_LANES], c[EXB_UNROLL * EXB_LANES], w[EXB_UNROLL * EXB_LANES];
    exb_vcomp a[EXB_UNROLL];
    bool has_y = term == EXB_TERM_XY;
    int64_t i = 0;
    for (int j = 0; j < EXB_UNROLL; j++)
        a[j] = v_comp_zero();
    for (; i + EXB_UNROLL * EXB_LANES <= n; i += EXB_UNROLL * EXB_LANES)
        for (int j = 0; j < EXB_UNROLL; j++)
            a[j] = step(term, a[j], v_load_real(x + i + j * EXB_LANES),
                        has_y ? v_load_real(y + i + j * EXB_LANES) : v_zero());
    for (; i + EXB_LANES <= n; i += EXB_LANES)
        a[0] = step(term, a[0], v_load_real(x + i), has_y ? v_load_real(y + i) : v_zero());
    if (i < n)
        a[0] = step(term, a[0], v_load_part(x + i, n - i),
                    has_y ? v_load_part(y + i, n - i) : v_zero());
    for (int j = 0; j < EXB_UNROLL; j++)
        v_comp_store(a[j], s + j * EXB_LANES, c + j * EXB_LANES, w + j * EXB_LANES);
    /* A lane takes at most n / LANES / UNROLL + UNROLL + 1 terms; n + 2 bounds that. */
    int64_t n_lane = n / (EXB_UNROLL * EXB_LANES) + EXB_UNROLL + 1;
    int n_lanes = n >= EXB_UNROLL * EXB_LANES ? EXB_UNROLL * EXB_LANES : EXB_LANES;
    return exb_compensated_join(s, c, w, n_lanes, n_lane, EXB_IS_S || term != EXB_TERM_XY);
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
