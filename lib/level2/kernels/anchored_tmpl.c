/* Anchored sums of many rows at once (anchor.h), for matrices that are contiguous along their
 * columns or along their rows.
 * Types: s d. */
#include "core/arith/anchor.h"
#include "core/partition.h"

/* More columns, a power of two apart, would meet in one set of the first-level cache. */
enum { STATES = 3, FLIGHT = 4, COLUMNS = 8 };

#include "level1/kernels/anchored_steps.h"
#include "level2/kernels/rows_sweep.h"

/* The states of an anchored sum. */
enum { S, C, M };

EXB_INLINE lanes add_product(lanes l, exb_v a, exb_v x)
{
    a = v_keep(a); /* used twice; without this GCC loads it twice */
    exb_v q = add_anchored_product(&l.v[S], &l.v[C], a, x);
    l.v[M] = v_max_upper(l.v[M], q);
    return l;
}

double exb_ti(anchored_sweep)(exb_numbers of, int64_t m, int64_t n, const exb_real *a, int64_t lda,
                              const exb_real *x, double *s, double *c, double *peak)
{
    exb_v largest = v_zero();
    if (peak)
        sweep_matrix(of, m, n, a, lda, x, (states){s, c, peak}, NULL);
    else
        sweep_matrix(of, m, n, a, lda, x, (states){s, c}, &largest);
    return v_largest(largest);
}

void exb_ti(column_peaks)(int64_t m, const exb_real *a, exb_real x, double *peak)
{
    exb_v xv = v_set1(x);
    for (int64_t i = 0; i < m; i += EXB_LANES)
        v_store(peak + i, v_max_abs(v_load(peak + i), v_mul(exb_load_rows(a + i, m - i), xv)));
}

void exb_ti(anchored_rows)(int64_t n, const exb_real *a, int64_t lda, int64_t growth,
                           const exb_real *x, const exb_real *y, double sigma, exb_anchored *out)
{
    lanes l[EXB_ROW_GROUP];
    exb_v start = v_set1(sigma), rise[2] = {v_zero(), v_zero()}, fall[2] = {v_zero(), v_zero()};
    int64_t n_lane = exb_tasks_of(n, EXB_LANES);
    for (int r = 0; r < EXB_ROW_GROUP; r++)
        l[r] = (lanes){{start, v_zero(), v_zero()}};
    if (y)
        sweep_row_group(EXB_OF_REALS, 2, n, a, lda, growth, x, y, l);
    else
        sweep_row_group(EXB_OF_REALS, 1, n, a, lda, growth, x, x, l);
    for (int r = 0; r < EXB_ROW_GROUP; r++) {
        rise[r % 2] = v_max_upper(rise[r % 2], l[r].v[M]);
        fall[r % 2] = larger_fall(fall[r % 2], start, l[r].v[S]);
    }
    double m = v_largest(reach_of_lanes(v_max_upper(rise[0], rise[1]),
                                        v_max_upper(fall[0], fall[1]), n_lane, EXB_LANES));
    for (int r = 0; r < EXB_ROW_GROUP; r++) {
        double c = v_sum(l[r].v[C]);
        out[r] = (exb_anchored){v_sum(v_sub(l[r].v[S], start)), c, m, n_lane, c - c == 0};
    }
}
