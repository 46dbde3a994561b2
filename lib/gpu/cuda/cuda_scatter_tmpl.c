/* The public scatter-adds on CUDA devices. */
#include "core/type.h"
#include "gpu/cuda/handle.h"
#include "gpu/flow/gpu_scatter.h"

#define cuda_name(name) EXB_PASTE3(exblas_cuda_, EXB_TYPE, name)

typedef void flow(exb_gpu *gpu, const exb_gpu_scattering *s);

static exblas_status scatter(flow *run, bool is_wide, exblas_cuda_handle handle, int64_t n,
                             const exb_real *x, const void *index, int64_t n_bins, exb_real *y)
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle)) {
        exb_gpu_scattering s = {.is_s = EXB_IS_S, .is_wide = is_wide, .n = n, .n_bins = n_bins};
        if (n < 0 || n_bins < 0)
            exb_gpu_fail(&gpu, EXBLAS_EINVAL, "n or n_bins is negative");
        s.x = exb_cuda_vector(&gpu, "x", n, x, 1, sizeof *x);
        s.index = exb_cuda_vector(&gpu, "index", n, index, 1, 1);
        s.y = exb_cuda_vector(&gpu, "y", n > 0 ? n_bins : 0, y, 1, sizeof *y);
        if (!gpu.status)
            run(&gpu, &s);
    }
    return exb_cuda_end(&gpu);
}

exblas_status cuda_name(scatter_add)(exblas_cuda_handle handle, int64_t n, const exb_real *x,
                                     const exblas_int *index, int64_t n_bins, exb_real *y)
{
    return scatter(exb_gpu_scatter_add, false, handle, n, x, index, n_bins, y);
}

exblas_status cuda_name(scatter_add_64)(exblas_cuda_handle handle, int64_t n, const exb_real *x,
                                        const exblas_int64 *index, int64_t n_bins, exb_real *y)
{
    return scatter(exb_gpu_scatter_add, true, handle, n, x, index, n_bins, y);
}

exblas_status cuda_name(scatter_add_ordered)(exblas_cuda_handle handle, int64_t n,
                                             const exb_real *x, const exblas_int *index,
                                             int64_t n_bins, exb_real *y)
{
    return scatter(exb_gpu_scatter_add_ordered, false, handle, n, x, index, n_bins, y);
}
