/* The public reductions on CUDA devices. */
#include "core/type.h"
#include "gpu/cuda/handle.h"

#define cuda_name(name) EXB_PASTE3(exblas_cuda_, EXB_TYPE, name)

/* The call's result on the host: it waits. */
static void reduce_to_host(exb_gpu *gpu, exb_gpu_reduce_call *c, exb_real *result)
{
    if (!result) {
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "result is NULL");
        return;
    }
    exb_gpu_ref there = exb_gpu_scratch(gpu, sizeof *result);
    c->result.buffer = there.buffer;
    if (!exb_gpu_status(gpu))
        exb_gpu_call_reduce(gpu, c);
    exb_gpu_read(gpu, there, sizeof *result, result);
}

/* y is read by dot alone. */
static exblas_status reduce_vectors(exblas_cuda_handle handle, exb_gpu_reduce_op op, int64_t n,
                                    const exb_real *x, int64_t incx, const exb_real *y,
                                    int64_t incy, exb_real *result)
{
    exb_gpu gpu;
    exb_gpu_reduce_call c = {.is_s = EXB_IS_S,
                             .op = op,
                             .n = n,
                             .x = exb_cuda_operand("x", x),
                             .incx = incx,
                             .y = exb_cuda_operand("y", y),
                             .incy = incy,
                             .result = exb_cuda_operand("result", result)};
    if (exb_cuda_begin(&gpu, handle)) {
        if (handle->host_results)
            reduce_to_host(&gpu, &c, result);
        else
            exb_gpu_call_reduce(&gpu, &c);
    }
    return exb_cuda_end(&gpu);
}

exblas_status cuda_name(sum)(exblas_cuda_handle handle, int64_t n, const exb_real *x, int64_t incx,
                             exb_real *result)
{
    return reduce_vectors(handle, EXB_GPU_SUM, n, x, incx, NULL, 0, result);
}

exblas_status cuda_name(asum)(exblas_cuda_handle handle, int64_t n, const exb_real *x, int64_t incx,
                              exb_real *result)
{
    return reduce_vectors(handle, EXB_GPU_ASUM, n, x, incx, NULL, 0, result);
}

exblas_status cuda_name(nrm2)(exblas_cuda_handle handle, int64_t n, const exb_real *x, int64_t incx,
                              exb_real *result)
{
    return reduce_vectors(handle, EXB_GPU_NRM2, n, x, incx, NULL, 0, result);
}

exblas_status cuda_name(dot)(exblas_cuda_handle handle, int64_t n, const exb_real *x, int64_t incx,
                             const exb_real *y, int64_t incy, exb_real *result)
{
    return reduce_vectors(handle, EXB_GPU_DOT, n, x, incx, y, incy, result);
}
