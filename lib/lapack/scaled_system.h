/* A system of equations whose rows and columns are multiplied by powers of two, so that the largest
 * element of each is near 1: S = D_row A D_column, S y = D_row b 2^-right, x_j = y_j 2^(column_j +
 * right). That is done only if no element loses a bit.
 *
 * Source: Wilkinson, Rounding Errors in Algebraic Processes, chapter 3. */
#pragma once

#include "core/arith/triple.h"

/* How the elements of a matrix and of right-hand sides stand: as sums of words. Word w of element
 * (i, j) of n columns is at [i ld + w n + j], that of element i of a right-hand side at [i ld_right
 * + w]. Each counts scale[w]. */
typedef struct {
    int n_words;
    int64_t ld, ld_right;
    double scale[EXB_TRIPLE_LANES];
} exb_layout;

typedef struct {
    int64_t n;
    double *s;         /* n rows of n */
    int *row, *column; /* exponents of D */
    exb_layout layout; /* of s and of right-hand sides */
} exb_scaled_system;

/* a: n rows of n finite doubles. False without memory, or if scaling would not be exact, or for a
 * row or column of zeros. */
bool exb_scaled_system_init(exb_scaled_system *v, int64_t n, const double *a);
void exb_scaled_system_free(exb_scaled_system *v);

/* c = D_row b 2^-right; false if that is not exact. */
bool exb_scale_right(const exb_scaled_system *v, const double *b, double *c, int *right);
