/* The public reductions on CUDA devices. */
#include "core/type.h"
#include "exblas/cuda_acc.h"
#include "gpu/cuda/handle.h"
#include "gpu/flow/gpu_acc.h"

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
static exb_gpu_reduce_call describe(exb_gpu_reduce_op op, int64_t n, const exb_real *x,
                                    int64_t incx, const exb_real *y, int64_t incy)
{
    return (exb_gpu_reduce_call){.is_s = EXB_IS_S,
                                 .op = op,
                                 .n = n,
                                 .x = exb_cuda_operand("x", x),
                                 .incx = incx,
                                 .y = exb_cuda_operand("y", y),
                                 .incy = incy};
}

static exblas_status reduce_vectors(exblas_cuda_handle handle, exb_gpu_reduce_op op, int64_t n,
                                    const exb_real *x, int64_t incx, const exb_real *y,
                                    int64_t incy, exb_real *result)
{
    exb_gpu gpu;
    exb_gpu_reduce_call c = describe(op, n, x, incx, y, incy);
    c.result = exb_cuda_operand("result", result);
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

/* --- into accumulators -------------------------------------------------------------- */

static exblas_status accumulate(exblas_cuda_handle handle, exb_gpu_reduce_op op, int64_t n,
                                const exb_real *x, int64_t incx, const exb_real *y, int64_t incy,
                                int64_t *acc)
{
    exb_gpu gpu;
    exb_gpu_reduce_call c = describe(op, n, x, incx, y, incy);
    c.result = exb_cuda_operand("acc", acc);
    if (exb_cuda_begin(&gpu, handle))
        exb_gpu_call_accumulate(&gpu, &c);
    return exb_cuda_end(&gpu);
}

exblas_status cuda_name(acc_add)(exblas_cuda_handle handle, int64_t n, const exb_real *x,
                                 int64_t incx, int64_t *acc)
{
    return accumulate(handle, EXB_GPU_SUM, n, x, incx, NULL, 0, acc);
}

exblas_status cuda_name(acc_dot)(exblas_cuda_handle handle, int64_t n, const exb_real *x,
                                 int64_t incx, const exb_real *y, int64_t incy, int64_t *acc)
{
    return accumulate(handle, EXB_GPU_DOT, n, x, incx, y, incy, acc);
}

exblas_status cuda_name(acc_round)(exblas_cuda_handle handle, int64_t n, const int64_t *a,
                                   exb_real *results)
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle)) {
        exb_gpu_ref from = exb_gpu_vector_place(&gpu, exb_cuda_operand("a", a), n, 1,
                                                EXB_GPU_ACC_WORDS * sizeof *a);
        exb_gpu_ref to =
            exb_gpu_vector_place(&gpu, exb_cuda_operand("results", results), n, 1, sizeof *results);
        exb_gpu_acc_round(&gpu, EXB_IS_S, n, from, to);
    }
    return exb_cuda_end(&gpu);
}
