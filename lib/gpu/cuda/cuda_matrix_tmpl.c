/* The public matrix routines on CUDA devices, in the layout that the handle has.
 * Types: s d c z. */
#include "core/check/check.h"
#include "core/type.h"
#include "exblas/cuda_complex.h"
#include "gpu/cuda/handle.h"
#include "gpu/scalar_argument.h"

#define cuda_name(name) EXB_PASTE3(exblas_cuda_, EXB_TYPE, name)

static exblas_status run(exblas_cuda_handle handle, exb_gpu_matrix_call *c,
                         void (*routine)(exb_gpu *, const exb_gpu_matrix_call *))
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle)) {
        c->is_s = EXB_IS_S;
        c->is_complex = EXB_IS_COMPLEX;
        c->layout = handle->layout;
        routine(&gpu, c);
    }
    return exb_cuda_end(&gpu);
}

exblas_status cuda_name(gemv)(exblas_cuda_handle handle, int trans, int64_t m, int64_t n,
                              exb_scalar_argument alpha, exb_values a, int64_t lda, exb_values x,
                              int64_t incx, exb_scalar_argument beta, exb_results y, int64_t incy)
{
    exb_gpu_matrix_call c = {.trans = trans,
                             .m = m,
                             .n = n,
                             .alpha = exb_gpu_address_of(alpha),
                             .a = exb_cuda_operand("a", a),
                             .lda = lda,
                             .x = exb_cuda_operand("x", x),
                             .incx = incx,
                             .beta = exb_gpu_address_of(beta),
                             .y = exb_cuda_operand("y", y),
                             .incy = incy};
    return run(handle, &c, exb_gpu_call_gemv);
}

exblas_status cuda_name(trsv)(exblas_cuda_handle handle, int uplo, int trans, int diag, int64_t n,
                              exb_values a, int64_t lda, exb_results x, int64_t incx)
{
    exb_gpu_matrix_call c = {.uplo = uplo,
                             .trans = trans,
                             .diag = diag,
                             .n = n,
                             .a = exb_cuda_operand("a", a),
                             .lda = lda,
                             .x = exb_cuda_operand("x", x),
                             .incx = incx};
    return run(handle, &c, exb_gpu_call_trsv);
}

exblas_status cuda_name(gemm)(exblas_cuda_handle handle, int transa, int transb, int64_t m,
                              int64_t n, int64_t k, exb_scalar_argument alpha, exb_values a,
                              int64_t lda, exb_values b, int64_t ldb, exb_scalar_argument beta,
                              exb_results c, int64_t ldc)
{
    exb_gpu_matrix_call call = {.trans = transa,
                                .transb = transb,
                                .m = m,
                                .n = n,
                                .k = k,
                                .alpha = exb_gpu_address_of(alpha),
                                .a = exb_cuda_operand("a", a),
                                .lda = lda,
                                .b = exb_cuda_operand("b", b),
                                .ldb = ldb,
                                .beta = exb_gpu_address_of(beta),
                                .c = exb_cuda_operand("c", c),
                                .ldc = ldc};
    return run(handle, &call, exb_gpu_call_gemm);
}

/* i elements after x, which may be NULL. */
static void *matrix_at(const void *x, int64_t i)
{
    exb_real *p = (exb_real *)(uintptr_t)x;
    return p ? p + EXB_PARTS * i : p;
}

/* One after the other; the check of the whole comes first. */
exblas_status cuda_name(gemm_batch_strided)(exblas_cuda_handle handle, int transa, int transb,
                                            int64_t m, int64_t n, int64_t k,
                                            exb_scalar_argument alpha, exb_values a, int64_t lda,
                                            int64_t stridea, exb_values b, int64_t ldb,
                                            int64_t strideb, exb_scalar_argument beta,
                                            exb_results c, int64_t ldc, int64_t stridec,
                                            int64_t batch)
{
    exb_gpu gpu;
    if (exb_cuda_enter(&gpu, handle))
        exb_gpu_check_batch(&gpu, handle->layout, transa, transb,
                            (const exb_i64[]){m, n, k, lda, ldb, ldc, stridec, batch});
    exblas_status status = exb_cuda_end(&gpu);
    for (exb_i64 i = 0; i < batch && status == EXBLAS_OK; i++)
        status =
            cuda_name(gemm)(handle, transa, transb, m, n, k, alpha, matrix_at(a, i * stridea), lda,
                            matrix_at(b, i * strideb), ldb, beta, matrix_at(c, i * stridec), ldc);
    return status;
}

