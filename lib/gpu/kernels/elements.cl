/* Elements of C = alpha A B + beta C, each a dot product rounded once: `recheck` by compensated
 * sums and a rounding test, those that a weaker filter has left open, or all; `elements` exactly,
 * which takes fifty times as long, what that does not decide, or all. gemv is the case of one
 * column.
 *
 * A group takes `rows` elements at a time; local size / rows work-items share an element. For exact
 * ones it has a long accumulator for each, side by side in local memory, of complex elements two;
 * they are used again for the next elements. Options: EXB_IS_S, EXB_PARTS. */
#include "gpu/kernels/dots.h"
#include "gpu/kernels/finish_parts.h"
#include "gpu/kernels/share.h"

/* Element c of C = RN(alpha v + beta c) from the accumulators at word. One part after the other:
 * the words of both parts of v are there for each. */
EXB_INLINE void finish(EXB_LOCAL const exb_i64 *word, int stride, double alpha_re, double alpha_im,
                       double beta_re, double beta_im, EXB_GLOBAL exb_real *c)
{
    exb_element alpha = exb_element_of(alpha_re, alpha_im);
    exb_element beta = exb_element_of(beta_re, beta_im), old = exb_element_of(0, 0);
    if (!exb_element_is_zero(beta))
        old = exb_element_at(c, 0, 0);
#pragma unroll 1
    for (int k = 0; k < EXB_PARTS; k++)
        c[k] =
            exb_finish_part(k, word + k, word + (EXB_PARTS - 1 - k), stride, 1, alpha, beta, old);
}

/* The item's share of the sums of a_l b_l for l = begin, begin + lanes, ... below end. Of element
 * a_real or b_real there is no imaginary part, which is 0: not even 0 times Inf. */
EXB_INLINE void add_products(EXB_LOCAL exb_i64 *word, int stride, EXB_GLOBAL const exb_real *a,
                             exb_i64 a_col, int a_conj, exb_i64 a_real,
                             EXB_GLOBAL const exb_real *b, exb_i64 b_row, int b_conj,
                             exb_i64 b_real, exb_i64 begin, int lanes, exb_i64 end)
{
    exb_share s[EXB_PARTS];
    for (int k = 0; k < EXB_PARTS; k++)
        s[k] = exb_share_of(word + k, stride);
    for (exb_i64 l = begin; l < end; l += lanes) {
        exb_element x = exb_element_at(a, l * a_col, a_conj);
        exb_element y = exb_element_at(b, l * b_row, b_conj);
        for (int k = 0; k < EXB_PARTS; k++)
            for (int q = 0; q < EXB_PARTS; q++)
                if (EXB_PARTS == 1 || !((q == 1 && l == a_real) || (k != q && l == b_real)))
                    exb_share_add_product(&s[k], exb_left_factor(x, k, q),
                                          exb_right_factor(y, k, q));
    }
    for (int k = 0; k < EXB_PARTS; k++)
        exb_share_end(&s[k]);
}

/* Element e is (e % m, e / m). total < 0: those of the list, *count of them, but for entries below
 * 0; else the first `total`. rows divides nothing in particular: work-items beyond a multiple of it
 * are idle. along: items next to each other take neighbours along k, not along m. real_side: the
 * diagonal of A (1) or B (2) is real, row i of A or column j of B being row or column real_from + i
 * or j of it; 0: of neither. triangle: A is read below (1) or above (-1) its diagonal, or all of it
 * (0). */
EXB_KERNEL_OF(3)
void elements(exb_i64 total, exb_i64 m, exb_i64 k, double alpha_re, double alpha_im, double beta_re,
              double beta_im, int rows, int along, int real_side, exb_i64 real_from, int triangle,
              EXB_PLACE(const exb_real, a), exb_i64 a_row, exb_i64 a_col, int a_conj,
              EXB_PLACE(const exb_real, b), exb_i64 b_row, exb_i64 b_col, int b_conj,
              EXB_PLACE(exb_real, c), exb_i64 c_row, exb_i64 c_col, EXB_PLACE(const exb_u32, count),
              EXB_PLACE(const exb_i64, list) EXB_LOCAL_ARG(exb_i64, words))
{
    int id = exb_local_id(0), size = exb_local_size(0);
    int lanes = size / rows;
    int slot = along ? id / lanes : id % rows, lane = along ? id % lanes : id / rows;
    exb_i64 n = total >= 0 ? total : (exb_i64)*count;
    for (exb_i64 first = (exb_i64)exb_group_id(0) * rows; first < n;
         first += (exb_i64)exb_n_groups(0) * rows) {
        exb_i64 at = first + slot;
        exb_i64 e = at >= n ? -1 : total >= 0 ? at : list[at];
        bool active = slot < rows && lane < lanes && e >= 0;
        exb_i64 i = e % m, j = e / m, begin = triangle < 0 ? i : 0, end = triangle > 0 ? i + 1 : k;
        for (int w = id; w < EXB_ACC_ENTRIES * EXB_PARTS * rows; w += size)
            words[w] = 0;
        exb_barrier();
        if (active)
            add_products(words + EXB_PARTS * slot, EXB_PARTS * rows, a + EXB_PARTS * i * a_row,
                         a_col, a_conj, real_side == 1 ? real_from + i : -1,
                         b + EXB_PARTS * j * b_col, b_row, b_conj,
                         real_side == 2 ? real_from + j : -1, begin + lane, lanes, end);
        exb_barrier();
        if (active && lane == 0)
            finish(words + EXB_PARTS * slot, EXB_PARTS * rows, alpha_re, alpha_im, beta_re, beta_im,
                   c + EXB_PARTS * (i * c_row + j * c_col));
        exb_barrier();
    }
}

/* Element e is (e % m, e / m). total < 0: those of the list, *count of them, where an entry that is
 * decided becomes -1; else the first `total`, and those that are not decided are added to the list.
 * The arguments are those of `elements`; what of A and B is real or 0 does not matter here. */
EXB_KERNEL_OF(3)
void recheck(exb_i64 total, exb_i64 m, exb_i64 k, double alpha_re, double alpha_im, double beta_re,
             double beta_im, int rows, int along, int real_side, exb_i64 real_from, int triangle,
             EXB_PLACE(const exb_real, a), exb_i64 a_row, exb_i64 a_col, int a_conj,
             EXB_PLACE(const exb_real, b), exb_i64 b_row, exb_i64 b_col, int b_conj,
             EXB_PLACE(exb_real, c), exb_i64 c_row, exb_i64 c_col, EXB_PLACE(exb_u32, count),
             EXB_PLACE(exb_i64, list) EXB_LOCAL_ARG(double, sums))
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
