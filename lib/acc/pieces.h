/* Consecutive pieces of an array, from offset_i to offset_{i+1}, in tasks of about equal work. */
#pragma once

#include "acc/index.h"
#include "core/partition.h"
#include "core/thread.h"

enum {
    EXB_PIECE_COST = 16, /* of a piece beside its elements, even if it has none */
    EXB_PIECE_TASKS = 8  /* for each thread */
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

/* What is done with pieces. run: with those of a range but for the ones longer than `longest`;
 * run_long: with one of these, by several threads. */
typedef struct exb_pieces_job {
    exb_slices pieces;
    void (*run)(const struct exb_pieces_job *job, exb_range range);
    void (*run_long)(const struct exb_pieces_job *job, int64_t i);
    int n_tasks;
    int64_t longest; /* most elements of a piece that a task takes */
} exb_pieces_job;

EXB_INLINE void exb_pieces_task(void *ctx, int64_t task)
{
    const exb_pieces_job *job = ctx;
    job->run(job, exb_pieces_of_task(job->pieces, job->n_tasks, (int)task));
}

/* A task takes pieces of up to so many elements at least. */
EXB_INLINE void exb_pieces_run(exb_pieces_job *job, int n_threads, int64_t at_least)
{
    job->longest = INT64_MAX;
    if (n_threads == 1) {
        job->run(job, (exb_range){0, job->pieces.n});
        return;
    }
    job->n_tasks = n_threads * EXB_PIECE_TASKS;
    job->longest = exb_most(exb_pieces_work(job->pieces) / job->n_tasks, at_least);
    exb_parallel_for(n_threads, job->n_tasks, exb_pieces_task, job);
    for (int64_t i = 0; i < job->pieces.n; i++)
        if (exb_piece_length(job->pieces, i) > job->longest)
            job->run_long(job, i);
}

EXB_INLINE bool exb_offsets_are_good(exb_slices p)
{
    bool bad = exb_index_at(p.offset, 0) < 0;
    for (int64_t i = 0; i < p.n; i++)
        bad |= exb_index_at(p.offset, i) > exb_index_at(p.offset, i + 1);
    return !bad;
}
