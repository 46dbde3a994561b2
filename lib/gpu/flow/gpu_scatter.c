/* Scatter-add: a look at all terms, then long accumulators for a chunk of bins at a time, filled by
 * the terms, folded and rounded. Parameters of "scatter":
 * `group`, work-items of a group; `megabytes` of accumulators; `copies`, slots of a bin. None
 * changes a bit. */
#include "gpu/flow/front.h"

#include "core/partition.h"
#include "gpu/slots.h"

#include <float.h>
#include <stdio.h>

enum {
    MOST_COPIES = 256,
    FEW_SLOTS = 1 << 14, /* more slots than this spread the atomics enough */
    MEGABYTES = 256,
    MOST_TERMS_EXP2 = 40 /* whose sum the window holds, in digits of 21 bits */
};

/* How one call is carried out. */
typedef struct {
    const exb_gpu_call *s;
    char options[40];
    size_t group, most_groups;
    exb_slots slots;
    exb_i64 chunk; /* bins at a time */
    int copies;
    exb_gpu_ref x, index, y, words;
} plan;

static exb_gpu_grid grid_for(const plan *p, exb_i64 n_items)
{
    exb_i64 groups = n_items > 0 ? exb_tasks_of(n_items, (exb_i64)p->group) : 1;
    return (exb_gpu_grid){{(size_t)exb_least(groups, (exb_i64)p->most_groups)}, {p->group}, 0};
}

#define SLOTS(p)                                                                                   \
    exb_gpu_i32((p)->slots.base), exb_gpu_i32((p)->slots.digit), exb_gpu_i32((p)->slots.n_words),  \
        exb_gpu_i32((p)->slots.n_rows)

static exb_gpu_kernel kernel_of(const plan *p, const char *name)
{
    return (exb_gpu_kernel){"scatter", name, p->options};
}

/* Several slots for few bins, but no more than there are terms to share among them. */
static int count_copies(exb_gpu *gpu, const plan *p)
{
    exb_gpu_limits limits = exb_gpu_get_limits(gpu);
    exb_i64 most = exb_least(FEW_SLOTS / p->chunk, p->s->n / (4 * p->chunk));
    most = exb_least(most, limits.is_cpu ? 2 * limits.n_units : MOST_COPIES);
    return exb_gpu_param(gpu, "scatter", "copies", most < 1 ? 1 : (int)most);
}

/* Without terms y is not looked at. */
static plan make_plan(exb_gpu *gpu, const exb_gpu_call *s)
{
    size_t element = exb_gpu_element_bytes(s->is_s);
    size_t index = s->is_wide ? sizeof(exblas_int64) : sizeof(exblas_int);
    exb_gpu_limits limits = exb_gpu_get_limits(gpu);
    plan p = {.s = s};
    snprintf(p.options, sizeof p.options, "-DEXB_IS_S=%d -DEXB_WIDE=%d", s->is_s, s->is_wide);
    p.group = (size_t)exb_gpu_param(gpu, "scatter", "group", limits.max_group);
    p.most_groups = (size_t)limits.n_units * (limits.is_cpu ? 4 : 32);
    p.x = exb_gpu_vector_place(gpu, s->x, s->n, NULL, element);
    p.index = exb_gpu_vector_place(gpu, s->index, s->n, NULL, index);
    p.y = exb_gpu_vector_place(gpu, s->y, s->n > 0 ? s->n_bins : 0, NULL, element);
    return p;
}

/* Words for terms whose last bits are `low` to `high` bits above the bottom of the window: the
 * topmost digit ends where the largest term does, if there is room below for the others. */
static exb_slots slots_for(const plan *p, int low, int high, bool counted)
{
    int n_bits = p->s->is_s ? FLT_MANT_DIG : DBL_MANT_DIG, end = high + n_bits;
    exb_slots s = {.base = 0};
    int n_exp2 = 64 - exb_leading_zeros((exb_u64)p->s->n); /* n < 2^n_exp2 */
    s.digit = (exb_i32)exb_least(EXB_SLOT_FILL - n_exp2, EXB_SLOT_DIGIT_MOST);
    s.n_words = (end - low + s.digit - 1) / s.digit;
    s.base = end - s.n_words * s.digit;
    if (s.base < 0)
        s.base = 0;
    s.n_rows = s.n_words + (counted ? EXB_SLOT_COUNTERS : 0);
    return s;
}

/* Rows, and bins at a time, for what the first pass has found. */
static void lay_out(exb_gpu *gpu, plan *p, const exb_u32 *flag)
{
    exb_i64 bytes = (exb_i64)exb_gpu_param(gpu, "scatter", "megabytes", MEGABYTES) << 20;
    bool any = flag[EXB_SCATTER_HIGH] != 0;
    int high = any ? (int)flag[EXB_SCATTER_HIGH] - 1 : 0;
    int low = any ? EXB_SLOT_TOP - (int)flag[EXB_SCATTER_LOW] : 0;
    p->slots = slots_for(p, low, high, flag[EXB_SCATTER_COUNTED]);
    p->chunk = exb_least(p->s->n_bins, bytes / (p->slots.n_rows * (exb_i64)sizeof(exb_i64)));
    p->copies = count_copies(gpu, p);
}

