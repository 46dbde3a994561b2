/* The public scatter-adds on CUDA devices. */
#include "core/type.h"
#include "gpu/cuda/handle.h"

#define cuda_name(name) EXB_PASTE3(exblas_cuda_, EXB_TYPE, name)

static exblas_status scatter(bool is_wide, exblas_cuda_handle handle, int64_t n, const exb_real *x,
                             const void *index, int64_t n_bins, exb_real *y)
{
    exb_gpu gpu;
    exb_gpu_scatter_call c = {.is_s = EXB_IS_S,
                              .is_wide = is_wide,
                              .n = n,
                              .n_bins = n_bins,
                              .x = exb_cuda_operand("x", x),
                              .index = exb_cuda_operand("index", index),
                              .y = exb_cuda_operand("y", y)};
    if (exb_cuda_begin(&gpu, handle))
        exb_gpu_call_scatter(&gpu, &c);
    return exb_cuda_end(&gpu);
}

exblas_status cuda_name(scatter_add)(exblas_cuda_handle handle, int64_t n, const exb_real *x,
                                     const exblas_int *index, int64_t n_bins, exb_real *y)
{
    return scatter(false, handle, n, x, index, n_bins, y);
}

exblas_status cuda_name(scatter_add_64)(exblas_cuda_handle handle, int64_t n, const exb_real *x,
                                        const exblas_int64 *index, int64_t n_bins, exb_real *y)
{
    return scatter(true, handle, n, x, index, n_bins, y);
}
