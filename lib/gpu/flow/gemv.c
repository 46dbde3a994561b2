/* gemv: a filter that reads the matrix once, then what it could not decide. */
#include "gpu/flow/matrix.h"

enum { MOST_CHUNKS = 256 };

/* How rows are cut: tiles of rows, a group each, and chunks of columns so that the device is busy.
 * partial: of each row and chunk four numbers. */
typedef struct {
    exb_gpu_tile tile;
    int lanes;
    exb_i64 chunk, chunks;
    exb_gpu_ref partial;
} cut;

/* Of m rows, for this slice and those after it, which are no longer. */
static cut cut_of(exb_gpu *gpu, const exb_gpu_product *p, exb_i64 m)
{
    exb_gpu_limits limits = exb_gpu_get_limits(gpu);
    exb_i64 groups = (exb_i64)limits.n_units * (limits.is_cpu ? 2 : 8);
    cut c = {.tile = exb_gpu_tile_of(gpu, p, m)};
    c.lanes = (int)c.tile.local / c.tile.rows;
    exb_i64 wanted = exb_tasks_of(groups, exb_tasks_of(m, c.tile.rows));
    wanted = exb_least(exb_least(wanted, p->k / ((exb_i64)c.lanes * 64) + 1), MOST_CHUNKS);
    c.chunk = exb_tasks_of(p->k, wanted);
    c.chunks = p->k > 0 ? exb_tasks_of(p->k, c.chunk) : 0;
    c.partial = exb_gpu_scratch(gpu, 4 * sizeof(double) * (size_t)(m * c.chunks));
    return c;
}

static void filter_chunks(exb_gpu *gpu, const exb_gpu_product *p, const cut *c)
{
    size_t local = c->tile.local, tiles = (size_t)exb_tasks_of(p->m, c->tile.rows);
    EXB_GPU_LAUNCH(
        gpu, ((exb_gpu_kernel){"gemv", "gemv_filter", exb_gpu_real_options(p->is_s)}),
        ((exb_gpu_grid){{tiles, (size_t)c->chunks}, {local}, 4 * local * sizeof(double)}),
        exb_gpu_i64(p->m), exb_gpu_i64(p->k), exb_gpu_i64(c->chunk), exb_gpu_i32(c->tile.rows),
        exb_gpu_i32(c->tile.along), EXB_GPU_VIEW(p->a), exb_gpu_place(p->b.at),
        exb_gpu_i64(p->b.row), exb_gpu_place(c->partial));
}

static void join_chunks(exb_gpu *gpu, const exb_gpu_product *p, const cut *c,
                        const exb_gpu_uncertified *u)
{
    size_t local = c->tile.local, groups = (size_t)exb_tasks_of(p->m, (exb_i64)local);
    EXB_GPU_LAUNCH(gpu, ((exb_gpu_kernel){"gemv", "gemv_join", exb_gpu_real_options(p->is_s)}),
                   ((exb_gpu_grid){{groups}, {local}, 0}), exb_gpu_i64(p->m),
                   exb_gpu_i64(exb_tasks_of(c->chunk, c->lanes)), exb_gpu_i32((exb_i32)c->chunks),
                   exb_gpu_f64(p->alpha), exb_gpu_f64(p->beta), exb_gpu_place(c->partial),
                   exb_gpu_place(p->c.at), exb_gpu_i64(p->c.row), exb_gpu_place(u->count),
                   exb_gpu_place(u->list));
}

/* Slices of rows take the same scratch memory, one after the other. */
static void filter_rows(exb_gpu *gpu, const exb_gpu_product *all)
{
    exb_i64 most = exb_gpu_typed_param(gpu, all, "elements", EXB_GPU_MOST_LISTED / 2);
    most = exb_least(most, all->m);
    exb_gpu_uncertified u = exb_gpu_uncertified_of(gpu, most);
    cut c = cut_of(gpu, all, most);
    for (exb_i64 i0 = 0; i0 < all->m; i0 += most) {
        exb_gpu_product p = exb_gpu_block_of(all, i0, exb_least(all->m - i0, most), 0, 1);
        if (i0 > 0)
            exb_gpu_clear(gpu, u.count, sizeof(exb_u32));
        if (c.chunks > 0)
            filter_chunks(gpu, &p, &c);
        join_chunks(gpu, &p, &c, &u);
        exb_gpu_finish_uncertified(gpu, &p, &u);
    }
}

void exb_gpu_gemv(exb_gpu *gpu, const exb_gpu_product *p)
{
    if (p->is_complex || (p->k > 0 && !exb_gpu_method(gpu)->filter))
        exb_gpu_dots(gpu, p);
    else
        filter_rows(gpu, p);
}
