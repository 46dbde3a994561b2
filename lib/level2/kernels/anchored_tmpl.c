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

/* Rows i ... of a group, whose sums less sigma go to s and c; *rise, *fall: the largest of lanes.
 */
EXB_INLINE void sum_group(int parts, int64_t n, const exb_real *a, int64_t lda, int64_t growth,
                          const exb_real *x, const exb_real *y, exb_v start, exb_v *rise,
                          exb_v *fall, double *s, double *c)
{
    lanes l[EXB_ROW_GROUP];
    exb_v all[2 * EXB_ROW_GROUP];
    double sum[2 * EXB_ROW_GROUP];
    _Static_assert(sizeof all / sizeof *all % EXB_LANES == 0, "v_sums");
    for (int r = 0; r < EXB_ROW_GROUP; r++)
        l[r] = (lanes){{start, v_zero(), v_zero()}};
    sweep_row_group(EXB_OF_REALS, parts, n, a, lda, growth, x, y, l);
#pragma GCC unroll 4
    for (int r = 0; r < EXB_ROW_GROUP; r++) {
        rise[r % 2] = v_max_upper(rise[r % 2], l[r].v[M]);
        fall[r % 2] = larger_fall(fall[r % 2], start, l[r].v[S]);
        all[r] = v_sub(l[r].v[S], start);
        all[EXB_ROW_GROUP + r] = l[r].v[C];
    }
#pragma GCC unroll 8
    for (int k = 0; k < 2 * EXB_ROW_GROUP; k += EXB_LANES)
        v_store(sum + k, v_sums(all + k));
    memcpy(s, sum, sizeof sum / 2);
    memcpy(c, sum + EXB_ROW_GROUP, sizeof sum / 2);
}

double exb_ti(anchored_rows)(int64_t m, int64_t n, const exb_real *a, int64_t lda, int64_t growth,
                             const exb_real *x, const exb_real *y, double sigma, double *s,
                             double *c, int64_t *n_lane)
{
    exb_v start = v_set1(sigma), rise[2] = {v_zero(), v_zero()}, fall[2] = {v_zero(), v_zero()};
    for (int64_t step, rows; m > 0; m -= EXB_ROW_GROUP) {
        if (y)
            sum_group(2, n, a, lda, growth, x, y, start, rise, fall, s, c);
        else
            sum_group(1, n, a, lda, growth, x, x, start, rise, fall, s, c);
        step = exb_least(m - EXB_ROW_GROUP, EXB_ROW_GROUP);
        rows = y ? step / 2 : step;
        a += exb_progression(rows, lda, growth);
        lda += rows * growth;
        s += step;
        c += step;
    }
    *n_lane = exb_tasks_of(n, EXB_LANES);
    return v_largest(reach_of_lanes(v_max_upper(rise[0], rise[1]), v_max_upper(fall[0], fall[1]),
                                    *n_lane, EXB_LANES));
}
