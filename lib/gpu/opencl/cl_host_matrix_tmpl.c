/* The matrix routines on host memory: operands are copied to scratch memory without their gaps, the
 * flow runs, and what comes out is copied back when all went well. */
#include "gpu/opencl/matrix_call.h"

#include "core/check/check.h"
#include "core/fpenv.h"
#include "core/type.h"
#include "exblas/opencl.h"

#include <stdlib.h>

#define cl_host_name(name) EXB_PASTE3(exblas_cl_host_, EXB_TYPE, name)

/* `outer` runs of `inner` elements, `step` apart: a stored matrix, or (inner = 1) a vector. */
typedef struct {
    size_t outer, inner, step;
} runs;

static runs stored(int layout, int trans, size_t rows, size_t cols, size_t ld)
{
    bool row_is_run = (layout == EXB_ROW_MAJOR) == (trans == EXB_NO_TRANS);
    return row_is_run ? (runs){rows, cols, ld} : (runs){cols, rows, ld};
}

static runs vector(size_t n, exblas_int64 inc)
{
    return (runs){n, 1, inc < 0 ? (size_t)0 - (size_t)inc : (size_t)inc};
}

static size_t bytes_of(exb_gpu *gpu, runs r)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(r.outer, r.inner, &bytes) ||
        __builtin_mul_overflow(bytes, sizeof(exb_real), &bytes))
        exb_gpu_fail(gpu, EXBLAS_ENOMEM, "out of memory");
    return bytes;
}

/* Memory for the elements without gaps; NULL after a failure. */
static exb_real *packed(exb_gpu *gpu, size_t bytes)
{
    exb_real *p = exb_gpu_status(gpu) ? NULL : malloc(bytes ? bytes : 1);
    if (!p)
        exb_gpu_fail(gpu, EXBLAS_ENOMEM, "out of memory");
    return p;
}

static exb_gpu_ref upload(exb_gpu *gpu, runs r, const exb_real *p)
{
    size_t bytes = bytes_of(gpu, r);
    exb_gpu_ref to = exb_gpu_scratch(gpu, bytes ? bytes : 1);
    if (bytes > 0 && !p)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "an operand is NULL");
    exb_real *copy = packed(gpu, bytes);
    for (size_t i = 0; copy && i < r.outer; i++)
        memcpy(copy + i * r.inner, p + i * r.step, r.inner * sizeof *p);
    exb_gpu_write(gpu, to, copy ? bytes : 0, copy);
    free(copy);
    return to;
}

static void download(exb_gpu *gpu, exb_gpu_ref from, runs r, exb_real *p)
{
    size_t bytes = bytes_of(gpu, r);
    exb_real *copy = packed(gpu, bytes);
    exb_gpu_read(gpu, from, copy ? bytes : 0, copy);
    for (size_t i = 0; !exb_gpu_status(gpu) && i < r.outer; i++)
        memcpy(p + i * r.step, copy + i * r.inner, r.inner * sizeof *p);
    free(copy);
}

/* The uploaded matrix op(A). */
static exb_gpu_matrix matrix(exb_gpu_ref at, int layout, int trans, size_t rows, size_t cols)
{
    runs r = stored(layout, trans, rows, cols, 0);
    bool row_is_run = (layout == EXB_ROW_MAJOR) == (trans == EXB_NO_TRANS);
    return row_is_run ? (exb_gpu_matrix){at, (exb_i64)r.inner, 1}
                      : (exb_gpu_matrix){at, 1, (exb_i64)r.inner};
}

/* An uploaded vector: the far end comes first if inc < 0. */
static exb_gpu_vector compact(exb_gpu_ref at, size_t n, exblas_int64 inc)
{
    if (inc < 0)
        at.offset += (n - 1) * sizeof(exb_real);
    return (exb_gpu_vector){at, inc < 0 ? -1 : 1};
}

static EXB_NOINLINE void run_gemv(exb_gpu *gpu, size_t m, size_t n, exb_real alpha,
                                  exb_gpu_matrix a, exb_gpu_vector x, exb_real beta,
                                  exb_gpu_vector y)
{
    if (!exb_gpu_status(gpu))
        exb_gpu_gemv(gpu, EXB_IS_S, exb_method_current(), (exb_i64)m, (exb_i64)n, alpha, a, x, beta,
                     y);
}

static EXB_NOINLINE void run_gemm(exb_gpu *gpu, exb_gpu_product *p, exb_real alpha, exb_real beta)
{
    p->alpha = alpha;
    p->beta = beta;
    if (!exb_gpu_status(gpu))
        exb_gpu_gemm(gpu, exb_method_current(), p);
}

