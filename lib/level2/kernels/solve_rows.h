/* A small system as the kernel `solve_rows` takes it. */
#pragma once

#include "core/kernels.h"

/* A system of n <= EXB_SOLVE_ROWS unknowns: row i is s_i + c_i +- e_i less the products of column j
 * with x_j, j < i, element (i, j) at t[j * ld + i], divided by its divisor unless `unit`; inverse_i
 * = RN(1 / divisor_i), EXB_DIVISOR_LEAST <= |divisor_i| <= EXB_DIVISOR_MOST. At the start w_i =
 * |c_i|, and c_i may be off by 2^-53 of itself. Arrays e, s, c and w, the last three of which are
 * working memory, and divisors are there up to the next multiple of 8 rows.
 *
 * is_complex: a row for each part of n <= EXB_SOLVE_ROWS / 2 unknowns, whose parts are side by side
 * in t, too. divisor and inverse are the real and the imaginary part of what both rows' unknown is
 * divided by (exb_is_divided_by), the latter negated for its second row. */
struct exb_rows {
    int n;
    bool unit, is_complex;
    int64_t ld;
    const void *t; /* of the kernel's type */
    double *divisor, *inverse, *e, *s, *c, *w;
};

enum { EXB_SOLVE_ROWS = 64 };

#define EXB_DIVISOR_LEAST 0x1p-900
#define EXB_DIVISOR_MOST 0x1p900
#define EXB_PART_LEAST 0x1p-200
#define EXB_PART_MOST 0x1p200

/* Whether kernels divide by re + im i. */
EXB_INLINE bool exb_is_divided_by(double re, double im)
{
    double a = exb_fabs(re), b = exb_fabs(im);
    return (a == 0 || (a >= EXB_PART_LEAST && a <= EXB_PART_MOST)) &&
           (b == 0 || (b >= EXB_PART_LEAST && b <= EXB_PART_MOST)) && !(a == 0 && b == 0);
}
