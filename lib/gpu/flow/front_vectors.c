/* Reductions: from arguments to the flow. */
#include "gpu/flow/front.h"
#include "gpu/flow/gpu_reduce.h"

/* asum of a vector with a negative increment, or 0, is +0 as in BLAS. */
static exb_i64 n_terms(const exb_gpu_call *c)
{
    return c->op == EXB_GPU_ASUM && c->incx <= 0 ? 0 : c->n;
}

static int term_of(exb_gpu_reduce_op op)
{
    return op == EXB_GPU_SUM ? EXB_GPU_X : op == EXB_GPU_ASUM ? EXB_GPU_ABS_X : EXB_GPU_XY;
}

static exb_gpu_reduction reduction_of(exb_gpu *gpu, const exb_gpu_call *c, exb_gpu_operand to,
                                      size_t result_bytes)
{
    size_t element = exb_gpu_element_bytes(c->is_s) << c->is_complex;
    exb_gpu_reduction r = {.is_s = c->is_s,
                           .root = c->op == EXB_GPU_NRM2,
                           .term = term_of(c->op),
                           .n = n_terms(c),
                           .incx = c->incx,
                           .incy = c->incy};
    r.x = r.y = exb_gpu_vector_place(gpu, c->x, r.n, &r.incx, element);
    if (c->op == EXB_GPU_DOT)
        r.y = exb_gpu_vector_place(gpu, c->y, r.n, &r.incy, element);
    else
        r.incy = r.incx;
    r.result = exb_gpu_vector_place(gpu, to, 1, NULL, result_bytes);
    return r;
}

/* Part k of the reduction of complex elements, as one of numbers: all of them, those of a sum's
 * part, or products of which a dot's part consists. */
static exb_gpu_reduction part_of(const exb_gpu_reduction *all, const exb_gpu_call *c, int k)
{
    exb_gpu_reduction r = *all;
    r.incx = r.n > 1 ? 2 * r.incx : 0; /* of one element it may be anything */
    r.incy = r.n > 1 ? 2 * r.incy : 0;
    r.result = exb_gpu_at(r.result, (size_t)k * exb_gpu_element_bytes(c->is_s));
    if (c->op == EXB_GPU_SUM) {
        r.x = r.y = exb_gpu_at(r.x, (size_t)k * exb_gpu_element_bytes(c->is_s));
        return r;
    }
    bool is_packed = c->op != EXB_GPU_DOT && all->incx == 1;
    r.n *= 2;
    r.layout = is_packed ? EXB_GPU_STRIDED : EXB_GPU_PAIRS;
    r.incx = is_packed ? 1 : r.incx;
    r.incy = is_packed ? 1 : r.incy;
    if (c->op == EXB_GPU_DOT)
        r.form = (k == 1 ? EXB_GPU_CROSSED : 0) | ((k == 1) == c->conjugate ? EXB_GPU_MINUS : 0);
    return r;
}

static bool has_parts(const exb_gpu_call *c)
{
    return c->is_complex && (c->op == EXB_GPU_SUM || c->op == EXB_GPU_DOT);
}

void exb_gpu_call_reduce(exb_gpu *gpu, const exb_gpu_call *c)
{
    if (c->is_complex && c->n > INT64_MAX / 2)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "n is too large");
    exb_gpu_reduction all =
        reduction_of(gpu, c, c->result, exb_gpu_element_bytes(c->is_s) << has_parts(c));
    if (exb_gpu_status(gpu))
        return;
    exb_gpu_reduction part[2] = {all, all};
    for (int k = 0; k < 2 && c->is_complex; k++)
        part[k] = part_of(&all, c, k);
    exb_gpu_reduce(gpu, has_parts(c) ? 2 : 1, part, exb_gpu_method(gpu));
}

void exb_gpu_call_accumulate(exb_gpu *gpu, const exb_gpu_call *c)
{
    exb_gpu_reduction r = reduction_of(gpu, c, c->acc, EXB_GPU_ACC_WORDS * sizeof(exb_i64));
    if (!exb_gpu_status(gpu))
        exb_gpu_accumulate(gpu, &r, exb_gpu_method(gpu), r.result);
}
