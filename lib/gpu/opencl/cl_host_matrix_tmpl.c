/* The matrix routines on host memory: operands are copied to scratch memory without their gaps, the
 * call is made on these, and what comes out is copied back when all went well.
 * Types: s d c z. */
#include "core/check/check.h"
#include "core/type.h"
#include "exblas/opencl_complex.h"
#include "gpu/opencl/cl_host.h"
#include "gpu/scalar_argument.h"

#define cl_host_name(name) EXB_PASTE3(exblas_cl_host_, EXB_TYPE, name)

enum { ELEMENT = EXB_PARTS * sizeof(exb_real) };

/* op(X) of rows x cols; *ld becomes that of the copy. */
static exb_gpu_operand upload_matrix(exb_gpu *gpu, const char *name, exb_values x, int layout,
                                     int trans, size_t rows, size_t cols, exb_i64 *ld)
{
    bool plain = trans == EXB_NO_TRANS;
    exb_cl_runs r = exb_cl_stored(layout, plain ? rows : cols, plain ? cols : rows, (size_t)*ld);
    *ld = exb_cl_packed_ld(r);
    return exb_cl_upload(gpu, name, x, r, ELEMENT);
}

/* *inc becomes that of the copy. */
static exb_gpu_operand upload_vector(exb_gpu *gpu, const char *name, exb_values x, size_t n,
                                     exb_i64 *inc)
{
    exb_cl_runs r = exb_cl_strided(n, *inc);
    *inc = exb_cl_packed_inc(*inc);
    return exb_cl_upload(gpu, name, x, r, ELEMENT);
}

exblas_status cl_host_name(gemv)(cl_command_queue queue, int layout, int trans, size_t m, size_t n,
                                 exb_scalar_argument alpha, exb_values a, size_t lda, exb_values x,
                                 exblas_int64 incx, exb_scalar_argument beta, exb_results y,
                                 exblas_int64 incy)
{
    exb_gpu gpu;
    exb_gpu_matrix_call c = {.is_s = EXB_IS_S,
                             .is_complex = EXB_IS_COMPLEX,
                             .layout = layout,
                             .trans = trans,
                             .m = (exb_i64)m,
                             .n = (exb_i64)n,
                             .alpha = exb_gpu_address_of(alpha),
                             .lda = (exb_i64)lda,
                             .incx = incx,
                             .beta = exb_gpu_address_of(beta),
                             .incy = incy};
    if (exb_cl_begin(&gpu, queue, 0, NULL) && exb_gpu_check_gemv(&gpu, &c) && m > 0 && n > 0) {
        size_t rows = trans == EXB_NO_TRANS ? m : n, cols = trans == EXB_NO_TRANS ? n : m;
        exb_cl_runs to = exb_cl_strided(rows, incy);
        c.a = upload_matrix(&gpu, "A", a, layout, EXB_NO_TRANS, m, n, &c.lda);
        c.x = upload_vector(&gpu, "x", x, cols, &c.incx);
        c.y = upload_vector(&gpu, "y", y, rows, &c.incy);
        exb_gpu_call_gemv(&gpu, &c);
        exb_cl_download(&gpu, c.y, to, y, ELEMENT);
    }
    return exb_cl_end(&gpu, NULL);
}

exblas_status cl_host_name(trsv)(cl_command_queue queue, int layout, int uplo, int trans, int diag,
                                 size_t n, exb_values a, size_t lda, exb_results x,
                                 exblas_int64 incx)
{
    exb_gpu gpu;
    exb_gpu_matrix_call c = {.is_s = EXB_IS_S,
                             .is_complex = EXB_IS_COMPLEX,
                             .layout = layout,
                             .uplo = uplo,
                             .trans = trans,
                             .diag = diag,
                             .n = (exb_i64)n,
                             .lda = (exb_i64)lda,
                             .incx = incx};
    if (exb_cl_begin(&gpu, queue, 0, NULL) && exb_gpu_check_trsv(&gpu, &c) && n > 0) {
        c.a = upload_matrix(&gpu, "A", a, layout, EXB_NO_TRANS, n, n, &c.lda);
        c.x = upload_vector(&gpu, "x", x, n, &c.incx);
        exb_gpu_call_trsv(&gpu, &c);
        exb_cl_download(&gpu, c.x, exb_cl_strided(n, incx), x, ELEMENT);
    }
    return exb_cl_end(&gpu, NULL);
}

exblas_status cl_host_name(gemm)(cl_command_queue queue, int layout, int transa, int transb,
                                 size_t m, size_t n, size_t k, exb_scalar_argument alpha,
                                 exb_values a, size_t lda, exb_values b, size_t ldb,
                                 exb_scalar_argument beta, exb_results c, size_t ldc)
{
    exb_gpu gpu;
    exb_gpu_matrix_call call = {.is_s = EXB_IS_S,
                                .is_complex = EXB_IS_COMPLEX,
                                .layout = layout,
                                .trans = transa,
                                .transb = transb,
                                .m = (exb_i64)m,
                                .n = (exb_i64)n,
                                .k = (exb_i64)k,
                                .alpha = exb_gpu_address_of(alpha),
                                .lda = (exb_i64)lda,
                                .ldb = (exb_i64)ldb,
                                .beta = exb_gpu_address_of(beta),
                                .ldc = (exb_i64)ldc};
    if (exb_cl_begin(&gpu, queue, 0, NULL) && exb_gpu_check_gemm(&gpu, &call) && m > 0 && n > 0) {
        exb_cl_runs to = exb_cl_stored(layout, m, n, ldc);
        call.a = upload_matrix(&gpu, "A", a, layout, transa, m, k, &call.lda);
        call.b = upload_matrix(&gpu, "B", b, layout, transb, k, n, &call.ldb);
        call.c = upload_matrix(&gpu, "C", c, layout, EXB_NO_TRANS, m, n, &call.ldc);
        exb_gpu_call_gemm(&gpu, &call);
        exb_cl_download(&gpu, call.c, to, c, ELEMENT);
    }
    return exb_cl_end(&gpu, NULL);
}
