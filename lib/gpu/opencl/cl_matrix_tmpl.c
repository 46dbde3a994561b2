/* The public matrix routines on device buffers. */
#include "core/type.h"
#include "exblas/opencl.h"
#include "gpu/flow/front.h"
#include "gpu/opencl/context.h"

#define cl_name(name) EXB_PASTE3(exblas_cl_, EXB_TYPE, name)

exblas_status cl_name(gemv)(cl_command_queue queue, int layout, int trans, size_t m, size_t n,
                            exb_real alpha, cl_mem a, size_t offa, size_t lda, cl_mem x,
                            size_t offx, exblas_int64 incx, exb_real beta, cl_mem y, size_t offy,
                            exblas_int64 incy, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    exb_gpu_matrix_call c = {.is_s = EXB_IS_S,
                             .layout = layout,
                             .trans = trans,
                             .m = (exb_i64)m,
                             .n = (exb_i64)n,
                             .alpha = &alpha,
                             .a = {"A", a, offa},
                             .lda = (exb_i64)lda,
                             .x = {"x", x, offx},
                             .incx = incx,
                             .beta = &beta,
                             .y = {"y", y, offy},
                             .incy = incy};
    if (exb_cl_begin(&gpu, queue, n_wait, wait))
        exb_gpu_call_gemv(&gpu, &c);
    return exb_cl_end(&gpu, done);
}

exblas_status cl_name(trsv)(cl_command_queue queue, int layout, int uplo, int trans, int diag,
                            size_t n, cl_mem a, size_t offa, size_t lda, cl_mem x, size_t offx,
                            exblas_int64 incx, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    exb_gpu_matrix_call c = {.is_s = EXB_IS_S,
                             .layout = layout,
                             .uplo = uplo,
                             .trans = trans,
                             .diag = diag,
                             .n = (exb_i64)n,
                             .a = {"A", a, offa},
                             .lda = (exb_i64)lda,
                             .x = {"x", x, offx},
                             .incx = incx};
    if (exb_cl_begin(&gpu, queue, n_wait, wait))
        exb_gpu_call_trsv(&gpu, &c);
    return exb_cl_end(&gpu, done);
}

exblas_status cl_name(gemm)(cl_command_queue queue, int layout, int transa, int transb, size_t m,
                            size_t n, size_t k, exb_real alpha, cl_mem a, size_t offa, size_t lda,
                            cl_mem b, size_t offb, size_t ldb, exb_real beta, cl_mem c, size_t offc,
                            size_t ldc, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    exb_gpu_matrix_call call = {.is_s = EXB_IS_S,
                                .layout = layout,
                                .trans = transa,
                                .transb = transb,
                                .m = (exb_i64)m,
                                .n = (exb_i64)n,
                                .k = (exb_i64)k,
                                .alpha = &alpha,
                                .a = {"A", a, offa},
                                .lda = (exb_i64)lda,
                                .b = {"B", b, offb},
                                .ldb = (exb_i64)ldb,
                                .beta = &beta,
                                .c = {"C", c, offc},
                                .ldc = (exb_i64)ldc};
    if (exb_cl_begin(&gpu, queue, n_wait, wait))
        exb_gpu_call_gemm(&gpu, &call);
    return exb_cl_end(&gpu, done);
}

exblas_status cl_name(symm)(cl_command_queue queue, int layout, int side, int uplo, size_t m,
                            size_t n, exb_real alpha, cl_mem a, size_t offa, size_t lda, cl_mem b,
                            size_t offb, size_t ldb, exb_real beta, cl_mem c, size_t offc,
                            size_t ldc, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    exb_gpu_matrix_call call = {.is_s = EXB_IS_S,
                                .layout = layout,
                                .side = side,
                                .uplo = uplo,
                                .m = (exb_i64)m,
                                .n = (exb_i64)n,
                                .alpha = &alpha,
                                .a = {"A", a, offa},
                                .lda = (exb_i64)lda,
                                .b = {"B", b, offb},
                                .ldb = (exb_i64)ldb,
                                .beta = &beta,
                                .c = {"C", c, offc},
                                .ldc = (exb_i64)ldc};
    if (exb_cl_begin(&gpu, queue, n_wait, wait))
        exb_gpu_call_symm(&gpu, &call);
    return exb_cl_end(&gpu, done);
}

exblas_status cl_name(syrk)(cl_command_queue queue, int layout, int uplo, int trans, size_t n,
                            size_t k, exb_real alpha, cl_mem a, size_t offa, size_t lda,
                            exb_real beta, cl_mem c, size_t offc, size_t ldc, cl_uint n_wait,
                            const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    exb_gpu_matrix_call call = {.is_s = EXB_IS_S,
                                .layout = layout,
                                .uplo = uplo,
                                .trans = trans,
                                .n = (exb_i64)n,
                                .k = (exb_i64)k,
                                .alpha = &alpha,
                                .a = {"A", a, offa},
                                .lda = (exb_i64)lda,
                                .beta = &beta,
                                .c = {"C", c, offc},
                                .ldc = (exb_i64)ldc};
    if (exb_cl_begin(&gpu, queue, n_wait, wait))
        exb_gpu_call_syrk(&gpu, &call);
    return exb_cl_end(&gpu, done);
}

exblas_status cl_name(trsm)(cl_command_queue queue, int layout, int side, int uplo, int trans,
                            int diag, size_t m, size_t n, exb_real alpha, cl_mem a, size_t offa,
                            size_t lda, cl_mem b, size_t offb, size_t ldb, cl_uint n_wait,
                            const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    exb_gpu_matrix_call call = {.is_s = EXB_IS_S,
                                .layout = layout,
                                .side = side,
                                .uplo = uplo,
                                .trans = trans,
                                .diag = diag,
                                .m = (exb_i64)m,
                                .n = (exb_i64)n,
                                .alpha = &alpha,
                                .a = {"A", a, offa},
                                .lda = (exb_i64)lda,
                                .b = {"B", b, offb},
                                .ldb = (exb_i64)ldb};
    if (exb_cl_begin(&gpu, queue, n_wait, wait))
        exb_gpu_call_trsm(&gpu, &call);
    return exb_cl_end(&gpu, done);
}
