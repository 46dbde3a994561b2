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
    int64_t n_tiles = f->n_threads;
    f->rows = rows;
    f->columns = columns;
    w->panel = exb_round_up(panel, 4 * w->kernels->quads << w->n_levels);
    w->tile = tile_for(rows, columns, most_tile);
    w->ld = w->tile + (w->tile % 256 == 0 ? 64 : 0); /* columns in different sets, too */
    w->plane = w->ld * w->tile + EXB_RESIDUE_APART;
    w->padded_rows = exb_round_up(rows, unit);
    w->padded_columns = exb_round_up(columns, unit);
    w->plane_a = w->padded_rows * w->panel + EXB_RESIDUE_APART;
    w->plane_b = w->padded_columns * w->panel + EXB_RESIDUE_APART;
    if (panel < f->p->k)
        n_tiles = exb_count_tiles(rows, columns, w->tile, w->tile);
    w->residues_bytes = n_tiles * n_moduli * w->plane;
    w->halves_bytes = exb_residue_halving_bytes(w->tile, w->tile, w->panel, w->n_levels);
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

static exb_residue_side carve_side(char **memory, int64_t n)
{
    double *d = (double *)*memory;
    *memory += n * EXB_RESIDUE_SIDE_ARRAYS * (int64_t)sizeof *d;
    return (exb_residue_side){d, d + n, d + 2 * n, d + 3 * n, d + 4 * n, d + 5 * n};
}

static void lay_out(exb_residue_work *w, bool in_panels, int n_threads, char *memory)
{
    w->a = (uint8_t *)memory;
    w->b = w->a + w->system.n_moduli * w->plane_a;
    w->scratch = (int8_t *)w->b + w->system.n_moduli * w->plane_b;
    w->kept = in_panels ? w->scratch : NULL;
    w->halves = (uint8_t *)w->scratch + w->residues_bytes;
    memory = (char *)w->halves + n_threads * w->halves_bytes;
    w->rows = carve_side(&memory, w->padded_rows);
    w->columns = carve_side(&memory, w->padded_columns);
}

static void prepare_block(exb_t(flow) *f)
{
    exb_residue_work *w = &f->residue;
    int64_t k = f->p->k;
    w->n_new_columns = w->converted == f->block.j0 ? 0 : f->block.n;
    for (w->l0 = 0;; w->l0 += w->panel) {
        w->k = exb_least(k - w->l0, w->panel);
        exb_t(residue_convert)(f);
        if (w->l0 + w->k == k)
            break;
        exb_t(residue_advance)(f);
    }
    exb_t(offer_tiles)(f, w->tile, w->tile);
    if (!w->kept)
        w->converted = f->block.j0; /* one panel: the residues of the columns stay */
}

bool exb_t(residue_begin)(exb_t(flow) *f, const exb_residue_kernels *kernels, int n_moduli)
{
    const exb_t(product) *p = f->p;
    exb_residue_work *w = &f->residue;
    double work = (double)p->m * (double)p->n * (double)p->k / 8;
    if (p->k == 0 || p->k > EXB_RESIDUE_MOST_TERMS)
        return false;
    f->n_threads = exb_partition_count(work, EXB_MOST_RANGES);
    f->prepare = prepare_block;
    f->find = exb_t(residue_find);
    w->kernels = kernels;
    exb_residue_system_init(&w->system, n_moduli);
    size_t bytes = choose_sizes(f);
    char *memory = bytes ? exb_t(flow_memory)(f, bytes) : NULL;
    if (!memory)
        return false;
    if (p->stats)
        p->stats->n_moduli = n_moduli;
    w->converted = -1;
    lay_out(w, w->panel < p->k, f->n_threads, memory);
    return true;
}
