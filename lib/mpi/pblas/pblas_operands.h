/* The operands of a call as matrices that can be moved, and buffers in other layouts. */
#pragma once

#include "mpi/pblas/pblas_call.h"

/* An operand of elements of `size` bytes as it is stored; a vector as a column. */
exb_spread exb_pblas_stored(const exb_pblas_call *q, exb_operand_name name, size_t size);
exb_spread exb_pblas_column(const exb_pblas_call *q, exb_operand_name name, size_t size);

/* op(s) for op = 'N', 'T' or 'C'; 0 is as 'N'. */
exb_spread exb_pblas_op(exb_spread s, char op);

/* Some rows and columns of s. */
exb_spread exb_pblas_cut(const exb_pblas_call *q, const exb_spread *s, exb_range rows,
                         exb_range cols);

/* A buffer for a matrix of this layout, stored by columns, and the plan to move that matrix.
 * Without memory its data are NULL, and exb_pblas_ready says so. */
exb_spread exb_pblas_take(exb_pblas_call *q, exb_axis row, exb_axis col, size_t size);

void exb_pblas_move(exb_pblas_call *q, const exb_spread *from, const exb_spread *to);

/* An axis in windows of `length` elements; one window may be the whole. */
typedef struct {
    exb_axis axis;
    int64_t length;
} exb_windows;

/* A buffer for any of these windows of rows of a matrix, one at a time. */
exb_spread exb_pblas_take_windows(exb_pblas_call *q, exb_windows row, exb_axis col, size_t size);

/* The part of an axis that this process has; where its element number `own` is among all; how many
 * of its own are before element i, wherever that is. */
static inline int exb_pblas_part(const exb_pblas_call *q, const exb_axis *x)
{
    return exb_team_part(&q->team, x, q->team.self);
}

static inline int64_t exb_pblas_index(const exb_pblas_call *q, const exb_axis *x, int64_t own)
{
    return exb_axis_index(x, exb_pblas_part(q, x), own);
}

static inline int64_t exb_pblas_before(const exb_pblas_call *q, const exb_axis *x, int64_t i)
{
    return exb_axis_before(x, exb_pblas_part(q, x), exb_most(exb_least(i, x->n), 0));
}

/* Rows and columns that this process has. */
int64_t exb_pblas_rows(const exb_pblas_call *q, const exb_spread *s);
int64_t exb_pblas_cols(const exb_pblas_call *q, const exb_spread *s);
/* Elements that it has: of a vector, a process that has its rows may have none. */
int64_t exb_pblas_own(const exb_pblas_call *q, const exb_spread *s);
