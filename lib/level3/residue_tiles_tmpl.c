/* Tiles of a block of the residue engine: one modulus after the other, the product of bytes; then
 * the residues, still in cache, are put together a few columns at a time.
 * Types: s d. */
#include "level3/flow.h"

#include "core/thread.h"
#include "level3/residue_multiply.h"

/* A rectangle of the block or of a tile. */
typedef struct {
    int64_t i, j, m, n;
} piece;

/* The t-th tile of the block; .n = 0 if nothing of it is wanted. */
static exb_block tile_at(const exb_t(flow) *f, int64_t t)
{
    int64_t tile = f->residue.tile, n_row_tiles = exb_tasks_of(f->block.m, tile);
    int64_t i = t % n_row_tiles * tile, j = t / n_row_tiles * tile;
    exb_block q = {f->block.i0 + i, f->block.j0 + j, exb_least(f->block.m - i, tile),
                   exb_least(f->block.n - j, tile)};
    if (!exb_t(product_wants)(f->p, q.i0, q.m, q.j0, q.n))
        q.n = 0;
    return q;
}

static void multiply_modulus(const exb_residue_work *w, int i, piece q, int8_t *residues,
                             uint8_t *halves)
{
    int64_t stride = EXB_STRIP * w->panel, unit = EXB_STRIP << w->n_levels;
    exb_residue_area area = {
        .kernels = w->kernels,
        .modulus = &w->system.modulus[i],
        .rows = exb_round_up(q.m, unit) / EXB_STRIP,
        .columns = exb_round_up(q.n, unit) / EXB_STRIP,
        .kq = exb_round_up(w->k, 4 * w->kernels->quads << w->n_levels) / 4,
        .a = {w->a + i * w->plane_a + q.i / EXB_STRIP * stride, stride},
        .b = {w->b + i * w->plane_b + q.j / EXB_STRIP * stride, stride},
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
    piece q = {tile.i0 - f->block.i0, tile.j0 - f->block.j0, tile.m, tile.n};
    for (int i = 0; i < w->system.n_moduli; i++)
        multiply_modulus(w, i, q, residues, w->halves + task * w->halves_bytes);
    exb_stats_phase(f->p->stats, EXB_PHASE_PRODUCT, &since);
}

/* The next tile of the block that no task has taken, multiplied through the panel; .n = 0 if there
 * is none. Where its residues are goes to *residues. */
static exb_block multiply_next(exb_t(flow) *f, int64_t task, int8_t **residues)
{
    exb_residue_work *w = &f->residue;
    int64_t size = w->system.n_moduli * w->plane;
    for (;;) {
        int64_t t = exb_t(take_tile)(f);
        if (t < 0)
            return (exb_block){0};
        exb_block tile = tile_at(f, t);
        if (tile.n == 0)
            continue;
        *residues = w->kept ? w->kept + t * size : w->scratch + task * size;
        multiply_tile(f, tile, task, *residues);
        return tile;
    }
}

static void advance_task(void *ctx, int64_t task)
{
    int8_t *residues;
    while (multiply_next(ctx, task, &residues).n > 0)
        ;
}

void exb_t(residue_advance)(exb_t(flow) *f)
{
    exb_t(offer_tiles)(f, exb_residue_tiles(f->block.m, f->block.n, f->residue.tile));
    exb_parallel_for(f->n_threads, f->n_threads, advance_task, f);
}

/* Pieces go down the rows of a few columns, which are then done. */
static piece piece_at(const exb_t(task) *t, int64_t number)
{
    int64_t n_pieces = exb_tasks_of(t->tile.m, EXB_RESIDUE_FOUND_ROWS);
    int64_t i = number % n_pieces * EXB_RESIDUE_FOUND_ROWS;
    int64_t j = number / n_pieces * EXB_RESIDUE_FOUND_COLUMNS;
    return (piece){i, j, exb_least(t->tile.m - i, EXB_RESIDUE_FOUND_ROWS),
                   exb_least(t->tile.n - j, EXB_RESIDUE_FOUND_COLUMNS)};
}

/* Brings the residues of a piece nearer. */
EXB_INLINE void fetch_piece(const exb_t(task) *t, piece q)
{
    const exb_residue_work *w = &t->flow->residue;
    for (int64_t j = 0; j < q.n; j++)
        for (int i = 0; i < w->system.n_moduli; i++)
            for (int64_t line = 0; line < q.m; line += 64)
                __builtin_prefetch(t->residues + i * w->plane + (q.j + j) * w->ld + q.i + line, 0,
                                   3);
}

static void reconstruct_piece(exb_t(task) *t, piece q)
{
    const exb_t(flow) *f = t->flow;
    const exb_residue_work *w = &f->residue;
    exb_residue_enclosures *out = &t->space->residue;
    int64_t since = exb_stats_now(f->p->stats);
    exb_residue_norms row = exb_residue_side_from(w->rows, t->tile.i0 - f->block.i0 + q.i).norms;
    for (int j = 0; j < q.n; j++) {
        int64_t at = (int64_t)j * EXB_RESIDUE_FOUND_ROWS;
        exb_residue_side s = exb_residue_side_from(w->columns, t->tile.j0 - f->block.j0 + q.j + j);
        w->kernels->reconstruct(&w->system, q.m, t->residues + (q.j + j) * w->ld + q.i, w->plane,
                                out->h + at, out->l + at, out->e + at);
        for (int64_t i = at; EXB_IS_S && i < at + q.m; i++) /* exact: the finish rounds h alone */
            if (out->l[i] != 0 && out->e[i] == 0)
                out->e[i] = DBL_MIN;
        w->kernels->add_bounds((int)q.m, &row, *s.norms.inf + (*s.norms.lost_1 != 0 ? 0.5 : 0),
                               *s.norms.two + *s.norms.lost_2, *s.norms.lost_1, *s.norms.lost_2,
                               out->e + at);
    }
    exb_stats_phase(f->p->stats, EXB_PHASE_RECONSTRUCT, &since);
}

static exb_enclosures describe_piece(const exb_t(task) *t, piece q)
{
    _Static_assert(EXB_FITS_TILE(EXB_RESIDUE_FOUND_ROWS, EXB_RESIDUE_FOUND_COLUMNS), "one tile");
    const exb_t(flow) *f = t->flow;
    const exb_residue_work *w = &f->residue;
    const exb_residue_enclosures *out = &t->space->residue;
    return (exb_enclosures){.i0 = t->tile.i0 + q.i,
                            .j0 = t->tile.j0 + q.j,
                            .m = (int)q.m,
                            .n = (int)q.n,
                            .ld = EXB_RESIDUE_FOUND_ROWS,
                            .h = out->h,
                            .l = out->l,
                            .e = out->e,
                            .row_scale = w->rows.scale + (t->tile.i0 - f->block.i0 + q.i),
                            .col_scale = w->columns.scale + (t->tile.j0 - f->block.j0 + q.j)};
}

/* C is asked for a few columns ahead: it is far from the processor's stride of pages, and rounding
 * is quick beside a miss. */
enum { AHEAD = 8 };

bool exb_t(residue_find)(exb_t(task) *t)
{
    piece q = {0};
    if (t->tile.n > 0)
        q = piece_at(t, t->n_done);
    if (q.n <= 0) {
        t->tile = multiply_next(t->flow, t->number, &t->residues);
        t->n_done = 0;
        if (t->tile.n == 0)
            return false;
        q = piece_at(t, t->n_done);
    }
    fetch_piece(t, piece_at(t, t->n_done + 1));
    exb_t(product_fetch)(t->flow->p, t->tile.i0 + q.i, q.m, t->tile.j0 + q.j + AHEAD, q.n);
    reconstruct_piece(t, q);
    t->found = describe_piece(t, q);
    t->n_done++;
    return true;
}
