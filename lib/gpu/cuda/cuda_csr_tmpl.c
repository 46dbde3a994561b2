/* The public sparse products on CUDA devices. */
#include "core/type.h"
#include "exblas/cuda_sparse.h"
#include "gpu/cuda/handle.h"
#include "gpu/flow/gpu_csr.h"

#define cuda_name(name) EXB_PASTE3(exblas_cuda_, EXB_TYPE, name)

static exblas_status csrmv(bool is_wide, exblas_cuda_handle handle, const int64_t *size,
                           exb_real alpha, const void *const *index, const exb_real *value,
                           const exb_real *x, exb_real beta, exb_real *y)
{
    exb_gpu gpu;
    exb_gpu_csr_call c = {.is_s = EXB_IS_S,
                          .is_wide = is_wide,
                          .m = size[0],
                          .n = size[1],
                          .n_entries = size[2],
                          .alpha = &alpha,
                          .beta = &beta,
                          .row_start = exb_cuda_operand("row_start", index[0]),
                          .column = exb_cuda_operand("column", index[1]),
                          .value = exb_cuda_operand("value", value),
                          .x = exb_cuda_operand("x", x),
                          .y = exb_cuda_operand("y", y)};
    if (exb_cuda_begin(&gpu, handle))
        exb_gpu_call_csrmv(&gpu, &c);
    return exb_cuda_end(&gpu);
}

exblas_status cuda_name(csrmv)(exblas_cuda_handle handle, int64_t m, int64_t n, int64_t n_entries,
                               exb_real alpha, const exblas_int *row_start,
                               const exblas_int *column, const exb_real *value, const exb_real *x,
                               exb_real beta, exb_real *y)
{
    return csrmv(false, handle, (int64_t[]){m, n, n_entries}, alpha,
                 (const void *[]){row_start, column}, value, x, beta, y);
}

exblas_status cuda_name(csrmv_64)(exblas_cuda_handle handle, int64_t m, int64_t n,
                                  int64_t n_entries, exb_real alpha, const exblas_int64 *row_start,
                                  const exblas_int64 *column, const exb_real *value,
                                  const exb_real *x, exb_real beta, exb_real *y)
{
    return csrmv(true, handle, (int64_t[]){m, n, n_entries}, alpha,
                 (const void *[]){row_start, column}, value, x, beta, y);
}
