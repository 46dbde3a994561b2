/* Scratch memory of a handle: pieces of its own, the i-th request of a call gets the i-th one, or
 * the user's workspace, cut in the order of the requests. Calls follow one another on streams, so
 * that all of them use the same memory. */
#include "core/partition.h"
#include "gpu/cuda/handle.h"

enum { ALIGNMENT = 256 };

/* --- the handle's own -------------------------------------------------------- */

/* In the order of the stream. */
static void empty(exb_gpu *gpu, exb_cuda_scratch *s)
{
    if (s->memory)
        exb_cuda_ok(gpu, cudaFreeAsync(s->memory, gpu->handle->stream), "cudaFreeAsync");
    if (!exb_gpu_status(gpu))
        *s = (exb_cuda_scratch){NULL, 0};
}

/* False if there is no memory, or the call has failed. */
static bool grow(exb_gpu *gpu, exb_cuda_scratch *s, size_t bytes)
{
    if (s->bytes >= bytes)
        return true;
    empty(gpu, s);
    if (exb_gpu_status(gpu))
        return false;
    cudaError_t error = cudaMallocAsync(&s->memory, bytes, gpu->handle->stream);
    if (error == cudaErrorMemoryAllocation)
        (void)cudaGetLastError(); /* a later, smaller request may succeed */
    else
        exb_cuda_ok(gpu, error, "cudaMallocAsync");
    s->bytes = error == cudaSuccess ? bytes : 0;
    return error == cudaSuccess;
}

static void *own_piece(exb_gpu *gpu, size_t bytes)
{
    exb_cuda_scratch *s = &gpu->handle->scratch[gpu->n_scratch];
    return grow(gpu, s, bytes) ? s->memory : NULL;
}

void exb_cuda_free_scratch(exb_gpu *gpu)
{
    for (int i = 0; i < EXB_GPU_MOST_SCRATCH; i++)
        empty(gpu, &gpu->handle->scratch[i]);
}

/* Nothing runs any more: cudaFree takes memory of pools, too. */
void exb_cuda_destroy_scratch(struct exb_cuda_handle *h)
{
    for (int i = 0; i < EXB_GPU_MOST_SCRATCH; i++)
        cudaFree(h->scratch[i].memory);
}

/* --- requests ------------------------------------------------------------------ */

size_t exb_gpu_scratch_left(const exb_gpu *gpu)
{
    const struct exb_cuda_handle *h = gpu->handle;
    return !h->workspace ? SIZE_MAX
                         : h->workspace_bytes - (size_t)exb_least((exb_i64)gpu->n_bytes,
                                                                  (exb_i64)h->workspace_bytes);
}

exb_gpu_ref exb_gpu_try_scratch(exb_gpu *gpu, size_t bytes)
{
    struct exb_cuda_handle *h = gpu->handle;
    void *memory = NULL;
    size_t whole = (bytes / ALIGNMENT + 1) * ALIGNMENT;
    if (!exb_gpu_may_have_scratch(gpu, gpu->n_scratch))
        return (exb_gpu_ref){NULL, 0};
    if (!h->workspace) /* not rounded up: where a device looks for reads beyond it, it sees them */
        memory = own_piece(gpu, bytes ? bytes : 1);
    else if (exb_gpu_scratch_left(gpu) >= whole)
        memory = h->workspace + gpu->n_bytes;
    if (memory) {
        gpu->before[gpu->n_scratch++] = gpu->n_bytes;
        gpu->n_bytes += whole;
    }
    return (exb_gpu_ref){memory, 0};
}

void exb_gpu_drop_scratch(exb_gpu *gpu, int n)
{
    for (; n > 0; n--) {
        gpu->n_bytes = gpu->before[--gpu->n_scratch];
        if (!gpu->handle->workspace)
            empty(gpu, &gpu->handle->scratch[gpu->n_scratch]);
    }
}

/* --- what users see ------------------------------------------------------------- */

exblas_status exblas_cuda_set_workspace(exblas_cuda_handle handle, void *memory, size_t bytes)
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle)) {
        if ((uintptr_t)memory % ALIGNMENT != 0 || (memory == NULL) != (bytes == 0))
            exb_gpu_fail(&gpu, EXBLAS_EINVAL,
                         "a workspace begins at a multiple of 256 bytes and is not empty");
        else {
            exb_cuda_free_scratch(&gpu);
            handle->workspace = memory;
            handle->workspace_bytes = bytes;
        }
    }
    return exb_cuda_end(&gpu);
}

exblas_status exblas_cuda_workspace_size(exblas_cuda_handle handle, size_t *bytes)
{
    exb_gpu gpu;
    if (exb_cuda_enter(&gpu, handle)) {
        if (bytes)
            *bytes = handle->most_bytes;
        else
            exb_gpu_fail(&gpu, EXBLAS_EINVAL, "the place for the size is NULL");
    }
    return exb_cuda_end(&gpu);
}
