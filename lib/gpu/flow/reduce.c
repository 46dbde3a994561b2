#include "gpu/flow/reduce.h"

#include "core/words.h"
#include "gpu/kernels/terms.h"

#include <stdio.h>

enum {
    ENTRIES = EXB_PRODUCT_WORDS + 3, /* of an accumulator: words and counters */
    MOST_ACCS = 8,                   /* accumulators of a group */
    MOST_GROUPS = 512                /* merged_word */
};

static size_t n_groups(exb_gpu_limits limits, exb_i64 n, size_t local, size_t per_item)
{
    size_t wanted = (size_t)(n - 1) / (local * per_item) + 1;
    size_t most = (size_t)limits.n_units * (limits.is_cpu ? 4 : 8);
    most = most < MOST_GROUPS ? most : MOST_GROUPS;
    return wanted < most ? wanted : most;
}

static exb_gpu_kernel instance(const char *program, const char *name, char *options)
{
    return (exb_gpu_kernel){program, name, options};
}

static void reduce_exact(exb_gpu *gpu, const exb_gpu_reduction *r, const exb_method *method,
                         exb_gpu_ref decided)
{
    exb_gpu_limits limits = exb_gpu_get_limits(gpu);
    size_t local = (size_t)exb_gpu_param(gpu, "reduce", "group", limits.max_group);
    size_t groups = n_groups(limits, r->n, local, 16);
    size_t accs = local < MOST_ACCS ? local : MOST_ACCS;
    exb_gpu_ref partial = exb_gpu_scratch(gpu, groups * ENTRIES * sizeof(exb_i64));
    char options[64];
    snprintf(options, sizeof options, "-DEXB_IS_S=%d -DEXB_TERMS=%d -DEXB_EARLY_EXIT=%d", r->is_s,
             method->n_terms, method->early_exit);
    exb_gpu_launch(gpu, instance("exact", "exact", options),
                   (exb_gpu_grid){{groups}, {local}, accs * ENTRIES * sizeof(exb_i64)}, 9,
                   (exb_gpu_arg[]){exb_gpu_i32(r->term), exb_gpu_i64(r->n), exb_gpu_i64(r->incx),
                                   exb_gpu_i64(r->incy), exb_gpu_i32((int)accs),
                                   exb_gpu_place(r->x), exb_gpu_place(r->y), exb_gpu_place(decided),
                                   exb_gpu_place(partial)});
    snprintf(options, sizeof options, "-DEXB_IS_S=%d", r->is_s);
    exb_gpu_launch(
        gpu, instance("exact_finish", "exact_finish", options), (exb_gpu_grid){{1}, {local}, 0}, 5,
        (exb_gpu_arg[]){exb_gpu_i32(r->root), exb_gpu_i32((int)groups), exb_gpu_place(decided),
                        exb_gpu_place(partial), exb_gpu_place(r->result)});
}

void exb_gpu_reduce(exb_gpu *gpu, const exb_gpu_reduction *r, const exb_method *method)
{
    exb_gpu_ref decided = exb_gpu_scratch(gpu, sizeof(exb_u32));
    exb_gpu_clear(gpu, decided, sizeof(exb_u32));
    if (r->n <= 0)
        exb_gpu_clear(gpu, r->result, r->is_s ? sizeof(float) : sizeof(double));
    else
        reduce_exact(gpu, r, method, decided);
}
