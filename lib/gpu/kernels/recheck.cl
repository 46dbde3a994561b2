/* Elements of C = alpha A B + beta C by compensated dot products and a rounding test: those that a
 * weaker filter has left open, or all. What that does not decide is in the list afterwards, for the
 * kernel `elements`, which takes fifty times as long. Options: EXB_IS_S, EXB_PARTS. */
#include "gpu/kernels/dots.h"

/* Element e is (e % m, e / m). total < 0: those of the list, *count of them, where an entry that is
 * decided becomes -1; else the first `total`, and those that are not decided are added to the list.
 * rows and along as in elements.cl. */
EXB_KERNEL_OF(3)
void recheck(exb_i64 total, exb_i64 m, exb_i64 k, double alpha_re, double alpha_im, double beta_re,
             double beta_im, int rows, int along, EXB_PLACE(const exb_real, a), exb_i64 a_row,
             exb_i64 a_col, int a_conj, EXB_PLACE(const exb_real, b), exb_i64 b_row, exb_i64 b_col,
             int b_conj, EXB_PLACE(exb_real, c), exb_i64 c_row, exb_i64 c_col,
             EXB_PLACE(exb_u32, count), EXB_PLACE(exb_i64, list) EXB_LOCAL_ARG(double, sums))
{
    int id = exb_local_id(0), size = exb_local_size(0), lanes = size / rows;
    int slot = along ? id / lanes : id % rows, lane = along ? id % lanes : id / rows;
    exb_element alpha = exb_element_of(alpha_re, alpha_im), beta = exb_element_of(beta_re, beta_im);
    exb_i64 n = total >= 0 ? total : (exb_i64)*count, step = (exb_i64)exb_n_groups(0) * rows;
    for (exb_i64 first = (exb_i64)exb_group_id(0) * rows; first < n; first += step) {
        exb_i64 at = first + slot;
        bool active = slot < rows && lane < lanes && at < n;
        exb_i64 e = !active ? 0 : total >= 0 ? at : list[at], i = e % m, j = e / m;
        exb_i64 l = active ? lane : k;
        exb_dots v = exb_dots_of_lane(a + EXB_PARTS * i * a_row, a_col, a_conj,
                                      b + EXB_PARTS * j * b_col, b_row, b_conj, l, k, lanes);
        exb_dots_merge(sums, size, id, v, along ? 1 : rows, active ? lane : -1, lanes);
        if (active && lane == 0) {
            exb_real r[EXB_PARTS];
            exb_enclosure sum[EXB_PARTS];
            exb_dots_enclosures(sums, size, id, k / lanes + 1, sum);
            exb_i64 to = i * c_row + j * c_col;
            exb_element old = exb_element_of(0, 0);
            if (!exb_element_is_zero(beta))
                old = exb_element_at(c, to, 0);
            if (!exb_round_parts(alpha, sum, beta, old, r)) {
                if (total >= 0)
                    exb_list_uncertified(count, list, e);
            } else {
                for (int q = 0; q < EXB_PARTS; q++)
                    c[EXB_PARTS * to + q] = r[q];
                if (total < 0)
                    list[at] = -1;
            }
        }
        exb_barrier();
    }
}
