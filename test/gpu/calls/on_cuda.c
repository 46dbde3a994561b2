#include "gpu/calls/on_cuda.h"

#include "gpu/calls/device_case.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

exblas_cuda_handle device_handle;
const bool device_has_batches = true;

static exblas_cuda_handle set_up;

static exblas_status set(const char *routine, const char *name, int value)
{
    return exblas_cuda_set_param(set_up, routine, name, value);
}

exblas_status set_groups(exblas_cuda_handle handle, int group, bool alone)
{
    set_up = handle;
    return device_case_set(group, alone, set);
}

bool device_open(int group, const char **why)
{
    exblas_status s = exblas_cuda_create(&device_handle);
    if (!s && group > 0)
        s = set_groups(device_handle, group, false);
    *why = exblas_cuda_last_error();
    return s == EXBLAS_OK;
}

void device_close(void)
{
    exblas_cuda_destroy(device_handle);
}

static void require(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    printf("Bail out! %s\n", cudaGetErrorString(error));
    exit(1);
}

void *device_upload(size_t bytes, const void *data)
{
    void *m = NULL;
    if (bytes > 0) {
        require(cudaMalloc(&m, bytes));
        require(cudaMemcpy(m, data, bytes, cudaMemcpyHostToDevice));
    }
    return m;
}

/* When all commands have ended. */
void device_download(void *from, size_t bytes, void *to)
{
    require(cudaDeviceSynchronize());
    require(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

void device_release(void *memory)
{
    require(cudaFree(memory));
}

void *device_place(void *memory, size_t bytes)
{
    return memory ? (char *)memory + bytes : NULL;
}

exblas_status device_run(const device_call *c)
{
    exblas_status s = exblas_cuda_set_layout(device_handle, c->layout);
    if (s || !c->index)
        return s ? s : device_call_cuda(device_handle, c);
    exblas_cuda_handle h = device_handle;
    if (c->name[0] == 's')
        return c->wide ? exblas_cuda_sscatter_add_64(h, c->n, c->x, c->index, c->m, c->y)
                       : exblas_cuda_sscatter_add(h, c->n, c->x, c->index, c->m, c->y);
    return c->wide ? exblas_cuda_dscatter_add_64(h, c->n, c->x, c->index, c->m, c->y)
                   : exblas_cuda_dscatter_add(h, c->n, c->x, c->index, c->m, c->y);
}

exblas_status device_run_host(const device_call *c)
{
    (void)c;
    return EXBLAS_EUNSUPPORTED;
}

const char *device_last_error(void)
{
    return exblas_cuda_last_error();
}
