/* sum, asum, nrm2 and dot on a device, and accumulators. The commands are issued; nothing waits:
 * whether the filter was certain is known to the device, and the kernels of the exact sum end at
 * once if so. All memory is there before a result is written. */
#include "core/arith/enclosure.h"
#include "core/partition.h"
#include "gpu/flow/front.h"
#include "gpu/flow/matrix.h"
#include "gpu/terms.h"

#include <stdio.h>

enum {
    ENTRIES = EXB_GPU_ACC_WORDS,
    ACC_BYTES = ENTRIES * sizeof(exb_i64),
    MOST_ACCS = 8,     /* accumulators of a group */
    ITEM_SHARE = 16,   /* terms that are worth a work-item */
    UNIT_GROUPS = 4,   /* groups that a unit runs at once: 64 registers an item */
    MOST_GROUPS = 1000 /* whose words add up without carries (exact.cl) */
};

/* n terms; increments count numbers; without a second factor y is any place. */
typedef struct {
    int layout, form; /* gpu/terms.h; side by side is found out */
    exb_i64 n, incx, incy;
    exb_gpu_ref x, y, result;
} reduction;

/* How the work is split, and what is between the launches: the enclosure of each group of the
 * filter, and the words and the count of an exact sum. It serves one part after the other. */
typedef struct {
    exb_gpu_grid grid;
    exb_gpu_ref found, state;
} passes;

static passes passes_of(exb_gpu *gpu, exb_i64 n)
{
    exb_gpu_limits limits = exb_gpu_get_limits(gpu);
    int local = exb_gpu_param(gpu, "reduce", "group", limits.max_group);
    exb_i64 groups = (n - 1) / (local * ITEM_SHARE) + 1; /* exb_tasks_of would overflow */
    int most = (int)exb_least(limits.n_units * UNIT_GROUPS, MOST_GROUPS);
    groups = exb_least(groups, exb_gpu_param(gpu, "reduce", "groups", most));
    return (passes){{{(size_t)groups}, {(size_t)local}, 0},
                    exb_gpu_scratch(gpu, (size_t)groups * sizeof(exb_enclosure)),
                    exb_gpu_scratch(gpu, (ENTRIES + 1) * sizeof(exb_i64))};
}

static int term_of(const exb_gpu_call *c)
{
    return c->op == EXB_GPU_SUM ? EXB_GPU_X : c->op == EXB_GPU_ASUM ? EXB_GPU_ABS_X : EXB_GPU_XY;
}

/* Enclosures of the groups, an empty exact sum. */
static void launch_filter(exb_gpu *gpu, const exb_gpu_call *c, const reduction *r, const passes *p)
{
    exb_gpu_grid grid = p->grid;
    bool is_unit =
        r->layout == EXB_GPU_STRIDED && r->incx == 1 && (term_of(c) != EXB_GPU_XY || r->incy == 1);
    char options[48];
    grid.local_bytes = grid.local[0] * sizeof(exb_enclosure);
    snprintf(options, sizeof options, "-DEXB_IS_S=%d -DEXB_TERM=%d -DEXB_LAYOUT=%d", c->is_s,
             term_of(c), is_unit ? EXB_GPU_SIDE_BY_SIDE : r->layout);
    EXB_GPU_LAUNCH(gpu, ((exb_gpu_kernel){"filter", "filter", options}), grid, exb_gpu_i64(r->n),
                   exb_gpu_i32(r->form), exb_gpu_i64(r->incx), exb_gpu_i64(r->incy),
                   exb_gpu_i32(ENTRIES + 1), exb_gpu_place(r->x), exb_gpu_place(r->y),
                   exb_gpu_place(p->state), exb_gpu_place(p->found));
}

/* Accumulators of a group: as many as there is room for, a power of two. */
static int n_accumulators(exb_gpu_limits limits, size_t local)
{
    int n = MOST_ACCS;
    while (n > 1 && ((size_t)n > local || (size_t)n * ACC_BYTES > limits.local_bytes / 2))
        n /= 2;
    return n;
}

/* To the result if it is to `finish`; otherwise exactly, to the state. */
static void reduce_part(exb_gpu *gpu, const exb_gpu_call *c, const reduction *r, const passes *p,
                        bool finish)
{
    bool filter = finish && exb_gpu_method(gpu)->filter;
    if (filter)
        launch_filter(gpu, c, r, p);
    else
        exb_gpu_clear(gpu, p->state, (ENTRIES + 1) * sizeof(exb_i64));
    exb_gpu_grid grid = p->grid;
    int accs = n_accumulators(exb_gpu_get_limits(gpu), grid.local[0]);
    size_t words = (size_t)accs * ACC_BYTES, lanes = grid.local[0] * sizeof(exb_enclosure);
    grid.local_bytes = words > lanes ? words : lanes;
    char options[40];
    snprintf(options, sizeof options, "-DEXB_IS_S=%d -DEXB_TERMS=%d", c->is_s,
             exb_gpu_method(gpu)->n_terms > 0 ? 4 : 0);
    EXB_GPU_LAUNCH(gpu, ((exb_gpu_kernel){"exact", "exact", options}), grid,
                   exb_gpu_i32(term_of(c)), exb_gpu_i32(r->layout), exb_gpu_i32(r->form),
                   exb_gpu_i64(r->n), exb_gpu_i64(r->incx), exb_gpu_i64(r->incy), exb_gpu_i32(accs),
                   exb_gpu_i32(c->op == EXB_GPU_NRM2), exb_gpu_i32(finish),
                   exb_gpu_i32(filter ? (exb_i32)grid.groups[0] : 0), exb_gpu_place(r->x),
                   exb_gpu_place(r->y), exb_gpu_place(p->found), exb_gpu_place(p->state),
                   exb_gpu_place(finish ? r->result : p->state));
}

