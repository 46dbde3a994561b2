/* The public matrix routines on device buffers: arguments are checked, then the flow runs. Scalars
 * are looked at inside the floating-point guard: under DAZ a subnormal alpha would be 0. */
#include "gpu/opencl/matrix_call.h"

#include "core/check/check.h"
#include "core/fpenv.h"
#include "core/type.h"
#include "exblas/opencl.h"

#define cl_name(name) EXB_PASTE3(exblas_cl_, EXB_TYPE, name)

static EXB_NOINLINE void gemv(exb_gpu *gpu, size_t m, size_t n, exb_real alpha, exb_gpu_matrix a,
                              exb_gpu_vector x, exb_real beta, exb_gpu_vector y)
{
    exb_gpu_gemv(gpu, EXB_IS_S, exb_method_current(), (exb_i64)m, (exb_i64)n, alpha, a, x, beta, y);
}

static EXB_NOINLINE void gemm(exb_gpu *gpu, exb_gpu_product *p, exb_real alpha, exb_real beta)
{
    p->alpha = alpha;
    p->beta = beta;
    exb_gpu_gemm(gpu, exb_method_current(), p);
}

exblas_status cl_name(gemv)(cl_command_queue queue, int layout, int trans, size_t m, size_t n,
                            exb_real alpha, cl_mem a, size_t offa, size_t lda, cl_mem x,
                            size_t offx, exblas_int64 incx, exb_real beta, cl_mem y, size_t offy,
                            exblas_int64 incy, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    exb_fpenv env;
    if (exb_cl_begin(&gpu, queue, n_wait, wait)) {
        exb_cl_check_gemv(&gpu, &(exb_cl_arguments){.layout = layout,
                                                    .trans = trans,
                                                    .m = m,
                                                    .n = n,
                                                    .lda = lda,
                                                    .incx = incx,
                                                    .incy = incy});
        size_t rows = trans == EXB_NO_TRANS ? m : n, cols = trans == EXB_NO_TRANS ? n : m;
        bool is_empty = m == 0 || n == 0;
        exb_gpu_matrix av =
            exb_cl_matrix(&gpu, "A", EXB_IS_S, layout, trans, rows, cols, a, offa, lda);
        exb_gpu_vector xv = exb_cl_vector(&gpu, "x", EXB_IS_S, is_empty ? 0 : cols, x, offx, incx);
        exb_gpu_vector yv = exb_cl_vector(&gpu, "y", EXB_IS_S, is_empty ? 0 : rows, y, offy, incy);
        exb_fpenv_enter(&env);
        if (!exb_gpu_status(&gpu))
            gemv(&gpu, rows, cols, alpha, av, xv, beta, yv);
        exb_fpenv_leave(&env);
    }
    return exb_cl_end(&gpu, done);
}

exblas_status cl_name(trsv)(cl_command_queue queue, int layout, int uplo, int trans, int diag,
                            size_t n, cl_mem a, size_t offa, size_t lda, cl_mem x, size_t offx,
                            exblas_int64 incx, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    exb_fpenv env;
    if (exb_cl_begin(&gpu, queue, n_wait, wait)) {
        exb_cl_check_trsv(&gpu, &(exb_cl_arguments){.layout = layout,
                                                    .uplo = uplo,
                                                    .trans = trans,
                                                    .diag = diag,
                                                    .n = n,
                                                    .lda = lda,
                                                    .incx = incx});
        exb_gpu_matrix t = exb_cl_matrix(&gpu, "A", EXB_IS_S, layout, trans, n, n, a, offa, lda);
        exb_gpu_vector v = exb_cl_vector(&gpu, "x", EXB_IS_S, n, x, offx, incx);
        bool is_lower = (uplo == EXB_LOWER) == (trans == EXB_NO_TRANS);
        exb_cl_system s = exb_cl_lower(EXB_IS_S, is_lower, n, t, v);
        exb_fpenv_enter(&env);
        if (!exb_gpu_status(&gpu))
            exb_gpu_trsv(&gpu, EXB_IS_S, exb_method_current(), (exb_i64)n, diag == EXB_UNIT, s.t,
                         s.x);
        exb_fpenv_leave(&env);
    }
    return exb_cl_end(&gpu, done);
}

exblas_status cl_name(gemm)(cl_command_queue queue, int layout, int transa, int transb, size_t m,
                            size_t n, size_t k, exb_real alpha, cl_mem a, size_t offa, size_t lda,
                            cl_mem b, size_t offb, size_t ldb, exb_real beta, cl_mem c, size_t offc,
                            size_t ldc, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    exb_fpenv env;
    if (exb_cl_begin(&gpu, queue, n_wait, wait)) {
        exb_cl_check_gemm(&gpu, &(exb_cl_arguments){.layout = layout,
                                                    .trans = transa,
                                                    .transb = transb,
                                                    .m = m,
                                                    .n = n,
                                                    .k = k,
                                                    .lda = lda,
                                                    .ldb = ldb,
                                                    .ldc = ldc});
        bool is_empty = m == 0 || n == 0;
        exb_gpu_product p = {.is_s = EXB_IS_S, (exb_i64)m, (exb_i64)n, (exb_i64)k};
        p.a = exb_cl_matrix(&gpu, "A", EXB_IS_S, layout, transa, is_empty ? 0 : m, k, a, offa, lda);
        p.b = exb_cl_matrix(&gpu, "B", EXB_IS_S, layout, transb, k, is_empty ? 0 : n, b, offb, ldb);
        p.c = exb_cl_matrix(&gpu, "C", EXB_IS_S, layout, EXB_NO_TRANS, m, n, c, offc, ldc);
        exb_fpenv_enter(&env);
        if (!exb_gpu_status(&gpu))
            gemm(&gpu, &p, alpha, beta);
        exb_fpenv_leave(&env);
    }
    return exb_cl_end(&gpu, done);
}
