/* Tiles of a block of the residue engine: one modulus after the other, the product of bytes; then
 * the residues, still in cache, are put together a few columns at a time. Compiled for doubles.
 * Types: d. */
#include "level3/flow.h"

#include "core/thread.h"

/* The t-th tile of the block; .n = 0 if nothing of it is wanted. */
static exb_block tile_at(const exb_t(flow) * f, int64_t t)
{
    int64_t n_row_tiles = exb_tasks_of(f->block.m, EXB_RESIDUE_TILE_ROWS);
    int64_t i = t % n_row_tiles * EXB_RESIDUE_TILE_ROWS,
            j = t / n_row_tiles * EXB_RESIDUE_TILE_COLUMNS;
    exb_block q = {f->block.i0 + i, f->block.j0 + j,
                   exb_least(f->block.m - i, EXB_RESIDUE_TILE_ROWS),
                   exb_least(f->block.n - j, EXB_RESIDUE_TILE_COLUMNS)};
    if (!exb_t(product_wants)(f->p, q.i0, q.m, q.j0, q.n))
        q.n = 0;
    return q;
}

/* The strips of a tile, its first row and column in the block. */
typedef struct {
    int64_t i, j, m, n;
} place;

/* The t-th strip of the tile in the residues of modulus i, rows first; any address if there is
 * none: what the t-th step of the modulus before it fetches. */
static const uint8_t *strip_of(const exb_residue_work *w, place q, int i, int64_t t)
{
    int64_t stride = EXB_STRIP * w->panel, n_rows = exb_tasks_of(q.m, EXB_STRIP);
    if (i >= w->system.n_moduli || t < 0 || t >= n_rows + exb_tasks_of(q.n, EXB_STRIP))
        return w->a;
    if (t < n_rows)
        return w->a + i * w->plane_a + (q.i / EXB_STRIP + t) * stride;
    return w->b + i * w->plane_b + (q.j / EXB_STRIP + t - n_rows) * stride;
}

static void multiply_modulus(const exb_residue_work *w, place q, int i, int8_t *residues)
{
    int64_t kq = exb_tasks_of(w->k, 4), stride = EXB_STRIP * w->panel;
    /* The last steps fetch the next modulus: later would be too late, earlier would drive out what
     * is still in use. */
    int64_t n_steps = exb_tasks_of(q.n, EXB_RESIDUE_COLS) * exb_tasks_of(q.m, EXB_RESIDUE_ROWS);
    int64_t t = exb_tasks_of(q.m, EXB_STRIP) + exb_tasks_of(q.n, EXB_STRIP) - n_steps;
    const uint8_t *a = w->a + i * w->plane_a + q.i / EXB_STRIP * stride;
    const int8_t *b = (const int8_t *)w->b + i * w->plane_b + q.j / EXB_STRIP * stride;
    for (int64_t c = 0; c < q.n; c += EXB_RESIDUE_COLS)
        for (int64_t r = 0; r < q.m; r += EXB_RESIDUE_ROWS) {
            int64_t n_strips = exb_least(exb_tasks_of(q.m - r, EXB_STRIP), 3);
            w->kernels->multiply(
                &w->system.modulus[i], kq, (int)n_strips, a + r / EXB_STRIP * stride, stride,
                b + c / EXB_STRIP * stride + c % EXB_STRIP * 4, strip_of(w, q, i + 1, t++),
                w->l0 > 0, residues + c * EXB_RESIDUE_TILE_ROWS + r, EXB_RESIDUE_TILE_ROWS);
        }
}

static void multiply_tile(const exb_t(flow) * f, exb_block tile, int8_t *residues)
{
    int64_t since = exb_stats_now(f->p->stats);
    place q = {tile.i0 - f->block.i0, tile.j0 - f->block.j0, tile.m, tile.n};
    for (int i = 0; i < f->residue.system.n_moduli; i++)
        multiply_modulus(&f->residue, q, i, residues + (int64_t)i * EXB_RESIDUE_PLANE);
    exb_stats_phase(f->p->stats, EXB_PHASE_PRODUCT, &since);
}

