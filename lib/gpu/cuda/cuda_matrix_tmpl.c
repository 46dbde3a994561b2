/* The public matrix routines on CUDA devices: column-major. */
#include "core/check/check.h"
#include "core/type.h"
#include "gpu/cuda/handle.h"

#define cuda_name(name) EXB_PASTE3(exblas_cuda_, EXB_TYPE, name)

exblas_status cuda_name(gemv)(exblas_cuda_handle handle, int trans, int64_t m, int64_t n,
                              exb_real alpha, const exb_real *a, int64_t lda, const exb_real *x,
                              int64_t incx, exb_real beta, exb_real *y, int64_t incy)
{
    exb_gpu gpu;
    exb_gpu_matrix_call c = {.is_s = EXB_IS_S,
                             .layout = EXB_COL_MAJOR,
                             .trans = trans,
                             .m = m,
                             .n = n,
                             .alpha = &alpha,
                             .a = exb_cuda_operand("a", a),
                             .lda = lda,
                             .x = exb_cuda_operand("x", x),
                             .incx = incx,
                             .beta = &beta,
                             .y = exb_cuda_operand("y", y),
                             .incy = incy};
    if (exb_cuda_begin(&gpu, handle))
        exb_gpu_call_gemv(&gpu, &c);
    return exb_cuda_end(&gpu);
}

exblas_status cuda_name(trsv)(exblas_cuda_handle handle, int uplo, int trans, int diag, int64_t n,
                              const exb_real *a, int64_t lda, exb_real *x, int64_t incx)
{
    exb_gpu gpu;
    exb_gpu_matrix_call c = {.is_s = EXB_IS_S,
                             .layout = EXB_COL_MAJOR,
                             .uplo = uplo,
                             .trans = trans,
                             .diag = diag,
                             .n = n,
                             .a = exb_cuda_operand("a", a),
                             .lda = lda,
                             .x = exb_cuda_operand("x", x),
                             .incx = incx};
    if (exb_cuda_begin(&gpu, handle))
        exb_gpu_call_trsv(&gpu, &c);
    return exb_cuda_end(&gpu);
}

exblas_status cuda_name(gemm)(exblas_cuda_handle handle, int transa, int transb, int64_t m,
                              int64_t n, int64_t k, exb_real alpha, const exb_real *a, int64_t lda,
                              const exb_real *b, int64_t ldb, exb_real beta, exb_real *c,
                              int64_t ldc)
{
    exb_gpu gpu;
    exb_gpu_matrix_call call = {.is_s = EXB_IS_S,
                                .layout = EXB_COL_MAJOR,
                                .trans = transa,
                                .transb = transb,
                                .m = m,
                                .n = n,
                                .k = k,
                                .alpha = &alpha,
                                .a = exb_cuda_operand("a", a),
                                .lda = lda,
                                .b = exb_cuda_operand("b", b),
                                .ldb = ldb,
                                .beta = &beta,
                                .c = exb_cuda_operand("c", c),
                                .ldc = ldc};
    if (exb_cuda_begin(&gpu, handle))
        exb_gpu_call_gemm(&gpu, &call);
    return exb_cuda_end(&gpu);
}
