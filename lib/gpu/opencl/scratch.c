/* Scratch memory: buffers of the context that wait for a call. */
#include "gpu/opencl/context.h"

#include <stdlib.h>

/* Nobody uses it any more: its last command has ended, or comes before all of this call's. */
static bool is_idle(const exb_gpu *gpu, const exb_cl_scratch *s)
{
    cl_int status = CL_QUEUED;
    cl_command_queue queue = NULL;
    if (s->taken)
        return false;
    if (!s->last)
        return true;
    clGetEventInfo(s->last, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL);
    if (gpu->in_order && queue == gpu->queue)
        return true;
    clGetEventInfo(s->last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return status <= CL_COMPLETE; /* negative: it failed */
}

static void forget(exb_cl_scratch *s)
{
    if (s->last)
        clReleaseEvent(s->last);
    s->last = NULL;
}

static void drop_buffer(exb_cl_scratch *s)
{
    if (s->buffer)
        clReleaseMemObject(s->buffer);
    s->buffer = NULL;
    s->bytes = 0;
}

/* The smallest idle one that is large enough, else the largest idle one, else a new one. */
static exb_cl_scratch *choose(exb_gpu *gpu, size_t bytes)
{
    exb_cl_scratch *best = NULL;
    for (exb_cl_scratch *s = gpu->context->scratch; s; s = s->next) {
        if (!is_idle(gpu, s))
            continue;
        bool fits = s->bytes >= bytes, best_fits = best && best->bytes >= bytes;
        if (!best || (fits && !best_fits) ||
            (fits == best_fits && (s->bytes < best->bytes) == fits))
            best = s;
    }
    if (!best && (best = calloc(1, sizeof *best))) {
        best->next = gpu->context->scratch;
        gpu->context->scratch = best;
    }
    return best;
}

/* A buffer that is too small gives way to one with room to grow. OpenCL keeps the old one until
 * the commands that use it have ended. */
static bool grow(exb_gpu *gpu, exb_cl_scratch *s, size_t bytes)
{
    cl_int error;
    if (s->bytes >= bytes)
        return true;
    drop_buffer(s);
    size_t rounded = bytes + bytes / 4 + 4096;
    cl_mem buffer = clCreateBuffer(gpu->context->context, CL_MEM_READ_WRITE, rounded, NULL, &error);
    if (exb_cl_no_memory(error) || !exb_cl_ok(gpu, error, "clCreateBuffer"))
        return false;
    s->buffer = buffer;
    s->bytes = rounded;
    return true;
}

exb_gpu_ref exb_gpu_try_scratch(exb_gpu *gpu, size_t bytes)
{
    exb_gpu_ref none = {NULL, 0};
    if (!exb_gpu_may_have_scratch(gpu, gpu->n_scratch))
        return none;
    pthread_mutex_lock(&gpu->context->lock);
    exb_cl_scratch *s = choose(gpu, bytes);
    bool ok = s && grow(gpu, s, bytes);
    if (ok) {
        s->taken = true;
        gpu->scratch[gpu->n_scratch++] = s;
    }
    pthread_mutex_unlock(&gpu->context->lock);
    return ok ? (exb_gpu_ref){s->buffer, 0} : none;
}

void exb_gpu_drop_scratch(exb_gpu *gpu, int n)
{
    pthread_mutex_lock(&gpu->context->lock);
    for (; n > 0; n--) {
        exb_cl_scratch *s = gpu->scratch[--gpu->n_scratch];
        s->taken = false;
        drop_buffer(s);
    }
    pthread_mutex_unlock(&gpu->context->lock);
}

size_t exb_gpu_scratch_left(const exb_gpu *gpu)
{
    (void)gpu;
    return SIZE_MAX;
}

void exb_cl_scratch_return(exb_gpu *gpu)
{
    pthread_mutex_lock(&gpu->context->lock);
    for (int i = 0; i < gpu->n_scratch; i++) {
        exb_cl_scratch *s = gpu->scratch[i];
        forget(s);
        s->taken = false;
        s->last = gpu->last;
        if (s->last)
            clRetainEvent(s->last);
    }
    gpu->n_scratch = 0;
    pthread_mutex_unlock(&gpu->context->lock);
}

void exb_cl_scratch_free(exb_cl_context *c)
{
    for (exb_cl_scratch *s = c->scratch, *next; s; s = next) {
        next = s->next;
        forget(s);
        drop_buffer(s);
        free(s);
    }
    c->scratch = NULL;
}
