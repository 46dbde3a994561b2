/* Vectors of the caller: device buffers must hold what a call reads or writes; host vectors are
 * copied. */
#include "gpu/opencl/context.h"

#include <stdlib.h>
#include <string.h>

bool exb_cl_check_vector(exb_gpu *gpu, const char *name, cl_mem buffer, size_t offset, size_t n,
                         exb_i64 inc, size_t element)
{
    size_t bytes = 0, last = 0;
    size_t step = inc < 0 ? (size_t)0 - (size_t)inc : (size_t)inc;
    if (n == 0 || gpu->status)
        return !gpu->status;
    if (!buffer || clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL))
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s is not a buffer", name);
    else if (__builtin_mul_overflow(n - 1, step, &last) ||
             __builtin_add_overflow(last, offset, &last) || last >= bytes / element)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s has %zu elements, fewer than the call asks for", name,
                     bytes / element);
    return !gpu->status;
}

void exb_cl_write_strided(exb_gpu *gpu, exb_gpu_ref to, size_t n, const void *from, size_t step,
                          size_t element)
{
    if (step == 1 || n <= 1 || gpu->status) {
        exb_gpu_write(gpu, to, n * element, from);
        return;
    }
    char *copy = malloc(n * element);
    if (!copy) {
        exb_gpu_fail(gpu, EXBLAS_ENOMEM, "out of memory");
        return;
    }
    for (size_t i = 0; i < n; i++)
        memcpy(copy + i * element, (const char *)from + i * step * element, element);
    exb_gpu_write(gpu, to, n * element, copy);
    free(copy);
}
