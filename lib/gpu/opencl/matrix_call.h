/* What the matrix routines of the OpenCL interface share: checked arguments as views. */
#ifndef EXB_CL_MATRIX_CALL_H
#define EXB_CL_MATRIX_CALL_H

#include "gpu/flow/matrix.h"
#include "gpu/opencl/context.h"

/* Fails with BLAS's number of the first bad argument (CBLAS's: 1 is the layout), as found by one of
 * core's checks. */
typedef struct {
    int layout, trans, transb, uplo, diag;
    size_t m, n, k, lda, ldb, ldc;
    exblas_int64 incx, incy;
} exb_cl_arguments;

void exb_cl_check_gemv(exb_gpu *gpu, const exb_cl_arguments *a);
void exb_cl_check_trsv(exb_gpu *gpu, const exb_cl_arguments *a);
void exb_cl_check_gemm(exb_gpu *gpu, const exb_cl_arguments *a);

/* op(A), rows x cols, stored with leading dimension ld at `offset`; the stored matrix must lie in
 * the buffer. Empty ones are not looked at. */
exb_gpu_matrix exb_cl_matrix(exb_gpu *gpu, const char *name, bool is_s, int layout, int trans,
                             size_t rows, size_t cols, cl_mem buffer, size_t offset, size_t ld);

/* n elements; a negative increment starts at the far end, as in BLAS. */
exb_gpu_vector exb_cl_vector(exb_gpu *gpu, const char *name, bool is_s, size_t n, cl_mem buffer,
                             size_t offset, exblas_int64 inc);

/* The system of a triangle: a lower one whose first unknown comes first. An upper triangle
 * (after the transposition) is read from its end. */
typedef struct {
    exb_gpu_matrix t;
    exb_gpu_vector x;
} exb_cl_system;

exb_cl_system exb_cl_lower(bool is_s, bool is_lower, size_t n, exb_gpu_matrix t, exb_gpu_vector x);

#endif
