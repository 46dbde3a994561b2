/* The public routines of vectors and matrices on OpenCL devices, from the descriptions of their
 * calls (entries.py). Those on host memory copy operands to scratch memory without their gaps, make
 * the call on these, and copy back what comes out when all went well. */
#include "core/check/check.h"
#include "gpu/opencl/cl_host.h"

exblas_status exb_cl_reduce(cl_command_queue queue, exb_gpu_reduce_call *c, size_t n,
                            cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    if (exb_cl_begin(&gpu, queue, n_wait, wait)) {
        c->n = exb_gpu_length(&gpu, "n", n);
        exb_gpu_call_reduce(&gpu, c);
    }
    return exb_cl_end(&gpu, done);
}

exblas_status exb_cl_scatter_add(cl_command_queue queue, const exb_gpu_scatter_call *c,
                                 cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    if (exb_cl_begin(&gpu, queue, n_wait, wait))
        exb_gpu_call_scatter(&gpu, c);
    return exb_cl_end(&gpu, done);
}

exblas_status exb_cl_matrix(cl_command_queue queue, const exb_gpu_matrix_call *c,
                            exb_gpu_matrix_routine *routine, cl_uint n_wait, const cl_event *wait,
                            cl_event *done)
{
    exb_gpu gpu;
    if (exb_cl_begin(&gpu, queue, n_wait, wait))
        routine(&gpu, c);
    return exb_cl_end(&gpu, done);
}

/* --- on host memory: an operand's buffer is the caller's array ------------------------------ */

static size_t element_of(const exb_gpu_matrix_call *c)
{
    return exb_gpu_element_bytes(c->is_s) << c->is_complex;
}

/* The operand as a copy of op(X), of rows x cols; *ld becomes that of the copy. */
static void upload_matrix(exb_gpu *gpu, const exb_gpu_matrix_call *c, exb_gpu_operand *x, int trans,
                          exb_i64 rows, exb_i64 cols, exb_i64 *ld)
{
    bool plain = trans == EXB_NO_TRANS;
    exb_cl_runs r = exb_cl_stored(c->layout, (size_t)(plain ? rows : cols),
                                  (size_t)(plain ? cols : rows), (size_t)*ld);
    *ld = exb_cl_packed_ld(r);
    *x = exb_cl_upload(gpu, x->name, x->buffer, r, element_of(c));
}

/* *inc becomes that of the copy. */
static void upload_vector(exb_gpu *gpu, exb_gpu_operand *x, exb_i64 n, exb_i64 *inc, size_t element)
{
    exb_cl_runs r = exb_cl_strided((size_t)n, *inc);
    *inc = exb_cl_packed_inc(*inc);
    *x = exb_cl_upload(gpu, x->name, x->buffer, r, element);
}

exblas_status exb_cl_host_reduce(cl_command_queue queue, exb_gpu_reduce_call *c, size_t n, void *r)
{
    exb_gpu gpu;
    size_t element = exb_gpu_element_bytes(c->is_s) << c->is_complex;
    size_t bytes = exb_gpu_result_bytes(c);
    if (exb_cl_begin(&gpu, queue, 0, NULL)) {
        if (!r)
            exb_gpu_fail(&gpu, EXBLAS_EINVAL, "r is NULL");
        c->n = c->op == EXB_GPU_ASUM && c->incx <= 0 ? 0 : exb_gpu_length(&gpu, "n", n);
        upload_vector(&gpu, &c->x, c->n, &c->incx, element);
        if (c->op == EXB_GPU_DOT)
            upload_vector(&gpu, &c->y, c->n, &c->incy, element);
        c->result = (exb_gpu_operand){"r", exb_gpu_scratch(&gpu, bytes).buffer, 0};
        exb_gpu_call_reduce(&gpu, c);
        exb_cl_download(&gpu, c->result, exb_cl_strided(1, 1), r, bytes);
    }
    return exb_cl_end(&gpu, NULL);
}

exblas_status exb_cl_host_gemv(cl_command_queue queue, exb_gpu_matrix_call *c)
{
    exb_gpu gpu;
    void *y = c->y.buffer;
    if (exb_cl_begin(&gpu, queue, 0, NULL) && exb_gpu_check_gemv(&gpu, c) && c->m > 0 && c->n > 0) {
        bool plain = c->trans == EXB_NO_TRANS;
        exb_i64 rows = plain ? c->m : c->n;
        exb_cl_runs to = exb_cl_strided((size_t)rows, c->incy);
        upload_matrix(&gpu, c, &c->a, EXB_NO_TRANS, c->m, c->n, &c->lda);
        upload_vector(&gpu, &c->x, plain ? c->n : c->m, &c->incx, element_of(c));
        upload_vector(&gpu, &c->y, rows, &c->incy, element_of(c));
        exb_gpu_call_gemv(&gpu, c);
        exb_cl_download(&gpu, c->y, to, y, element_of(c));
    }
    return exb_cl_end(&gpu, NULL);
}

exblas_status exb_cl_host_trsv(cl_command_queue queue, exb_gpu_matrix_call *c)
{
    exb_gpu gpu;
    void *x = c->x.buffer;
    if (exb_cl_begin(&gpu, queue, 0, NULL) && exb_gpu_check_trsv(&gpu, c) && c->n > 0) {
        exb_cl_runs to = exb_cl_strided((size_t)c->n, c->incx);
        upload_matrix(&gpu, c, &c->a, EXB_NO_TRANS, c->n, c->n, &c->lda);
        upload_vector(&gpu, &c->x, c->n, &c->incx, element_of(c));
        exb_gpu_call_trsv(&gpu, c);
        exb_cl_download(&gpu, c->x, to, x, element_of(c));
    }
    return exb_cl_end(&gpu, NULL);
}

exblas_status exb_cl_host_gemm(cl_command_queue queue, exb_gpu_matrix_call *c)
{
    exb_gpu gpu;
    void *result = c->c.buffer;
    if (exb_cl_begin(&gpu, queue, 0, NULL) && exb_gpu_check_gemm(&gpu, c) && c->m > 0 && c->n > 0) {
        exb_cl_runs to = exb_cl_stored(c->layout, (size_t)c->m, (size_t)c->n, (size_t)c->ldc);
        upload_matrix(&gpu, c, &c->a, c->trans, c->m, c->k, &c->lda);
        upload_matrix(&gpu, c, &c->b, c->transb, c->k, c->n, &c->ldb);
        upload_matrix(&gpu, c, &c->c, EXB_NO_TRANS, c->m, c->n, &c->ldc);
        exb_gpu_call_gemm(&gpu, c);
        exb_cl_download(&gpu, c->c, to, result, element_of(c));
    }
    return exb_cl_end(&gpu, NULL);
}
