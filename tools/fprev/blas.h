/* The BLAS of a shared library as a function to be asked. */
#pragma once

#include "fprev.h"

typedef enum { FPREV_SUM, FPREV_DOT, FPREV_ASUM, FPREV_GEMV, FPREV_GEMM } fprev_routine;
typedef enum {
    FPREV_ABI_UNKNOWN,
    FPREV_ABI_FORTRAN,
    FPREV_ABI_CBLAS,
    FPREV_ABI_FORTRAN64,
    FPREV_ABI_CBLAS64
} fprev_abi;

/* What is called. Sums, dots: n terms. gemv N and T, column-major: A is m x n; terms run along
 * the columns for N, the rows for T. gemm: C is m x n, k terms, A and B not transposed or both. */
typedef struct {
    fprev_routine routine;
    fprev_type type;      /* double or float */
    int64_t m, n, k, lda; /* lda 0: as small as possible */
    int64_t incx;         /* of sums' and dots' x */
    bool transposed;
    int64_t align; /* arrays begin this many bytes after a multiple of 64 */
} fprev_problem;

/* Loads the library and takes the first symbol that it has of these names, each behind the digit of
 * its fprev_abi, fills in f and returns the name. Ends the process with a line if it cannot; `what`
 * is what it lacks then. */
const char *fprev_blas_start(fprev_function *f, const fprev_problem *p, const char *library,
                             const char *what, int n_names, char **names);
