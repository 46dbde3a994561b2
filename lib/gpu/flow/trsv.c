/* trsv and trsm: blocks of rows one after the other by one group for each right-hand side, the rows
 * below brought up to date by all. */
#include "gpu/flow/matrix.h"

enum {
    MOST_ACCS = 8,
    MOST_SIDES = 1024 /* right-hand sides at once: bounds the scratch memory */
};

typedef struct {
    exb_gpu_product s; /* of the right-hand sides that are solved at once */
    bool filter;
    exb_gpu_ref sums;
    size_t local;
} problem;

static size_t parts_of(const problem *p)
{
    return p->s.is_complex ? 2 : 1;
}

static void solve_block(exb_gpu *gpu, const problem *p, exb_i64 first, exb_i64 count)
{
    const exb_gpu_product *s = &p->s;
    size_t accs = (size_t)exb_least((exb_i64)p->local, MOST_ACCS);
    size_t bytes = (parts_of(p) * accs * EXB_GPU_ACC_WORDS + 1) * sizeof(exb_i64);
    EXB_GPU_LAUNCH(gpu, ((exb_gpu_kernel){"trsv", "trsv_solve", exb_gpu_type_options(s)}),
                   ((exb_gpu_grid){{1, (size_t)s->n}, {p->local}, bytes}), exb_gpu_i64(s->m),
                   exb_gpu_i64(first), exb_gpu_i64(count), exb_gpu_i32(s->unit),
                   exb_gpu_i32(p->filter), exb_gpu_i32((exb_i32)accs), EXB_GPU_ELEMENTS(s->a),
                   EXB_GPU_VIEW(s->c), exb_gpu_i32(!s->real_scalars), exb_gpu_f64(s->alpha),
                   exb_gpu_f64(s->alpha_im), exb_gpu_place(p->sums));
}

static void update_rows(exb_gpu *gpu, const problem *p, exb_i64 first, exb_i64 count)
{
    const exb_gpu_product *s = &p->s;
    exb_i64 groups = exb_tasks_of(s->m - first - count, (exb_i64)p->local);
    if (groups > 0)
        EXB_GPU_LAUNCH(gpu, ((exb_gpu_kernel){"trsv", "trsv_update", exb_gpu_type_options(s)}),
                       ((exb_gpu_grid){{(size_t)groups, (size_t)s->n}, {p->local}, 0}),
                       exb_gpu_i64(s->m), exb_gpu_i64(first), exb_gpu_i64(count),
                       EXB_GPU_ELEMENTS(s->a), EXB_GPU_VIEW(s->c), exb_gpu_place(p->sums));
}

static size_t sums_bytes(const problem *p, exb_i64 n_sides)
{
    return 4 * parts_of(p) * (size_t)(p->s.m * n_sides) * sizeof(double);
}

/* Without a filter one block has all rows. */
void exb_gpu_trsm(exb_gpu *gpu, const exb_gpu_product *all)
{
    exb_gpu_limits limits = exb_gpu_get_limits(gpu);
    problem p = {*all, exb_gpu_method(gpu)->filter, all->c.at, 1};
    exb_i64 block = exb_gpu_typed_param(gpu, all, "block", limits.is_cpu ? 64 : 32);
    int group = exb_gpu_typed_param(gpu, all, "group", limits.is_cpu ? 16 : 128);
    p.local = (size_t)exb_least(group, limits.max_group);
    if (p.filter)
        p.sums = exb_gpu_scratch(gpu, sums_bytes(&p, exb_least(all->n, MOST_SIDES)));
    else
        block = all->m;
    for (exb_i64 side = 0; side < all->n; side += MOST_SIDES) {
        p.s = exb_gpu_block_of(all, 0, all->m, side, exb_least(all->n - side, MOST_SIDES));
        if (p.filter)
            exb_gpu_clear(gpu, p.sums, sums_bytes(&p, p.s.n));
        for (exb_i64 first = 0; first < all->m; first += block) {
            exb_i64 count = exb_least(all->m - first, block);
            solve_block(gpu, &p, first, count);
            update_rows(gpu, &p, first, count);
        }
    }
}
