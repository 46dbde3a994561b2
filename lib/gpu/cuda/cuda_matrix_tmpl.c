/* The public matrix routines on CUDA devices: arguments are checked and become views, then the flow
 * runs. Scalars are looked at inside the floating-point guard: under DAZ a subnormal alpha would
 * be 0. */
#include "core/check/check.h"
#include "core/fpenv.h"
#include "core/type.h"
#include "gpu/cuda/handle.h"
#include "gpu/flow/matrix.h"

#define cuda_name(name) EXB_PASTE3(exblas_cuda_, EXB_TYPE, name)

static bool is_transpose(int trans)
{
    return trans == EXB_NO_TRANS || trans == EXB_TRANS || trans == EXB_CONJ_TRANS;
}

static void check(exb_gpu *gpu, bool right, const char *what)
{
    if (!right)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s", what);
}

/* op(X), stored column-major in columns of `stored` elements, as a view. */
static exb_gpu_matrix matrix(exb_gpu *gpu, const char *name, const exb_real *x, bool is_used,
                             bool transposed, int64_t stored, int64_t ld)
{
    exb_gpu_matrix a = {{(void *)(uintptr_t)x, 0}, transposed ? ld : 1, transposed ? 1 : ld};
    if (ld < (stored > 1 ? stored : 1))
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "the leading dimension of %s is too small", name);
    else if (is_used && !x)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s is NULL", name);
    return a;
}

static exb_gpu_vector vector(exb_gpu *gpu, const char *name, int64_t n, const exb_real *x,
                             int64_t inc)
{
    if (inc == 0)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "the increment of %s is 0", name);
    return (exb_gpu_vector){exb_cuda_vector(gpu, name, n, x, inc, sizeof *x), inc};
}

static EXB_NOINLINE void gemv(exb_gpu *gpu, int64_t m, int64_t n, exb_real alpha, exb_gpu_matrix a,
                              exb_gpu_vector x, exb_real beta, exb_gpu_vector y)
{
    exb_gpu_gemv(gpu, EXB_IS_S, exb_method_current(), m, n, alpha, a, x, beta, y);
}

exblas_status cuda_name(gemv)(exblas_cuda_handle handle, int trans, int64_t m, int64_t n,
                              exb_real alpha, const exb_real *a, int64_t lda, const exb_real *x,
                              int64_t incx, exb_real beta, exb_real *y, int64_t incy)
{
    exb_gpu gpu;
    exb_fpenv env;
    bool t = trans != EXB_NO_TRANS, is_used = m > 0 && n > 0;
    if (exb_cuda_begin(&gpu, handle)) {
        int64_t rows = t ? n : m, columns = t ? m : n;
        check(&gpu, is_transpose(trans), "trans is none of CBLAS's numbers");
        check(&gpu, m >= 0 && n >= 0, "m or n is negative");
        exb_gpu_matrix av = matrix(&gpu, "a", a, is_used, t, m, lda);
        exb_gpu_vector xv = vector(&gpu, "x", is_used ? columns : 0, x, incx);
        exb_gpu_vector yv = vector(&gpu, "y", is_used ? rows : 0, y, incy);
        exb_fpenv_enter(&env);
        if (!gpu.status)
            gemv(&gpu, rows, columns, alpha, av, xv, beta, yv);
        exb_fpenv_leave(&env);
    }
    return exb_cuda_end(&gpu);
}

/* An upper triangle (after the transposition) is a lower one that is read from its end. */
static void from_the_end(int64_t n, exb_gpu_matrix *t, exb_gpu_vector *x)
{
    t->at = exb_gpu_element(t->at, (n - 1) * (t->row + t->col), EXB_IS_S);
    x->at = exb_gpu_element(x->at, (n - 1) * x->inc, EXB_IS_S);
    t->row = -t->row;
    t->col = -t->col;
    x->inc = -x->inc;
}

exblas_status cuda_name(trsv)(exblas_cuda_handle handle, int uplo, int trans, int diag, int64_t n,
                              const exb_real *a, int64_t lda, exb_real *x, int64_t incx)
{
    exb_gpu gpu;
    exb_fpenv env;
    bool t = trans != EXB_NO_TRANS;
    if (exb_cuda_begin(&gpu, handle)) {
        check(&gpu, uplo == EXB_UPPER || uplo == EXB_LOWER, "uplo is none of CBLAS's numbers");
        check(&gpu, is_transpose(trans), "trans is none of CBLAS's numbers");
        check(&gpu, diag == EXB_UNIT || diag == EXB_NON_UNIT, "diag is none of CBLAS's numbers");
        check(&gpu, n >= 0, "n is negative");
        exb_gpu_matrix av = matrix(&gpu, "a", a, n > 0, t, n, lda);
        exb_gpu_vector xv = vector(&gpu, "x", n, x, incx);
        if (n > 0 && (uplo == EXB_LOWER) == t)
            from_the_end(n, &av, &xv);
        exb_fpenv_enter(&env);
        if (!gpu.status)
            exb_gpu_trsv(&gpu, EXB_IS_S, exb_method_current(), n, diag == EXB_UNIT, av, xv);
        exb_fpenv_leave(&env);
    }
    return exb_cuda_end(&gpu);
}

static EXB_NOINLINE void gemm(exb_gpu *gpu, exb_gpu_product *p, exb_real alpha, exb_real beta)
{
    p->alpha = alpha;
    p->beta = beta;
    exb_gpu_gemm(gpu, exb_method_current(), p);
}

exblas_status cuda_name(gemm)(exblas_cuda_handle handle, int transa, int transb, int64_t m,
                              int64_t n, int64_t k, exb_real alpha, const exb_real *a, int64_t lda,
                              const exb_real *b, int64_t ldb, exb_real beta, exb_real *c,
                              int64_t ldc)
{
    exb_gpu gpu;
    exb_fpenv env;
    bool ta = transa != EXB_NO_TRANS, tb = transb != EXB_NO_TRANS;
    if (exb_cuda_begin(&gpu, handle)) {
        check(&gpu, is_transpose(transa) && is_transpose(transb),
              "transa or transb is none of CBLAS's numbers");
        check(&gpu, m >= 0 && n >= 0 && k >= 0, "m, n or k is negative");
        bool is_used = m > 0 && n > 0;
        exb_gpu_product p = {.is_s = EXB_IS_S, .m = m, .n = n, .k = k};
        p.a = matrix(&gpu, "a", a, is_used && k > 0, ta, ta ? k : m, lda);
        p.b = matrix(&gpu, "b", b, is_used && k > 0, tb, tb ? n : k, ldb);
        p.c = matrix(&gpu, "c", c, is_used, false, m, ldc);
        exb_fpenv_enter(&env);
        if (!gpu.status)
            gemm(&gpu, &p, alpha, beta);
        exb_fpenv_leave(&env);
    }
    return exb_cuda_end(&gpu);
}
