/* The residue engine (residue.h): as many rows and columns at a time as the workspace holds
 * residues of; k in panels, whose residues are added modulo p. Types: s d. */
#include "level3/flow.h"

#include "core/memory.h"

enum { PANEL_MAX = 4096 };

typedef exb_residue_layout layout;

/* What is asked of a layout. */
typedef struct {
    const exb_t(product) *product;
    const exb_residue_kernels *kernels;
    int n_moduli, n_threads, n_levels;
    int64_t most_tile;
    size_t limit;
} wish;

/* Rows and columns of a tile whose products are halved n_levels > 0 times, at most. */
static int64_t halved_tile(int n_levels)
{
    return EXB_RESIDUE_HALF << n_levels;
}

/* Tiles of about equal size. */
static int64_t tile_for(int64_t rows, int64_t columns, int64_t most)
{
    int64_t n = exb_most(rows, columns);
    return exb_least(most, exb_round_up(exb_tasks_of(n, exb_tasks_of(n, most)),
                                        EXB_STRIP << EXB_RESIDUE_LEVELS));
}

static layout layout_of(const wish *w, int64_t rows, int64_t columns, int64_t panel)
{
    int64_t unit = EXB_STRIP << w->n_levels;
    layout s = {.rows = rows, .columns = columns, .n_levels = w->n_levels};
    s.panel = exb_round_up(panel, 4 * w->kernels->quads << w->n_levels);
    s.tile = tile_for(rows, columns, w->most_tile);
    s.ld = s.tile + (s.tile % 256 == 0 ? 64 : 0); /* columns in different sets, too */
    s.plane = s.ld * s.tile + EXB_RESIDUE_APART;
    s.padded_rows = exb_round_up(rows, unit);
    s.padded_columns = exb_round_up(columns, unit);
    s.plane_a = s.padded_rows * s.panel + EXB_RESIDUE_APART;
    s.plane_b = s.padded_columns * s.panel + EXB_RESIDUE_APART;
    s.residues = (panel < w->product->k ? exb_residue_tiles(rows, columns, s.tile) : w->n_threads) *
                 w->n_moduli * s.plane;
    s.halves = w->n_threads * exb_residue_halving_bytes(s.tile, s.tile, s.panel, w->n_levels);
    s.bytes = (size_t)(w->n_moduli * (s.plane_a + s.plane_b) + s.residues + s.halves +
                       (s.padded_rows + s.padded_columns) * EXB_RESIDUE_SIDE_ARRAYS *
                           (int64_t)sizeof(double));
    return s;
}

/* How often products are halved. The least part is worth what adding costs; threads have tiles
 * enough, of triangles little is computed that is not wanted. */
static int levels_for(const exb_t(product) *p, int n_threads, int most_levels)
{
    int64_t least = exb_least(exb_least(p->m, p->n), p->k) / EXB_RESIDUE_HALF, n_levels = 0;
    while (n_levels < most_levels && least >> (n_levels + 1) > 0) {
        int64_t tile = halved_tile((int)n_levels + 1);
        bool is_whole = p->region == EXB_REGION_ALL || exb_least(p->m, p->n) >= 6 * tile;
        if (!is_whole || (n_threads > 1 && exb_residue_tiles(p->m, p->n, tile) < 4 * n_threads))
            break;
        n_levels++;
    }
    return (int)n_levels;
}

/* Columns are converted once if k is one panel, rows for every block of columns: therefore as many
 * columns as the workspace holds beside a few tiles' rows. In several panels both are, and blocks
 * are square. False if not even a tile fits. */
static bool choose_blocks(const wish *w, layout *s)
{
    const exb_t(product) *p = w->product;
    int64_t panel = exb_least(exb_round_up(p->k, 4), PANEL_MAX), tile = w->most_tile;
    *s = layout_of(w, p->m, p->n, panel);
    if (s->bytes <= w->limit)
        return true;
    for (; panel >= 64 << w->n_levels; panel = exb_round_up(panel / 2, 4))
        for (int64_t block = 32 * tile; block >= tile; block -= tile) {
            int64_t rows = panel >= p->k ? (w->n_threads > 4 ? 2 : 1) * tile : block;
            *s = layout_of(w, exb_least(p->m, rows), exb_least(p->n, block), panel);
            if (s->bytes <= w->limit)
                return true;
        }
    return false;
}

