/* Tiles of a block of the residue engine: one modulus after the other, the product of bytes; then
 * the residues, still in cache, are put together a few columns at a time.
 * Types: s d. */
#include "level3/flow.h"

#include "core/thread.h"

static void multiply_modulus(const exb_residue_work *w, int i, exb_block q, int8_t *residues,
                             uint8_t *halves)
{
    int64_t stride = EXB_STRIP * w->panel, unit = EXB_STRIP << w->n_levels;
    exb_residue_area area = {
        .kernels = w->kernels,
        .modulus = &w->system.modulus[i],
        .rows = exb_round_up(q.m, unit) / EXB_STRIP,
        .columns = exb_round_up(q.n, unit) / EXB_STRIP,
        .kq = exb_round_up(w->k, 4 * w->kernels->quads << w->n_levels) / 4,
        .a = {w->a + i * w->plane_a + q.i0 / EXB_STRIP * stride, stride},
        .b = {w->b + i * w->plane_b + q.j0 / EXB_STRIP * stride, stride},
        .plane_a = w->plane_a,
        .plane_b = w->plane_b,
        .add = w->l0 > 0,
        .out = residues + i * w->plane,
        .ld = w->ld,
    };
    exb_residue_multiply(&area, w->n_levels, halves);
}

static void multiply_tile(const exb_t(flow) *f, exb_block tile, int64_t task, int8_t *residues)
{
    const exb_residue_work *w = &f->residue;
    int64_t since = exb_stats_now(f->p->stats);
    exb_block q = {tile.i0 - f->block.i0, tile.j0 - f->block.j0, tile.m, tile.n};
    for (int i = 0; i < w->system.n_moduli; i++)
        multiply_modulus(w, i, q, residues, w->halves + task * w->halves_bytes);
    exb_stats_phase(f->p->stats, EXB_PHASE_PRODUCT, &since);
}

/* The next tile of the block that no task has taken, multiplied through the panel; false if there
 * is none. Where its residues are goes to *residues. */
static bool multiply_next(exb_t(flow) *f, int64_t task, exb_block *q, int8_t **residues)
{
    exb_residue_work *w = &f->residue;
    int64_t size = w->system.n_moduli * w->plane;
    int64_t t = exb_t(next_tile)(f, false, w->tile, w->tile, q);
    if (t < 0)
        return false;
    *residues = w->kept ? w->kept + t * size : w->scratch + task * size;
    multiply_tile(f, *q, task, *residues);
    return true;
}

static void advance_task(void *ctx, int64_t task)
{
    exb_block tile;
    int8_t *residues;
    while (multiply_next(ctx, task, &tile, &residues))
        ;
}

void exb_t(residue_advance)(exb_t(flow) *f)
{
    exb_t(offer_tiles)(f, f->residue.tile, f->residue.tile);
    exb_parallel_for(f->n_threads, f->n_threads, advance_task, f);
}

/* Pieces go down the rows of a few columns, which are then done. */
static exb_block piece_at(const exb_t(task) *t, int64_t number)
{
    int64_t n_pieces = exb_tasks_of(t->tile.m, EXB_RESIDUE_FOUND_ROWS);
    int64_t i = number % n_pieces * EXB_RESIDUE_FOUND_ROWS;
    int64_t j = number / n_pieces * EXB_RESIDUE_FOUND_COLUMNS;
    return (exb_block){i, j, exb_least(t->tile.m - i, EXB_RESIDUE_FOUND_ROWS),
                       exb_least(t->tile.n - j, EXB_RESIDUE_FOUND_COLUMNS)};
}

static void reconstruct_piece(exb_t(task) *t, exb_block q)
{
    const exb_t(flow) *f = t->flow;
    const exb_residue_work *w = &f->residue;
    exb_task_space *out = t->space;
    int64_t since = exb_stats_now(f->p->stats);
    exb_residue_side rows = exb_residue_side_from(w->rows, t->tile.i0 - f->block.i0 + q.i0);
    for (int j = 0; j < q.n; j++) {
        int64_t at = (int64_t)j * EXB_RESIDUE_FOUND_ROWS;
        exb_residue_side s = exb_residue_side_from(w->columns, t->tile.j0 - f->block.j0 + q.j0 + j);
        w->kernels->reconstruct(&w->system, q.m, t->residues + (q.j0 + j) * w->ld + q.i0, w->plane,
                                out->h + at, out->l + at, out->e + at);
        for (int64_t i = at; EXB_IS_S && i < at + q.m; i++) /* exact: the finish rounds h alone */
            if (out->l[i] != 0 && out->e[i] == 0)
                out->e[i] = DBL_MIN;
        w->kernels->add_bounds((int)q.m, &rows, *s.inf + (*s.lost_1 != 0 ? 0.5 : 0),
                               *s.two + *s.lost_2, *s.lost_1, *s.lost_2, out->e + at);
    }
    exb_stats_phase(f->p->stats, EXB_PHASE_RECONSTRUCT, &since);
}

static exb_enclosures describe_piece(const exb_t(task) *t, exb_block q)
{
    enum { ROWS = EXB_RESIDUE_FOUND_ROWS, COLUMNS = EXB_RESIDUE_FOUND_COLUMNS };
    _Static_assert(EXB_FITS_TILE(ROWS, COLUMNS) && ROWS * COLUMNS <= EXB_FOUND, "one tile");
    const exb_task_space *out = t->space;
    const exb_residue_work *w = &t->flow->residue;
    exb_block b = {t->tile.i0 + q.i0, t->tile.j0 + q.j0, q.m, q.n};
    return exb_enclosures_of(b, ROWS, out->h, out->l, out->e,
                             w->rows.scale + (b.i0 - t->flow->block.i0),
                             w->columns.scale + (b.j0 - t->flow->block.j0));
}

bool exb_t(residue_find)(exb_t(task) *t)
{
    exb_block q = {0};
    if (t->tile.n > 0)
        q = piece_at(t, t->n_done);
    if (q.n <= 0) {
        t->n_done = 0;
        if (!multiply_next(t->flow, t->number, &t->tile, &t->residues))
            return false;
        q = piece_at(t, t->n_done);
    }
    reconstruct_piece(t, q);
    t->found = describe_piece(t, q);
    t->n_done++;
    return true;
}
