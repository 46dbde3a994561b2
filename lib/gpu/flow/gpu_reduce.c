#include "gpu/flow/gpu_reduce.h"

#include "core/arith/enclosure.h"
#include "core/partition.h"
#include "gpu/flow/matrix.h"

#include <stdio.h>

enum {
    ENTRIES = EXB_GPU_ACC_WORDS,
    MOST_ACCS = 8,     /* accumulators of a group */
    ITEM_SHARE = 16,   /* terms that are worth a work-item */
    UNIT_GROUPS = 4,   /* groups that a unit runs at once: 64 registers an item */
    MOST_GROUPS = 1000 /* whose words add up without carries (exact.cl) */
};

/* How the work of a reduction is split. */
static exb_gpu_grid grid_of(exb_gpu *gpu, exb_i64 n)
{
    int local = exb_gpu_param(gpu, "reduce", "group", exb_gpu_get_limits(gpu).max_group);
    exb_i64 groups = (n - 1) / (local * ITEM_SHARE) + 1; /* exb_tasks_of would overflow */
    int most = exb_gpu_get_limits(gpu).n_units * UNIT_GROUPS;
    most = exb_gpu_param(gpu, "reduce", "groups", (int)exb_least(most, MOST_GROUPS));
    return (exb_gpu_grid){{(size_t)exb_least(groups, most)}, {(size_t)local}, 0};
}

/* What is between the launches: the enclosure of each group of the filter, and the words and the
 * count of an exact sum. All of it is there before the result is written. */
typedef struct {
    exb_gpu_grid grid;
    int n_found;
    exb_gpu_ref found, state;
} passes;

static passes passes_of(exb_gpu *gpu, const exb_gpu_reduction *r)
{
    passes p = {.grid = grid_of(gpu, r->n)};
    p.found = exb_gpu_scratch(gpu, p.grid.groups[0] * sizeof(exb_enclosure));
    p.state = exb_gpu_scratch(gpu, (ENTRIES + 1) * sizeof(exb_i64));
    return p;
}

/* Begins a reduction: enclosures of the groups, an empty exact sum. */
static void reduce_filter(exb_gpu *gpu, const exb_gpu_reduction *r, passes *p)
{
    exb_gpu_grid grid = p->grid;
    bool is_unit =
        r->layout == EXB_GPU_STRIDED && r->incx == 1 && (r->term != EXB_GPU_XY || r->incy == 1);
    char options[48];
    grid.local_bytes = grid.local[0] * sizeof(exb_enclosure);
    snprintf(options, sizeof options, "-DEXB_IS_S=%d -DEXB_TERM=%d -DEXB_LAYOUT=%d", r->is_s,
             r->term, is_unit ? EXB_GPU_SIDE_BY_SIDE : r->layout);
    EXB_GPU_LAUNCH(gpu, ((exb_gpu_kernel){"filter", "filter", options}), grid, exb_gpu_i64(r->n),
                   exb_gpu_i32(r->form), exb_gpu_i64(r->incx), exb_gpu_i64(r->incy),
                   exb_gpu_i32(ENTRIES + 1), exb_gpu_place(r->x), exb_gpu_place(r->y),
                   exb_gpu_place(p->state), exb_gpu_place(p->found));
    p->n_found = (int)grid.groups[0];
}

/* Begins a reduction that must be exact. */
static void reduce_unseen(exb_gpu *gpu, passes *p)
{
    exb_gpu_clear(gpu, p->state, (ENTRIES + 1) * sizeof(exb_i64));
    p->n_found = 0;
}

/* Accumulators of a group: as many as there is room for, a power of two. */
static int n_accumulators(exb_gpu_limits limits, size_t local)
{
    int n = MOST_ACCS;
    while (n > 1 && ((size_t)n > local || n * ENTRIES * sizeof(exb_i64) > limits.local_bytes / 2))
        n /= 2;
    return n;
}

/* Ends a reduction: in its result if it is to `finish`, in its state otherwise. */
static void reduce_end(exb_gpu *gpu, const exb_gpu_reduction *r, const exb_method *method,
                       const passes *p, bool finish)
{
    exb_gpu_grid grid = p->grid;
    int accs = n_accumulators(exb_gpu_get_limits(gpu), grid.local[0]);
    size_t words = (size_t)accs * ENTRIES * sizeof(exb_i64);
    size_t lanes = grid.local[0] * sizeof(exb_enclosure);
    grid.local_bytes = words > lanes ? words : lanes;
    char options[40];
    snprintf(options, sizeof options, "-DEXB_IS_S=%d -DEXB_TERMS=%d", r->is_s,
             method->n_terms > 0 ? 4 : 0);
    EXB_GPU_LAUNCH(gpu, ((exb_gpu_kernel){"exact", "exact", options}), grid, exb_gpu_i32(r->term),
                   exb_gpu_i32(r->layout), exb_gpu_i32(r->form), exb_gpu_i64(r->n),
                   exb_gpu_i64(r->incx), exb_gpu_i64(r->incy), exb_gpu_i32(accs),
                   exb_gpu_i32(r->root), exb_gpu_i32(finish), exb_gpu_i32(p->n_found),
                   exb_gpu_place(r->x), exb_gpu_place(r->y), exb_gpu_place(p->found),
                   exb_gpu_place(p->state), exb_gpu_place(finish ? r->result : p->state));
}

void exb_gpu_acc_merge(exb_gpu *gpu, exb_i64 n, bool alone, exb_gpu_ref a, exb_gpu_ref b)
{
    if (n > 0)
        EXB_GPU_LAUNCH(gpu, ((exb_gpu_kernel){"acc", "acc_merge", exb_gpu_real_options(false)}),
                       exb_gpu_grid_for(gpu, n), exb_gpu_i64(n), exb_gpu_i32(alone),
                       exb_gpu_place(a), exb_gpu_place(b));
}

void exb_gpu_accumulate(exb_gpu *gpu, const exb_gpu_reduction *r, const exb_method *method,
                        exb_gpu_ref acc)
{
    if (r->n <= 0)
        return;
    passes p = passes_of(gpu, r);
    reduce_unseen(gpu, &p);
    reduce_end(gpu, r, method, &p, false);
    exb_gpu_acc_merge(gpu, 1, false, acc, p.state);
}

static void reduce_part(exb_gpu *gpu, const exb_gpu_reduction *r, const exb_method *method,
                        passes *p)
{
    if (method->filter)
        reduce_filter(gpu, r, p);
    else
        reduce_unseen(gpu, p);
    reduce_end(gpu, r, method, p, true);
}

void exb_gpu_reduce(exb_gpu *gpu, int n_parts, const exb_gpu_reduction *r, const exb_method *method)
{
    if (r->n <= 0) {
        for (int k = 0; k < n_parts; k++)
            exb_gpu_clear(gpu, r[k].result, r->is_s ? sizeof(float) : sizeof(double));
        return;
    }
    passes p = passes_of(gpu, r);
    for (int k = 0; k < n_parts; k++)
        reduce_part(gpu, &r[k], method, &p);
}
