/* Operands of the caller as places in device memory. */
#include "gpu/flow/front.h"

exb_i64 exb_gpu_length(exb_gpu *gpu, const char *name, size_t n)
{
    if (n > INT64_MAX)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s is too large", name);
    return n > INT64_MAX ? 0 : (exb_i64)n;
}

size_t exb_gpu_step_of(exb_i64 inc)
{
    return inc < 0 ? (size_t)0 - (size_t)inc : (size_t)inc;
}

size_t exb_gpu_end_of_runs(size_t offset, size_t outer, size_t inner, size_t step, size_t element)
{
    size_t last, end, bytes;
    bool too_long = __builtin_mul_overflow(outer - 1, step, &last) ||
                    __builtin_add_overflow(last, inner, &end) ||
                    __builtin_add_overflow(end, offset, &end) ||
                    __builtin_mul_overflow(end, element, &bytes) || bytes > PTRDIFF_MAX;
    return too_long ? SIZE_MAX : end;
}

static exb_gpu_ref checked_place(exb_gpu *gpu, exb_gpu_operand x, size_t end, size_t element)
{
    exb_gpu_ref none = {NULL, 0};
    exb_gpu_check_operand(gpu, x.name, x.buffer, end, element);
    if (end == SIZE_MAX)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s is longer than memory", x.name);
    return exb_gpu_status(gpu) ? none : (exb_gpu_ref){x.buffer, x.offset * element};
}

exb_gpu_ref exb_gpu_vector_place(exb_gpu *gpu, exb_gpu_operand x, exb_i64 n, exb_i64 inc,
                                 size_t element)
{
    if (n <= 0)
        return (exb_gpu_ref){x.buffer, 0};
    size_t step = exb_gpu_step_of(inc),
           end = exb_gpu_end_of_runs(x.offset, (size_t)n, 1, step, element);
    exb_gpu_ref first = checked_place(gpu, x, end, element);
    if (inc < 0 && !exb_gpu_status(gpu))
        first.offset += (size_t)(n - 1) * step * element;
    return first;
}

exb_gpu_ref exb_gpu_matrix_place(exb_gpu *gpu, exb_gpu_operand a, exb_i64 outer, exb_i64 inner,
                                 exb_i64 ld, size_t element)
{
    if (outer <= 0 || inner <= 0)
        return (exb_gpu_ref){a.buffer, 0};
    size_t end = exb_gpu_end_of_runs(a.offset, (size_t)outer, (size_t)inner, (size_t)ld, element);
    return checked_place(gpu, a, end, element);
}

/* --- what overlaps --------------------------------------------------------------- */

/* Bytes from a to b; false if they have nothing to do with each other. */
static bool find_distance(const exb_gpu *gpu, exb_gpu_ref a, exb_gpu_ref b, exb_i64 *bytes)
{
    bool comparable = a.buffer == b.buffer || exb_gpu_get_limits(gpu).has_addresses;
    *bytes = (exb_i64)((uintptr_t)b.buffer + b.offset - (uintptr_t)a.buffer - a.offset);
    return comparable;
}

static bool span_contains(const exb_gpu *gpu, const exb_gpu_span *s, exb_gpu_ref p, size_t element)
{
    exb_i64 bytes;
    if (!find_distance(gpu, s->low, p, &bytes) || bytes < 0)
        return false;
    exb_i64 at = bytes / (exb_i64)element, run = at / s->ld, within = at % s->ld;
    bool in_triangle = s->triangle == 0 || (s->triangle > 0 ? within <= run : within >= run);
    return run < s->outer && within < s->inner && in_triangle;
}

void exb_gpu_refuse_overlap(exb_gpu *gpu, exb_gpu_span output, exb_gpu_span input, size_t element)
{
    if (!exb_gpu_status(gpu) && (span_contains(gpu, &output, input.low, element) ||
                                 span_contains(gpu, &input, output.low, element)))
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s overlaps %s", output.name, input.name);
}
