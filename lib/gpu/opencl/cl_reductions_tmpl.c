/* The public reductions, of device buffers and of host memory.
 * Types: s d c z. */
#include "core/type.h"
#include "exblas/opencl_complex.h"
#include "gpu/opencl/cl_host.h"

#define cl_name(name) EXB_PASTE3(exblas_cl_, EXB_TYPE, name)
#define cl_host_name(name) EXB_PASTE3(exblas_cl_host_, EXB_TYPE, name)
#if EXB_IS_COMPLEX
#define cl_norm_name(name) EXB_PASTE4(exblas_cl_, EXB_PART, EXB_TYPE, name)
#define cl_host_norm_name(name) EXB_PASTE4(exblas_cl_host_, EXB_PART, EXB_TYPE, name)
#else
#define cl_norm_name(name) cl_name(name)
#define cl_host_norm_name(name) cl_host_name(name)
#endif

enum { ELEMENT = EXB_PARTS * sizeof(exb_real) };

static exblas_status reduce_vectors(cl_command_queue queue, exb_gpu_reduce_call c, size_t n,
                                    cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    c.is_s = EXB_IS_S;
    c.is_complex = EXB_IS_COMPLEX;
    if (exb_cl_begin(&gpu, queue, n_wait, wait)) {
        c.n = exb_gpu_length(&gpu, "n", n);
        exb_gpu_call_reduce(&gpu, &c);
    }
    return exb_cl_end(&gpu, done);
}

static exblas_status reduce_one(cl_command_queue queue, exb_gpu_reduce_op op, size_t n, cl_mem x,
                                size_t offx, exblas_int64 incx, cl_mem r, size_t offr,
                                cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu_reduce_call c = {.op = op, .x = {"x", x, offx}, .incx = incx, .result = {"r", r, offr}};
    return reduce_vectors(queue, c, n, n_wait, wait, done);
}

exblas_status cl_name(sum)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                           exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                           const cl_event *wait, cl_event *done)
{
    return reduce_one(queue, EXB_GPU_SUM, n, x, offx, incx, r, offr, n_wait, wait, done);
}

exblas_status cl_norm_name(asum)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                 exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                                 const cl_event *wait, cl_event *done)
{
    return reduce_one(queue, EXB_GPU_ASUM, n, x, offx, incx, r, offr, n_wait, wait, done);
}

exblas_status cl_norm_name(nrm2)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                 exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                                 const cl_event *wait, cl_event *done)
{
    return reduce_one(queue, EXB_GPU_NRM2, n, x, offx, incx, r, offr, n_wait, wait, done);
}

static exblas_status dot(bool conjugate, cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                         exblas_int64 incx, cl_mem y, size_t offy, exblas_int64 incy, cl_mem r,
                         size_t offr, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu_reduce_call c = {.op = EXB_GPU_DOT,
                             .conjugate = conjugate,
                             .x = {"x", x, offx},
                             .incx = incx,
                             .y = {"y", y, offy},
                             .incy = incy,
                             .result = {"r", r, offr}};
    return reduce_vectors(queue, c, n, n_wait, wait, done);
}

static exb_gpu_operand upload(exb_gpu *gpu, const char *name, exb_values x, exb_i64 n, exb_i64 inc)
{
    return exb_cl_upload(gpu, name, x, exb_cl_strided((size_t)n, inc), ELEMENT);
}

/* A reduction of vectors of the host, whose result has r_bytes; y is read by dot alone, which
 * conjugates x if asked to. */
static exblas_status run_host(cl_command_queue queue, exb_gpu_reduce_op op, bool conjugate,
                              size_t n, exb_values x, exblas_int64 incx, exb_values y,
                              exblas_int64 incy, size_t r_bytes, void *r)
{
    exb_gpu gpu;
    exb_gpu_reduce_call c = {
        .is_s = EXB_IS_S, .is_complex = EXB_IS_COMPLEX, .op = op, .conjugate = conjugate};
    if (exb_cl_begin(&gpu, queue, 0, NULL)) {
        if (!r)
            exb_gpu_fail(&gpu, EXBLAS_EINVAL, "r is NULL");
        c.n = op == EXB_GPU_ASUM && incx <= 0 ? 0 : exb_gpu_length(&gpu, "n", n);
        c.x = upload(&gpu, "x", x, c.n, incx);
        c.y = op == EXB_GPU_DOT ? upload(&gpu, "y", y, c.n, incy) : c.x;
        c.incx = exb_cl_packed_inc(incx);
        c.incy = exb_cl_packed_inc(incy);
        c.result = (exb_gpu_operand){"r", exb_gpu_scratch(&gpu, r_bytes).buffer, 0};
        exb_gpu_call_reduce(&gpu, &c);
        exb_cl_download(&gpu, c.result, exb_cl_strided(1, 1), r, r_bytes);
    }
    return exb_cl_end(&gpu, NULL);
}

exblas_status cl_host_name(sum)(cl_command_queue queue, size_t n, exb_values x, exblas_int64 incx,
                                exb_results r)
{
    return run_host(queue, EXB_GPU_SUM, false, n, x, incx, NULL, 0, ELEMENT, r);
}

exblas_status cl_host_norm_name(asum)(cl_command_queue queue, size_t n, exb_values x,
                                      exblas_int64 incx, exb_real *r)
{
    return run_host(queue, EXB_GPU_ASUM, false, n, x, incx, NULL, 0, sizeof *r, r);
}

exblas_status cl_host_norm_name(nrm2)(cl_command_queue queue, size_t n, exb_values x,
                                      exblas_int64 incx, exb_real *r)
{
    return run_host(queue, EXB_GPU_NRM2, false, n, x, incx, NULL, 0, sizeof *r, r);
}

#if EXB_IS_COMPLEX

exblas_status cl_name(dotu)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                            exblas_int64 incx, cl_mem y, size_t offy, exblas_int64 incy, cl_mem r,
                            size_t offr, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    return dot(false, queue, n, x, offx, incx, y, offy, incy, r, offr, n_wait, wait, done);
}

exblas_status cl_name(dotc)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                            exblas_int64 incx, cl_mem y, size_t offy, exblas_int64 incy, cl_mem r,
                            size_t offr, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    return dot(true, queue, n, x, offx, incx, y, offy, incy, r, offr, n_wait, wait, done);
}

exblas_status cl_host_name(dotu)(cl_command_queue queue, size_t n, exb_values x, exblas_int64 incx,
                                 exb_values y, exblas_int64 incy, exb_results r)
{
    return run_host(queue, EXB_GPU_DOT, false, n, x, incx, y, incy, ELEMENT, r);
}

exblas_status cl_host_name(dotc)(cl_command_queue queue, size_t n, exb_values x, exblas_int64 incx,
                                 exb_values y, exblas_int64 incy, exb_results r)
{
    return run_host(queue, EXB_GPU_DOT, true, n, x, incx, y, incy, ELEMENT, r);
}

#else

exblas_status cl_name(dot)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                           exblas_int64 incx, cl_mem y, size_t offy, exblas_int64 incy, cl_mem r,
                           size_t offr, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    return dot(false, queue, n, x, offx, incx, y, offy, incy, r, offr, n_wait, wait, done);
}

exblas_status cl_host_name(dot)(cl_command_queue queue, size_t n, exb_values x, exblas_int64 incx,
                                exb_values y, exblas_int64 incy, exb_results r)
{
    return run_host(queue, EXB_GPU_DOT, false, n, x, incx, y, incy, ELEMENT, r);
}

#endif
