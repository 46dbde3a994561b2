/* A triangle as the kernel `anchored_triangle` takes it. */
#pragma once

#include "core/kernels.h"
#include "level2/pattern.h"

/* A triangle of order n, of n x parts <= 2^EXB_ANCHOR_NU reals a row, whose columns are contiguous,
 * element (0, j) at real j lda + j(j - 1)/2 growth, if it is there, its diagonal ones or real parts
 * if that is no part of it, and which products with x a row sum takes: a_ij x_j to row i (by_rows:
 * the triangle), a_ij x_i to row j (by_columns: its transpose), or both (the symmetric matrix), of
 * complex a_ij as they are or conjugated. An element of the diagonal counts once. */
struct exb_triangle {
    int64_t n, lda, growth;
    int parts;
    exb_diagonal diagonal;
    bool is_upper, by_rows, by_columns, conjugate_rows, conjugate_columns;
};

/* Where column j begins. */
EXB_INLINE int64_t exb_triangle_column(const exb_triangle *t, int64_t j)
{
    return exb_progression(j, t->lda, t->growth);
}
