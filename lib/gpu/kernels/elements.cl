/* Elements of C = alpha A B + beta C, each an exact dot product rounded once: the method of long
 * accumulators and expansions, and what the filters could not decide. gemv is the case of one
 * column.
 *
 * A group takes `rows` elements at a time and has a long accumulator for each, side by side in
 * local memory; they are used again for the next elements. local size / rows work-items share
 * an element, each with an expansion of its own. Options: EXB_IS_S, EXB_TERMS, EXB_EARLY_EXIT. */
#include "gpu/kernels/finish_words.h"
#include "gpu/kernels/share.h"

/* RN(alpha v + beta c) for the accumulator at word. */
EXB_APART exb_real finish(EXB_LOCAL const exb_i64 *word, int stride, double alpha, double beta,
                          double c)
{
    exb_sum_words sum;
    exb_sum_words_take(&sum, word, stride, 0, 1);
    return exb_finish_words(&sum, alpha, beta, c);
}

/* Element e is (e % m, e / m). total < 0: those of the list, *count of them, but for entries below
 * 0; else the first `total`. rows divides nothing in particular: work-items beyond a multiple of it
 * are idle. along: items next to each other take neighbours along k, not along m. */
EXB_KERNEL void elements(exb_i64 total, exb_i64 m, exb_i64 k, double alpha, double beta, int rows,
                         int along, EXB_PLACE(const exb_real, a), exb_i64 a_row, exb_i64 a_col,
                         EXB_PLACE(const exb_real, b), exb_i64 b_row, exb_i64 b_col,
                         EXB_PLACE(exb_real, c), exb_i64 c_row, exb_i64 c_col,
                         EXB_PLACE(const exb_u32, count),
                         EXB_PLACE(const exb_i64, list) EXB_LOCAL_ARG(exb_i64, words))
{
    EXB_TAKE(const exb_real, a);
    EXB_TAKE(const exb_real, b);
    EXB_TAKE(exb_real, c);
    EXB_TAKE(const exb_u32, count);
    EXB_TAKE(const exb_i64, list);
    EXB_LOCAL_BLOCK(exb_i64, words);
    int id = exb_local_id(0), size = exb_local_size(0);
    int lanes = size / rows;
    int slot = along ? id / lanes : id % rows, lane = along ? id % lanes : id / rows;
    exb_i64 n = total >= 0 ? total : (exb_i64)*count;
    for (exb_i64 first = (exb_i64)exb_group_id(0) * rows; first < n;
         first += (exb_i64)exb_n_groups(0) * rows) {
        exb_i64 at = first + slot;
        exb_i64 e = at >= n ? -1 : total >= 0 ? at : list[at];
        bool active = slot < rows && lane < lanes && e >= 0;
        exb_i64 i = e % m, j = e / m;
        for (int w = id; w < EXB_ACC_ENTRIES * rows; w += size)
            words[w] = 0;
        exb_barrier();
        if (active) {
            exb_share s = exb_share_of(words + slot, rows);
            for (exb_i64 l = lane; l < k; l += lanes)
                exb_share_add_product(&s, a[i * a_row + l * a_col], b[l * b_row + j * b_col]);
            exb_share_end(&s);
        }
        exb_barrier();
        if (active && lane == 0) {
            exb_i64 to = i * c_row + j * c_col;
            c[to] = finish(words + slot, rows, alpha, beta, beta != 0 ? c[to] : 0);
        }
        exb_barrier();
    }
}
