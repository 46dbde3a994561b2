/* trsv: blocks of rows one after the other by one group, the rows below brought up to date by all.
 */
#include "gpu/flow/matrix.h"

#include "core/arith/words.h"

#include <stdio.h>

enum { MOST_ACCS = 8, ENTRIES = EXB_PRODUCT_WORDS + 3 };

typedef struct {
    bool is_s, unit, filter;
    exb_i64 n;
    exb_gpu_matrix t;
    exb_gpu_vector x;
    exb_gpu_ref sums;
    size_t local;
    const char *options;
} problem;

static void solve(exb_gpu *gpu, const problem *p, exb_i64 first, exb_i64 count)
{
    size_t accs = (size_t)exb_least((exb_i64)p->local, MOST_ACCS);
    exb_gpu_launch(
        gpu, (exb_gpu_kernel){"trsv", "trsv_solve", p->options},
        (exb_gpu_grid){{1}, {p->local}, (accs * ENTRIES + 1) * sizeof(exb_i64)}, 12,
        (exb_gpu_arg[]){exb_gpu_i64(p->n), exb_gpu_i64(first), exb_gpu_i64(count),
                        exb_gpu_i32(p->unit), exb_gpu_i32(p->filter), exb_gpu_i32((exb_i32)accs),
                        exb_gpu_place(p->t.at), exb_gpu_i64(p->t.row), exb_gpu_i64(p->t.col),
                        exb_gpu_place(p->x.at), exb_gpu_i64(p->x.inc), exb_gpu_place(p->sums)});
}

static void update_rows(exb_gpu *gpu, const problem *p, exb_i64 first, exb_i64 count)
{
    exb_i64 groups = exb_tasks_of(p->n - first - count, (exb_i64)p->local);
    if (groups > 0)
        exb_gpu_launch(gpu, (exb_gpu_kernel){"trsv", "trsv_update", p->options},
                       (exb_gpu_grid){{(size_t)groups}, {p->local}, 0}, 9,
                       (exb_gpu_arg[]){exb_gpu_i64(p->n), exb_gpu_i64(first), exb_gpu_i64(count),
                                       exb_gpu_place(p->t.at), exb_gpu_i64(p->t.row),
                                       exb_gpu_i64(p->t.col), exb_gpu_place(p->x.at),
                                       exb_gpu_i64(p->x.inc), exb_gpu_place(p->sums)});
}

void exb_gpu_trsv(exb_gpu *gpu, bool is_s, const exb_method *method, exb_i64 n, bool unit,
                  exb_gpu_matrix t, exb_gpu_vector x)
{
    exb_gpu_limits limits = exb_gpu_get_limits(gpu);
    char options[64];
    problem p = {is_s, unit, method->filter, n, t, x, x.at, 1, options};
    exb_i64 block = exb_gpu_typed_param(gpu, is_s, "trsv", "block", limits.is_cpu ? 64 : 32);
    int group = exb_gpu_typed_param(gpu, is_s, "trsv", "group", limits.is_cpu ? 16 : 128);
    if (n == 0)
        return;
    p.local = (size_t)exb_least(group, limits.max_group);
    /* With the filter, expansions only see what it could not decide: accumulators do. */
    snprintf(options, sizeof options, "-DEXB_IS_S=%d -DEXB_TERMS=%d -DEXB_EARLY_EXIT=%d", is_s,
             p.filter ? 0 : method->n_terms, !p.filter && method->early_exit);
    if (!p.filter) {
        solve(gpu, &p, 0, n);
        return;
    }
    p.sums = exb_gpu_scratch(gpu, 4 * (size_t)n * sizeof(double));
    exb_gpu_clear(gpu, p.sums, 4 * (size_t)n * sizeof(double));
    for (exb_i64 first = 0; first < n; first += block) {
        exb_i64 count = exb_least(n - first, block);
        solve(gpu, &p, first, count);
        update_rows(gpu, &p, first, count);
    }
}
