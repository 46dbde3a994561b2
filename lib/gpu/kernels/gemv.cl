/* y = alpha A x + beta y by a certified filter that reads the matrix once: compensated sums of
 * pieces of rows, then a rounding test per row. Rows it cannot decide are listed for the
 * kernel `elements`. Options: EXB_IS_S. */
#include "gpu/kernels/dots.h"

/* Group (g, h): rows g * rows ... of A, columns from h * chunk; the items of a row take every
 * lanes-th column. partial: 4 numbers for each row and chunk, of chunk h and number q of row i
 * at ((4 h + q) m + i). `along` as in elements.cl. */
EXB_KERNEL void gemv_filter(exb_i64 m, exb_i64 n, exb_i64 chunk, int rows, int along,
                            EXB_PLACE(const exb_real, a), exb_i64 a_row, exb_i64 a_col,
                            EXB_PLACE(const exb_real, x), exb_i64 incx,
                            EXB_PLACE(double, partial) EXB_LOCAL_ARG(double, sums))
{
    int id = exb_local_id(0), size = exb_local_size(0);
    int lanes = size / rows;
    int slot = along ? id / lanes : id % rows, lane = along ? id % lanes : id / rows;
    exb_i64 i = (exb_i64)exb_group_id(0) * rows + slot;
    exb_i64 from = exb_group_id(1) * chunk, to = n - from < chunk ? n : from + chunk;
    bool active = slot < rows && lane < lanes;
    exb_i64 j = active && i < m ? from + lane : to;
    exb_dots v = exb_dots_of_lane(a + i * a_row, a_col, 0, x, incx, 0, j, to, lanes);
    exb_dots_merge(sums, size, id, v, along ? 1 : rows, active ? lane : -1, lanes);
    if (active && lane == 0 && i < m)
        exb_sums_store(partial + 4 * m * exb_group_id(1) + i, m, exb_sums_load(sums + id, size));
}

/* The end of each row: n_chunks chunks, of which an item summed n terms at most. */
EXB_KERNEL void gemv_join(exb_i64 m, exb_i64 n, int n_chunks, double alpha, double beta,
                          EXB_PLACE(const double, partial), EXB_PLACE(exb_real, y), exb_i64 incy,
                          EXB_PLACE(exb_u32, count), EXB_PLACE(exb_i64, list))
{
    exb_i64 i = exb_global_id(0);
    exb_real r;
    if (i >= m)
        return;
    exb_sums v = exb_sums_zero();
    for (int h = 0; h < n_chunks; h++)
        v = exb_sums_merge(v, exb_sums_load(partial + 4 * m * h + i, m));
    double c = beta != 0 ? y[i * incy] : 0;
    exb_enclosure sum = exb_sums_enclosure(v, n + EXB_LANE_MERGES + n_chunks);
    if (exb_round_enclosure(exb_affine_of(alpha, sum, beta, c), &r))
        y[i * incy] = r;
    else
        exb_list_uncertified(count, list, i);
}
