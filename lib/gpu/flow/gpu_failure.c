/* The first failure of a call, and of a thread's calls the last one that failed; requests that may
 * not fail. */
#include "gpu/backend.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_error[sizeof((exb_gpu_head *)0)->text];

const char *exb_gpu_last_error(void)
{
    return last_error;
}

bool exb_gpu_fail(exb_gpu *gpu, exblas_status status, const char *format, ...)
{
    exb_gpu_head *f = exb_gpu_head_of(gpu);
    if (f->status)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->text, sizeof f->text, format, arguments);
    va_end(arguments);
    f->status = status;
    return false;
}

void exb_gpu_fail_memory(exb_gpu *gpu)
{
    exb_gpu_fail(gpu, EXBLAS_ENOMEM, "out of memory");
}

exblas_status exb_gpu_status(const exb_gpu *gpu)
{
    return exb_gpu_head_of(gpu)->status;
}

exb_gpu_ref exb_gpu_try_scratch(exb_gpu *gpu, size_t bytes)
{
    exb_gpu_head *h = exb_gpu_head_of(gpu);
    if (h->n_scratch >= EXB_GPU_MOST_SCRATCH)
        exb_gpu_fail(gpu, EXBLAS_ENOMEM, "a call asks for scratch memory too often");
    void *buffer = h->status ? NULL : exb_gpu_take_scratch(gpu, h->n_scratch, bytes ? bytes : 1);
    h->n_scratch += buffer != NULL;
    return (exb_gpu_ref){buffer, 0};
}

exb_gpu_ref exb_gpu_scratch(exb_gpu *gpu, size_t bytes)
{
    exb_gpu_ref r = exb_gpu_try_scratch(gpu, bytes);
    if (!r.buffer)
        exb_gpu_fail(gpu, EXBLAS_ENOMEM, "no memory on the device for %zu bytes", bytes);
    return r;
}

exblas_status exb_gpu_outcome(const exb_gpu *gpu)
{
    const exb_gpu_head *f = exb_gpu_head_of(gpu);
    exb_fpenv_leave(&f->env);
    if (f->status)
        memcpy(last_error, f->text, sizeof last_error);
    return f->status;
}
