/* A small system as the kernel `solve_rows` takes it. */
#pragma once

#include "core/kernels.h"

/* A system of n <= EXB_SOLVE_ROWS unknowns: row i is s_i + c_i +- e_i less the products of column j
 * with x_j, j < i, element (i, j) at t[j * ld + i], divided by its divisor unless `unit`; inverse_i
 * = RN(1 / divisor_i), EXB_DIVISOR_LEAST <= |divisor_i| <= EXB_DIVISOR_MOST. At the start w_i =
 * |c_i|, and c_i may be off by 2^-53 of itself. Arrays s, c and w, which are working memory, and
 * the columns of t are there up to the next multiple of 8. */
struct exb_rows {
    int n;
    bool unit;
    int64_t ld;
    const double *t;
    double *divisor, *inverse, *e, *s, *c, *w;
};

enum { EXB_SOLVE_ROWS = 64 };

#define EXB_DIVISOR_LEAST 0x1p-900
#define EXB_DIVISOR_MOST 0x1p900
