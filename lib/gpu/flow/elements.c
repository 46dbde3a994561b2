/* Exact elements of a product, and how groups are divided among rows. */
#include "gpu/flow/matrix.h"

#include <stdio.h>

enum {
    ACC_BYTES = EXB_GPU_ACC_WORDS * sizeof(exb_i64),
    COUNT_BYTES = 256, /* the count, and alignment */
    GROUPS_OF_A_UNIT = 16
};

int exb_gpu_typed_param(const exb_gpu *gpu, const exb_gpu_product *p, const char *name,
                        int standard)
{
    char typed[16];
    snprintf(typed, sizeof typed, "%c%s", p->is_s ? 's' : 'd', p->routine);
    return exb_gpu_param(gpu, typed, name, standard);
}

exb_gpu_grid exb_gpu_grid_for(exb_gpu *gpu, exb_i64 n)
{
    exb_gpu_limits limits = exb_gpu_get_limits(gpu);
    size_t local = (size_t)limits.max_group;
    exb_i64 groups =
        exb_least(exb_tasks_of(n, (exb_i64)local), (exb_i64)limits.n_units * GROUPS_OF_A_UNIT);
    return (exb_gpu_grid){{(size_t)groups}, {local}, 0};
}

/* On a processor an item has a row to itself; elsewhere neighbours share what lies next to each
 * other: a row in pieces of 32 elements, or 64 rows. */
exb_gpu_tile exb_gpu_tile_of(exb_gpu *gpu, const exb_gpu_product *p, exb_i64 most)
{
    exb_gpu_limits limits = exb_gpu_get_limits(gpu);
    exb_gpu_tile t = {.along = p->a.col == 1 || p->a.col == -1};
    int group = exb_gpu_typed_param(gpu, p, "group", limits.is_cpu ? 16 : 256);
    group = (int)exb_least(group, limits.max_group);
    int rows = exb_gpu_typed_param(gpu, p, "rows",
                                   limits.is_cpu ? group
                                   : t.along     ? group / 32
                                                 : 64);
    rows = (int)exb_least(exb_least(rows > 0 ? rows : 1, most), group);
    t.local = (size_t)group;
    t.rows = rows;
    return t;
}

exb_gpu_uncertified exb_gpu_uncertified_of(exb_gpu *gpu, exb_i64 room)
{
    exb_gpu_ref at = exb_gpu_scratch(gpu, COUNT_BYTES + (size_t)room * sizeof(exb_i64));
    exb_gpu_clear(gpu, at, sizeof(exb_u32));
    return (exb_gpu_uncertified){at, exb_gpu_at(at, COUNT_BYTES), room};
}

exb_gpu_slice exb_gpu_slices_of(exb_gpu *gpu, const exb_gpu_product *all, exb_i64 unit)
{
    exb_i64 units =
        exb_gpu_typed_param(gpu, all, "elements", EXB_GPU_MOST_LISTED) / (all->m * unit);
    exb_i64 width = exb_least(exb_most(units, 1) * unit, all->n);
    return (exb_gpu_slice){.u = exb_gpu_uncertified_of(gpu, all->m * width), .width = width};
}

bool exb_gpu_next_slice(exb_gpu *gpu, const exb_gpu_product *all, exb_gpu_slice *s)
{
    exb_i64 n = exb_least(all->n - s->next, s->width);
    if (n <= 0)
        return false;
    if (s->next > 0)
        exb_gpu_clear(gpu, s->u.count, sizeof(exb_u32));
    s->p = exb_gpu_block_of(all, 0, all->m, s->next, n);
    s->next += n;
    return true;
}

/* Elements whose accumulators a group has room for. */
static exb_i64 accumulators_of_group(exb_gpu *gpu, const exb_gpu_product *p)
{
    size_t bytes = ACC_BYTES << p->is_complex;
    return (exb_i64)(exb_gpu_get_limits(gpu).local_bytes / bytes);
}

/* Elements of a list, `most` of them, are few, and far from each other: a whole group shares each,
 * so that many groups are at work and the accumulators are few. On a processor an item has one to
 * itself. */