static exblas_status multiply_symmetric(bool hermitian, exblas_cuda_handle handle, int side,
                                        int uplo, int64_t m, int64_t n, const void *alpha,
                                        exb_values a, int64_t lda, exb_values b, int64_t ldb,
                                        const void *beta, exb_results c, int64_t ldc)
{
    exb_gpu_matrix_call call = {.hermitian = hermitian,
                                .side = side,
                                .uplo = uplo,
                                .m = m,
                                .n = n,
                                .alpha = alpha,
                                .a = exb_cuda_operand("a", a),
                                .lda = lda,
                                .b = exb_cuda_operand("b", b),
                                .ldb = ldb,
                                .beta = beta,
                                .c = exb_cuda_operand("c", c),
                                .ldc = ldc};
    return run(handle, &call, exb_gpu_call_symm);
}

exblas_status cuda_name(symm)(exblas_cuda_handle handle, int side, int uplo, int64_t m, int64_t n,
                              exb_scalar_argument alpha, exb_values a, int64_t lda, exb_values b,
                              int64_t ldb, exb_scalar_argument beta, exb_results c, int64_t ldc)
{
    return multiply_symmetric(false, handle, side, uplo, m, n, exb_gpu_address_of(alpha), a, lda, b,
                              ldb, exb_gpu_address_of(beta), c, ldc);
}

static exblas_status update_triangle(bool hermitian, exblas_cuda_handle handle, int uplo, int trans,
                                     int64_t n, int64_t k, const void *alpha, exb_values a,
                                     int64_t lda, const void *beta, exb_results c, int64_t ldc)
{
    exb_gpu_matrix_call call = {.hermitian = hermitian,
                                .uplo = uplo,
                                .trans = trans,
                                .n = n,
                                .k = k,
                                .alpha = alpha,
                                .a = exb_cuda_operand("a", a),
                                .lda = lda,
                                .beta = beta,
                                .c = exb_cuda_operand("c", c),
                                .ldc = ldc};
    return run(handle, &call, exb_gpu_call_syrk);
}

exblas_status cuda_name(syrk)(exblas_cuda_handle handle, int uplo, int trans, int64_t n, int64_t k,
                              exb_scalar_argument alpha, exb_values a, int64_t lda,
                              exb_scalar_argument beta, exb_results c, int64_t ldc)
{
    return update_triangle(false, handle, uplo, trans, n, k, exb_gpu_address_of(alpha), a, lda,
                           exb_gpu_address_of(beta), c, ldc);
}

static exblas_status by_triangle(void (*routine)(exb_gpu *, const exb_gpu_matrix_call *),
                                 exblas_cuda_handle handle, int side, int uplo, int trans, int diag,
                                 int64_t m, int64_t n, const void *alpha, exb_values a, int64_t lda,
                                 exb_results b, int64_t ldb)
{
    exb_gpu_matrix_call call = {.side = side,
                                .uplo = uplo,
                                .trans = trans,
                                .diag = diag,
                                .m = m,
                                .n = n,
                                .alpha = alpha,
                                .a = exb_cuda_operand("a", a),
                                .lda = lda,
                                .b = exb_cuda_operand("b", b),
                                .ldb = ldb};
    return run(handle, &call, routine);
}

exblas_status cuda_name(trsm)(exblas_cuda_handle handle, int side, int uplo, int trans, int diag,
                              int64_t m, int64_t n, exb_scalar_argument alpha, exb_values a,
                              int64_t lda, exb_results b, int64_t ldb)
{
    return by_triangle(exb_gpu_call_trsm, handle, side, uplo, trans, diag, m, n,
                       exb_gpu_address_of(alpha), a, lda, b, ldb);
}

exblas_status cuda_name(trmm)(exblas_cuda_handle handle, int side, int uplo, int trans, int diag,
                              int64_t m, int64_t n, exb_scalar_argument alpha, exb_values a,
                              int64_t lda, exb_results b, int64_t ldb)
{
    return by_triangle(exb_gpu_call_trmm, handle, side, uplo, trans, diag, m, n,
                       exb_gpu_address_of(alpha), a, lda, b, ldb);
}

#if EXB_IS_COMPLEX

exblas_status cuda_name(hemm)(exblas_cuda_handle handle, int side, int uplo, int64_t m, int64_t n,
                              exb_scalar_argument alpha, exb_values a, int64_t lda, exb_values b,
                              int64_t ldb, exb_scalar_argument beta, exb_results c, int64_t ldc)
{
    return multiply_symmetric(true, handle, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}

exblas_status cuda_name(herk)(exblas_cuda_handle handle, int uplo, int trans, int64_t n, int64_t k,
                              exb_real alpha, exb_values a, int64_t lda, exb_real beta,
                              exb_results c, int64_t ldc)
{
    return update_triangle(true, handle, uplo, trans, n, k, &alpha, a, lda, &beta, c, ldc);
}

#endif
