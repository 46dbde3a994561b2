/* Many rows at once into cells (exblas/cell.h): databases' states, and Python's groups. */
#pragma once

#include <exblas/cell.h>
#include <stdbool.h>

/* Memory for the wide part of a cell; NULL: there is none. */
typedef exblas_cell_wide *cell_room(void *context);

static inline bool cell_widen(exblas_cell *c, cell_room *room, void *context)
{
    exblas_cell_wide *wide = room(context);
    if (wide)
        exblas_cell_widen(c, wide);
    return wide != NULL;
}

/* Rows into cell k of their states, or all of them into that of `one`; y is NULL for a sum of x. */
static inline bool cells_add_rows(int k, int64_t n, void *const *state, exblas_cell *one,
                                  const double *x, const double *y, cell_room *room, void *context)
{
    size_t offset = (size_t)k * sizeof *one;
    for (int64_t i = 0; i < n;) {
        if (one)
            i += y ? exblas_cell_add_dot(one + k, n - i, x + i, y + i)
                   : exblas_cell_add_vector(one + k, n - i, x + i);
        else
            i += y ? exblas_cell_add_each_product(n - i, state + i, offset, x + i, y + i)
                   : exblas_cell_add_each(n - i, state + i, offset, x + i);
        if (i < n && !cell_widen((one ? one : (exblas_cell *)state[i]) + k, room, context))
            return false;
    }
    return true;
}

/* a_i += b_i, for n states of n_cells each. */
static inline bool cells_combine_rows(int n_cells, int64_t n, void *const *a, void *const *b,
                                      cell_room *room, void *context)
{
    for (int k = 0; k < n_cells; k++)
        for (int64_t i = 0; i < n;) {
            i += exblas_cell_combine_each(n - i, a + i, b + i, (size_t)k * sizeof(exblas_cell));
            if (i < n && !cell_widen((exblas_cell *)a[i] + k, room, context))
                return false;
        }
    return true;
}
