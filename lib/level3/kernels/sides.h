/* Unknowns of systems with one triangle as the kernels `solve_sides` and `solve_complex_sides` take
 * them. */
#pragma once

#include "core/kernels.h"
#include "level2/kernels/solve_rows.h"

/* An unknown of many systems with one triangle, sides of it: (alpha b_i - sum_i) / divisor, or
 * without the division, for side i, where sum_i is that of n_terms <= EXB_SOLVE_ROWS products of
 * coefficients with known unknowns, or with the b, none of which exceeds peak_i, plus, if there are
 * any, h_i + l_i
 * +- e_i, e_i = 0 if exact. alpha is finite, inverse = RN(1 / divisor), EXB_DIVISOR_LEAST <=
 * |divisor| <= EXB_DIVISOR_MOST. Unknown j of side i is number j * ld + i. Arrays are readable up
 * to the next multiple of 8 sides. */
typedef struct {
    int n_terms;
    bool unit;
    int64_t ld;
    const double *peak, *h, *l, *e;
    double alpha, divisor, inverse;
} exb_sides;

/* n <= EXB_SOLVE_ROWS unknowns of n_sides <= EXB_ROWS such systems. Row i has the coefficients of
 * the i unknowns before it, all rows one after the other, its divisor and inverse, and, unless h is
 * NULL, kept sums from i * kept_ld on. Unknown j of side i is number j * EXB_ROWS + i, and has the
 * right-hand side b until it is known. `peak` is working memory. */
struct exb_side_rows {
    int n, n_sides;
    bool unit;
    double alpha;
    const double *divisor, *inverse, *h, *l, *e;
    int64_t kept_ld;
    double *peak;
};

/* The same for complex systems, whose parts have sides of their own, n_terms <= 2 EXB_SOLVE_ROWS
 * products each, and no divisors: that is re + im i, exb_is_divided_by. */
struct exb_complex_sides {
    exb_sides part[2];
    double re, im;
};
