/* Operands of the caller as places in device memory. */
#include "gpu/flow/front.h"

#include "core/partition.h"

/* Elements from the start of the buffer to the end of `outer` runs of `inner` elements, outer > 0;
 * SIZE_MAX if no memory has so many. */
static size_t end_of_runs(size_t offset, size_t outer, size_t inner, size_t step, size_t element)
{
    size_t last, end, bytes;
    bool too_long = __builtin_mul_overflow(outer - 1, step, &last) ||
                    __builtin_add_overflow(last, inner, &end) ||
                    __builtin_add_overflow(end, offset, &end) ||
                    __builtin_mul_overflow(end, element, &bytes) || bytes > PTRDIFF_MAX;
    return too_long ? SIZE_MAX : end;
}

/* Of an array on the host. With *ld = 0 there is one run. */
static exb_gpu_ref copied_place(exb_gpu *gpu, exb_gpu_operand x, size_t outer, size_t inner,
                                exb_i64 *ld, size_t element)
{
    size_t n_runs = *ld == 0 ? 1 : outer, run = inner * element, step = (size_t)*ld * element;
    exb_gpu_copy c = {exb_gpu_scratch(gpu, n_runs * run), x.buffer, n_runs, run, step};
    if (n_runs == 1 || step == run)
        c = (exb_gpu_copy){c.at, x.buffer, 1, n_runs * run, 0};
    *ld = exb_least(*ld, (exb_i64)inner);
    if (x.home != EXB_GPU_HOST_RESULT)
        exb_gpu_copy_runs(gpu, c, false);
    if (x.home != EXB_GPU_HOST_READ)
        exb_gpu_head_of(gpu)->output = c;
    return c.at;
}

void exb_gpu_bring_back(exb_gpu *gpu)
{
    if (exb_gpu_head_of(gpu)->output.host)
        exb_gpu_copy_runs(gpu, exb_gpu_head_of(gpu)->output, true);
}

exb_gpu_ref exb_gpu_matrix_place(exb_gpu *gpu, exb_gpu_operand a, exb_i64 outer, exb_i64 inner,
                                 exb_i64 *ld, size_t element)
{
    bool on_host = a.home != EXB_GPU_DEVICE;
    exb_gpu_ref none = {on_host ? NULL : a.buffer, 0};
    if (outer <= 0 || inner <= 0)
        return none;
    size_t end = end_of_runs(a.offset, (size_t)outer, (size_t)inner, (size_t)*ld, element);
    if (!on_host)
        exb_gpu_check_operand(gpu, a.name, a.buffer, end, element);
    else if (!a.buffer)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s is NULL", a.name);
    if (end == SIZE_MAX)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s is longer than memory", a.name);
    if (exb_gpu_status(gpu))
        return none;
    return on_host ? copied_place(gpu, a, (size_t)outer, (size_t)inner, ld, element)
                   : (exb_gpu_ref){a.buffer, a.offset * element};
}

exb_gpu_ref exb_gpu_vector_place(exb_gpu *gpu, exb_gpu_operand x, exb_i64 n, exb_i64 *inc,
                                 size_t element)
{
    exb_i64 step = !inc ? 1 : *inc < 0 ? (exb_i64)((size_t)0 - (size_t)*inc) : *inc;
    exb_gpu_ref first = exb_gpu_matrix_place(gpu, x, n, 1, &step, element);
    if (n <= 0 || exb_gpu_status(gpu) || !inc)
        return first;
    if (*inc < 0)
        first.offset += (size_t)(n - 1) * (size_t)step * element;
    *inc = *inc < 0 ? (exb_i64)((size_t)0 - (size_t)step) : step;
    return first;
}
