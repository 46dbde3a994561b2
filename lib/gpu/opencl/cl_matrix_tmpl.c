/* The public matrix routines on device buffers.
 * Types: s d c z. */
#include "core/type.h"
#include "exblas/opencl_complex.h"
#include "gpu/flow/front.h"
#include "gpu/opencl/context.h"
#include "gpu/scalar_argument.h"

#define cl_name(name) EXB_PASTE3(exblas_cl_, EXB_TYPE, name)

static exblas_status run(cl_command_queue queue, exb_gpu_matrix_call *c,
                         void (*routine)(exb_gpu *, const exb_gpu_matrix_call *), cl_uint n_wait,
                         const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    if (exb_cl_begin(&gpu, queue, n_wait, wait)) {
        c->is_s = EXB_IS_S;
        c->is_complex = EXB_IS_COMPLEX;
        routine(&gpu, c);
    }
    return exb_cl_end(&gpu, done);
}

exblas_status cl_name(gemv)(cl_command_queue queue, int layout, int trans, size_t m, size_t n,
                            exb_scalar_argument alpha, cl_mem a, size_t offa, size_t lda, cl_mem x,
                            size_t offx, exblas_int64 incx, exb_scalar_argument beta, cl_mem y,
                            size_t offy, exblas_int64 incy, cl_uint n_wait, const cl_event *wait,
                            cl_event *done)
{
    exb_gpu_matrix_call c = {.layout = layout,
                             .trans = trans,
                             .m = (exb_i64)m,
                             .n = (exb_i64)n,
                             .alpha = exb_gpu_address_of(alpha),
                             .a = {"A", a, offa},
                             .lda = (exb_i64)lda,
                             .x = {"x", x, offx},
                             .incx = incx,
                             .beta = exb_gpu_address_of(beta),
                             .y = {"y", y, offy},
                             .incy = incy};
    return run(queue, &c, exb_gpu_call_gemv, n_wait, wait, done);
}

exblas_status cl_name(trsv)(cl_command_queue queue, int layout, int uplo, int trans, int diag,
                            size_t n, cl_mem a, size_t offa, size_t lda, cl_mem x, size_t offx,
                            exblas_int64 incx, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu_matrix_call c = {.layout = layout,
                             .uplo = uplo,
                             .trans = trans,
                             .diag = diag,
                             .n = (exb_i64)n,
                             .a = {"A", a, offa},
                             .lda = (exb_i64)lda,
                             .x = {"x", x, offx},
                             .incx = incx};
    return run(queue, &c, exb_gpu_call_trsv, n_wait, wait, done);
}

exblas_status cl_name(gemm)(cl_command_queue queue, int layout, int transa, int transb, size_t m,
                            size_t n, size_t k, exb_scalar_argument alpha, cl_mem a, size_t offa,
                            size_t lda, cl_mem b, size_t offb, size_t ldb, exb_scalar_argument beta,
                            cl_mem c, size_t offc, size_t ldc, cl_uint n_wait, const cl_event *wait,
                            cl_event *done)
{
    exb_gpu_matrix_call call = {.layout = layout,
                                .trans = transa,
                                .transb = transb,
                                .m = (exb_i64)m,
                                .n = (exb_i64)n,
                                .k = (exb_i64)k,
                                .alpha = exb_gpu_address_of(alpha),
                                .a = {"A", a, offa},
                                .lda = (exb_i64)lda,
                                .b = {"B", b, offb},
                                .ldb = (exb_i64)ldb,
                                .beta = exb_gpu_address_of(beta),
                                .c = {"C", c, offc},
                                .ldc = (exb_i64)ldc};
    return run(queue, &call, exb_gpu_call_gemm, n_wait, wait, done);
}

static exblas_status multiply_symmetric(bool hermitian, cl_command_queue queue, int layout,
                                        int side, int uplo, size_t m, size_t n, const void *alpha,
                                        cl_mem a, size_t offa, size_t lda, cl_mem b, size_t offb,
                                        size_t ldb, const void *beta, cl_mem c, size_t offc,
                                        size_t ldc, cl_uint n_wait, const cl_event *wait,
                                        cl_event *done)
{
    exb_gpu_matrix_call call = {.hermitian = hermitian,
                                .layout = layout,
                                .side = side,
                                .uplo = uplo,
                                .m = (exb_i64)m,
                                .n = (exb_i64)n,
                                .alpha = alpha,
                                .a = {"A", a, offa},
                                .lda = (exb_i64)lda,
                                .b = {"B", b, offb},
                                .ldb = (exb_i64)ldb,
                                .beta = beta,
                                .c = {"C", c, offc},
                                .ldc = (exb_i64)ldc};
    return run(queue, &call, exb_gpu_call_symm, n_wait, wait, done);
}