/* All terms of a chunk of bins. */
static void gather_chunk(exb_gpu *gpu, const plan *p, exb_i64 first, exb_i64 n_chunk)
{
    exb_i64 n_slots = n_chunk * p->copies, n = p->s->n;
    exb_gpu_clear(gpu, p->words, (size_t)(n_slots * p->slots.n_rows) * sizeof(exb_i64));
    EXB_GPU_LAUNCH(gpu, kernel_of(p, "scatter_deposit"), grid_for(p, n), exb_gpu_i64(n),
                   exb_gpu_place(p->x), exb_gpu_place(p->index), exb_gpu_i64(first),
                   exb_gpu_i64(n_chunk), exb_gpu_i32(p->copies), SLOTS(p), exb_gpu_place(p->y),
                   exb_gpu_place(p->words));
    if (p->copies > 1)
        EXB_GPU_LAUNCH(gpu, kernel_of(p, "scatter_fold"), grid_for(p, n_chunk * p->slots.n_rows),
                       exb_gpu_i64(n_chunk), exb_gpu_i32(p->copies), exb_gpu_i32(p->slots.n_rows),
                       exb_gpu_place(p->words));
}

static void round_bins(exb_gpu *gpu, const plan *p, exb_i64 first, exb_i64 n_chunk)
{
    size_t element = exb_gpu_element_bytes(p->s->is_s);
    exb_gpu_ref y = exb_gpu_at(p->y, (size_t)first * element);
    EXB_GPU_LAUNCH(gpu, kernel_of(p, "scatter_round"), grid_for(p, n_chunk), exb_gpu_i64(n_chunk),
                   exb_gpu_i64(n_chunk * p->copies), SLOTS(p), exb_gpu_place(y),
                   exb_gpu_place(p->words));
}

/* False if there is nothing to do, or no such call. */
static bool is_call(exb_gpu *gpu, const exb_gpu_call *s)
{
    if (s->n < 0) /* a size_t of OpenCL has become it */
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "scatter_add: n is too large, or negative");
    else if (s->n_bins < 0)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "scatter_add: n_bins is too large, or negative");
    else if (s->n > 0 && s->n_bins == 0)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "scatter_add: terms, but no bins");
    else if (s->n > (exb_i64)1 << MOST_TERMS_EXP2)
        exb_gpu_fail(gpu, EXBLAS_ENOMEM, "scatter_add: more than 2^40 terms");
    return !exb_gpu_status(gpu) && s->n > 0;
}

/* Looks at all terms; waits. False if an index is out of range, or the device failed. */
static bool survey(exb_gpu *gpu, const plan *p, exb_u32 *flag)
{
    const exb_gpu_call *s = p->s;
    size_t bytes = EXB_SCATTER_FLAGS * sizeof *flag;
    exb_gpu_ref flags = exb_gpu_scratch(gpu, bytes);
    exb_gpu_grid few = grid_for(p, s->n > s->n_bins ? s->n : s->n_bins);
    few.groups[0] = (size_t)exb_least((exb_i64)few.groups[0], (exb_i64)p->most_groups / 4);
    exb_gpu_clear(gpu, flags, bytes);
    EXB_GPU_LAUNCH(gpu, kernel_of(p, "scatter_survey"), few, exb_gpu_i64(s->n), exb_gpu_place(p->x),
                   exb_gpu_place(p->index), exb_gpu_i64(s->n_bins), exb_gpu_place(p->y),
                   exb_gpu_place(flags));
    exb_gpu_read(gpu, flags, bytes, flag);
    if (!exb_gpu_status(gpu) && flag[EXB_SCATTER_BAD])
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "scatter_add: an index is out of range");
    return !exb_gpu_status(gpu);
}

void exb_gpu_call_scatter_add(exb_gpu *gpu, const exb_gpu_call *s)
{
    exb_u32 flag[EXB_SCATTER_FLAGS];
    plan p = make_plan(gpu, s);
    if (!is_call(gpu, s) || !survey(gpu, &p, flag))
        return;
    lay_out(gpu, &p, flag);
    p.words = exb_gpu_scratch(gpu, (size_t)(p.chunk * p.copies * p.slots.n_rows) * sizeof(exb_i64));
    for (exb_i64 first = 0; first < s->n_bins; first += p.chunk) {
        exb_i64 n_chunk = exb_least(p.chunk, s->n_bins - first);
        gather_chunk(gpu, &p, first, n_chunk);
        round_bins(gpu, &p, first, n_chunk);
    }
}
