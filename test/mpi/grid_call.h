/* Calls of the routines of PBLAS as data; the table is made by grid_calls.py. */
#pragma once

#include "pblas_problem.h"

/* The arguments that the routine has count; transa is trans. */
typedef struct {
    char side, uplo, trans, transb, diag;
    int m, n, k, index;
    const void *alpha, *beta;
    void *result;
    matrix a, b, c, x, y;
} grid_call;

/* Its name is without the p, its operands are of a, b, c, x and y; r is a y of real numbers.
 * `trans` are the letters of that option. */
typedef struct {
    const char *name;
    char type;
    const char *operands, *trans;
    void (*run)(grid_call *q);
} grid_routine;

extern const grid_routine grid_routines[];
extern const int n_grid_routines;

/* NULL: the type has none of this name. */
static inline const grid_routine *find_routine(char type, const char *name)
{
    for (int i = 0; i < n_grid_routines; i++)
        if (grid_routines[i].type == type && strcmp(grid_routines[i].name + 1, name) == 0)
            return &grid_routines[i];
    return NULL;
}

/* All routines of the type on random problems; each failure is counted. */
void check_routines(char type, const grid *g, int block, int rounds);
