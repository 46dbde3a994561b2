/* The public dgemm on CUDA devices. */
#include "core/fpenv.h"
#include "gpu/cuda/handle.h"
#include "gpu/flow/residue.h"

static bool is_transpose(int trans)
{
    return trans >= EXBLAS_NO_TRANS && trans <= EXBLAS_CONJ_TRANS;
}

/* Fails the call unless a matrix of `rows` rows has a leading dimension for them. */
static void check_matrix(exb_gpu *gpu, const char *name, const void *x, bool is_read, int64_t rows,
                         int64_t ld)
{
    if (ld < (rows > 1 ? rows : 1))
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "the leading dimension of %s is too small", name);
    else if (is_read && !x)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s is NULL", name);
}

static exb_gpu_operand operand_of(const double *x, bool contiguous_terms, int64_t ld)
{
    exb_gpu_operand o = {{(void *)(uintptr_t)x, 0}, 1, 1};
    *(contiguous_terms ? &o.vs : &o.ls) = ld;
    return o;
}

/* alpha and beta are looked at in the usual environment only. */
static EXB_NOINLINE void run(exb_gpu *gpu, const exb_gpu_product *p)
{
    if (p->m > 0 && p->n > 0 && !((p->alpha == 0 || p->k == 0) && p->beta == 1))
        exb_gpu_residue_gemm(gpu, p);
}

exblas_status exblas_cuda_dgemm(exblas_cuda_handle handle, int transa, int transb, int64_t m,
                                int64_t n, int64_t k, double alpha, const double *a, int64_t lda,
                                const double *b, int64_t ldb, double beta, double *c, int64_t ldc)
{
    exb_gpu gpu;
    bool ta = transa != EXBLAS_NO_TRANS, tb = transb != EXBLAS_NO_TRANS;
    if (exb_cuda_begin(&gpu, handle)) {
        if (!is_transpose(transa) || !is_transpose(transb))
            exb_gpu_fail(&gpu, EXBLAS_EINVAL, "transa or transb is none of CBLAS's numbers");
        if (m < 0 || n < 0 || k < 0)
            exb_gpu_fail(&gpu, EXBLAS_EINVAL, "m, n or k is negative");
        bool is_read = m > 0 && n > 0 && k > 0;
        check_matrix(&gpu, "a", a, is_read, ta ? k : m, lda);
        check_matrix(&gpu, "b", b, is_read, tb ? n : k, ldb);
        check_matrix(&gpu, "c", c, m > 0 && n > 0, m, ldc);
        exb_gpu_product p = {
            m, n, k, alpha, beta, operand_of(a, ta, lda), operand_of(b, !tb, ldb), {c, 0}, ldc};
        exb_fpenv env;
        exb_fpenv_enter(&env);
        if (!gpu.status)
            run(&gpu, &p);
        exb_fpenv_leave(&env);
    }
    return exb_cuda_end(&gpu);
}
