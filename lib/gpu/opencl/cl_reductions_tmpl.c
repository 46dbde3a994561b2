/* The public reductions, of device buffers and of host memory. */
#include "core/type.h"
#include "exblas/opencl.h"
#include "gpu/opencl/cl_host.h"

#define cl_name(name) EXB_PASTE3(exblas_cl_, EXB_TYPE, name)
#define cl_host_name(name) EXB_PASTE3(exblas_cl_host_, EXB_TYPE, name)

static exblas_status reduce_vectors(cl_command_queue queue, exb_gpu_reduce_call c, size_t n,
                                    cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    if (exb_cl_begin(&gpu, queue, n_wait, wait)) {
        c.n = exb_gpu_length(&gpu, "n", n);
        exb_gpu_call_reduce(&gpu, &c);
    }
    return exb_cl_end(&gpu, done);
}

exblas_status cl_name(sum)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                           exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                           const cl_event *wait, cl_event *done)
{
    exb_gpu_reduce_call c = {EXB_IS_S, EXB_GPU_SUM, .x = {"x", x, offx}, .incx = incx,
                             .result = {"r", r, offr}};
    return reduce_vectors(queue, c, n, n_wait, wait, done);
}

exblas_status cl_name(asum)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                            exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                            const cl_event *wait, cl_event *done)
{
    exb_gpu_reduce_call c = {EXB_IS_S, EXB_GPU_ASUM, .x = {"x", x, offx}, .incx = incx,
                             .result = {"r", r, offr}};
    return reduce_vectors(queue, c, n, n_wait, wait, done);
}

exblas_status cl_name(nrm2)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                            exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                            const cl_event *wait, cl_event *done)
{
    exb_gpu_reduce_call c = {EXB_IS_S, EXB_GPU_NRM2, .x = {"x", x, offx}, .incx = incx,
                             .result = {"r", r, offr}};
    return reduce_vectors(queue, c, n, n_wait, wait, done);
}

exblas_status cl_name(dot)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                           exblas_int64 incx, cl_mem y, size_t offy, exblas_int64 incy, cl_mem r,
                           size_t offr, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu_reduce_call c = {EXB_IS_S,
                             EXB_GPU_DOT,
                             .x = {"x", x, offx},
                             .incx = incx,
                             .y = {"y", y, offy},
                             .incy = incy,
                             .result = {"r", r, offr}};
    return reduce_vectors(queue, c, n, n_wait, wait, done);
}

static exb_gpu_operand upload(exb_gpu *gpu, const char *name, const exb_real *x, exb_i64 n,
                              exb_i64 inc)
{
    return exb_cl_upload(gpu, name, x, exb_cl_strided((size_t)n, inc), sizeof *x);
}

/* A reduction of vectors of the host; y is read by dot alone. */
static exblas_status run_host(cl_command_queue queue, exb_gpu_reduce_op op, size_t n,
                              const exb_real *x, exblas_int64 incx, const exb_real *y,
                              exblas_int64 incy, exb_real *r)
{
    exb_gpu gpu;
    exb_gpu_reduce_call c = {.is_s = EXB_IS_S, .op = op};
    if (exb_cl_begin(&gpu, queue, 0, NULL)) {
        if (!r)
            exb_gpu_fail(&gpu, EXBLAS_EINVAL, "r is NULL");
        c.n = op == EXB_GPU_ASUM && incx <= 0 ? 0 : exb_gpu_length(&gpu, "n", n);
        c.x = upload(&gpu, "x", x, c.n, incx);
        c.y = op == EXB_GPU_DOT ? upload(&gpu, "y", y, c.n, incy) : c.x;
        c.incx = exb_cl_packed_inc(incx);
        c.incy = exb_cl_packed_inc(incy);
        c.result = (exb_gpu_operand){"r", exb_gpu_scratch(&gpu, sizeof *r).buffer, 0};
        exb_gpu_call_reduce(&gpu, &c);
        exb_cl_download(&gpu, c.result, exb_cl_strided(1, 1), r, sizeof *r);
    }
    return exb_cl_end(&gpu, NULL);
}

exblas_status cl_host_name(sum)(cl_command_queue queue, size_t n, const exb_real *x,
                                exblas_int64 incx, exb_real *r)
{
    return run_host(queue, EXB_GPU_SUM, n, x, incx, NULL, 0, r);
}

exblas_status cl_host_name(asum)(cl_command_queue queue, size_t n, const exb_real *x,
                                 exblas_int64 incx, exb_real *r)
{
    return run_host(queue, EXB_GPU_ASUM, n, x, incx, NULL, 0, r);
}

exblas_status cl_host_name(nrm2)(cl_command_queue queue, size_t n, const exb_real *x,
                                 exblas_int64 incx, exb_real *r)
{
    return run_host(queue, EXB_GPU_NRM2, n, x, incx, NULL, 0, r);
}

exblas_status cl_host_name(dot)(cl_command_queue queue, size_t n, const exb_real *x,
                                exblas_int64 incx, const exb_real *y, exblas_int64 incy,
                                exb_real *r)
{
    return run_host(queue, EXB_GPU_DOT, n, x, incx, y, incy, r);
}
