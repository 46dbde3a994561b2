/* One call of a BLAS routine as plain mathematics: packed column-major
 * operands without strides, every number a double (floats for type 's' are
 * doubles that are floats). How it lies in memory and which entry is called is
 * a placement (blas_run.h); what comes out is decided by the oracle or a case
 * file. */
#ifndef BLAS_CASE_H
#define BLAS_CASE_H

#include "test_bits.h"

#include <stddef.h>

typedef enum {
    OP_SUM,
    OP_ASUM,
    OP_NRM2,
    OP_DOT,
    OP_DSDOT,  /* type 's' only, answer in double */
    OP_SDSDOT, /* type 's' only, alpha is sb */
    OP_GEMV,   /* a is m x n */
    OP_TRSV,   /* a is n x n, x is solved in place */
    OP_GEMM,   /* op(a) is m x k, op(b) k x n */
    OP_SYRK,   /* op(a) is n x k, c n x n; transa says op */
    N_OPS
} blas_op;

typedef struct {
    blas_op op;
    char type;                       /* 's' or 'd' */
    char transa, transb, uplo, diag; /* 'n' 't' 'c', 'l' 'u', 'n' 'u' */
    int64_t m, n, k;
    double alpha, beta;
    const double *x, *y, *a, *b, *c; /* as the operation needs them */
} blas_case;

/* A matrix operand: stored shape and the triangle that is read. */
typedef struct {
    int64_t n_rows, n_cols;
    char uplo;      /* 'l' or 'u', 0: all of it */
    bool unit_diag; /* the diagonal is not read */
} matrix_shape;

const char *blas_op_name(blas_op op);                    /* "gemv" */
void blas_case_name(const blas_case *c, char name[8]);   /* "dgemv" */
void blas_case_text(const blas_case *c, char text[160]); /* for messages */
number_format blas_input_format(const blas_case *c);
number_format blas_output_format(const blas_case *c);

bool blas_op_is_level1(blas_op op);
/* Lengths of the vectors, 0 if the operation has none of that name. */
int64_t blas_x_length(const blas_case *c);
int64_t blas_y_length(const blas_case *c);
matrix_shape blas_a_shape(const blas_case *c);
matrix_shape blas_b_shape(const blas_case *c);
matrix_shape blas_c_shape(const blas_case *c);
bool shape_contains(matrix_shape s, int64_t row, int64_t col);

/* Numbers that come out: 1, or the elements of y, x or c (all n x n of syrk,
 * where the other triangle does not count). */
size_t blas_result_length(const blas_case *c);

/* Whether the operand is read, or its old value counts; false where BLAS says that it
 * is not read at all. */
bool blas_reads_a_b_x(const blas_case *c);
bool blas_reads_c_y(const blas_case *c);

#endif