exblas_status cl_name(symm)(cl_command_queue queue, int layout, int side, int uplo, size_t m,
                            size_t n, exb_scalar_argument alpha, cl_mem a, size_t offa, size_t lda,
                            cl_mem b, size_t offb, size_t ldb, exb_scalar_argument beta, cl_mem c,
                            size_t offc, size_t ldc, cl_uint n_wait, const cl_event *wait,
                            cl_event *done)
{
    return multiply_symmetric(false, queue, layout, side, uplo, m, n, exb_gpu_address_of(alpha), a,
                              offa, lda, b, offb, ldb, exb_gpu_address_of(beta), c, offc, ldc,
                              n_wait, wait, done);
}

static exblas_status update_triangle(bool hermitian, cl_command_queue queue, int layout, int uplo,
                                     int trans, size_t n, size_t k, const void *alpha, cl_mem a,
                                     size_t offa, size_t lda, const void *beta, cl_mem c,
                                     size_t offc, size_t ldc, cl_uint n_wait, const cl_event *wait,
                                     cl_event *done)
{
    exb_gpu_matrix_call call = {.hermitian = hermitian,
                                .layout = layout,
                                .uplo = uplo,
                                .trans = trans,
                                .n = (exb_i64)n,
                                .k = (exb_i64)k,
                                .alpha = alpha,
                                .a = {"A", a, offa},
                                .lda = (exb_i64)lda,
                                .beta = beta,
                                .c = {"C", c, offc},
                                .ldc = (exb_i64)ldc};
    return run(queue, &call, exb_gpu_call_syrk, n_wait, wait, done);
}

exblas_status cl_name(syrk)(cl_command_queue queue, int layout, int uplo, int trans, size_t n,
                            size_t k, exb_scalar_argument alpha, cl_mem a, size_t offa, size_t lda,
                            exb_scalar_argument beta, cl_mem c, size_t offc, size_t ldc,
                            cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    return update_triangle(false, queue, layout, uplo, trans, n, k, exb_gpu_address_of(alpha), a,
                           offa, lda, exb_gpu_address_of(beta), c, offc, ldc, n_wait, wait, done);
}

static exblas_status by_triangle(void (*routine)(exb_gpu *, const exb_gpu_matrix_call *),
                                 cl_command_queue queue, int layout, int side, int uplo, int trans,
                                 int diag, size_t m, size_t n, const void *alpha, cl_mem a,
                                 size_t offa, size_t lda, cl_mem b, size_t offb, size_t ldb,
                                 cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu_matrix_call call = {.layout = layout,
                                .side = side,
                                .uplo = uplo,
                                .trans = trans,
                                .diag = diag,
                                .m = (exb_i64)m,
                                .n = (exb_i64)n,
                                .alpha = alpha,
                                .a = {"A", a, offa},
                                .lda = (exb_i64)lda,
                                .b = {"B", b, offb},
                                .ldb = (exb_i64)ldb};
    return run(queue, &call, routine, n_wait, wait, done);
}

exblas_status cl_name(trsm)(cl_command_queue queue, int layout, int side, int uplo, int trans,
                            int diag, size_t m, size_t n, exb_scalar_argument alpha, cl_mem a,
                            size_t offa, size_t lda, cl_mem b, size_t offb, size_t ldb,
                            cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    return by_triangle(exb_gpu_call_trsm, queue, layout, side, uplo, trans, diag, m, n,
                       exb_gpu_address_of(alpha), a, offa, lda, b, offb, ldb, n_wait, wait, done);
}

exblas_status cl_name(trmm)(cl_command_queue queue, int layout, int side, int uplo, int trans,
                            int diag, size_t m, size_t n, exb_scalar_argument alpha, cl_mem a,
                            size_t offa, size_t lda, cl_mem b, size_t offb, size_t ldb,
                            cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    return by_triangle(exb_gpu_call_trmm, queue, layout, side, uplo, trans, diag, m, n,
                       exb_gpu_address_of(alpha), a, offa, lda, b, offb, ldb, n_wait, wait, done);
}

#if EXB_IS_COMPLEX

exblas_status cl_name(hemm)(cl_command_queue queue, int layout, int side, int uplo, size_t m,
                            size_t n, exb_scalar_argument alpha, cl_mem a, size_t offa, size_t lda,
                            cl_mem b, size_t offb, size_t ldb, exb_scalar_argument beta, cl_mem c,
                            size_t offc, size_t ldc, cl_uint n_wait, const cl_event *wait,
                            cl_event *done)
{
    return multiply_symmetric(true, queue, layout, side, uplo, m, n, alpha, a, offa, lda, b, offb,
                              ldb, beta, c, offc, ldc, n_wait, wait, done);
}

exblas_status cl_name(herk)(cl_command_queue queue, int layout, int uplo, int trans, size_t n,
                            size_t k, exb_real alpha, cl_mem a, size_t offa, size_t lda,
                            exb_real beta, cl_mem c, size_t offc, size_t ldc, cl_uint n_wait,
                            const cl_event *wait, cl_event *done)
{
    return update_triangle(true, queue, layout, uplo, trans, n, k, &alpha, a, offa, lda, &beta, c,
                           offc, ldc, n_wait, wait, done);
}

#endif
