#include "gpu/device_job.h"
#include "gpu/gpu_testing.h"

#include <exblas/opencl_scatter.h>

/* By name (device_calls.py). */
exblas_status device_call_cl(cl_command_queue queue, const char *name, const routine_call *q,
                             size_t at);
exblas_status device_call_host(cl_command_queue queue, const char *name, const routine_call *q);

static exblas_status set(const char *routine, const char *name, int value)
{
    return exblas_cl_set_param(gpu_queue(), routine, name, value);
}

bool device_open(int group, const char **why)
{
    *why = "there is no OpenCL device";
    return gpu_start() && (group == 0 || device_set(group, false, set) == EXBLAS_OK);
}

void device_close(void)
{
    gpu_end();
}

void *device_upload(size_t bytes, const void *data)
{
    return gpu_buffer(gpu_context(), bytes, data);
}

void device_download(void *from, size_t bytes, void *to)
{
    gpu_read(gpu_queue(), from, 0, bytes, to);
}

void device_release(void *memory)
{
    clReleaseMemObject(memory);
}

void *device_place(void *memory, size_t bytes)
{
    (void)bytes;
    return memory;
}

/* Lengths are size_t here, of which none is negative. */
static routine_call with_length(const routine_call *q)
{
    routine_call p = *q;
    p.n = q->n > 0 ? q->n : 0;
    return p;
}

exblas_status device_run(const fuzz_case *c, const routine_call *q, void *index, size_t at)
{
    static __typeof__(&exblas_cl_dscatter_add)
        const scatter_add[2][2] = {{exblas_cl_dscatter_add, exblas_cl_dscatter_add_64},
                                   {exblas_cl_sscatter_add, exblas_cl_sscatter_add_64}};
    routine_call p = with_length(q);
    if (c->group != GROUP_SCATTER)
        return device_call_cl(gpu_queue(), c->routine->name, &p, at);
    return scatter_add[fuzz_is_float(c)][c->set.form % 2](
        gpu_queue(), (size_t)p.n, p.x, at, index, at, (size_t)c->n_bins, p.y, at, 0, NULL, NULL);
}

exblas_status device_run_host(const fuzz_case *c, const routine_call *q)
{
    routine_call p = with_length(q);
    return device_call_host(gpu_queue(), c->routine->name, &p);
}

const char *device_last_error(void)
{
    return exblas_cl_last_error();
}
