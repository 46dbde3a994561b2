/* The public reductions on CUDA devices.
 * Types: s d c z. */
#include "core/type.h"
#include "exblas/cuda_complex.h"
#include "gpu/cuda/handle.h"

#define cuda_name(name) EXB_PASTE3(exblas_cuda_, EXB_TYPE, name)

/* The call's result on the host: it waits. */
static void reduce_to_host(exb_gpu *gpu, exb_gpu_reduce_call *c, size_t bytes, void *result)
{
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

static exblas_status reduce_vectors(exblas_cuda_handle handle, exb_gpu_reduce_call c, size_t bytes,
                                    void *result)
{
    exb_gpu gpu;
    c.is_s = EXB_IS_S;
    c.is_complex = EXB_IS_COMPLEX;
    c.result = exb_cuda_operand("result", result);
    if (exb_cuda_begin(&gpu, handle)) {
        if (handle->host_results)
            reduce_to_host(&gpu, &c, bytes, result);
        else
            exb_gpu_call_reduce(&gpu, &c);
    }
    return exb_cuda_end(&gpu);
}

static exblas_status reduce_one(exblas_cuda_handle handle, exb_gpu_reduce_op op, int64_t n,
                                exb_values x, int64_t incx, size_t bytes, void *result)
{
    exb_gpu_reduce_call c = {.op = op, .n = n, .x = exb_cuda_operand("x", x), .incx = incx};
    return reduce_vectors(handle, c, bytes, result);
}

static exblas_status dot(exblas_cuda_handle handle, bool conjugate, int64_t n, exb_values x,
                         int64_t incx, exb_values y, int64_t incy, exb_results result)
{
    exb_gpu_reduce_call c = {.conjugate = conjugate,
                             .op = EXB_GPU_DOT,
                             .n = n,
                             .x = exb_cuda_operand("x", x),
                             .incx = incx,
                             .y = exb_cuda_operand("y", y),
                             .incy = incy};
    return reduce_vectors(handle, c, EXB_PARTS * sizeof(exb_real), result);
}

exblas_status cuda_name(sum)(exblas_cuda_handle handle, int64_t n, exb_values x, int64_t incx,
                             exb_results result)
{
    return reduce_one(handle, EXB_GPU_SUM, n, x, incx, EXB_PARTS * sizeof(exb_real), result);
}

#if EXB_IS_COMPLEX

#define norm_name(name) EXB_PASTE4(exblas_cuda_, EXB_PART, EXB_TYPE, name)

exblas_status cuda_name(dotu)(exblas_cuda_handle handle, int64_t n, exb_values x, int64_t incx,
                              exb_values y, int64_t incy, exb_results result)
{
    return dot(handle, false, n, x, incx, y, incy, result);
}

exblas_status cuda_name(dotc)(exblas_cuda_handle handle, int64_t n, exb_values x, int64_t incx,
                              exb_values y, int64_t incy, exb_results result)
{
    return dot(handle, true, n, x, incx, y, incy, result);
}

#else

#define norm_name(name) cuda_name(name)

exblas_status cuda_name(dot)(exblas_cuda_handle handle, int64_t n, exb_values x, int64_t incx,
                             exb_values y, int64_t incy, exb_results result)
{
    return dot(handle, false, n, x, incx, y, incy, result);
}

#endif

exblas_status norm_name(asum)(exblas_cuda_handle handle, int64_t n, exb_values x, int64_t incx,
                              exb_real *result)
{
    return reduce_one(handle, EXB_GPU_ASUM, n, x, incx, sizeof *result, result);
}

exblas_status norm_name(nrm2)(exblas_cuda_handle handle, int64_t n, exb_values x, int64_t incx,
                              exb_real *result)
{
    return reduce_one(handle, EXB_GPU_NRM2, n, x, incx, sizeof *result, result);
}
