/* The public reductions: arguments become places, then the flow runs. */
#include "gpu/opencl/context.h"

#include "core/type.h"
#include "exblas/opencl.h"
#include "gpu/flow/reduce.h"

#define cl_name(name) EXB_PASTE3(exblas_cl_, EXB_TYPE, name)
#define cl_host_name(name) EXB_PASTE3(exblas_cl_host_, EXB_TYPE, name)

/* A vector of the caller's as a place: where BLAS's first element is. */
static exb_gpu_ref vector(exb_gpu *gpu, const char *name, size_t n, cl_mem buffer, size_t offset,
                          exblas_int64 inc)
{
    exb_gpu_ref first = {buffer, 0};
    if (!exb_cl_check_vector(gpu, name, buffer, offset, n, inc, sizeof(exb_real)))
        return first;
    size_t skipped = n > 0 && inc < 0 ? (n - 1) * (size_t)-inc : 0;
    first.offset = (offset + skipped) * sizeof(exb_real);
    return first;
}

/* A reduction of vectors on the device. */
typedef struct {
    int term;
    bool root;
    size_t n;
    cl_mem x;
    size_t offx;
    exblas_int64 incx;
    cl_mem y;
    size_t offy;
    exblas_int64 incy;
    cl_mem r;
    size_t offr;
} device_job;

static exblas_status run(cl_command_queue queue, const device_job *j, cl_uint n_wait,
                         const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    if (exb_cl_begin(&gpu, queue, n_wait, wait)) {
        exb_gpu_reduction r = {.is_s = EXB_IS_S,
                               .root = j->root,
                               .term = j->term,
                               .n = (exb_i64)j->n,
                               .incx = j->incx,
                               .incy = j->incy};
        r.x = vector(&gpu, "x", j->n, j->x, j->offx, j->incx);
        r.y = j->term == EXB_GPU_XY ? vector(&gpu, "y", j->n, j->y, j->offy, j->incy) : r.x;
        r.result = vector(&gpu, "r", 1, j->r, j->offr, 1);
        exb_gpu_reduce(&gpu, &r, exb_method_current());
    }
    return exb_cl_end(&gpu, done);
}

exblas_status cl_name(sum)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                           exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                           const cl_event *wait, cl_event *done)
{
    device_job j = {EXB_GPU_X, false, n, x, offx, incx, NULL, 0, 0, r, offr};
    return run(queue, &j, n_wait, wait, done);
}

exblas_status cl_name(asum)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                            exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                            const cl_event *wait, cl_event *done)
{
    device_job j = {EXB_GPU_ABS_X, false, incx > 0 ? n : 0, x, offx, incx, NULL, 0, 0, r, offr};
    return run(queue, &j, n_wait, wait, done);
}

exblas_status cl_name(nrm2)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                            exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                            const cl_event *wait, cl_event *done)
{
    device_job j = {EXB_GPU_XY, true, n, x, offx, incx, x, offx, incx, r, offr};
    return run(queue, &j, n_wait, wait, done);
}

exblas_status cl_name(dot)(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                           exblas_int64 incx, cl_mem y, size_t offy, exblas_int64 incy, cl_mem r,
                           size_t offr, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    device_job j = {EXB_GPU_XY, false, n, x, offx, incx, y, offy, incy, r, offr};
    return run(queue, &j, n_wait, wait, done);
}

/* A vector of the host's in scratch memory, its elements side by side in the order of their
 * addresses; *inc becomes 1 or -1, or 0 for a single element that counts n times. */
static exb_gpu_ref upload(exb_gpu *gpu, size_t n, const exb_real *x, exblas_int64 *inc)
{
    size_t n_stored = *inc == 0 && n > 1 ? 1 : n;
    exb_gpu_ref to = exb_gpu_scratch(gpu, n_stored * sizeof(exb_real));
    exb_cl_write_strided(gpu, to, n_stored, x, *inc < 0 ? (size_t) - *inc : (size_t)*inc,
                         sizeof(exb_real));
    if (*inc < 0 && n > 0)
        to.offset += (n - 1) * sizeof(exb_real);
    *inc = *inc < 0 ? -1 : *inc > 0;
    return to;
}

/* A reduction of vectors of the host; y = x: the same vector. */
static exblas_status run_host(cl_command_queue queue, int term, bool root, size_t n,
                              const exb_real *x, exblas_int64 incx, const exb_real *y,
                              exblas_int64 incy, exb_real *result)
{
    exb_gpu gpu;
    if (exb_cl_begin(&gpu, queue, 0, NULL)) {
        exb_real found = 0;
        bool same = y == x && incy == incx;
        exb_gpu_reduction r = {
            .is_s = EXB_IS_S, .root = root, .term = term, .n = (exb_i64)n, .incx = incx};
        if (n > 0 && (!x || (term == EXB_GPU_XY && !y)))
            exb_gpu_fail(&gpu, EXBLAS_EINVAL, "a vector is NULL");
        r.x = upload(&gpu, n, x, &r.incx);
        r.incy = same ? r.incx : incy;
        r.y = same || term != EXB_GPU_XY ? r.x : upload(&gpu, n, y, &r.incy);
        r.result = exb_gpu_scratch(&gpu, sizeof(exb_real));
        exb_gpu_reduce(&gpu, &r, exb_method_current());
        exb_gpu_read(&gpu, r.result, sizeof found, &found);
        if (!exb_gpu_status(&gpu))
            memcpy(result, &found, sizeof found);
    }
    return exb_cl_end(&gpu, NULL);
}

exblas_status cl_host_name(sum)(cl_command_queue queue, size_t n, const exb_real *x,
                                exblas_int64 incx, exb_real *r)
{
    return run_host(queue, EXB_GPU_X, false, n, x, incx, NULL, 0, r);
}

exblas_status cl_host_name(asum)(cl_command_queue queue, size_t n, const exb_real *x,
                                 exblas_int64 incx, exb_real *r)
{
    return run_host(queue, EXB_GPU_ABS_X, false, incx > 0 ? n : 0, x, incx, NULL, 0, r);
}

exblas_status cl_host_name(nrm2)(cl_command_queue queue, size_t n, const exb_real *x,
                                 exblas_int64 incx, exb_real *r)
{
    return run_host(queue, EXB_GPU_XY, true, n, x, incx, x, incx, r);
}

exblas_status cl_host_name(dot)(cl_command_queue queue, size_t n, const exb_real *x,
                                exblas_int64 incx, const exb_real *y, exblas_int64 incy,
                                exb_real *r)
{
    return run_host(queue, EXB_GPU_XY, false, n, x, incx, y, incy, r);
}
