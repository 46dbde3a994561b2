/* The public routines of vectors and matrices on CUDA devices, from the descriptions of their calls
 * (entries.py). */
#include "gpu/cuda/handle.h"

exblas_status exb_cuda_call(exblas_cuda_handle handle, exb_gpu_call *c, exb_gpu_routine *routine)
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle)) {
        c->layout = handle->layout;
        c->result.home = handle->host_results ? EXB_GPU_HOST_RESULT : EXB_GPU_DEVICE;
        routine(&gpu, c);
        exb_gpu_bring_back(&gpu);
    }
    return exb_cuda_end(&gpu);
}

/* A matrix of a batch, `elements` after the first one, which may be NULL. */
static exb_gpu_operand matrix_at(const exb_gpu_call *c, exb_gpu_operand x, exb_i64 elements)
{
    exb_i64 bytes = (exb_i64)(exb_gpu_element_bytes(c->is_s) << c->is_complex);
    if (x.buffer)
        x.buffer = (char *)x.buffer + elements * bytes;
    return x;
}

/* One after the other; the check of the whole comes first. */
exblas_status exb_cuda_batch(exblas_cuda_handle handle, exb_gpu_call *c, const exb_i64 *stride,
                             exb_i64 batch)
{
    exb_gpu gpu;
    if (exb_cuda_enter(&gpu, handle)) {
        c->layout = handle->layout;
        exb_gpu_check_batch(&gpu, c, stride[2], batch);
    }
    exblas_status status = exb_cuda_end(&gpu);
    for (exb_i64 i = 0; i < batch && status == EXBLAS_OK; i++) {
        exb_gpu_call one = *c;
        one.a = matrix_at(c, c->a, i * stride[0]);
        one.b = matrix_at(c, c->b, i * stride[1]);
        one.c = matrix_at(c, c->c, i * stride[2]);
        status = exb_cuda_call(handle, &one, exb_gpu_call_gemm);
    }
    return status;
}
