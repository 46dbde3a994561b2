/* The public scatter-adds on device buffers. */
#include "core/type.h"
#include "exblas/opencl_scatter.h"
#include "gpu/flow/front.h"
#include "gpu/opencl/context.h"

#define cl_name(name) EXB_PASTE3(exblas_cl_, EXB_TYPE, name)

static exblas_status scatter(bool is_wide, cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                             cl_mem index, size_t offindex, size_t n_bins, cl_mem y, size_t offy,
                             cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    exb_gpu_scatter_call c = {.is_s = EXB_IS_S,
                              .is_wide = is_wide,
                              .x = {"x", x, offx},
                              .index = {"index", index, offindex},
                              .y = {"y", y, offy}};
    if (exb_cl_begin(&gpu, queue, n_wait, wait)) {
        c.n = exb_gpu_length(&gpu, "n", n);
        c.n_bins = exb_gpu_length(&gpu, "n_bins", n_bins);
        exb_gpu_call_scatter(&gpu, &c);
    }
    return exb_cl_end(&gpu, done);
}

exblas_status cl_name(scatter_add)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                   cl_mem index, size_t offindex, size_t n_bins, cl_mem y,
                                   size_t offy, cl_uint n_wait, const cl_event *wait,
                                   cl_event *done)
{
    return scatter(false, queue, n, x, offx, index, offindex, n_bins, y, offy, n_wait, wait, done);
}

exblas_status cl_name(scatter_add_64)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                      cl_mem index, size_t offindex, size_t n_bins, cl_mem y,
                                      size_t offy, cl_uint n_wait, const cl_event *wait,
                                      cl_event *done)
{
    return scatter(true, queue, n, x, offx, index, offindex, n_bins, y, offy, n_wait, wait, done);
}
