/* The public sparse products on device buffers. */
#include "core/type.h"
#include "exblas/opencl_sparse.h"
#include "gpu/flow/gpu_csr.h"
#include "gpu/opencl/context.h"

#define cl_name(name) EXB_PASTE3(exblas_cl_, EXB_TYPE, name)

static exblas_status csrmv(bool is_wide, cl_command_queue queue, const size_t *size,
                           exb_gpu_csr_call c, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    c.is_s = EXB_IS_S;
    c.is_wide = is_wide;
    if (exb_cl_begin(&gpu, queue, n_wait, wait)) {
        c.m = exb_gpu_length(&gpu, "m", size[0]);
        c.n = exb_gpu_length(&gpu, "n", size[1]);
        c.n_entries = exb_gpu_length(&gpu, "n_entries", size[2]);
        if (!exb_gpu_status(&gpu))
            exb_gpu_call_csrmv(&gpu, &c);
    }
    return exb_cl_end(&gpu, done);
}

/* With 32-bit and with 64-bit indices. */
#define EXB_CSRMV(name, is_wide)                                                                   \
    exblas_status cl_name(name)(cl_command_queue queue, size_t m, size_t n, size_t n_entries,      \
                                exb_real alpha, cl_mem row_start, size_t offstart, cl_mem column,  \
                                size_t offcolumn, cl_mem value, size_t offvalue, cl_mem x,         \
                                size_t offx, exb_real beta, cl_mem y, size_t offy, cl_uint n_wait, \
                                const cl_event *wait, cl_event *done)                              \
    {                                                                                              \
        const size_t size[] = {m, n, n_entries};                                                   \
        exb_gpu_csr_call c = {.alpha = &alpha,                                                     \
                              .beta = &beta,                                                       \
                              .row_start = {"row_start", row_start, offstart},                     \
                              .column = {"column", column, offcolumn},                             \
                              .value = {"value", value, offvalue},                                 \
                              .x = {"x", x, offx},                                                 \
                              .y = {"y", y, offy}};                                                \
        return csrmv(is_wide, queue, size, c, n_wait, wait, done);                                 \
    }

EXB_CSRMV(csrmv, false)
EXB_CSRMV(csrmv_64, true)
