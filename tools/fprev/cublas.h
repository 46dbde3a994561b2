/* cuBLAS, if its libraries can be loaded: nothing of CUDA is needed to build. */
#ifndef FPREV_CUBLAS_H
#define FPREV_CUBLAS_H

#include "blas.h"

#include <stddef.h>

typedef struct fprev_cublas fprev_cublas;

/* Host arrays of one problem. x, y: as the routine reads them; out: results, read before if beta
 * is not 0. */
typedef struct {
    void *x, *y, *out;
    size_t x_bytes, y_bytes, out_bytes;
    int64_t ldb;
} fprev_arrays;

/* Loads the libraries and makes a handle and device memory. Routines dot, asum, gemv, gemm
 * in double and float; gemm also of half and bfloat16 with results in float (cublasGemmEx). NULL
 * with one line in error if that cannot be had. */
fprev_cublas *fprev_cublas_open(const fprev_problem *p, const fprev_arrays *arrays, char found[64],
                                char error[256]);

/* Copies, calls, copies back; false if one of these failed. */
bool fprev_cublas_call(fprev_cublas *c, const fprev_arrays *arrays, double alpha, double beta);

void fprev_cublas_close(fprev_cublas *c);

#endif
