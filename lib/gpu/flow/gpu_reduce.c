#include "gpu/flow/gpu_acc.h"

#include "core/partition.h"
#include "gpu/flow/params.h"

#include "core/arith/enclosure.h"
#include "core/arith/words.h"

#include <stdio.h>

enum {
    ENTRIES = EXB_PRODUCT_WORDS + 3, /* of an accumulator: words and counters (accumulate.h) */
    MOST_ACCS = 8,                   /* accumulators of a group */
    MOST_EXACT_GROUPS = 512,         /* that one merged_word can take (words_tmpl.h) */
    ITEM_SHARE = 16,                 /* terms that are worth a work-item */
    UNIT_GROUPS = 4                  /* groups that a unit runs at once: 64 registers an item */
};

/* How the work of a reduction is split. */
typedef struct {
    size_t local, groups;
} split;

static split split_of(exb_gpu *gpu, exb_i64 n, int most)
{
    int local = exb_gpu_param(gpu, "reduce", "group", exb_gpu_get_limits(gpu).max_group);
    exb_i64 groups = (n - 1) / (local * ITEM_SHARE) + 1; /* exb_tasks_of would overflow */
    most = exb_gpu_param(gpu, "reduce", "groups", most);
    return (split){(size_t)local, (size_t)exb_least(groups, most)};
}

/* The instance of a program for a type. */
static exb_gpu_kernel of_type(const exb_gpu_reduction *r, const char *name)
{
    return (exb_gpu_kernel){name, name, r->is_s ? "-DEXB_IS_S=1" : "-DEXB_IS_S=0"};
}

/* What both passes leave in memory: whether the first was certain, and an enclosure and an
 * accumulator of each group. All of it is there before the result is written. */
typedef struct {
    exb_gpu_ref decided, enclosures, accumulators;
    split filter, exact;
} passes;

static passes passes_of(exb_gpu *gpu, const exb_gpu_reduction *r)
{
    int groups = exb_gpu_get_limits(gpu).n_units * UNIT_GROUPS;
    passes p = {.filter = split_of(gpu, r->n, groups),
                .exact = split_of(gpu, r->n, (int)exb_least(groups, MOST_EXACT_GROUPS))};
    p.decided = exb_gpu_scratch(gpu, sizeof(exb_u32));
    p.enclosures = exb_gpu_scratch(gpu, p.filter.groups * sizeof(exb_enclosure));
    p.accumulators = exb_gpu_scratch(gpu, p.exact.groups * ENTRIES * sizeof(exb_i64));
    return p;
}

/* Writes the result if the filter is certain of it, and whether it is. */
static void reduce_filter(exb_gpu *gpu, const exb_gpu_reduction *r, const passes *p)
{
    split s = p->filter;
    size_t lanes = s.local * sizeof(exb_enclosure);
    bool is_unit =
        r->layout == EXB_GPU_STRIDED && r->incx == 1 && (r->term != EXB_GPU_XY || r->incy == 1);
    char options[48];
    snprintf(options, sizeof options, "-DEXB_IS_S=%d -DEXB_TERM=%d -DEXB_LAYOUT=%d", r->is_s,
             r->term, is_unit ? EXB_GPU_SIDE_BY_SIDE : r->layout);
    exb_gpu_launch(gpu, (exb_gpu_kernel){"filter", "filter", options},
                   (exb_gpu_grid){{s.groups}, {s.local}, lanes}, 7,
                   (exb_gpu_arg[]){exb_gpu_i64(r->n), exb_gpu_i32(r->form), exb_gpu_i64(r->incx),
                                   exb_gpu_i64(r->incy), exb_gpu_place(r->x), exb_gpu_place(r->y),
                                   exb_gpu_place(p->enclosures)});
    exb_gpu_launch(gpu, of_type(r, "filter_finish"), (exb_gpu_grid){{1}, {s.local}, lanes}, 5,
                   (exb_gpu_arg[]){exb_gpu_i32(r->root), exb_gpu_i32((int)s.groups),
                                   exb_gpu_place(p->enclosures), exb_gpu_place(p->decided),
                                   exb_gpu_place(r->result)});
}

/* Accumulators of a group: as many as there is room for, a power of two. */
static int n_accumulators(exb_gpu_limits limits, size_t local)
{
    int n = MOST_ACCS;
    while (n > 1 && ((size_t)n > local || n * ENTRIES * sizeof(exb_i64) > limits.local_bytes / 2))
        n /= 2;
    return n;
}

/* The accumulators of the groups, unless the result is decided already. */
static void sum_exactly(exb_gpu *gpu, const exb_gpu_reduction *r, const exb_method *method,
                        const passes *p)
{
    split s = p->exact;
    int accs = n_accumulators(exb_gpu_get_limits(gpu), s.local);
    size_t words = ENTRIES * sizeof(exb_i64);
    char options[64];
    snprintf(options, sizeof options, "-DEXB_IS_S=%d -DEXB_TERMS=%d -DEXB_EARLY_EXIT=%d", r->is_s,
             method->n_terms, method->early_exit);
    exb_gpu_launch(gpu, (exb_gpu_kernel){"exact", "exact", options},
                   (exb_gpu_grid){{s.groups}, {s.local}, (size_t)accs * words}, 11,
                   (exb_gpu_arg[]){exb_gpu_i32(r->term), exb_gpu_i32(r->layout),
                                   exb_gpu_i32(r->form), exb_gpu_i64(r->n), exb_gpu_i64(r->incx),
                                   exb_gpu_i64(r->incy), exb_gpu_i32(accs), exb_gpu_place(r->x),
                                   exb_gpu_place(r->y), exb_gpu_place(p->decided),
                                   exb_gpu_place(p->accumulators)});
}

/* Writes the result unless that is decided already. */
static void reduce_exact(exb_gpu *gpu, const exb_gpu_reduction *r, const exb_method *method,
                         const passes *p)
{
    sum_exactly(gpu, r, method, p);
    exb_gpu_launch(gpu, of_type(r, "exact_finish"), (exb_gpu_grid){{1}, {p->exact.local}, 0}, 5,
                   (exb_gpu_arg[]){exb_gpu_i32(r->root), exb_gpu_i32((int)p->exact.groups),
                                   exb_gpu_place(p->decided), exb_gpu_place(p->accumulators),
                                   exb_gpu_place(r->result)});
}

void exb_gpu_accumulate(exb_gpu *gpu, const exb_gpu_reduction *r, const exb_method *method,
                        exb_gpu_ref acc)
{
    if (r->n <= 0)
        return;
    passes p = passes_of(gpu, r);
    exb_gpu_clear(gpu, p.decided, sizeof(exb_u32));
    sum_exactly(gpu, r, method, &p);
    exb_gpu_launch(gpu, (exb_gpu_kernel){"acc", "acc_add", "-DEXB_IS_S=0"},
                   (exb_gpu_grid){{1}, {p.exact.local}, 0}, 3,
                   (exb_gpu_arg[]){exb_gpu_i32((int)p.exact.groups), exb_gpu_place(p.accumulators),
                                   exb_gpu_place(acc)});
}

static void reduce_part(exb_gpu *gpu, const exb_gpu_reduction *r, const exb_method *method,
                        const passes *p)
{
    if (method->filter)
        reduce_filter(gpu, r, p);
    else
        exb_gpu_clear(gpu, p->decided, sizeof(exb_u32));
    reduce_exact(gpu, r, method, p);
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
