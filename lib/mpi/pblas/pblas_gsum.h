/* The exact sums over processes that take the place of BLACS's gsum2d. */
#pragma once

/* a = RN(sum of all processes' a), m reals x n, over the process row ('R'), the column ('C') or
 * all of the grid: on process (row, col), or on all of them if row is -1. Of complex numbers m
 * counts the parts. */
#pragma GCC visibility push(default)
void exb_pblas_sgsum(int context, char scope, int m, int n, float *a, int lda, int row, int col);
void exb_pblas_dgsum(int context, char scope, int m, int n, double *a, int lda, int row, int col);
#pragma GCC visibility pop
