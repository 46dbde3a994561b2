/* y = alpha A x + beta y for a sparse matrix stored by rows: compensated sums of the lanes of a
 * row, then a rounding test per row; rows it cannot decide are listed, and computed with long
 * accumulators. Options: EXB_IS_S, EXB_WIDE. */
#define EXB_TERMS 0 /* accumulators alone */
#define EXB_EARLY_EXIT 0
#include "gpu/kernels/dots.h"
#include "gpu/kernels/finish_words.h"
#include "gpu/kernels/index_type.h"
#include "gpu/kernels/share.h"
#include "gpu/kernels/uncertified.h"

/* *flag becomes 1 if row_start begins below 0, decreases or ends behind n_entries, or a column
 * between its ends is not one of 0 ... n - 1. */
EXB_KERNEL void csrmv_survey(exb_i64 m, exb_i64 n, exb_i64 n_entries,
                             EXB_PLACE(const exb_index, row_start),
                             EXB_PLACE(const exb_index, column), EXB_PLACE(exb_u32, flag))
{
    EXB_TAKE(const exb_index, row_start);
    EXB_TAKE(const exb_index, column);
    EXB_TAKE(exb_u32, flag);
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    exb_i64 begin = row_start[0], end = row_start[m];
    exb_u32 bad = 0;
    for (exb_i64 i = exb_global_id(0); i < m; i += step)
        bad |= row_start[i] < 0 || row_start[i] > row_start[i + 1] || row_start[i + 1] > n_entries;
    begin = begin < 0 ? 0 : begin;
    end = end > n_entries ? n_entries : end;
    for (exb_i64 k = begin + exb_global_id(0); k < end; k += step)
        bad |= column[k] < 0 || column[k] >= n;
    if (bad != 0)
        exb_atomic_max_global_u32(flag, 1);
}

/* Group g: rows g * rows ...; the items of a row take every lanes-th entry. */
EXB_KERNEL void csrmv_filter(exb_i64 m, int rows, double alpha, double beta,
                             EXB_PLACE(const exb_index, row_start),
                             EXB_PLACE(const exb_index, column), EXB_PLACE(const exb_real, value),
                             EXB_PLACE(const exb_real, x), EXB_PLACE(exb_real, y),
                             EXB_PLACE(exb_u32, count),
                             EXB_PLACE(exb_i64, list) EXB_LOCAL_ARG(double, sums))
{
    EXB_TAKE(const exb_index, row_start);
    EXB_TAKE(const exb_index, column);
    EXB_TAKE(const exb_real, value);
    EXB_TAKE(const exb_real, x);
    EXB_TAKE(exb_real, y);
    EXB_TAKE(exb_u32, count);
    EXB_TAKE(exb_i64, list);
    EXB_LOCAL_BLOCK(double, sums);
    int id = exb_local_id(0), size = exb_local_size(0), lanes = size / rows;
    int slot = id / lanes, lane = id % lanes;
    exb_i64 i = (exb_i64)exb_group_id(0) * rows + slot;
    bool active = slot < rows && i < m;
    exb_i64 begin = active ? row_start[i] : 0, end = active ? row_start[i + 1] : 0;
    exb_sums v = exb_sums_zero();
    for (exb_i64 k = begin + lane; k < end; k += lanes)
        v = exb_sums_add_product(v, value[k], x[column[k]]);
    exb_sums_store_local(sums + id, size, v);
    exb_merge_lanes(sums, size, id, 1, active ? lane : -1, lanes);
    if (active && lane == 0) {
        exb_enclosure sum = exb_sums_enclosure(exb_sums_load_local(sums + id, size),
                                               (end - begin) / lanes + 1 + EXB_LANE_MERGES);
        exb_real r;
        if (exb_round_enclosure(exb_affine_of(alpha, sum, beta, beta != 0 ? y[i] : 0), &r))
            y[i] = r;
        else
            exb_list_uncertified(count, list, i);
    }
}

/* RN(alpha v + beta c) for the accumulator at word. */
EXB_INLINE exb_real finish(EXB_LOCAL const exb_i64 *word, int stride, double alpha, double beta,
                           double c)
{
    exb_sum_words sum;
    exb_sum_words_take(&sum, word, stride, 0, 1);
    return exb_finish_words(&sum, alpha, beta, c);
}

/* Rows exactly: the first `total` or, if it is below 0, those of the list, *count of them. A group
 * takes `rows` at a time, with an accumulator each in `words`. */
EXB_KERNEL_OF(3)
void csrmv_exact(exb_i64 total, int rows, double alpha, double beta,
                 EXB_PLACE(const exb_index, row_start), EXB_PLACE(const exb_index, column),
                 EXB_PLACE(const exb_real, value), EXB_PLACE(const exb_real, x),
                 EXB_PLACE(exb_real, y), EXB_PLACE(const exb_u32, count),
                 EXB_PLACE(const exb_i64, list) EXB_LOCAL_ARG(exb_i64, words))
{
    EXB_TAKE(const exb_index, row_start);
    EXB_TAKE(const exb_index, column);
    EXB_TAKE(const exb_real, value);
    EXB_TAKE(const exb_real, x);
    EXB_TAKE(exb_real, y);
    EXB_TAKE(const exb_u32, count);
    EXB_TAKE(const exb_i64, list);
    EXB_LOCAL_BLOCK(exb_i64, words);
    int id = exb_local_id(0), size = exb_local_size(0), lanes = size / rows;
    int slot = id / lanes, lane = id % lanes;
    exb_i64 n = total >= 0 ? total : (exb_i64)*count;
    for (exb_i64 first = (exb_i64)exb_group_id(0) * rows; first < n;
         first += (exb_i64)exb_n_groups(0) * rows) {
        exb_i64 at = first + slot;
        bool active = slot < rows && at < n;
        exb_i64 i = !active ? 0 : total >= 0 ? at : list[at];
        for (int w = id; w < EXB_ACC_ENTRIES * rows; w += size)
            words[w] = 0;
        exb_barrier();
        if (active) {
            exb_share s = exb_share_of(words + slot, rows);
            exb_i64 end = row_start[i + 1];
            for (exb_i64 k = row_start[i] + lane; k < end; k += lanes)
                exb_share_add_product(&s, value[k], x[column[k]]);
            exb_share_end(&s);
        }
        exb_barrier();
        if (active && lane == 0)
            y[i] = finish(words + slot, rows, alpha, beta, beta != 0 ? y[i] : 0);
        exb_barrier();
    }
}
