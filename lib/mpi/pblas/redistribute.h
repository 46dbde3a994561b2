/* A matrix that lies on the processes of a team, moved from one layout to another. This is how
 * all operands get where they are needed: transposes are swapped axes and strides. */
#pragma once

#include "mpi/pblas/workspace.h"

typedef struct {
    exb_layout layout;
    void *data;                     /* this process's first element */
    int64_t row_stride, col_stride; /* in elements */
    size_t size;                    /* of an element */
    bool conjugate;                 /* elements are the conjugates of what is stored */
} exb_spread;

/* Element (i, j) of what this process has. */
static inline void *exb_spread_at(const exb_spread *s, int64_t i, int64_t j)
{
    return (char *)s->data + (i * s->row_stride + j * s->col_stride) * (int64_t)s->size;
}

/* Notes that a matrix of this many rows and columns will be moved, or parts of it. */
void exb_redistribute_plan(exb_workspace *w, int64_t m, int64_t n, size_t size);

/* Takes the buffers for what was planned. */
void exb_redistribute_take(exb_workspace *w, const exb_team *t);

/* Copies `from` to where `to` has its elements. Where several processes have an element of
 * `from`, each sends it within its own row or column of the grid. */
void exb_redistribute(exb_workspace *w, const exb_team *t, const exb_spread *from,
                      const exb_spread *to);
