/* The residue engine for products of doubles (residue.h): as many rows and columns at a time as the
 * workspace holds residues of; k in panels, whose residues are added modulo p. Compiled for
 * doubles.
 * Types: d. */
#include "level3/engine.h"

enum { PANEL_MAX = 4096 };

static const int64_t most_terms = 1000000;

typedef struct {
    int64_t rows, columns, panel, padded_rows, padded_columns;
    int64_t plane_a, plane_b, residues; /* bytes */
    size_t bytes;
} layout;

static layout layout_of(const exb_t(product) * p, int64_t rows, int64_t columns, int64_t panel,
                        int n_moduli, int n_threads)
{
    layout s = {.rows = rows, .columns = columns, .panel = panel};
    s.padded_rows = exb_round_up(rows, EXB_RESIDUE_TILE_ROWS);
    s.padded_columns = exb_round_up(columns, EXB_RESIDUE_TILE_COLUMNS);
    s.plane_a = exb_round_up(rows, EXB_RESIDUE_ROWS) * panel + EXB_RESIDUE_APART;
    s.plane_b = exb_round_up(columns, EXB_STRIP) * panel + EXB_RESIDUE_APART;
    s.residues = (panel < p->k ? exb_residue_tiles(rows, columns) : n_threads) * n_moduli *
                 EXB_RESIDUE_PLANE;
    s.bytes = (size_t)(n_moduli * (s.plane_a + s.plane_b) + s.residues +
                       (s.padded_rows + s.padded_columns) * EXB_RESIDUE_SIDE_ARRAYS *
                           (int64_t)sizeof(double));
    return s;
}

/* Columns are converted once if k is one panel, rows for every block of columns: therefore as many
 * columns as the workspace holds beside a few tiles' rows. In several panels both are, and blocks
 * are square. False if not even a tile fits. */
static bool choose_layout(const exb_t(flow) * f, int n_moduli, layout *s)
{
    const exb_t(product) *p = f->p;
    size_t limit = exb_t(flow_limit)(f);
    int n_threads = f->n_threads;
    int64_t panel = exb_least(exb_round_up(p->k, 4), PANEL_MAX);
    *s = layout_of(p, p->m, p->n, panel, n_moduli, n_threads);
    if (s->bytes <= limit)
        return true;
    for (; panel >= 64; panel = exb_round_up(panel / 2, 4))
        for (int64_t block = 128 * EXB_RESIDUE_TILE_COLUMNS; block >= EXB_RESIDUE_TILE_COLUMNS;
             block -= EXB_RESIDUE_TILE_COLUMNS) {
            int64_t rows = panel >= p->k ? (n_threads > 4 ? 2 : 1) * EXB_RESIDUE_TILE_ROWS
                                         : exb_round_up(block, EXB_RESIDUE_TILE_ROWS);
            *s = layout_of(p, exb_least(p->m, rows), exb_least(p->n, block), panel, n_moduli,
                           n_threads);
            if (s->bytes <= limit)
                return true;
        }
    return false;
}

static exb_residue_side carve_side(char **memory, int64_t n)
{
    double *d = (double *)*memory;
    *memory += n * EXB_RESIDUE_SIDE_ARRAYS * (int64_t)sizeof *d;
    return (exb_residue_side){d, d + n, {d + 2 * n, d + 3 * n, d + 4 * n, d + 5 * n}};
}

static void lay_out(exb_residue_work *w, const layout *s, bool in_panels, char *memory)
{
    w->panel = s->panel;
    w->plane_a = s->plane_a;
    w->plane_b = s->plane_b;
    w->a = (uint8_t *)memory;
    w->b = w->a + w->system.n_moduli * s->plane_a;
    w->scratch = (int8_t *)w->b + w->system.n_moduli * s->plane_b;
    w->kept = in_panels ? w->scratch : NULL;
    memory = (char *)w->scratch + s->residues;
    w->rows = carve_side(&memory, s->padded_rows);
    w->columns = carve_side(&memory, s->padded_columns);
}

static void prepare_block(exb_t(flow) * f)
{
    exb_residue_work *w = &f->residue;
    int64_t k = f->p->k;
    w->n_new_columns = w->converted == f->block.j0 ? 0 : f->block.n;
    exb_t(residue_scale)(f);
    for (w->l0 = 0;; w->l0 += w->panel) {
        w->k = exb_least(k - w->l0, w->panel);
        exb_t(residue_convert)(f);
        if (w->l0 + w->k == k)
            break;
        exb_t(residue_advance)(f);
    }
    if (!w->kept)
        w->converted = f->block.j0; /* one panel: the residues of the columns stay */
    exb_residue_start(w, f->block.m, f->block.n);
    f->n_tasks = f->n_threads;
}

bool exb_t(residue_begin)(exb_t(flow) * f, const exb_residue_kernels *kernels, int n_moduli)
{
    static const exb_t(engine) residue = {prepare_block, exb_t(residue_find)};
    const exb_t(product) *p = f->p;
    exb_residue_work *w = &f->residue;
    layout s;
    f->n_threads =
        exb_partition_count((double)p->m * (double)p->n * (double)p->k / 8, EXB_MOST_RANGES);
    if (p->k == 0 || p->k > most_terms || !choose_layout(f, n_moduli, &s))
        return false;
    char *memory = exb_t(flow_memory)(f, s.bytes);
    if (!memory)
        return false;
    if (p->stats) {
        p->stats->engine = "residue";
        p->stats->n_moduli = n_moduli;
    }
    f->engine = &residue;
    f->rows = s.rows;
    f->columns = s.columns;
    w->kernels = kernels;
    w->converted = -1;
    exb_residue_system_init(&w->system, n_moduli);
    lay_out(w, &s, s.panel < p->k, memory);
    return true;
}