exblas_status cl_host_name(gemv)(cl_command_queue queue, int layout, int trans, size_t m, size_t n,
                                 exb_real alpha, const exb_real *a, size_t lda, const exb_real *x,
                                 exblas_int64 incx, exb_real beta, exb_real *y, exblas_int64 incy)
{
    exb_gpu gpu;
    exb_fpenv env;
    exb_cl_arguments c = {
        .layout = layout, .trans = trans, .m = m, .n = n, .lda = lda, .incx = incx, .incy = incy};
    if (!exb_cl_begin(&gpu, queue, 0, NULL))
        return exb_cl_end(&gpu, NULL);
    exb_cl_check_gemv(&gpu, &c);
    if (!exb_gpu_status(&gpu) && m > 0 && n > 0) {
        size_t rows = trans == EXB_NO_TRANS ? m : n, cols = trans == EXB_NO_TRANS ? n : m;
        exb_gpu_ref ad = upload(&gpu, stored(layout, trans, rows, cols, lda), a);
        exb_gpu_ref xd = upload(&gpu, vector(cols, incx), x);
        exb_gpu_ref yd = upload(&gpu, vector(rows, incy), y);
        exb_fpenv_enter(&env);
        run_gemv(&gpu, rows, cols, alpha, matrix(ad, layout, trans, rows, cols),
                 compact(xd, cols, incx), beta, compact(yd, rows, incy));
        exb_fpenv_leave(&env);
        download(&gpu, yd, vector(rows, incy), y);
    }
    return exb_cl_end(&gpu, NULL);
}

exblas_status cl_host_name(trsv)(cl_command_queue queue, int layout, int uplo, int trans, int diag,
                                 size_t n, const exb_real *a, size_t lda, exb_real *x,
                                 exblas_int64 incx)
{
    exb_gpu gpu;
    exb_fpenv env;
    exb_cl_arguments c = {.layout = layout,
                          .uplo = uplo,
                          .trans = trans,
                          .diag = diag,
                          .n = n,
                          .lda = lda,
                          .incx = incx};
    if (!exb_cl_begin(&gpu, queue, 0, NULL))
        return exb_cl_end(&gpu, NULL);
    exb_cl_check_trsv(&gpu, &c);
    if (!exb_gpu_status(&gpu) && n > 0) {
        exb_gpu_ref ad = upload(&gpu, stored(layout, trans, n, n, lda), a);
        exb_gpu_ref xd = upload(&gpu, vector(n, incx), x);
        bool is_lower = (uplo == EXB_LOWER) == (trans == EXB_NO_TRANS);
        exb_cl_system s = exb_cl_lower(EXB_IS_S, is_lower, n, matrix(ad, layout, trans, n, n),
                                       compact(xd, n, incx));
        exb_fpenv_enter(&env);
        if (!exb_gpu_status(&gpu))
            exb_gpu_trsv(&gpu, EXB_IS_S, exb_method_current(), (exb_i64)n, diag == EXB_UNIT, s.t,
                         s.x);
        exb_fpenv_leave(&env);
        download(&gpu, xd, vector(n, incx), x);
    }
    return exb_cl_end(&gpu, NULL);
}

exblas_status cl_host_name(gemm)(cl_command_queue queue, int layout, int transa, int transb,
                                 size_t m, size_t n, size_t k, exb_real alpha, const exb_real *a,
                                 size_t lda, const exb_real *b, size_t ldb, exb_real beta,
                                 exb_real *c, size_t ldc)
{
    exb_gpu gpu;
    exb_fpenv env;
    exb_cl_arguments given = {.layout = layout,
                              .trans = transa,
                              .transb = transb,
                              .m = m,
                              .n = n,
                              .k = k,
                              .lda = lda,
                              .ldb = ldb,
                              .ldc = ldc};
    if (!exb_cl_begin(&gpu, queue, 0, NULL))
        return exb_cl_end(&gpu, NULL);
    exb_cl_check_gemm(&gpu, &given);
    if (!exb_gpu_status(&gpu) && m > 0 && n > 0) {
        runs to = stored(layout, EXB_NO_TRANS, m, n, ldc);
        exb_gpu_product p = {.is_s = EXB_IS_S, .m = (exb_i64)m, .n = (exb_i64)n, .k = (exb_i64)k};
        p.a = matrix(upload(&gpu, stored(layout, transa, m, k, lda), a), layout, transa, m, k);
        p.b = matrix(upload(&gpu, stored(layout, transb, k, n, ldb), b), layout, transb, k, n);
        p.c = matrix(upload(&gpu, to, c), layout, EXB_NO_TRANS, m, n);
        exb_fpenv_enter(&env);
        run_gemm(&gpu, &p, alpha, beta);
        exb_fpenv_leave(&env);
        download(&gpu, p.c.at, to, c);
    }
    return exb_cl_end(&gpu, NULL);
}
