/* The residue engine (residue.h): as many rows and columns at a time as the workspace holds
 * residues of; k in panels, whose residues are added modulo p. Types: s d. */
#include "level3/flow.h"

#include "core/memory.h"

enum { PANEL_MAX = 4096 };

/* Tiles of about equal size. */
static int64_t tile_for(int64_t rows, int64_t columns, int64_t most)
{
    int64_t n = exb_most(rows, columns);
    return exb_least(most, exb_round_up(exb_tasks_of(n, exb_tasks_of(n, most)),
                                        EXB_STRIP << EXB_RESIDUE_LEVELS));
}

/* Sets the sizes of blocks, panels and tiles; returns the bytes that they take. */
static size_t set_sizes(exb_t(flow) *f, int64_t most_tile, int64_t rows, int64_t columns,
                        int64_t panel)
{
    exb_residue_work *w = &f->residue;
    int64_t n_moduli = w->system.n_moduli, unit = EXB_STRIP << w->n_levels;
    f->rows = rows;
    f->columns = columns;
    f->panel = exb_round_up(panel, 4 * w->kernels->quads << w->n_levels);
    f->tile_rows = f->tile_columns = tile_for(rows, columns, most_tile);
    w->ld = f->tile_rows + (f->tile_rows % 256 == 0 ? 64 : 0); /* columns in different sets, too */
    w->plane = w->ld * f->tile_columns + EXB_RESIDUE_APART;
    w->padded_rows = exb_round_up(rows, unit);
    w->padded_columns = exb_round_up(columns, unit);
    w->plane_a = w->padded_rows * f->panel + EXB_RESIDUE_APART;
    w->plane_b = w->padded_columns * f->panel + EXB_RESIDUE_APART;
    w->residues_bytes = exb_t(count_places)(f) * n_moduli * w->plane;
    w->halves_bytes =
        exb_residue_halving_bytes(f->tile_rows, f->tile_columns, f->panel, w->n_levels);
    return (size_t)(n_moduli * (w->plane_a + w->plane_b) + w->residues_bytes +
                    f->n_threads * w->halves_bytes +
                    (w->padded_rows + w->padded_columns) * EXB_RESIDUE_SIDE_ARRAYS *
                        (int64_t)sizeof(double));
}

/* How often products are halved. The least part is worth what adding costs; threads have tiles
 * enough, of triangles little is computed that is not wanted. */
static int levels_for(const exb_t(product) *p, int n_threads, int most_levels)
{
    int64_t least = exb_least(exb_least(p->m, p->n), p->k) / EXB_RESIDUE_HALF, n_levels = 0;
    while (n_levels < most_levels && least >> (n_levels + 1) > 0) {
        int64_t tile = EXB_RESIDUE_HALF << (n_levels + 1);
        bool is_whole = p->region == EXB_REGION_ALL || exb_least(p->m, p->n) >= 6 * tile;
        if (!is_whole || (n_threads > 1 && exb_count_tiles(p->m, p->n, tile, tile) < 4 * n_threads))
            break;
        n_levels++;
    }
    return (int)n_levels;
}

/* Columns are converted once if k is one panel, rows for every block of columns: therefore as many
 * columns as the workspace holds beside a few tiles' rows. In several panels both are, and blocks
 * are square. Returns the bytes, 0 if not even a tile fits. */
static size_t choose_blocks(exb_t(flow) *f, int64_t tile)
{
    const exb_t(product) *p = f->p;
    int64_t panel = exb_least(exb_round_up(p->k, 4), PANEL_MAX);
    size_t limit = exb_t(flow_limit)(f), bytes = set_sizes(f, tile, p->m, p->n, panel);
    if (bytes <= limit)
        return bytes;
    for (; panel >= 64 << f->residue.n_levels; panel = exb_round_up(panel / 2, 4))
        for (int64_t block = 32 * tile; block >= tile; block -= tile) {
            int64_t rows = panel >= p->k ? (f->n_threads > 4 ? 2 : 1) * tile : block;
            bytes = set_sizes(f, tile, exb_least(p->m, rows), exb_least(p->n, block), panel);
            if (bytes <= limit)
                return bytes;
        }
    return 0;
}

static size_t choose_sizes(exb_t(flow) *f)
{
    exb_residue_work *w = &f->residue;
    size_t bytes = 0;
    w->n_levels = levels_for(f->p, f->n_threads, w->kernels->most_levels);
    while (w->n_levels > 0 && !(bytes = choose_blocks(f, EXB_RESIDUE_HALF << w->n_levels)))
        w->n_levels--;
    if (!bytes)
        bytes = choose_blocks(f, w->kernels->most_tile);
    if (!bytes && w->kernels->most_tile > EXB_RESIDUE_TILE)
        bytes = choose_blocks(f, EXB_RESIDUE_TILE);
    return bytes;
}

static exb_residue_side side_at(double *d, int64_t n)
{
    return (exb_residue_side){d, d + n, d + 2 * n, d + 3 * n, d + 4 * n, d + 5 * n};
}

static void lay_out(exb_residue_work *w, int n_threads, uint8_t *memory)
{
    w->a = memory;
    w->b = w->a + w->system.n_moduli * w->plane_a;
    w->residues = (int8_t *)w->b + w->system.n_moduli * w->plane_b;
    w->halves = (uint8_t *)w->residues + w->residues_bytes;
    double *sides = (double *)(void *)(w->halves + n_threads * w->halves_bytes);
    w->rows = side_at(sides, w->padded_rows);
    w->columns = side_at(sides + EXB_RESIDUE_SIDE_ARRAYS * w->padded_rows, w->padded_columns);
}

