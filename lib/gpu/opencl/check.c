/* Arguments: buffers must hold what a call reads or writes. */
#include "gpu/opencl/context.h"

#include "core/bits.h"

void exb_cl_check_vector(exb_gpu *gpu, const char *name, cl_mem buffer, size_t offset, size_t n,
                         int64_t inc, size_t element)
{
    size_t bytes = 0, last, room;
    size_t step = inc < 0 ? (size_t)0 - (size_t)inc : (size_t)inc;
    if (!buffer || clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL)) {
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s is not a buffer", name);
        return;
    }
    room = bytes / element;
    if (__builtin_mul_overflow(n - 1, step, &last) || __builtin_add_overflow(last, offset, &last) ||
        last >= room)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s has %zu elements, fewer than the call reads or writes",
                     name, room);
}
