/* Consecutive pieces of an array, from offset_i to offset_{i+1}, in tasks of about equal work. */
#pragma once

#include "acc/index.h"
#include "core/partition.h"

enum {
    EXB_PIECE_COST = 16 /* of a piece beside its elements, even if it has none */
};

typedef struct {
    int64_t n;
    exb_index offset; /* n + 1 of them, which do not decrease */
} exb_slices;

EXB_INLINE int64_t exb_piece_length(exb_slices p, int64_t i)
{
    return exb_index_at(p.offset, i + 1) - exb_index_at(p.offset, i);
}

/* The work before piece i. */
EXB_INLINE int64_t exb_pieces_before(exb_slices p, int64_t i)
{
    return exb_index_at(p.offset, i) - exb_index_at(p.offset, 0) + EXB_PIECE_COST * i;
}

EXB_INLINE int64_t exb_pieces_work(exb_slices p)
{
    return exb_pieces_before(p, p.n);
}

/* First piece before which there is at least that much work. */
EXB_INLINE int64_t exb_piece_after(exb_slices p, int64_t work)
{
    int64_t low = 0, high = p.n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (exb_pieces_before(p, middle) < work)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The pieces of a task, one of n_tasks. */
EXB_INLINE exb_range exb_pieces_of_task(exb_slices p, int n_tasks, int task)
{
    exb_range r = exb_partition_range(exb_pieces_work(p), n_tasks, task);
    return (exb_range){exb_piece_after(p, r.begin), exb_piece_after(p, r.end)};
}

EXB_INLINE bool exb_offsets_are_good(exb_slices p)
{
    bool bad = exb_index_at(p.offset, 0) < 0;
    for (int64_t i = 0; i < p.n; i++)
        bad |= exb_index_at(p.offset, i) > exb_index_at(p.offset, i + 1);
    return !bad;
}
