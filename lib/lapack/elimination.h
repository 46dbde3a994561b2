/* Gauss-Jordan elimination modulo a prime: the rank, and the inverse of a block that has it.
 *
 *   row[0 .. rank), column[0 .. rank)    rows I and columns J whose block A_IJ can be inverted
 *   row[rank .. n)                       the other rows
 *   inverse[row_k n + column_l]          element (column_k, row_l) of A_IJ^-1, not in Montgomery's
 *                                        form
 *
 * The rank modulo a prime is at most that of the matrix: n proves that A has an inverse, less
 * proves nothing. */
#pragma once

#include "lapack/prime_field.h"

typedef struct {
    exb_field field;
    int64_t n, rank;
    int64_t *row, *column;
    uint64_t *inverse;
} exb_elimination;

/* a: n rows of n finite doubles. False without memory. */
bool exb_eliminate(exb_elimination *e, exb_field field, int64_t n, const double *a);
void exb_elimination_free(exb_elimination *e);
