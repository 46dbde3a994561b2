/* Handles: a device, a stream, cuBLAS, scratch memory, parameters. Scratch memory is pieces of the
 * handle's own, the i-th request of a call gets the i-th one, or the user's workspace, cut in the
 * order of the requests. Calls follow one another on streams, so that all of them use the same
 * memory. */
#include "gpu/cuda/handle.h"

#include "core/check/check.h"
#include "core/partition.h"

#include <stdlib.h>

/* --- scratch memory ------------------------------------------------------------- */

enum { ALIGNMENT = 256 };

/* In the order of the stream. */
static void empty(exb_gpu *gpu, exb_cuda_scratch *s)
{
    if (s->memory)
        exb_cuda_ok(gpu, cudaFreeAsync(s->memory, gpu->handle->stream), "cudaFreeAsync");
    if (!exb_gpu_status(gpu))
        *s = (exb_cuda_scratch){NULL, 0};
}

/* NULL if there is no memory, or the call has failed. */
static void *own_piece(exb_gpu *gpu, exb_cuda_scratch *s, size_t bytes)
{
    if (s->bytes >= bytes)
        return s->memory;
    empty(gpu, s);
    if (exb_gpu_status(gpu))
        return NULL;
    cudaError_t error = cudaMallocAsync(&s->memory, bytes, gpu->handle->stream);
    if (error == cudaErrorMemoryAllocation)
        (void)cudaGetLastError(); /* a later, smaller request may succeed */
    else
        exb_cuda_ok(gpu, error, "cudaMallocAsync");
    s->bytes = error == cudaSuccess ? bytes : 0;
    return error == cudaSuccess ? s->memory : NULL;
}

void *exb_gpu_take_scratch(exb_gpu *gpu, int n, size_t bytes)
{
    struct exb_cuda_handle *h = gpu->handle;
    void *memory = NULL;
    size_t whole = (bytes / ALIGNMENT + 1) * ALIGNMENT;
    if (!h->workspace) /* not rounded up: where a device looks for reads beyond it, it sees them */
        memory = own_piece(gpu, &h->scratch[n], bytes);
    else if (h->workspace_bytes - gpu->n_bytes >= whole)
        memory = h->workspace + gpu->n_bytes;
    gpu->n_bytes += memory ? whole : 0;
    return memory;
}

/* --- handles -------------------------------------------------------------------- */

static void look_at_device(exb_gpu *gpu, struct exb_cuda_handle *h)
{
    struct cudaDeviceProp d;
    if (!exb_cuda_ok(gpu, cudaGetDeviceProperties(&d, h->device), "cudaGetDeviceProperties"))
        return;
    h->limits = (exb_gpu_limits){.n_units = d.multiProcessorCount,
                                 .max_group = (int)exb_least(d.maxThreadsPerBlock, 256),
                                 .local_bytes = d.sharedMemPerBlock,
                                 .multiply_bytes = exb_cuda_multiply_bytes,
                                 .has_addresses = true};
    if (d.major < 8)
        exb_gpu_fail(gpu, EXBLAS_EUNSUPPORTED, "the device is older than compute capability 8.0");
    else if (!d.memoryPoolsSupported)
        exb_gpu_fail(gpu, EXBLAS_EUNSUPPORTED, "the device has no pools of memory");
    /* The workspace: an eighth of the device's memory, at most 64 GiB. */
    int mib = (int)exb_most(exb_least((exb_i64)(d.totalGlobalMem >> 23), 65536), 1);
    exb_gpu_set_param(gpu, "dgemm", "workspace_mib", mib);
    exb_gpu_set_param(gpu, "sgemm", "workspace_mib", mib);
}

static void close_all(struct exb_cuda_handle *h)
{
    if (h->cublas)
        cublasDestroy(h->cublas);
    for (int i = 0; i < EXB_GPU_MOST_SCRATCH; i++) /* nothing runs: it takes memory of pools, too */
        cudaFree(h->scratch[i].memory);
    if (h->last)
        cudaEventDestroy(h->last);
    free(h);
}

