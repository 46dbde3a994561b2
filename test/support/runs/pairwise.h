/* Rows of factor levels in which every pair of levels of two factors occurs:
 * far fewer than the full product, and most defects need no more than two
 * causes to meet. */
#pragma once

#include <stddef.h>

enum { PAIRWISE_MAX_FACTORS = 8, PAIRWISE_MAX_LEVELS = 16 };

typedef struct {
    int level[PAIRWISE_MAX_FACTORS];
} pairwise_row;

/* Fills rows (at most capacity) and returns their number; the same rows on
 * every run. 1 <= n_levels[i] <= PAIRWISE_MAX_LEVELS. */
size_t pairwise_rows(int n_factors, const int *n_levels, pairwise_row *rows, size_t capacity);
