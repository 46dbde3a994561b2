/* The public scatter-adds: arguments are checked, then the flow runs. */
#include "gpu/opencl/context.h"

#include "core/type.h"
#include "exblas/opencl_scatter.h"
#include "gpu/flow/gpu_scatter.h"

#define cl_name(name) EXB_PASTE3(exblas_cl_, EXB_TYPE, name)

/* Elements `offset` to offset + n - 1 of a buffer. */
static exb_gpu_ref range(exb_gpu *gpu, const char *name, size_t n, cl_mem buffer, size_t offset,
                         size_t element)
{
    if (n > 0)
        exb_cl_check_vector(gpu, name, buffer, offset, n, 1, element);
    return (exb_gpu_ref){buffer, offset * element};
}

typedef void flow(exb_gpu *gpu, const exb_gpu_scattering *s);

static exblas_status scatter(flow *run, bool is_wide, cl_command_queue queue, size_t n, cl_mem x,
                             size_t offx, cl_mem index, size_t offindex, size_t n_bins, cl_mem y,
                             size_t offy, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    if (exb_cl_begin(&gpu, queue, n_wait, wait)) {
        size_t used = n > 0 ? n_bins : 0; /* without terms y is not looked at */
        exb_gpu_scattering s = {.is_s = EXB_IS_S,
                                .is_wide = is_wide,
                                .n = n < INT64_MAX ? (exb_i64)n : INT64_MAX,
                                .n_bins = n_bins < INT64_MAX ? (exb_i64)n_bins : INT64_MAX,
                                .x = range(&gpu, "x", n, x, offx, sizeof(exb_real)),
                                .index = range(&gpu, "index", n, index, offindex,
                                               is_wide ? sizeof(exblas_int64) : sizeof(exblas_int)),
                                .y = range(&gpu, "y", used, y, offy, sizeof(exb_real))};
        run(&gpu, &s);
    }
    return exb_cl_end(&gpu, done);
}

exblas_status cl_name(scatter_add)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                   cl_mem index, size_t offindex, size_t n_bins, cl_mem y,
                                   size_t offy, cl_uint n_wait, const cl_event *wait,
                                   cl_event *done)
{
    return scatter(exb_gpu_scatter_add, false, queue, n, x, offx, index, offindex, n_bins, y, offy,
                   n_wait, wait, done);
}

exblas_status cl_name(scatter_add_64)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                      cl_mem index, size_t offindex, size_t n_bins, cl_mem y,
                                      size_t offy, cl_uint n_wait, const cl_event *wait,
                                      cl_event *done)
{
    return scatter(exb_gpu_scatter_add, true, queue, n, x, offx, index, offindex, n_bins, y, offy,
                   n_wait, wait, done);
}

exblas_status cl_name(scatter_add_ordered)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                           cl_mem index, size_t offindex, size_t n_bins, cl_mem y,
                                           size_t offy, cl_uint n_wait, const cl_event *wait,
                                           cl_event *done)
{
    return scatter(exb_gpu_scatter_add_ordered, false, queue, n, x, offx, index, offindex, n_bins,
                   y, offy, n_wait, wait, done);
}
