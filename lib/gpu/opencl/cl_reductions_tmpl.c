/* The public reductions: arguments are checked, then the flow runs. */
#include "gpu/opencl/context.h"

#include "core/type.h"
#include "exblas/opencl.h"
#include "gpu/flow/reduce.h"
#include "gpu/kernels/terms.h"

#define cl_name(name) EXB_PASTE3(exblas_cl_, EXB_TYPE, name)

/* The first element in BLAS's order as a place, of a vector with increment inc at `offset`. */
static exb_gpu_ref vector(exb_gpu *gpu, const char *name, size_t n, cl_mem buffer, size_t offset,
                          exblas_int64 inc)
{
    exb_gpu_ref first = {buffer, offset * sizeof(exb_real)};
    if (n > 0)
        exb_cl_check_vector(gpu, name, buffer, offset, n, inc, sizeof(exb_real));
    if (n > 0 && inc < 0)
        first.offset += (n - 1) * (size_t)-inc * sizeof(exb_real);
    return first;
}

exblas_status cl_name(dot)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                           exblas_int64 incx, cl_mem y, size_t offy, exblas_int64 incy, cl_mem r,
                           size_t offr, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    if (exb_cl_begin(&gpu, queue, n_wait, wait)) {
        exb_gpu_reduction job = {.is_s = EXB_IS_S,
                                 .term = EXB_GPU_XY,
                                 .n = (exb_i64)n,
                                 .incx = incx,
                                 .incy = incy,
                                 .x = vector(&gpu, "x", n, x, offx, incx),
                                 .y = vector(&gpu, "y", n, y, offy, incy),
                                 .result = vector(&gpu, "r", 1, r, offr, 1)};
        exb_gpu_reduce(&gpu, &job, exb_method_current());
    }
    return exb_cl_end(&gpu, done);
}
