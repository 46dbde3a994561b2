#include "gpu/on_cuda.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

exblas_cuda_handle device_handle;

static exblas_cuda_handle set_up;

static exblas_status set(const char *routine, const char *name, int value)
{
    return exblas_cuda_set_param(set_up, routine, name, value);
}

exblas_status set_groups(exblas_cuda_handle handle, int group, bool alone)
{
    set_up = handle;
    return device_set(group, alone, set);
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
    require(cudaMalloc(&m, bytes));
    require(cudaMemcpy(m, data, bytes, cudaMemcpyHostToDevice));
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
    return (char *)memory + bytes;
}

exblas_status device_run(const fuzz_case *c, const routine_call *q, void *index, size_t at)
{
    exblas_cuda_handle h = device_handle;
    exblas_status s = exblas_cuda_set_layout(h, option("rc", EXBLAS_ROW_MAJOR, q->layout));
    (void)at;
    if (s || c->group != GROUP_SCATTER)
        return s ? s : device_call_cuda(h, c->routine->name, q);
    bool wide = c->set.form % 2 == 1;
    if (fuzz_is_float(c))
        return wide ? exblas_cuda_sscatter_add_64(h, q->n, q->x, index, c->n_bins, q->y)
                    : exblas_cuda_sscatter_add(h, q->n, q->x, index, c->n_bins, q->y);
    return wide ? exblas_cuda_dscatter_add_64(h, q->n, q->x, index, c->n_bins, q->y)
                : exblas_cuda_dscatter_add(h, q->n, q->x, index, c->n_bins, q->y);
}

exblas_status device_run_host(const fuzz_case *c, const routine_call *q)
{
    (void)c, (void)q;
    return EXBLAS_EUNSUPPORTED;
}

const char *device_last_error(void)
{
    return exblas_cuda_last_error();
}
