/* The public reductions on CUDA devices: arguments become places, then the flow runs. */
#include "core/type.h"
#include "gpu/cuda/handle.h"
#include "gpu/flow/reduce.h"

#define cuda_name(name) EXB_PASTE3(exblas_cuda_, EXB_TYPE, name)

static exblas_status run(exblas_cuda_handle handle, int term, bool root, int64_t n,
                         const exb_real *x, int64_t incx, const exb_real *y, int64_t incy,
                         exb_real *result)
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle)) {
        exb_gpu_reduction r = {
            .is_s = EXB_IS_S, .root = root, .term = term, .n = n, .incx = incx, .incy = incy};
        r.x = exb_cuda_vector(&gpu, "x", n, x, incx, sizeof *x);
        r.y = exb_cuda_vector(&gpu, "y", n, y, incy, sizeof *y);
        r.result = exb_cuda_vector(&gpu, "result", 1, result, 1, sizeof *result);
        if (!gpu.status)
            exb_gpu_reduce(&gpu, &r, exb_method_current());
    }
    return exb_cuda_end(&gpu);
}

exblas_status cuda_name(sum)(exblas_cuda_handle handle, int64_t n, const exb_real *x, int64_t incx,
                             exb_real *result)
{
    return run(handle, EXB_GPU_X, false, n, x, incx, x, incx, result);
}

exblas_status cuda_name(asum)(exblas_cuda_handle handle, int64_t n, const exb_real *x, int64_t incx,
                              exb_real *result)
{
    return run(handle, EXB_GPU_ABS_X, false, incx > 0 ? n : 0, x, incx, x, incx, result);
}

exblas_status cuda_name(nrm2)(exblas_cuda_handle handle, int64_t n, const exb_real *x, int64_t incx,
                              exb_real *result)
{
    return run(handle, EXB_GPU_XY, true, n, x, incx, x, incx, result);
}

exblas_status cuda_name(dot)(exblas_cuda_handle handle, int64_t n, const exb_real *x, int64_t incx,
                             const exb_real *y, int64_t incy, exb_real *result)
{
    return run(handle, EXB_GPU_XY, false, n, x, incx, y, incy, result);
}
