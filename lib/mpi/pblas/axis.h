/* How the rows or the columns of a sub-matrix lie on processes, block-cyclically: block 0 has
 * first_block elements, the others `block`, and block b belongs to part (source + b) mod n_parts.
 * The sub-matrix is elements first ... first + n - 1 of the whole axis; its own are counted from 0.
 * Or parts are blocks of any size, one after the other. A part keeps what it owns of the whole axis
 * side by side, in order. */
#pragma once

#include "core/partition.h"

/* Which coordinate of a process says what part of an axis it has. */
typedef enum {
    EXB_OVER_NONE, /* all processes have all of it */
    EXB_OVER_ROWS, /* its row in the grid */
    EXB_OVER_COLS,
    EXB_OVER_TEAM /* its number among the processes of the call */
} exb_over;

typedef struct {
    exb_over over;
    int64_t n, first, first_block, block;
    int source, n_parts;
    const int64_t *begin; /* of parts of any size: n_parts + 1 elements; else NULL */
} exb_axis;

typedef struct {
    exb_axis row, col;
} exb_layout;

static inline exb_axis exb_axis_whole(int64_t n)
{
    return (exb_axis){EXB_OVER_NONE, n, 0, n > 0 ? n : 1, 1, 0, 1, NULL};
}

static inline exb_axis exb_axis_of_parts(exb_over over, int n_parts, const int64_t *begin)
{
    int64_t n = begin[n_parts], block = n > 0 ? n : 1;
    return (exb_axis){over, n, 0, block, block, 0, n_parts, begin};
}

/* In n_parts blocks of about the same size, or all on the first part. */
exb_axis exb_axis_shared(int64_t n, int n_parts);
exb_axis exb_axis_on_first(int64_t n, int n_parts);

/* Whether every process has the same elements of both. */
bool exb_axis_is_same(const exb_axis *a, const exb_axis *b);

/* Elements begin ... of it, at most `length`, counted from 0 anew. */
exb_axis exb_axis_cut(exb_axis x, int64_t begin, int64_t length);

/* How many of the elements 0 ... i - 1 a part owns: where element i of the part lies, counted
 * from its first one. 0 <= i <= n. */
int64_t exb_axis_before(const exb_axis *x, int part, int64_t i);
int64_t exb_axis_count(const exb_axis *x, int part);
/* Where the part's first element of the sub-matrix lies in what it owns of the whole axis. */
int64_t exb_axis_offset(const exb_axis *x, int part);
/* The element that is the part's number `local` < count. */
int64_t exb_axis_index(const exb_axis *x, int part, int64_t local);

/* The block that element i < n is in, and whose it is. */
exb_range exb_axis_block_at(const exb_axis *x, int64_t i, int *part);

/* Runs of neighbours that part pa of a and part pb of b have both, from `at` up to `end`. The axes
 * have the same n. */
typedef struct {
    const exb_axis *a, *b;
    int pa, pb;
    int64_t at, end;
} exb_walk;

/* The next run; false at the end. */
bool exb_walk_next(exb_walk *w, exb_range *run);
