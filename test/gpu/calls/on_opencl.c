#include "gpu/calls/on_device.h"

#include "gpu/calls/device_case.h"
#include "gpu/gpu_testing.h"

#include <exblas/opencl_scatter.h>

const bool device_has_batches = false;

static exblas_status set(const char *routine, const char *name, int value)
{
    return exblas_cl_set_param(gpu_queue(), routine, name, value);
}

bool device_open(int group, const char **why)
{
    *why = "there is no OpenCL device";
    return gpu_start() && (group == 0 || device_case_set(group, false, set) == EXBLAS_OK);
}

void device_close(void)
{
    gpu_end();
}

void *device_upload(size_t bytes, const void *data)
{
    return bytes > 0 ? gpu_buffer(gpu_context(), bytes, data) : NULL;
}

void device_download(void *from, size_t bytes, void *to)
{
    gpu_read(gpu_queue(), from, 0, bytes, to);
}

void device_release(void *memory)
{
    if (memory)
        clReleaseMemObject(memory);
}

void *device_place(void *memory, size_t bytes)
{
    (void)bytes;
    return memory;
}

exblas_status device_run(const device_call *c)
{
    static __typeof__(&exblas_cl_dscatter_add)
        const scatter_add[2][2] = {{exblas_cl_dscatter_add, exblas_cl_dscatter_add_64},
                                   {exblas_cl_sscatter_add, exblas_cl_sscatter_add_64}};
    size_t at = c->offset;
    return !c->index
               ? device_call_cl(gpu_queue(), c)
               : scatter_add[c->name[0] == 's'][c->wide](gpu_queue(), (size_t)c->n, c->x, at,
                                                         (void *)(uintptr_t)c->index, at,
                                                         (size_t)c->m, c->y, at, 0, NULL, c->done);
}

exblas_status device_run_host(const device_call *c)
{
    return c->index ? EXBLAS_EUNSUPPORTED : device_call_host(gpu_queue(), c);
}

const char *device_last_error(void)
{
    return exblas_cl_last_error();
}
