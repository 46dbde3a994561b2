/* Sums and dot products into accumulators on CUDA devices.
 * Types: s d. */
#include "core/type.h"
#include "exblas/cuda_acc.h"
#include "gpu/cuda/handle.h"
#include "gpu/flow/gpu_acc.h"

#define cuda_name(name) EXB_PASTE3(exblas_cuda_, EXB_TYPE, name)

/* y is read by dot alone. */
static exblas_status accumulate(exblas_cuda_handle handle, exb_gpu_reduce_op op, int64_t n,
                                const exb_real *x, int64_t incx, const exb_real *y, int64_t incy,
                                int64_t *acc)
{
    exb_gpu gpu;
    exb_gpu_reduce_call c = {.is_s = EXB_IS_S,
                             .op = op,
                             .n = n,
                             .x = exb_cuda_operand("x", x),
                             .incx = incx,
                             .y = exb_cuda_operand("y", y),
                             .incy = incy,
                             .result = exb_cuda_operand("acc", acc)};
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
