/* A triangle as the kernel `anchored_triangle` takes it. */
#pragma once

#include "core/kernels.h"
#include "level2/view.h"

/* A triangle of order n <= 2^EXB_ANCHOR_NU whose columns are contiguous, element (0, j) at j lda +
 * j(j - 1)/2 growth, if it is there, its diagonal ones if `unit`, and which products with x a row
 * sum takes: a_ij x_j to row i (by_rows: the triangle), a_ij x_i to row j (by_columns: its
 * transpose), or both (the symmetric matrix). An element of the diagonal counts once. */
struct exb_triangle {
    int64_t n, lda, growth;
    bool is_upper, unit, by_rows, by_columns;
};

/* Where column j begins. */
EXB_INLINE int64_t exb_triangle_column(const exb_triangle *t, int64_t j)
{
    return exb_progression(j, t->lda, t->growth);
}