static exb_gpu_tile list_tile(exb_gpu *gpu, const exb_gpu_product *p, exb_i64 most)
{
    exb_gpu_tile t = exb_gpu_tile_of(gpu, p, exb_least(most, accumulators_of_group(gpu, p)));
    if (!exb_gpu_get_limits(gpu).is_cpu) {
        t.rows = 1;
        t.along = true;
    }
    return t;
}

/* Kernel `name` for `total` elements, or those of the list if it is -1, at most as many as the list
 * has room for; bytes: of local memory. */
static void launch(exb_gpu *gpu, const char *name, const exb_gpu_product *p, exb_i64 total,
                   exb_gpu_tile t, size_t bytes, const exb_gpu_uncertified *u)
{
    exb_i64 groups =
        exb_least(exb_tasks_of(u->room, t.rows), (exb_i64)exb_gpu_get_limits(gpu).n_units * 8);
    const char *options = exb_gpu_type_options(p);
    EXB_GPU_LAUNCH(gpu, ((exb_gpu_kernel){"elements", name, options}),
                   ((exb_gpu_grid){{(size_t)groups}, {t.local}, bytes << p->is_complex}),
                   exb_gpu_i64(total), exb_gpu_i64(p->m), exb_gpu_i64(p->k), exb_gpu_f64(p->alpha),
                   exb_gpu_f64(p->alpha_im), exb_gpu_f64(p->beta), exb_gpu_f64(p->beta_im),
                   exb_gpu_i32(t.rows), exb_gpu_i32(t.along), exb_gpu_i32(p->hermitian),
                   exb_gpu_i64(p->first), exb_gpu_i32(p->triangle), EXB_GPU_ELEMENTS(p->a),
                   EXB_GPU_ELEMENTS(p->b), EXB_GPU_VIEW(p->c), exb_gpu_place(u->count),
                   exb_gpu_place(u->list));
}

void exb_gpu_finish_uncertified(exb_gpu *gpu, const exb_gpu_product *p,
                                const exb_gpu_uncertified *u)
{
    exb_gpu_tile t = list_tile(gpu, p, u->room);
    launch(gpu, "elements", p, -1, t, (size_t)t.rows * ACC_BYTES, u);
}

void exb_gpu_recheck_uncertified(exb_gpu *gpu, const exb_gpu_product *p,
                                 const exb_gpu_uncertified *u)
{
    exb_gpu_tile t = list_tile(gpu, p, u->room);
    int lanes = (int)t.local / t.rows;
    if (lanes > 32) /* enough for whole lines of memory, and fewer steps to merge */
        t.rows = lanes / 32;
    launch(gpu, "recheck", p, -1, t, 4 * t.local * sizeof(double), u);
    exb_gpu_finish_uncertified(gpu, p, u);
}

/* All elements by compensated sums, and exactly those that they do not decide, for which the list,
 * empty, has room. */
static void certified_elements(exb_gpu *gpu, const exb_gpu_product *p, const exb_gpu_uncertified *u)
{
    exb_i64 total = p->m * p->n, groups = (exb_i64)exb_gpu_get_limits(gpu).n_units * 8;
    exb_gpu_tile t = exb_gpu_tile_of(gpu, p, total);
    while (t.along && t.rows > 1 && total < groups * t.rows) /* all units have work */
        t.rows /= 2;
    launch(gpu, "recheck", p, total, t, 4 * t.local * sizeof(double), u);
    exb_gpu_finish_uncertified(gpu, p, u);
}

void exb_gpu_dots(exb_gpu *gpu, const exb_gpu_product *p)
{
    if (exb_gpu_method(gpu)->filter) {
        exb_gpu_slice s = exb_gpu_slices_of(gpu, p, 1);
        while (exb_gpu_next_slice(gpu, p, &s))
            certified_elements(gpu, &s.p, &s.u);
        return;
    }
    exb_i64 total = p->m * p->n;
    exb_gpu_tile t = exb_gpu_tile_of(gpu, p, exb_least(total, accumulators_of_group(gpu, p)));
    exb_gpu_uncertified none = {p->c.at, p->c.at, total};
    launch(gpu, "elements", p, total, t, (size_t)t.rows * ACC_BYTES, &none);
}
