/* trsv and trsm: blocks of rows one after the other by one group for each right-hand side, the rows
 * below brought up to date by all. */
#include "gpu/flow/matrix.h"

#include "core/arith/words.h"

#include <stdio.h>

enum {
    MOST_ACCS = 8,
    ENTRIES = EXB_PRODUCT_WORDS + 3,
    MOST_SIDES = 1024 /* right-hand sides at once: bounds the scratch memory */
};

typedef struct {
    bool is_s, unit, filter;
    exb_i64 n;
    exb_gpu_matrix t;
    exb_gpu_vector x;
    exb_i64 next, count; /* between right-hand sides; how many at once */
    double alpha;
    exb_gpu_ref sums;
    size_t local;
    const char *options;
} problem;

static void solve(exb_gpu *gpu, const problem *p, exb_i64 first, exb_i64 count)
{
    size_t accs = (size_t)exb_least((exb_i64)p->local, MOST_ACCS);
    exb_gpu_launch(
        gpu, (exb_gpu_kernel){"trsv", "trsv_solve", p->options},
        (exb_gpu_grid){{1, (size_t)p->count}, {p->local}, (accs * ENTRIES + 1) * sizeof(exb_i64)},
        14,
        (exb_gpu_arg[]){exb_gpu_i64(p->n), exb_gpu_i64(first), exb_gpu_i64(count),
                        exb_gpu_i32(p->unit), exb_gpu_i32(p->filter), exb_gpu_i32((exb_i32)accs),
                        exb_gpu_place(p->t.at), exb_gpu_i64(p->t.row), exb_gpu_i64(p->t.col),
                        exb_gpu_place(p->x.at), exb_gpu_i64(p->x.inc), exb_gpu_i64(p->next),
                        exb_gpu_f64(p->alpha), exb_gpu_place(p->sums)});
}

static void update_rows(exb_gpu *gpu, const problem *p, exb_i64 first, exb_i64 count)
{
    exb_i64 groups = exb_tasks_of(p->n - first - count, (exb_i64)p->local);
    if (groups > 0)
        exb_gpu_launch(gpu, (exb_gpu_kernel){"trsv", "trsv_update", p->options},
                       (exb_gpu_grid){{(size_t)groups, (size_t)p->count}, {p->local}, 0}, 10,
                       (exb_gpu_arg[]){exb_gpu_i64(p->n), exb_gpu_i64(first), exb_gpu_i64(count),
                                       exb_gpu_place(p->t.at), exb_gpu_i64(p->t.row),
                                       exb_gpu_i64(p->t.col), exb_gpu_place(p->x.at),
                                       exb_gpu_i64(p->x.inc), exb_gpu_i64(p->next),
                                       exb_gpu_place(p->sums)});
}

static void solve_all(exb_gpu *gpu, const problem *p, exb_i64 block)
{
    size_t bytes = 4 * (size_t)(p->n * p->count) * sizeof(double);
    if (!p->filter) {
        solve(gpu, p, 0, p->n);
        return;
    }
    exb_gpu_clear(gpu, p->sums, bytes);
    for (exb_i64 first = 0; first < p->n; first += block) {
        exb_i64 count = exb_least(p->n - first, block);
        solve(gpu, p, first, count);
        update_rows(gpu, p, first, count);
    }
}

void exb_gpu_trsm(exb_gpu *gpu, bool is_s, const exb_method *method, exb_i64 n, bool unit,
                  exb_gpu_matrix t, exb_gpu_vector x, exb_i64 n_sides, exb_i64 next, double alpha)
{
    exb_gpu_limits limits = exb_gpu_get_limits(gpu);
    char options[64];
    problem p = {is_s, unit, method->filter, n, t, x, next, n_sides, alpha, x.at, 1, options};
    exb_i64 block = exb_gpu_typed_param(gpu, is_s, "trsv", "block", limits.is_cpu ? 64 : 32);
    int group = exb_gpu_typed_param(gpu, is_s, "trsv", "group", limits.is_cpu ? 16 : 128);
    if (n == 0 || n_sides == 0)
        return;
    p.local = (size_t)exb_least(group, limits.max_group);
    /* With the filter, expansions only see what it could not decide: accumulators do. */
    snprintf(options, sizeof options, "-DEXB_IS_S=%d -DEXB_TERMS=%d -DEXB_EARLY_EXIT=%d", is_s,
             p.filter ? 0 : method->n_terms, !p.filter && method->early_exit);
    p.count = exb_least(n_sides, MOST_SIDES);
    if (p.filter)
        p.sums = exb_gpu_scratch(gpu, 4 * (size_t)(n * p.count) * sizeof(double));
    for (exb_i64 side = 0; side < n_sides; side += MOST_SIDES) {
        p.count = exb_least(n_sides - side, MOST_SIDES);
        p.x.at = exb_gpu_element(x.at, side * next, is_s);
        solve_all(gpu, &p, block);
    }
}

void exb_gpu_trsv(exb_gpu *gpu, bool is_s, const exb_method *method, exb_i64 n, bool unit,
                  exb_gpu_matrix t, exb_gpu_vector x)
{
    exb_gpu_trsm(gpu, is_s, method, n, unit, t, x, 1, 0, 1);
}
