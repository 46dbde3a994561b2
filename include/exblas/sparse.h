/* Sparse matrices: products with vectors and matrices, conversions.
 *
 * RN is rounding to nearest, ties to even, into the element type. Every element of a result is the
 * exact value of its expression rounded once (of complex elements: for each part, from the real
 * expressions of the product's definition), so the bits do not depend on the order of the entries,
 * the number of threads, the processor or the caller's rounding mode, FTZ and DAZ. Overflow and
 * underflow happen only at the rounding. An exact zero is +0. A NaN that is read, Inf * 0 and
 * Inf - Inf give the canonical quiet NaN, otherwise Inf wins. What is not stored is 0 without a
 * product: it makes no NaN of an Inf in x.
 *
 * A matrix of m rows and n columns is stored by rows (CSR). row_start has m + 1 elements; the
 * entries of row i are value_k in column_k for row_start_i <= k < row_start_{i+1}, all counted from
 * 0. Columns may come in any order; entries with the same place count as their exact sum.
 * row_start_0 may be positive: a range of rows is a matrix. A matrix stored by columns (CSC) is the
 * transpose of one stored by rows: exchange m and n, and transpose.
 *
 * Vectors are contiguous. Complex numbers are pairs re, im behind void pointers, complex scalars
 * are passed as pointers to them. Options have CBLAS's values (exblas/cblas.h). Inputs and outputs
 * must not overlap. beta = 0: the result is written, not read; alpha = 0: the matrix's values and x
 * do not count.
 *
 * All entries return EXBLAS_OK, EXBLAS_EINVAL or EXBLAS_ENOMEM; in the last two cases nothing was
 * changed. EINVAL: an unknown option, a negative size, row_start that begins below 0 or decreases,
 * a column outside 0 ... n - 1, a leading dimension that is too small, or a null pointer to
 * something that would be read or written. The structure is checked at every call, of a handle when
 * it is made. Names ending in _64 take 64-bit integers.
 *
 * Sources: sums against anchors, Rump, Ogita, Oishi, SIAM J. Sci. Comput. 31 (2008); three-part
 * sums, Ogita, Rump, Oishi, SIAM J. Sci. Comput. 26 (2005); Kulisch, "Computer Arithmetic and
 * Validity" (2008). The forms are those of the BLAS Technical Forum Standard (2001), chapter 3.
 * Solvers: Saad, "Iterative Methods for Sparse Linear Systems" (2003); van der Vorst, SIAM J. Sci.
 * Stat. Comput. 13 (1992). Handles: slices of rows, Kreutzer, Hager, Wellein, Fehske, Bishop, SIAM
 * J. Sci. Comput. 36 (2014). */
#ifndef EXBLAS_SPARSE_H
#define EXBLAS_SPARSE_H

#include "exblas/solvers.h"
#include "exblas/types.h"

EXBLAS_BEGIN_C

/* y_i = RN(alpha S a_ij x_j + beta y_i). trans: A itself, EXBLAS_TRANS, EXBLAS_CONJ_TRANS. x has n
 * elements and y m, for the transposed forms x has m and y n. The transposed forms sort the entries
 * at each call: 16 bytes an entry beside the values; csr_transpose does that once. */
EXBLAS_API exblas_status exblas_scsrmv(int trans, exblas_int m, exblas_int n, float alpha,
                                       const exblas_int *row_start, const exblas_int *column,
                                       const float *value, const float *x, float beta, float *y);
EXBLAS_API exblas_status exblas_scsrmv_64(int trans, exblas_int64 m, exblas_int64 n, float alpha,
                                          const exblas_int64 *row_start, const exblas_int64 *column,
                                          const float *value, const float *x, float beta, float *y);
EXBLAS_API exblas_status exblas_dcsrmv(int trans, exblas_int m, exblas_int n, double alpha,
                                       const exblas_int *row_start, const exblas_int *column,
                                       const double *value, const double *x, double beta,
                                       double *y);
