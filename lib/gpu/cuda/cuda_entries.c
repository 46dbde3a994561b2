/* The public routines of vectors and matrices on CUDA devices, from the descriptions of their calls
 * (entries.py). */
#include "gpu/cuda/handle.h"

/* The call's result on the host: it waits. */
static void reduce_to_host(exb_gpu *gpu, exb_gpu_reduce_call *c, void *result)
{
    size_t bytes = exb_gpu_result_bytes(c);
    if (!result) {
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "result is NULL");
        return;
    }
    exb_gpu_ref there = exb_gpu_scratch(gpu, bytes);
    c->result.buffer = there.buffer;
    if (!exb_gpu_status(gpu))
        exb_gpu_call_reduce(gpu, c);
    exb_gpu_read(gpu, there, bytes, result);
}

exblas_status exb_cuda_reduce(exblas_cuda_handle handle, exb_gpu_reduce_call *c, exb_i64 n,
                              void *result)
{
    exb_gpu gpu;
    c->n = n;
    c->result = exb_cuda_operand("result", result);
    if (exb_cuda_begin(&gpu, handle)) {
        if (handle->host_results)
            reduce_to_host(&gpu, c, result);
        else
            exb_gpu_call_reduce(&gpu, c);
    }
    return exb_cuda_end(&gpu);
}

exblas_status exb_cuda_scatter_add(exblas_cuda_handle handle, const exb_gpu_scatter_call *c)
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle))
        exb_gpu_call_scatter(&gpu, c);
    return exb_cuda_end(&gpu);
}

exblas_status exb_cuda_matrix(exblas_cuda_handle handle, exb_gpu_matrix_call *c,
                              exb_gpu_matrix_routine *routine)
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle)) {
        c->layout = handle->layout;
        routine(&gpu, c);
    }
    return exb_cuda_end(&gpu);
}

/* A matrix of a batch, `elements` after the first one, which may be NULL. */
static exb_gpu_operand matrix_at(const exb_gpu_matrix_call *c, exb_gpu_operand x, exb_i64 elements)
{
    exb_i64 bytes = (exb_i64)(exb_gpu_element_bytes(c->is_s) << c->is_complex);
    if (x.buffer)
        x.buffer = (char *)x.buffer + elements * bytes;
    return x;
}

/* One after the other; the check of the whole comes first. */
exblas_status exb_cuda_batch(exblas_cuda_handle handle, const exb_gpu_matrix_call *c,
                             const exb_i64 *stride, exb_i64 batch)
{
    exb_gpu gpu;
    if (exb_cuda_enter(&gpu, handle))
        exb_gpu_check_batch(
            &gpu, handle->layout, c->trans, c->transb,
            (const exb_i64[]){c->m, c->n, c->k, c->lda, c->ldb, c->ldc, stride[2], batch});
    exblas_status status = exb_cuda_end(&gpu);
    for (exb_i64 i = 0; i < batch && status == EXBLAS_OK; i++) {
        exb_gpu_matrix_call one = *c;
        one.a = matrix_at(c, c->a, i * stride[0]);
        one.b = matrix_at(c, c->b, i * stride[1]);
        one.c = matrix_at(c, c->c, i * stride[2]);
        status = exb_cuda_matrix(handle, &one, exb_gpu_call_gemm);
    }
    return status;
}