static bool choose_layout(const exb_t(flow) *f, const exb_residue_kernels *kernels, int n_moduli,
                          layout *s)
{
    wish w = {f->p, kernels, n_moduli, f->n_threads, 0, 0, exb_t(flow_limit)(f)};
    for (w.n_levels = levels_for(f->p, f->n_threads, kernels->most_levels); w.n_levels >= 0;
         w.n_levels--) {
        w.most_tile = w.n_levels > 0 ? halved_tile(w.n_levels) : kernels->most_tile;
        if (choose_blocks(&w, s))
            return true;
    }
    w.n_levels = 0;
    w.most_tile = EXB_RESIDUE_TILE;
    return kernels->most_tile > EXB_RESIDUE_TILE && choose_blocks(&w, s);
}

/* So many vectors that what was scaled is still in the second-level cache when it is converted, but
 * of those that lie side by side several lines. */
static int64_t group_for(int64_t k)
{
    enum { ELEMENTS = 1 << 16, LEAST = 32 };
    return exb_most(LEAST, exb_least(EXB_RESIDUE_MOST_GROUP, ELEMENTS / k / EXB_STRIP * EXB_STRIP));
}

static exb_residue_side carve_side(char **memory, int64_t n)
{
    double *d = (double *)*memory;
    *memory += n * EXB_RESIDUE_SIDE_ARRAYS * (int64_t)sizeof *d;
    return (exb_residue_side){d, d + n, {d + 2 * n, d + 3 * n, d + 4 * n, d + 5 * n}};
}

static void lay_out(exb_residue_work *w, const layout *s, bool in_panels, int n_threads,
                    char *memory)
{
    w->layout = *s;
    w->a = (uint8_t *)memory;
    w->b = w->a + w->system.n_moduli * s->plane_a;
    w->scratch = (int8_t *)w->b + w->system.n_moduli * s->plane_b;
    w->kept = in_panels ? w->scratch : NULL;
    w->halves = (uint8_t *)w->scratch + s->residues;
    w->halves_bytes = s->halves / n_threads;
    memory = (char *)w->halves + s->halves;
    w->rows = carve_side(&memory, s->padded_rows);
    w->columns = carve_side(&memory, s->padded_columns);
}

/* Terms l0 ... l0 + k - 1 of the block; after the last ones the flow's tasks are there. */
static void add_panel(exb_t(flow) *f, int64_t l0, int64_t k)
{
    exb_residue_work *w = &f->residue;
    w->l0 = l0;
    w->k = k;
    exb_t(residue_convert)(f);
    if (l0 + k < f->p->k) {
        exb_t(residue_advance)(f);
        return;
    }
    exb_t(offer_tiles)(f, exb_residue_tiles(f->block.m, f->block.n, w->layout.tile));
}

static void prepare_block(exb_t(flow) *f)
{
    exb_residue_work *w = &f->residue;
    int64_t k = f->p->k;
    w->n_new_columns = w->converted == f->block.j0 ? 0 : f->block.n;
    for (int64_t l0 = 0; l0 < k; l0 += w->layout.panel)
        add_panel(f, l0, exb_least(k - l0, w->layout.panel));
    if (!w->kept)
        w->converted = f->block.j0; /* one panel: the residues of the columns stay */
}

static void set_up(exb_t(flow) *f, const exb_residue_kernels *kernels, int n_moduli,
                   const layout *s, char *memory)
{
    static const exb_t(engine) residue = {prepare_block, exb_t(residue_find)};
    exb_residue_work *w = &f->residue;
    f->engine = &residue;
    f->rows = s->rows;
    f->columns = s->columns;
    w->kernels = kernels;
    w->converted = -1;
    w->group = group_for(f->p->k);
    exb_residue_system_init(&w->system, n_moduli);
    lay_out(w, s, s->panel < f->p->k, f->n_threads, memory);
}

static int threads_for(const exb_t(product) *p)
{
    return exb_partition_count((double)p->m * (double)p->n * (double)p->k / 8, EXB_MOST_RANGES);
}

bool exb_t(residue_begin)(exb_t(flow) *f, const exb_residue_kernels *kernels, int n_moduli)
{
    const exb_t(product) *p = f->p;
    layout s;
    f->n_threads = threads_for(p);
    if (p->k == 0 || p->k > EXB_RESIDUE_MOST_TERMS || !choose_layout(f, kernels, n_moduli, &s))
        return false;
    char *memory = exb_t(flow_memory)(f, s.bytes);
    if (!memory)
        return false;
    if (p->stats)
        p->stats->n_moduli = n_moduli;
    set_up(f, kernels, n_moduli, &s, memory);
    return true;
}