EXBLAS_API exblas_status exblas_dcsrmv_64(int trans, exblas_int64 m, exblas_int64 n, double alpha,
                                          const exblas_int64 *row_start, const exblas_int64 *column,
                                          const double *value, const double *x, double beta,
                                          double *y);
EXBLAS_API exblas_status exblas_ccsrmv(int trans, exblas_int m, exblas_int n, const void *alpha,
                                       const exblas_int *row_start, const exblas_int *column,
                                       const void *value, const void *x, const void *beta, void *y);
EXBLAS_API exblas_status exblas_ccsrmv_64(int trans, exblas_int64 m, exblas_int64 n,
                                          const void *alpha, const exblas_int64 *row_start,
                                          const exblas_int64 *column, const void *value,
                                          const void *x, const void *beta, void *y);
EXBLAS_API exblas_status exblas_zcsrmv(int trans, exblas_int m, exblas_int n, const void *alpha,
                                       const exblas_int *row_start, const exblas_int *column,
                                       const void *value, const void *x, const void *beta, void *y);
EXBLAS_API exblas_status exblas_zcsrmv_64(int trans, exblas_int64 m, exblas_int64 n,
                                          const void *alpha, const exblas_int64 *row_start,
                                          const exblas_int64 *column, const void *value,
                                          const void *x, const void *beta, void *y);

/* A matrix that is looked at once: checked, copied and laid out so that products are fast. */
typedef struct exblas_scsr_handle exblas_scsr_handle;
typedef struct exblas_dcsr_handle exblas_dcsr_handle;

/* Makes *out of a matrix, which may change or go afterwards. In memory it is about as large as the
 * matrix with 32-bit columns, less where the entries lie on a few diagonals; making it takes the
 * time of some dozens of products. EINVAL as csrmv, or out is null. */
EXBLAS_API exblas_status exblas_scsr_create(exblas_int m, exblas_int n, const exblas_int *row_start,
                                            const exblas_int *column, const float *value,
                                            exblas_scsr_handle **out);
EXBLAS_API exblas_status exblas_scsr_create_64(exblas_int64 m, exblas_int64 n,
                                               const exblas_int64 *row_start,
                                               const exblas_int64 *column, const float *value,
                                               exblas_scsr_handle **out);
EXBLAS_API exblas_status exblas_dcsr_create(exblas_int m, exblas_int n, const exblas_int *row_start,
                                            const exblas_int *column, const double *value,
                                            exblas_dcsr_handle **out);
EXBLAS_API exblas_status exblas_dcsr_create_64(exblas_int64 m, exblas_int64 n,
                                               const exblas_int64 *row_start,
                                               const exblas_int64 *column, const double *value,
                                               exblas_dcsr_handle **out);

/* Gives the handle back; NULL is allowed. */
EXBLAS_API void exblas_scsr_free(exblas_scsr_handle *a);
EXBLAS_API void exblas_dcsr_free(exblas_dcsr_handle *a);

/* y_i = RN(alpha S a_ij x_j + beta y_i), the bits of csrmv. Any number of calls at a time. */
EXBLAS_API exblas_status exblas_scsr_mv(const exblas_scsr_handle *a, float alpha, const float *x,
                                        float beta, float *y);
EXBLAS_API exblas_status exblas_dcsr_mv(const exblas_dcsr_handle *a, double alpha, const double *x,
                                        double beta, double *y);

/* y = RN(A x) for the handle: what a solver calls (exblas/solvers.h). EINVAL if A is not n x n. */
EXBLAS_API exblas_status exblas_scsr_handle_apply(void *handle, exblas_int64 n, const float *x,
                                                  float *y);
EXBLAS_API exblas_status exblas_dcsr_handle_apply(void *handle, exblas_int64 n, const double *x,
                                                  double *y);

/* The same with a symmetric n x n matrix of which the triangle uplo (EXBLAS_UPPER, EXBLAS_LOWER) is
 * used; entries beyond it are not looked at. Needs room for the whole matrix. */