/* --- tiles ---------------------------------------------------------------------- */

static void multiply_modulus(const exb_t(flow) *f, int i, exb_block q, int8_t *residues,
                             uint8_t *halves)
{
    const exb_residue_work *w = &f->residue;
    int64_t stride = EXB_STRIP * f->panel, unit = EXB_STRIP << w->n_levels;
    exb_residue_area area = {
        .kernels = w->kernels,
        .modulus = &w->system.modulus[i],
        .rows = exb_round_up(q.m, unit) / EXB_STRIP,
        .columns = exb_round_up(q.n, unit) / EXB_STRIP,
        .kq = exb_round_up(f->k, 4 * w->kernels->quads << w->n_levels) / 4,
        .a = {w->a + i * w->plane_a + q.i0 / EXB_STRIP * stride, stride},
        .b = {w->b + i * w->plane_b + q.j0 / EXB_STRIP * stride, stride},
        .plane_a = w->plane_a,
        .plane_b = w->plane_b,
        .add = f->l0 > 0,
        .out = residues + i * w->plane,
        .ld = w->ld,
    };
    exb_residue_multiply(&area, w->n_levels, halves);
}

static int8_t *residues_of(const exb_t(task) *t)
{
    const exb_residue_work *w = &t->flow->residue;
    return w->residues + exb_t(place_of)(t) * w->system.n_moduli * w->plane;
}

static void multiply_tile(exb_t(task) *t)
{
    const exb_t(flow) *f = t->flow;
    const exb_residue_work *w = &f->residue;
    int64_t since = exb_stats_now(f->p->stats);
    exb_block q = {t->tile.i0 - f->block.i0, t->tile.j0 - f->block.j0, t->tile.m, t->tile.n};
    for (int i = 0; i < w->system.n_moduli; i++)
        multiply_modulus(f, i, q, residues_of(t), w->halves + t->number * w->halves_bytes);
    t->n_parts = exb_count_tiles(q.m, q.n, EXB_RESIDUE_FOUND_ROWS, EXB_RESIDUE_FOUND_COLUMNS);
    exb_stats_phase(f->p->stats, EXB_PHASE_PRODUCT, &since);
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
        w->kernels->reconstruct(&w->system, q.m, residues_of(t) + (q.j0 + j) * w->ld + q.i0,
                                w->plane, out->h + at, out->l + at, out->e + at);
        for (int64_t i = at; EXB_IS_S && i < at + q.m; i++) /* exact: the finish rounds h alone */
            if (out->l[i] != 0 && out->e[i] == 0)
                out->e[i] = DBL_MIN;
        w->kernels->add_bounds((int)q.m, &rows, *s.inf + (*s.lost_1 != 0 ? 0.5 : 0),
                               *s.two + *s.lost_2, *s.lost_1, *s.lost_2, out->e + at);
    }
    exb_stats_phase(f->p->stats, EXB_PHASE_RECONSTRUCT, &since);
}

/* Parts go down the rows of a few columns, which are then done. */
static void find_part(exb_t(task) *t)
{
    enum { ROWS = EXB_RESIDUE_FOUND_ROWS, COLUMNS = EXB_RESIDUE_FOUND_COLUMNS };
    _Static_assert(EXB_FITS_TILE(ROWS, COLUMNS) && ROWS * COLUMNS <= EXB_FOUND, "one tile");
    const exb_residue_work *w = &t->flow->residue;
    int64_t n_down = exb_tasks_of(t->tile.m, ROWS);
    int64_t i = t->n_found % n_down * ROWS, j = t->n_found / n_down * COLUMNS;
    exb_block q = {i, j, exb_least(t->tile.m - i, ROWS), exb_least(t->tile.n - j, COLUMNS)};
    exb_block b = {t->tile.i0 + i, t->tile.j0 + j, q.m, q.n};
    reconstruct_piece(t, q);
    t->found = exb_enclosures_of(b, ROWS, t->space->h, t->space->l, t->space->e,
                                 w->rows.scale + (b.i0 - t->flow->block.i0),
                                 w->columns.scale + (b.j0 - t->flow->block.j0));
}

bool exb_t(residue_begin)(exb_t(flow) *f, const exb_residue_kernels *kernels, int n_moduli)
{
    const exb_t(product) *p = f->p;
    exb_residue_work *w = &f->residue;
    double work = (double)p->m * (double)p->n * (double)p->k / 8;
    if (p->k == 0 || p->k > EXB_RESIDUE_MOST_TERMS)
        return false;
    f->n_threads = exb_partition_count(work, EXB_MOST_RANGES);
    f->pack = exb_t(residue_pack);
    f->multiply = multiply_tile;
    f->find = find_part;
    w->kernels = kernels;
    exb_residue_system_init(&w->system, n_moduli);
    size_t bytes = choose_sizes(f);
    uint8_t *memory = bytes ? exb_t(flow_memory)(f, bytes) : NULL;
    if (!memory)
        return false;
    if (p->stats)
        p->stats->n_moduli = n_moduli;
    lay_out(w, f->n_threads, memory);
    return true;
}
