/* The filter of reductions: every work-item keeps compensated sums with a running bound
 * (core/arith/compensated.h), of floats plain ones (plain_sum.h), a group joins them, and the next
 * launch adds up the groups (exact.cl). Eleven operations a product, eight a number: devices made
 * for doubles read memory in that time, and unlike anchors compensation needs no look at the data
 * beforehand. Options: EXB_IS_S, EXB_TERM, EXB_LAYOUT (gpu/terms.h). */
#include "gpu/kernels/join.h"
#include "gpu/kernels/plain_sum.h"
#include "gpu/terms.h"

#include "core/arith/compensated.h"

#ifndef EXB_TERM
#define EXB_TERM 2
#define EXB_LAYOUT EXB_GPU_STRIDED
#endif

/* As many bytes on the way from memory for floats as for doubles. */
enum { UNROLL = EXB_IS_S ? 8 : 4 };

enum { HAS_Y = EXB_TERM == EXB_GPU_XY };

/* exb_comp_add(a, x, 0) without the addition of 0. */
EXB_INLINE exb_comp filter_add(exb_comp a, double x)
{
    double q;
    a.s = exb_two_sum(a.s, x, &q);
    a.c += q;
    a.w += exb_fabs(q);
    return a;
}

EXB_INLINE exb_comp filter_step(exb_comp a, double x, double y)
{
    double v = EXB_TERM == EXB_GPU_ABS_X ? exb_fabs(x) : x;
    return HAS_Y || EXB_IS_S ? exb_lane_add_product(a, v, HAS_Y ? y : 1) : filter_add(a, v);
}

EXB_INLINE double filter_x(EXB_GLOBAL const exb_real *x, exb_i64 i, exb_i64 inc, int form)
{
    double v = x[EXB_GPU_NUMBER_AT(EXB_LAYOUT, i, inc, 0)];
    return EXB_LAYOUT == EXB_GPU_PAIRS && (i & 1) && (form & EXB_GPU_MINUS) ? -v : v;
}

EXB_INLINE double filter_y(EXB_GLOBAL const exb_real *y, exb_i64 i, exb_i64 inc, int form)
{
    return HAS_Y ? y[EXB_GPU_NUMBER_AT(EXB_LAYOUT, i, inc, form & EXB_GPU_CROSSED)] : 0;
}

/* The sum of a work-item's lanes of at most n terms each. */
EXB_INLINE exb_enclosure join_own(const exb_comp *a, exb_i64 n, bool exact_terms)
{
    double s[UNROLL], c[UNROLL], w[UNROLL];
    for (int j = 0; j < UNROLL; j++) {
        s[j] = a[j].s;
        c[j] = a[j].c;
        w[j] = a[j].w;
    }
    return exb_compensated_join(s, c, w, UNROLL, n, exact_terms);
}

/* partial: an enclosure a group; the n_words words at state, where an exact sum begins, become 0.
 * As many groups run at once as the host launches (gpu_reduce.c). The loop is not unrolled
 * further: the compiler would divide to know how often it runs, and keep more than there are
 * registers for. */
EXB_KERNEL_OF(4)
void filter(exb_i64 n, int form, exb_i64 incx, exb_i64 incy, int n_words,
            EXB_PLACE(const exb_real, x), EXB_PLACE(const exb_real, y), EXB_PLACE(exb_i64, state),
            EXB_PLACE(exb_enclosure, partial) EXB_LOCAL_ARG(exb_enclosure, lanes))
{
    int id = exb_local_id(0), size = exb_local_size(0);
    exb_i64 step = exb_global_size(0);
    exb_i64 i = exb_global_id(0), longest = n / (UNROLL * step) + UNROLL;
    exb_comp a[UNROLL];
    for (int j = exb_group_id(0) == 0 ? id : n_words; j < n_words; j += size)
        state[j] = 0;
    for (int j = 0; j < UNROLL; j++)
        a[j].s = a[j].c = a[j].w = 0;
    EXB_ROLLED for (; i + (UNROLL - 1) * step < n; i += UNROLL * step)
    {
        double p[UNROLL], q[UNROLL];
        for (int j = 0; j < UNROLL; j++) {
            p[j] = filter_x(x, i + j * step, incx, form);
            q[j] = filter_y(y, i + j * step, incy, form);
        }
        for (int j = 0; j < UNROLL; j++)
            a[j] = filter_step(a[j], p[j], q[j]);
    }
    for (; i < n; i += step)
        a[0] = filter_step(a[0], filter_x(x, i, incx, form), filter_y(y, i, incy, form));
    lanes[id] = longest <= 1 << 25 ? join_own(a, longest, EXB_IS_S ? true : !HAS_Y)
                                   : exb_enclosure_unknown(); /* compensated.h */
    exb_barrier();
    exb_join_lanes(lanes, id, size);
    if (id == 0)
        partial[exb_group_id(0)] = lanes[0];
}