EXBLAS_API exblas_status exblas_scsrsymv(int uplo, exblas_int n, float alpha,
                                         const exblas_int *row_start, const exblas_int *column,
                                         const float *value, const float *x, float beta, float *y);
EXBLAS_API exblas_status exblas_scsrsymv_64(int uplo, exblas_int64 n, float alpha,
                                            const exblas_int64 *row_start,
                                            const exblas_int64 *column, const float *value,
                                            const float *x, float beta, float *y);
EXBLAS_API exblas_status exblas_dcsrsymv(int uplo, exblas_int n, double alpha,
                                         const exblas_int *row_start, const exblas_int *column,
                                         const double *value, const double *x, double beta,
                                         double *y);
EXBLAS_API exblas_status exblas_dcsrsymv_64(int uplo, exblas_int64 n, double alpha,
                                            const exblas_int64 *row_start,
                                            const exblas_int64 *column, const double *value,
                                            const double *x, double beta, double *y);
EXBLAS_API exblas_status exblas_ccsrsymv(int uplo, exblas_int n, const void *alpha,
                                         const exblas_int *row_start, const exblas_int *column,
                                         const void *value, const void *x, const void *beta,
                                         void *y);
EXBLAS_API exblas_status exblas_ccsrsymv_64(int uplo, exblas_int64 n, const void *alpha,
                                            const exblas_int64 *row_start,
                                            const exblas_int64 *column, const void *value,
                                            const void *x, const void *beta, void *y);
EXBLAS_API exblas_status exblas_zcsrsymv(int uplo, exblas_int n, const void *alpha,
                                         const exblas_int *row_start, const exblas_int *column,
                                         const void *value, const void *x, const void *beta,
                                         void *y);
EXBLAS_API exblas_status exblas_zcsrsymv_64(int uplo, exblas_int64 n, const void *alpha,
                                            const exblas_int64 *row_start,
                                            const exblas_int64 *column, const void *value,
                                            const void *x, const void *beta, void *y);

/* The same with a Hermitian matrix. Imaginary parts of its diagonal are not looked at. */
EXBLAS_API exblas_status exblas_ccsrhemv(int uplo, exblas_int n, const void *alpha,
                                         const exblas_int *row_start, const exblas_int *column,
                                         const void *value, const void *x, const void *beta,
                                         void *y);
EXBLAS_API exblas_status exblas_ccsrhemv_64(int uplo, exblas_int64 n, const void *alpha,
                                            const exblas_int64 *row_start,
                                            const exblas_int64 *column, const void *value,
                                            const void *x, const void *beta, void *y);
EXBLAS_API exblas_status exblas_zcsrhemv(int uplo, exblas_int n, const void *alpha,
                                         const exblas_int *row_start, const exblas_int *column,
                                         const void *value, const void *x, const void *beta,
                                         void *y);
EXBLAS_API exblas_status exblas_zcsrhemv_64(int uplo, exblas_int64 n, const void *alpha,
                                            const exblas_int64 *row_start,
                                            const exblas_int64 *column, const void *value,
                                            const void *x, const void *beta, void *y);

/* C = RN(alpha op(A) B + beta C) for dense matrices B and C of n_vectors columns, row-major or
 * column-major with leading dimensions ldb and ldc. B has as many rows as op(A) has columns. */
EXBLAS_API exblas_status exblas_scsrmm(int layout, int trans, exblas_int m, exblas_int n,
                                       exblas_int n_vectors, float alpha,
                                       const exblas_int *row_start, const exblas_int *column,
                                       const float *value, const float *b, exblas_int ldb,
                                       float beta, float *c, exblas_int ldc);
EXBLAS_API exblas_status exblas_scsrmm_64(int layout, int trans, exblas_int64 m, exblas_int64 n,
                                          exblas_int64 n_vectors, float alpha,
                                          const exblas_int64 *row_start, const exblas_int64 *column,
                                          const float *value, const float *b, exblas_int64 ldb,
                                          float beta, float *c, exblas_int64 ldc);
