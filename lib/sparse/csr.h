/* Products of sparse matrices, stored by rows, with vectors. */
#pragma once

#include "acc/pieces.h"
#include "element/line.h"
#include "level2/vectors.h"

#include "exblas/types.h"

/* m rows, n columns. The entries of row i are those from row_start_i to row_start_{i+1}; several
 * may have one place: their sum counts. Without row_start there are no entries. Hermitian: entries
 * on the diagonal are real, and are stored with 0 as their imaginary part. */
typedef struct {
    int64_t m, n;
    exb_index row_start, column;
    const exb_real *value;
    bool conjugated, hermitian;
} exb_t(csr);

EXB_INLINE exb_t(csr) exb_t(csr_of)(int64_t m, int64_t n, exb_index row_start, exb_index column,
                                    const exb_real *value)
{
    return (exb_t(csr)){m, n, row_start, column, value, false, false};
}

/* y_ij = RN(alpha S a_il x_lj + beta y_ij) for n_vectors vectors j, whose first elements are x_next
 * and y_next elements apart. alpha is not 0; beta = 0: y is not read. y overlaps nothing. With
 * row_order, the element of row i is number row_order_i of y. */
typedef struct {
    exb_t(csr) a;
    int64_t n_vectors;
    exb_complex alpha, beta;
    exb_t(vector) x;
    int64_t x_next;
    exb_real *y;
    int64_t incy, y_next;
    exb_index row_order;
} exb_t(csr_product);

/* Of a product, for each thread. */
enum { EXB_CSR_TASKS = 8 };

/* What a block of rows leaves for the next. */
typedef struct {
    int g;         /* the anchor's exponent */
    bool has_ties; /* only exact sums decided all its rows */
} exb_experience;

EXB_INLINE exb_slices exb_t(csr_rows)(const exb_t(csr) *a)
{
    return (exb_slices){a->m, a->row_start};
}

EXB_INLINE int64_t exb_t(csr_begin)(const exb_t(csr) *a, int64_t i)
{
    return exb_index_is_none(a->row_start) ? 0 : exb_index_at(a->row_start, i);
}

/* False: a size is negative, an array is missing, row_start decreases, a column is outside
 * 0 ... n - 1. */
bool exb_t(csr_is_good)(const exb_t(csr) *a);

/* With as many threads as pay off, in the default floating-point environment. */
void exb_t(csr_multiply)(const exb_t(csr_product) *p);

/* Rows first ... first + n_rows - 1 of vector j, from sums h + l +- bound of their parts, in arrays
 * that go on to a multiple of 8, to r; returns the parts of rows that are not certified, a bit
 * each. */
uint64_t exb_t(csr_round)(const exb_t(csr_product) *p, int64_t first, int n_rows, int64_t j,
                          double *h, double *l, double bound, exb_real *r);

/* Row i alone, by one thread, without a block: for rows that blocks left. */
void exb_t(csr_multiply_row)(const exb_t(csr_product) *p, int64_t i);

/* What a matrix stands for: itself, or what csr_make makes of it. A triangle's other entries are
 * left out; SYMMETRIC, HERMITIAN: those that are not on the diagonal count in both places. */
typedef enum {
    EXB_CSR_AS_IT_IS,
    EXB_CSR_TRANSPOSED,
    EXB_CSR_SYMMETRIC,
    EXB_CSR_HERMITIAN
} exb_csr_form;

/* A^T, or the whole of a symmetric or Hermitian matrix of which the triangle `uplo` is stored, with
 * 64-bit indices; in memory that is to be given back (memory.h). a is good. ENOMEM: nothing was
 * made. */
exblas_status exb_t(csr_make)(const exb_t(csr) *a, exb_csr_form form, int uplo, exb_t(csr) *out,
                              void **memory);