/* The next tile of the block that no task has taken, multiplied through the panel; .n = 0 if there
 * is none. Where its residues are goes to *residues. */
static exb_block take_tile(exb_t(flow) * f, int64_t task, int8_t **residues)
{
    exb_residue_work *w = &f->residue;
    int64_t size = (int64_t)w->system.n_moduli * EXB_RESIDUE_PLANE;
    for (;;) {
        int64_t t = atomic_fetch_add(&w->next, 1);
        if (t >= w->n_tiles)
            return (exb_block){0};
        exb_block tile = tile_at(f, t);
        if (tile.n == 0)
            continue;
        *residues = w->kept ? w->kept + t * size : w->scratch + task * size;
        multiply_tile(f, tile, *residues);
        return tile;
    }
}

static void advance_task(void *ctx, int64_t task)
{
    int8_t *residues;
    while (take_tile(ctx, task, &residues).n > 0)
        ;
}

void exb_t(residue_advance)(exb_t(flow) * f)
{
    exb_residue_start(&f->residue, f->block.m, f->block.n);
    exb_parallel_for(f->n_threads, f->n_threads, advance_task, f);
}

/* n columns of the tile, from column c on. */
static void reconstruct_columns(exb_t(task) * t, int64_t c, int n)
{
    const exb_t(flow) *f = t->flow;
    const exb_residue_work *w = &f->residue;
    exb_residue_enclosures *out = &t->space.residue;
    int64_t since = exb_stats_now(f->p->stats);
    exb_residue_norms row = exb_residue_side_from(w->rows, t->tile.i0 - f->block.i0).norms;
    for (int j = 0; j < n; j++) {
        int64_t at = (int64_t)j * EXB_RESIDUE_TILE_ROWS, m = t->tile.m;
        w->kernels->reconstruct(&w->system, m, t->residues + (c + j) * EXB_RESIDUE_TILE_ROWS,
                                EXB_RESIDUE_PLANE, out->h + at, out->l + at, out->e + at);
        exb_residue_side s = exb_residue_side_from(w->columns, t->tile.j0 - f->block.j0 + c + j);
        w->kernels->add_bounds((int)m, &row, *s.norms.inf + (*s.norms.lost_1 != 0 ? 0.5 : 0),
                               *s.norms.two + *s.norms.lost_2, *s.norms.lost_1, *s.norms.lost_2,
                               out->e + at);
    }
    exb_stats_phase(f->p->stats, EXB_PHASE_RECONSTRUCT, &since);
}

static exb_enclosures describe_columns(const exb_t(task) * t, int64_t c, int n)
{
    _Static_assert(EXB_FITS_TILE(EXB_RESIDUE_TILE_ROWS, EXB_RESIDUE_FOUND_COLUMNS), "one tile");
    const exb_t(flow) *f = t->flow;
    const exb_residue_work *w = &f->residue;
    const exb_residue_enclosures *out = &t->space.residue;
    return (exb_enclosures){.i0 = t->tile.i0,
                            .j0 = t->tile.j0 + c,
                            .m = (int)t->tile.m,
                            .n = n,
                            .ld = EXB_RESIDUE_TILE_ROWS,
                            .h = out->h,
                            .l = out->l,
                            .e = out->e,
                            .row_scale = w->rows.scale + (t->tile.i0 - f->block.i0),
                            .col_scale = w->columns.scale + (t->tile.j0 - f->block.j0 + c)};
}

bool exb_t(residue_find)(exb_t(task) * t)
{
    int64_t c = t->n_done;
    if (c == t->tile.n) {
        t->tile = take_tile(t->flow, t->number, &t->residues);
        c = 0;
    }
    if (t->tile.n == 0)
        return false;
    int n = (int)exb_least(t->tile.n - c, EXB_RESIDUE_FOUND_COLUMNS);
    reconstruct_columns(t, c, n);
    t->found = describe_columns(t, c, n);
    t->n_done = c + n;
    return true;
}