exblas_status exblas_cuda_create(exblas_cuda_handle *handle)
{
    struct exb_cuda_handle *h = handle ? calloc(1, sizeof *h) : NULL;
    exb_gpu gpu = {.handle = h, .device = -1};
    exb_fpenv_enter(&gpu.head.env);
    if (!handle)
        exb_gpu_fail(&gpu, EXBLAS_EINVAL, "the place for the handle is NULL");
    else if (!h)
        exb_gpu_fail_memory(&gpu);
    else if (exb_cuda_ok(&gpu, cudaGetDevice(&h->device), "cudaGetDevice")) {
        h->layout = EXB_COL_MAJOR;
        gpu.head.limits = &h->limits;
        gpu.head.params = h->params;
        look_at_device(&gpu, h);
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
    exb_fpenv_enter(&gpu.head.env);
    exb_cuda_ok(&gpu, cudaEventSynchronize(handle->last), "cudaEventSynchronize");
    close_all(handle);
    return exb_cuda_end(&gpu);
}

/* The new stream waits for the last call: scratch memory is in use there. The old one is not looked
 * at: it may be gone. */
exblas_status exblas_cuda_set_stream(exblas_cuda_handle handle, struct CUstream_st *stream)
{
    exb_gpu gpu;
    if (exb_cuda_enter(&gpu, handle) && stream != handle->stream &&
        exb_cuda_refuse_capture(&gpu, stream) &&
        exb_cuda_ok(&gpu, cudaStreamWaitEvent(stream, handle->last, 0), "cudaStreamWaitEvent") &&
        (!handle->cublas ||
         exb_cublas_ok(&gpu, cublasSetStream(handle->cublas, stream), "cublasSetStream")))
        handle->stream = stream;
    return exb_cuda_end(&gpu);
}

exblas_status exblas_cuda_get_stream(exblas_cuda_handle handle, struct CUstream_st **stream)
{
    exb_gpu gpu;
    if (exb_cuda_enter(&gpu, handle) &&
        (stream || exb_gpu_fail(&gpu, EXBLAS_EINVAL, "the place for the stream is NULL")))
        *stream = handle->stream;
    return exb_cuda_end(&gpu);
}

exblas_status exblas_cuda_synchronize(exblas_cuda_handle handle)
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle))
        exb_cuda_ok(&gpu, cudaStreamSynchronize(handle->stream), "cudaStreamSynchronize");
    return exb_cuda_end(&gpu);
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

exblas_status exblas_cuda_set_method(exblas_cuda_handle handle, const char *name)
{
    exb_gpu gpu;
    if (exb_cuda_enter(&gpu, handle)) {
        const exb_method *m = name ? exb_method_find(name) : NULL;
        if (m || !name || exb_gpu_fail(&gpu, EXBLAS_EINVAL, "%s is not a method", name))
            handle->method = m;
    }
    return exb_cuda_end(&gpu);
}

exblas_status exblas_cuda_set_layout(exblas_cuda_handle handle, int layout)
{
    exb_gpu gpu;
    if (exb_cuda_enter(&gpu, handle) &&
        (layout == EXB_ROW_MAJOR || layout == EXB_COL_MAJOR ||
         exb_gpu_fail(&gpu, EXBLAS_EINVAL, "%d is not a layout", layout)))
        handle->layout = layout;
    return exb_cuda_end(&gpu);
}

exblas_status exblas_cuda_set_host_results(exblas_cuda_handle handle, int on_host)
{
    exb_gpu gpu;
    if (exb_cuda_enter(&gpu, handle))
        handle->host_results = on_host != 0;
    return exb_cuda_end(&gpu);
}

exblas_status exblas_cuda_set_workspace(exblas_cuda_handle handle, void *memory, size_t bytes)
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle) &&
        (((uintptr_t)memory % ALIGNMENT == 0 && (memory == NULL) == (bytes == 0)) ||
         exb_gpu_fail(&gpu, EXBLAS_EINVAL,
                      "a workspace begins at a multiple of 256 bytes and is not empty"))) {
        for (int i = 0; i < EXB_GPU_MOST_SCRATCH; i++)
            empty(&gpu, &handle->scratch[i]);
        handle->workspace = memory;
        handle->workspace_bytes = bytes;
    }
    return exb_cuda_end(&gpu);
}

exblas_status exblas_cuda_workspace_size(exblas_cuda_handle handle, size_t *bytes)
{
    exb_gpu gpu;
    if (exb_cuda_enter(&gpu, handle) &&
        (bytes || exb_gpu_fail(&gpu, EXBLAS_EINVAL, "the place for the size is NULL")))
        *bytes = handle->most_bytes;
    return exb_cuda_end(&gpu);
}
