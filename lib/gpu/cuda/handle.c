/* Handles: a device, a stream, cuBLAS, scratch memory, parameters. */
#include "gpu/cuda/handle.h"

#include "core/check/check.h"
#include "core/partition.h"
#include "gpu/flow/params.h"

#include <stdlib.h>

static int attribute(exb_gpu *gpu, int device, enum cudaDeviceAttr which)
{
    int value = 0;
    exb_cuda_ok(gpu, cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
    return value;
}

static void look_at_device(exb_gpu *gpu, struct exb_cuda_handle *h)
{
    int group = attribute(gpu, h->device, cudaDevAttrMaxThreadsPerBlock);
    h->limits.max_group = (int)exb_least(group, 256);
    h->limits.n_units = attribute(gpu, h->device, cudaDevAttrMultiProcessorCount);
    h->limits.local_bytes = (size_t)attribute(gpu, h->device, cudaDevAttrMaxSharedMemoryPerBlock);
    h->limits.multiply_bytes = exb_cuda_multiply_bytes;
    h->limits.has_addresses = true;
    if (attribute(gpu, h->device, cudaDevAttrComputeCapabilityMajor) < 8)
        exb_gpu_fail(gpu, EXBLAS_EUNSUPPORTED, "the device is older than compute capability 8.0");
    else if (!attribute(gpu, h->device, cudaDevAttrMemoryPoolsSupported))
        exb_gpu_fail(gpu, EXBLAS_EUNSUPPORTED, "the device has no pools of memory");
}

/* An eighth of the device's memory, at most 64 GiB. */
static void bound_workspace(exb_gpu *gpu)
{
    size_t available = 0, total = 0;
    exb_cuda_ok(gpu, cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
    int mib = (int)exb_least((exb_i64)(total >> 23), 65536);
    if (!exb_gpu_status(gpu) && mib > 0) {
        exb_gpu_set_param(gpu, "dgemm", "workspace_mib", mib);
        exb_gpu_set_param(gpu, "sgemm", "workspace_mib", mib);
    }
}

static void close_all(struct exb_cuda_handle *h)
{
    if (h->cublas)
        cublasDestroy(h->cublas);
    exb_cuda_destroy_scratch(h);
    if (h->last)
        cudaEventDestroy(h->last);
    free(h->params);
    free(h);
}

exblas_status exblas_cuda_create(exblas_cuda_handle *handle)
{
    struct exb_cuda_handle *h = handle ? calloc(1, sizeof *h) : NULL;
    exb_gpu gpu = {.handle = h, .device = -1};
    exb_fpenv_enter(&gpu.env);
    if (h) {
        h->params = exb_gpu_params_new();
        h->layout = EXB_COL_MAJOR;
    }
    if (!handle)
        exb_gpu_fail(&gpu, EXBLAS_EINVAL, "the place for the handle is NULL");
    else if (!h || !h->params)
        exb_gpu_fail_memory(&gpu);
    else if (exb_cuda_ok(&gpu, cudaGetDevice(&h->device), "cudaGetDevice")) {
        look_at_device(&gpu, h);
        bound_workspace(&gpu);
        exb_cuda_ok(&gpu, cudaEventCreateWithFlags(&h->last, cudaEventDisableTiming),
                    "cudaEventCreateWithFlags");
    }
    exblas_status status = exb_cuda_end(&gpu);
    if (status && h)
        close_all(h);
    else if (h)
        *handle = h;
    return status;
}

/* The stream may have been destroyed: the event knows when its last command has ended. */
exblas_status exblas_cuda_destroy(exblas_cuda_handle handle)
{
    exb_gpu gpu = {.handle = NULL, .device = -1};
    if (!handle)
        return EXBLAS_OK;
    exb_fpenv_enter(&gpu.env);
    if (handle->has_last)
        exb_cuda_ok(&gpu, cudaEventSynchronize(handle->last), "cudaEventSynchronize");
    close_all(handle);
    return exb_cuda_end(&gpu);
}

/* The new stream waits for the last call: scratch memory is in use there. */
static void hand_over(exb_gpu *gpu, cudaStream_t to)
{
    if (exb_cuda_refuse_capture(gpu, to) && gpu->handle->has_last)
        exb_cuda_ok(gpu, cudaStreamWaitEvent(to, gpu->handle->last, 0), "cudaStreamWaitEvent");
}

/* The old stream is not looked at: it may be gone. */
exblas_status exblas_cuda_set_stream(exblas_cuda_handle handle, struct CUstream_st *stream)
{
    exb_gpu gpu;
    if (exb_cuda_enter(&gpu, handle) && stream != handle->stream) {
        hand_over(&gpu, stream);
        if (!exb_gpu_status(&gpu) && handle->cublas)
            exb_cublas_ok(&gpu, cublasSetStream(handle->cublas, stream), "cublasSetStream");
        if (!exb_gpu_status(&gpu))
            handle->stream = stream;
    }
    return exb_cuda_end(&gpu);
}

exblas_status exblas_cuda_get_stream(exblas_cuda_handle handle, struct CUstream_st **stream)
{
    exb_gpu gpu;
    if (exb_cuda_enter(&gpu, handle)) {
        if (stream)
            *stream = handle->stream;
        else
            exb_gpu_fail(&gpu, EXBLAS_EINVAL, "the place for the stream is NULL");
    }
    return exb_cuda_end(&gpu);
}

exblas_status exblas_cuda_synchronize(exblas_cuda_handle handle)
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle))
        exb_cuda_ok(&gpu, cudaStreamSynchronize(handle->stream), "cudaStreamSynchronize");
    return exb_cuda_end(&gpu);
}

struct exb_gpu_params *exb_gpu_params_of(const exb_gpu *gpu)
{
    return gpu->handle->params;
}

exblas_status exblas_cuda_set_param(exblas_cuda_handle handle, const char *routine,
                                    const char *name, int value)
{
    exb_gpu gpu;
    if (exb_cuda_enter(&gpu, handle))
        exb_gpu_set_param(&gpu, routine, name, value);
    return exb_cuda_end(&gpu);
}

/* --- how calls are meant ----------------------------------------------------------- */

const exb_method *exb_gpu_method(const exb_gpu *gpu)
{
    return gpu->handle->method ? gpu->handle->method : exb_method_current();
}

exblas_status exblas_cuda_set_method(exblas_cuda_handle handle, const char *name)
{
    exb_gpu gpu;
    if (exb_cuda_enter(&gpu, handle)) {
        const exb_method *m = name ? exb_method_find(name) : NULL;
        if (name && !m)
            exb_gpu_fail(&gpu, EXBLAS_EINVAL, "%s is not a method", name);
        else
            handle->method = m;
    }
    return exb_cuda_end(&gpu);
}

exblas_status exblas_cuda_set_layout(exblas_cuda_handle handle, int layout)
{
    exb_gpu gpu;
    if (exb_cuda_enter(&gpu, handle)) {
        if (layout == EXB_ROW_MAJOR || layout == EXB_COL_MAJOR)
            handle->layout = layout;
        else
            exb_gpu_fail(&gpu, EXBLAS_EINVAL, "%d is not a layout", layout);
    }
    return exb_cuda_end(&gpu);
}

exblas_status exblas_cuda_set_host_results(exblas_cuda_handle handle, int on_host)
{
    exb_gpu gpu;
    if (exb_cuda_enter(&gpu, handle))
        handle->host_results = on_host != 0;
    return exb_cuda_end(&gpu);
}
