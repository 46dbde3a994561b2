/* Blocks of rows times a vector: what gemv, trsv and the exact paths share. */
#ifndef EXB_ROWS_H
#define EXB_ROWS_H

#include "level1/reduce.h"

/* Element (i, j) is p[i * rs + j * cs]. Layouts and transposes are strides: a
 * row-major or transposed matrix is the same view with rs and cs exchanged. */
typedef struct {
    const exb_real *p;
    int64_t rs, cs;
} exb_t(matrix);

/* op(A) of a BLAS argument. */
EXB_INLINE exb_t(matrix) exb_t(matrix_of)(const exb_real *a, int64_t lda, bool swap)
{
    return swap ? (exb_t(matrix)){a, lda, 1} : (exb_t(matrix)){a, 1, lda};
}

/* The view that starts at row i, column j. */
EXB_INLINE exb_t(matrix) exb_t(submatrix)(exb_t(matrix) a, int64_t i, int64_t j)
{
    a.p += i * a.rs + j * a.cs;
    return a;
}

/* out[i] = enclosure of sum over j of a(i, j) x[j * incx], i < m <= EXB_ROWS.
 * One thread. The matrix is read once, along its unit stride if it has one. */
void exb_t(rows_filter)(int m, int64_t n, exb_t(matrix) a, const exb_real *x, int64_t incx,
                        exb_enclosure *out);

/* acc += sum over j of a(i, j) x[j * incx], exactly. PRODUCT window. */
void exb_t(row_exact)(int64_t i, int64_t n, exb_t(matrix) a, const exb_real *x, int64_t incx,
                      const exb_method *method, exb_superacc *acc);

#endif