/* asum of a vector with a negative increment, or 0, is +0 as in BLAS. */
static reduction reduction_of(exb_gpu *gpu, const exb_gpu_call *c, exb_gpu_operand to,
                              size_t result_bytes)
{
    size_t element = exb_gpu_element_bytes(c->is_s) << c->is_complex;
    exb_i64 n = c->op == EXB_GPU_ASUM && c->incx <= 0 ? 0 : c->n;
    reduction r = {.n = n, .incx = c->incx, .incy = c->incy};
    r.x = r.y = exb_gpu_vector_place(gpu, c->x, n, &r.incx, element);
    if (c->op == EXB_GPU_DOT)
        r.y = exb_gpu_vector_place(gpu, c->y, n, &r.incy, element);
    else
        r.incy = r.incx;
    r.result = exb_gpu_vector_place(gpu, to, 1, NULL, result_bytes);
    return r;
}

/* Part k of the reduction of complex elements, as one of numbers: all of them, those of a sum's
 * part, or products of which a dot's part consists. */
static reduction part_of(const reduction *all, const exb_gpu_call *c, int k)
{
    reduction r = *all;
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

void exb_gpu_call_reduce(exb_gpu *gpu, const exb_gpu_call *c)
{
    bool has_parts = c->is_complex && (c->op == EXB_GPU_SUM || c->op == EXB_GPU_DOT);
    size_t bytes = exb_gpu_element_bytes(c->is_s) << has_parts;
    if (c->is_complex && c->n > INT64_MAX / 2)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "n is too large");
    reduction all = reduction_of(gpu, c, c->result, bytes), part[2] = {all, all};
    if (all.n <= 0)
        exb_gpu_clear(gpu, all.result, bytes);
    if (exb_gpu_status(gpu) || all.n <= 0)
        return;
    for (int k = 0; k < 2 && c->is_complex; k++)
        part[k] = part_of(&all, c, k);
    passes p = passes_of(gpu, part[0].n);
    for (int k = 0; k <= has_parts; k++)
        reduce_part(gpu, c, &part[k], &p, true);
}

/* --- accumulators (gpu/kernels/acc.cl) -------------------------------------------- */

/* a_i += b_i for i < n; a_i normalised if `alone`. */
static void merge(exb_gpu *gpu, exb_i64 n, bool alone, exb_gpu_ref a, exb_gpu_ref b)
{
    if (n > 0)
        EXB_GPU_LAUNCH(gpu, ((exb_gpu_kernel){"acc", "acc_merge", exb_gpu_real_options(false)}),
                       exb_gpu_grid_for(gpu, n), exb_gpu_i64(n), exb_gpu_i32(alone),
                       exb_gpu_place(a), exb_gpu_place(b));
}

void exb_gpu_call_accumulate(exb_gpu *gpu, const exb_gpu_call *c)
{
    reduction r = reduction_of(gpu, c, c->acc, ACC_BYTES);
    if (exb_gpu_status(gpu) || r.n <= 0)
        return;
    passes p = passes_of(gpu, r.n);
    reduce_part(gpu, c, &r, &p, false);
    merge(gpu, 1, false, r.result, p.state);
}

void exb_gpu_call_acc_merge(exb_gpu *gpu, const exb_gpu_call *c)
{
    exb_gpu_ref a = exb_gpu_vector_place(gpu, c->a, c->n, NULL, ACC_BYTES), b = a;
    if (c->b.name)
        b = exb_gpu_vector_place(gpu, c->b, c->n, NULL, ACC_BYTES);
    merge(gpu, c->n, !c->b.name, a, b);
}

void exb_gpu_call_acc_round(exb_gpu *gpu, const exb_gpu_call *c)
{
    exb_gpu_ref a = exb_gpu_vector_place(gpu, c->a, c->n, NULL, ACC_BYTES);
    exb_gpu_ref y = exb_gpu_vector_place(gpu, c->y, c->n, NULL, exb_gpu_element_bytes(c->is_s));
    if (c->n > 0)
        EXB_GPU_LAUNCH(gpu, ((exb_gpu_kernel){"acc", "acc_round", exb_gpu_real_options(c->is_s)}),
                       exb_gpu_grid_for(gpu, c->n), exb_gpu_i64(c->n), exb_gpu_place(a),
                       exb_gpu_place(y));
}
