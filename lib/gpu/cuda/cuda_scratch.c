/* Scratch memory of a handle: pieces of its own, the i-th request of a call gets the i-th one, or
 * the user's workspace, cut in the order of the requests. Calls follow one another on streams, so
 * that all of them use the same memory. */
#include "gpu/cuda/handle.h"

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

/* --- requests ------------------------------------------------------------------ */

size_t exb_gpu_scratch_left(const exb_gpu *gpu)
{
    const struct exb_cuda_handle *h = gpu->handle;
    return h->workspace ? h->workspace_bytes - gpu->n_bytes : SIZE_MAX;
}

void *exb_gpu_take_scratch(exb_gpu *gpu, int n, size_t bytes)
{
    struct exb_cuda_handle *h = gpu->handle;
    void *memory = NULL;
    size_t whole = (bytes / ALIGNMENT + 1) * ALIGNMENT;
    if (!h->workspace) /* not rounded up: where a device looks for reads beyond it, it sees them */
        memory = own_piece(gpu, &h->scratch[n], bytes);
    else if (exb_gpu_scratch_left(gpu) >= whole)
        memory = h->workspace + gpu->n_bytes;
    gpu->before[n] = gpu->n_bytes;
    gpu->n_bytes += memory ? whole : 0;
    return memory;
}

void exb_gpu_drop_scratch(exb_gpu *gpu, int n)
{
    for (; n > 0; n--) {
        int last = --gpu->head.n_scratch;
        gpu->n_bytes = gpu->before[last];
        if (!gpu->handle->workspace)
            empty(gpu, &gpu->handle->scratch[last]);
    }
}

/* --- what users see ------------------------------------------------------------- */

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
