#include "gpu/opencl/cl_host.h"

#include "core/check/check.h"

#include <stdlib.h>
#include <string.h>

exb_cl_runs exb_cl_stored(int layout, size_t rows, size_t cols, size_t ld)
{
    return layout == EXB_ROW_MAJOR ? (exb_cl_runs){rows, cols, ld} : (exb_cl_runs){cols, rows, ld};
}

exb_cl_runs exb_cl_strided(size_t n, exb_i64 inc)
{
    return (exb_cl_runs){inc == 0 && n > 1 ? 1 : n, 1, exb_gpu_step_of(inc)};
}

exb_i64 exb_cl_packed_ld(exb_cl_runs r)
{
    return r.inner > 1 ? (exb_i64)r.inner : 1;
}

exb_i64 exb_cl_packed_inc(exb_i64 inc)
{
    return inc < 0 ? -1 : inc > 0;
}

/* Bytes of the elements alone. The call fails if they, or the gaps with them, are more than memory
 * has. */
static size_t bytes_of(exb_gpu *gpu, const char *name, exb_cl_runs r, size_t element)
{
    if (r.outer == 0 || r.inner == 0)
        return 0;
    if (exb_gpu_end_of_runs(0, r.outer, r.inner, r.step, element) == SIZE_MAX)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s is longer than memory", name);
    return exb_gpu_status(gpu) ? 0 : r.outer * r.inner * element;
}

/* Memory for the elements without gaps; NULL after a failure. */
static char *packed(exb_gpu *gpu, size_t bytes)
{
    char *p = exb_gpu_status(gpu) ? NULL : malloc(bytes);
    if (!p)
        exb_gpu_fail_memory(gpu);
    return p;
}

static void write_packed(exb_gpu *gpu, exb_gpu_ref to, const void *p, exb_cl_runs r, size_t element)
{
    size_t run = r.inner * element;
    if (r.step == r.inner || r.outer == 1) {
        exb_gpu_write(gpu, to, r.outer * run, p);
        return;
    }
    char *copy = packed(gpu, r.outer * run);
    for (size_t i = 0; copy && i < r.outer; i++)
        memcpy(copy + i * run, (const char *)p + i * r.step * element, run);
    exb_gpu_write(gpu, to, copy ? r.outer * run : 0, copy);
    free(copy);
}

exb_gpu_operand exb_cl_upload(exb_gpu *gpu, const char *name, const void *p, exb_cl_runs r,
                              size_t element)
{
    exb_gpu_operand none = {name, NULL, 0};
    size_t bytes = bytes_of(gpu, name, r, element);
    if (bytes > 0 && !p)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s is NULL", name);
    if (exb_gpu_status(gpu) || bytes == 0)
        return none;
    exb_gpu_ref to = exb_gpu_scratch(gpu, bytes);
    if (!exb_gpu_status(gpu))
        write_packed(gpu, to, p, r, element);
    return (exb_gpu_operand){name, to.buffer, 0};
}

void exb_cl_download(exb_gpu *gpu, exb_gpu_operand from, exb_cl_runs r, void *p, size_t element)
{
    size_t run = r.inner * element, bytes = bytes_of(gpu, from.name, r, element);
    char *copy = bytes > 0 ? packed(gpu, bytes) : NULL;
    exb_gpu_read(gpu, (exb_gpu_ref){from.buffer, 0}, copy ? bytes : 0, copy);
    for (size_t i = 0; copy && !exb_gpu_status(gpu) && i < r.outer; i++)
        memcpy((char *)p + i * r.step * element, copy + i * run, run);
    free(copy);
}
