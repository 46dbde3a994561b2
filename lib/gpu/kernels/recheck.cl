/* Elements of C = alpha A B + beta C that a filter weaker than compensated sums has left open: dot
 * products with those, and the rounding test again. What that does not decide stays in the list for
 * the kernel `elements`, which takes fifty times as long. Options: EXB_IS_S. */
#include "gpu/kernels/dots.h"

/* Of the list, *count entries: element e is (e % m, e / m); an entry that is decided becomes -1.
 * rows and along as in elements.cl. */
EXB_KERNEL_OF(3)
void recheck(exb_i64 m, exb_i64 k, double alpha, double beta, int rows, int along,
             EXB_PLACE(const exb_real, a), exb_i64 a_row, exb_i64 a_col,
             EXB_PLACE(const exb_real, b), exb_i64 b_row, exb_i64 b_col, EXB_PLACE(exb_real, c),
             exb_i64 c_row, exb_i64 c_col, EXB_PLACE(const exb_u32, count),
             EXB_PLACE(exb_i64, list) EXB_LOCAL_ARG(double, sums))
{
    EXB_TAKE(const exb_real, a);
    EXB_TAKE(const exb_real, b);
    EXB_TAKE(exb_real, c);
    EXB_TAKE(const exb_u32, count);
    EXB_TAKE(exb_i64, list);
    EXB_LOCAL_BLOCK(double, sums);
    int id = exb_local_id(0), size = exb_local_size(0), lanes = size / rows;
    int slot = along ? id / lanes : id % rows, lane = along ? id % lanes : id / rows;
    exb_i64 n = (exb_i64)*count, step = (exb_i64)exb_n_groups(0) * rows;
    for (exb_i64 first = (exb_i64)exb_group_id(0) * rows; first < n; first += step) {
        exb_i64 at = first + slot;
        bool active = slot < rows && lane < lanes && at < n;
        exb_i64 e = active ? list[at] : 0, i = e % m, j = e / m;
        exb_i64 l = active ? lane : k;
        exb_sums v = exb_dot_of_lane(a + i * a_row, a_col, b + j * b_col, b_row, l, k, lanes);
        exb_sums_store_local(sums + id, size, v);
        exb_merge_lanes(sums, size, id, along ? 1 : rows, active ? lane : -1, lanes);
        if (active && lane == 0) {
            exb_real r;
            exb_enclosure sum = exb_sums_enclosure(exb_sums_load_local(sums + id, size), k);
            exb_i64 to = i * c_row + j * c_col;
            if (exb_round_enclosure(exb_affine_of(alpha, sum, beta, beta != 0 ? c[to] : 0), &r)) {
                c[to] = r;
                list[at] = -1;
            }
        }
        exb_barrier();
    }
}