EXBLAS_API exblas_status exblas_dcsrmm(int layout, int trans, exblas_int m, exblas_int n,
                                       exblas_int n_vectors, double alpha,
                                       const exblas_int *row_start, const exblas_int *column,
                                       const double *value, const double *b, exblas_int ldb,
                                       double beta, double *c, exblas_int ldc);
EXBLAS_API exblas_status exblas_dcsrmm_64(int layout, int trans, exblas_int64 m, exblas_int64 n,
                                          exblas_int64 n_vectors, double alpha,
                                          const exblas_int64 *row_start, const exblas_int64 *column,
                                          const double *value, const double *b, exblas_int64 ldb,
                                          double beta, double *c, exblas_int64 ldc);
EXBLAS_API exblas_status exblas_ccsrmm(int layout, int trans, exblas_int m, exblas_int n,
                                       exblas_int n_vectors, const void *alpha,
                                       const exblas_int *row_start, const exblas_int *column,
                                       const void *value, const void *b, exblas_int ldb,
                                       const void *beta, void *c, exblas_int ldc);
EXBLAS_API exblas_status exblas_ccsrmm_64(int layout, int trans, exblas_int64 m, exblas_int64 n,
                                          exblas_int64 n_vectors, const void *alpha,
                                          const exblas_int64 *row_start, const exblas_int64 *column,
                                          const void *value, const void *b, exblas_int64 ldb,
                                          const void *beta, void *c, exblas_int64 ldc);
EXBLAS_API exblas_status exblas_zcsrmm(int layout, int trans, exblas_int m, exblas_int n,
                                       exblas_int n_vectors, const void *alpha,
                                       const exblas_int *row_start, const exblas_int *column,
                                       const void *value, const void *b, exblas_int ldb,
                                       const void *beta, void *c, exblas_int ldc);
EXBLAS_API exblas_status exblas_zcsrmm_64(int layout, int trans, exblas_int64 m, exblas_int64 n,
                                          exblas_int64 n_vectors, const void *alpha,
                                          const exblas_int64 *row_start, const exblas_int64 *column,
                                          const void *value, const void *b, exblas_int64 ldb,
                                          const void *beta, void *c, exblas_int64 ldc);

/* The entries value_k at (row_k, column_k), k = 0 ... n_entries - 1, by rows, and columns in
 * ascending order; those with the same place become one, the sum rounded once (one alone keeps its
 * bits). to_row_start has m + 1 elements, to_column and to_value have room for n_entries; the
 * number of entries of the result is to_row_start_m. Working space: 16 bytes an entry, 8 a row or
 * column. */
EXBLAS_API exblas_status exblas_scoo_to_csr(exblas_int m, exblas_int n, exblas_int n_entries,
                                            const exblas_int *row, const exblas_int *column,
                                            const float *value, exblas_int *to_row_start,
                                            exblas_int *to_column, float *to_value);
EXBLAS_API exblas_status exblas_scoo_to_csr_64(exblas_int64 m, exblas_int64 n,
                                               exblas_int64 n_entries, const exblas_int64 *row,
                                               const exblas_int64 *column, const float *value,
                                               exblas_int64 *to_row_start, exblas_int64 *to_column,
                                               float *to_value);
EXBLAS_API exblas_status exblas_dcoo_to_csr(exblas_int m, exblas_int n, exblas_int n_entries,
                                            const exblas_int *row, const exblas_int *column,
                                            const double *value, exblas_int *to_row_start,
                                            exblas_int *to_column, double *to_value);
EXBLAS_API exblas_status exblas_dcoo_to_csr_64(exblas_int64 m, exblas_int64 n,
                                               exblas_int64 n_entries, const exblas_int64 *row,
                                               const exblas_int64 *column, const double *value,
                                               exblas_int64 *to_row_start, exblas_int64 *to_column,
                                               double *to_value);
