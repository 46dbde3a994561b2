/* The exact sum of a block for cells (kernel_slots.h): in each lane two doubles, s and c, whose
 * error terms are added up in magnitude and must be 0; an overflow makes them NaN. Types: s d. */
#include "core/simd/compensated_simd.h"
#include "core/simd/element_simd.h"
#include "core/kernel.h"

enum {
    CHAINS = 16 / EXB_LANES > 4 ? 4 : 16 / EXB_LANES,
    PREFETCH = 2048 / sizeof(exb_real) /* elements: 2 KiB ahead */
};
_Static_assert(2 * CHAINS * EXB_LANES <= EXB_PAIR_PARTS, "room for all lanes");

/* w: what is lost. */
EXB_INLINE exb_vcomp add_numbers(exb_vcomp a, exb_v x)
{
    exb_v left;
    a.s = v_two_sum(a.s, x, &left);
    a.c = v_two_sum(a.c, left, &left);
    a.w = v_add(a.w, v_abs(left));
    return a;
}

bool exb_ti(pairs)(int64_t n, const exb_real *x, double *part)
{
    exb_vcomp a[CHAINS];
    exb_v lost = v_zero();
    for (int j = 0; j < CHAINS; j++)
        a[j] = (exb_vcomp){v_zero(), v_zero(), v_zero()};
    for (int64_t i = 0; i < n; i += CHAINS * EXB_LANES)
        for (int j = 0; j < CHAINS; j++) {
            __builtin_prefetch(x + i + j * EXB_LANES + PREFETCH);
            a[j] = add_numbers(a[j], v_load_real(x + i + j * EXB_LANES));
        }
    for (int j = 0; j < EXB_PAIR_PARTS; j++)
        part[j] = 0;
    for (int j = 0; j < CHAINS; j++) {
        v_store(part + 2 * j * EXB_LANES, a[j].s);
        v_store(part + (2 * j + 1) * EXB_LANES, a[j].c);
        lost = v_add(lost, a[j].w);
    }
    return !v_any_nonzero(lost);
}