EXBLAS_API exblas_status exblas_ccoo_to_csr(exblas_int m, exblas_int n, exblas_int n_entries,
                                            const exblas_int *row, const exblas_int *column,
                                            const void *value, exblas_int *to_row_start,
                                            exblas_int *to_column, void *to_value);
EXBLAS_API exblas_status exblas_ccoo_to_csr_64(exblas_int64 m, exblas_int64 n,
                                               exblas_int64 n_entries, const exblas_int64 *row,
                                               const exblas_int64 *column, const void *value,
                                               exblas_int64 *to_row_start, exblas_int64 *to_column,
                                               void *to_value);
EXBLAS_API exblas_status exblas_zcoo_to_csr(exblas_int m, exblas_int n, exblas_int n_entries,
                                            const exblas_int *row, const exblas_int *column,
                                            const void *value, exblas_int *to_row_start,
                                            exblas_int *to_column, void *to_value);
EXBLAS_API exblas_status exblas_zcoo_to_csr_64(exblas_int64 m, exblas_int64 n,
                                               exblas_int64 n_entries, const exblas_int64 *row,
                                               const exblas_int64 *column, const void *value,
                                               exblas_int64 *to_row_start, exblas_int64 *to_column,
                                               void *to_value);

/* The transpose of an m x n matrix: columns in ascending order, entries with the same place in the
 * order they had. to_row_start has n + 1 elements. */
EXBLAS_API exblas_status exblas_scsr_transpose(exblas_int m, exblas_int n,
                                               const exblas_int *row_start,
                                               const exblas_int *column, const float *value,
                                               exblas_int *to_row_start, exblas_int *to_column,
                                               float *to_value);
EXBLAS_API exblas_status exblas_scsr_transpose_64(exblas_int64 m, exblas_int64 n,
                                                  const exblas_int64 *row_start,
                                                  const exblas_int64 *column, const float *value,
                                                  exblas_int64 *to_row_start,
                                                  exblas_int64 *to_column, float *to_value);
EXBLAS_API exblas_status exblas_dcsr_transpose(exblas_int m, exblas_int n,
                                               const exblas_int *row_start,
                                               const exblas_int *column, const double *value,
                                               exblas_int *to_row_start, exblas_int *to_column,
                                               double *to_value);
EXBLAS_API exblas_status exblas_dcsr_transpose_64(exblas_int64 m, exblas_int64 n,
                                                  const exblas_int64 *row_start,
                                                  const exblas_int64 *column, const double *value,
                                                  exblas_int64 *to_row_start,
                                                  exblas_int64 *to_column, double *to_value);
EXBLAS_API exblas_status exblas_ccsr_transpose(exblas_int m, exblas_int n,
                                               const exblas_int *row_start,
                                               const exblas_int *column, const void *value,
                                               exblas_int *to_row_start, exblas_int *to_column,
                                               void *to_value);
EXBLAS_API exblas_status exblas_ccsr_transpose_64(exblas_int64 m, exblas_int64 n,
                                                  const exblas_int64 *row_start,
                                                  const exblas_int64 *column, const void *value,
                                                  exblas_int64 *to_row_start,
                                                  exblas_int64 *to_column, void *to_value);
EXBLAS_API exblas_status exblas_zcsr_transpose(exblas_int m, exblas_int n,
                                               const exblas_int *row_start,
                                               const exblas_int *column, const void *value,
                                               exblas_int *to_row_start, exblas_int *to_column,
                                               void *to_value);
EXBLAS_API exblas_status exblas_zcsr_transpose_64(exblas_int64 m, exblas_int64 n,
                                                  const exblas_int64 *row_start,
                                                  const exblas_int64 *column, const void *value,
                                                  exblas_int64 *to_row_start,
                                                  exblas_int64 *to_column, void *to_value);

EXBLAS_END_C

#endif
