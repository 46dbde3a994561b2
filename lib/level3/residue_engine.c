/* The residue engine for products of doubles (residue.h): as many rows and columns at a time as the
 * workspace holds residues of; k in panels, whose residues are added modulo p. Compiled for
 * doubles.
 * Types: d. */
#include "level3/engine.h"

#include "core/memory.h"
#include "level3/residue_work.h"

enum { PANEL_MAX = 4096 };

static const int64_t most_terms = 1000000;

static void run_block(exb_residue_work *w)
{
    exb_residue_scale(w);
    for (w->l0 = 0; w->l0 < w->p->k; w->l0 += w->panel) {
        w->k = w->p->k - w->l0 < w->panel ? w->p->k - w->l0 : w->panel;
        exb_residue_convert(w);
        exb_residue_multiply(w);
    }
    exb_t(deferred_close)(w->deferred, w->p, w->i0, w->m, w->n_threads);
}

typedef struct {
    int64_t rows, columns, panel, padded_rows, padded_columns;
    int64_t plane_a, plane_b, residues; /* bytes */
    size_t bytes;
} layout;

static layout layout_of(const exb_t(product) * p, int64_t rows, int64_t columns, int64_t panel,
                        int n_moduli, int n_threads)
{
    layout s = {.rows = rows, .columns = columns, .panel = panel};
    s.padded_rows = exb_tasks_of(rows, EXB_RESIDUE_PART_ROWS) * EXB_RESIDUE_PART_ROWS;
    s.padded_columns = exb_tasks_of(columns, EXB_RESIDUE_PART_COLUMNS) * EXB_RESIDUE_PART_COLUMNS;
    s.plane_a = exb_tasks_of(rows, EXB_RESIDUE_ROWS) * EXB_RESIDUE_ROWS * panel + EXB_RESIDUE_APART;
    s.plane_b = exb_tasks_of(columns, EXB_STRIP) * EXB_STRIP * panel + EXB_RESIDUE_APART;
    int64_t n_parts =
        exb_tasks_of(rows, EXB_RESIDUE_PART_ROWS) * exb_tasks_of(columns, EXB_RESIDUE_PART_COLUMNS);
    s.residues = (panel < p->k ? n_parts : n_threads) * n_moduli * EXB_RESIDUE_PLANE;
    s.bytes =
        (size_t)(n_moduli * (s.plane_a + s.plane_b) + s.residues + (int64_t)sizeof(exb_deferred) +
                 (s.padded_rows + s.padded_columns) * EXB_RESIDUE_SIDE_ARRAYS *
                     (int64_t)sizeof(double));
    return s;
}

/* Columns are converted once if k is one panel, rows for every block of columns: therefore as many
 * columns as the workspace holds beside a few parts' rows. In several panels both are, and blocks
 * are square. False if not even a part fits. */
static bool choose_layout(const exb_t(product) * p, int n_moduli, int n_threads, layout *s)
{
    size_t limit = exb_memory_limit() * (size_t)n_threads;
    int64_t panel = exb_least(exb_tasks_of(p->k, 4) * 4, PANEL_MAX);
    *s = layout_of(p, p->m, p->n, panel, n_moduli, n_threads);
    if (s->bytes <= limit)
        return true;
    for (; panel >= 64; panel = exb_tasks_of(panel / 2, 4) * 4)
        for (int64_t block = 128 * EXB_RESIDUE_PART_COLUMNS; block >= EXB_RESIDUE_PART_COLUMNS;
             block -= EXB_RESIDUE_PART_COLUMNS) {
            int64_t rows = panel >= p->k
                               ? (n_threads > 4 ? 2 : 1) * EXB_RESIDUE_PART_ROWS
                               : exb_tasks_of(block, EXB_RESIDUE_PART_ROWS) * EXB_RESIDUE_PART_ROWS;
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

static void run_all(const exb_t(product) * p, const exb_residue_kernels *kernels,
                    const exb_residue_system *system, const layout *s, int n_threads, char *memory)
{
    exb_residue_work w = {.p = p, .kernels = kernels, .system = system, .n_threads = n_threads};
    w.panel = s->panel;
    w.plane_a = s->plane_a;
    w.plane_b = s->plane_b;
    w.a = (uint8_t *)memory;
    w.b = w.a + system->n_moduli * s->plane_a;
    w.scratch = (int8_t *)w.b + system->n_moduli * s->plane_b;
    w.kept = s->panel < p->k ? w.scratch : NULL;
    memory = (char *)w.scratch + s->residues;
    w.deferred = (exb_deferred *)memory;
    w.deferred->count = 0;
    memory += sizeof(exb_deferred);
    w.rows = carve_side(&memory, s->padded_rows);
    w.columns = carve_side(&memory, s->padded_columns);
    int64_t converted = -1;
    for (w.j0 = 0; w.j0 < p->n; w.j0 += s->columns)
        for (w.i0 = 0; w.i0 < p->m; w.i0 += s->rows) {
            w.m = exb_least(p->m - w.i0, s->rows);
            w.n = exb_least(p->n - w.j0, s->columns);
            if (p->wanted && !p->wanted(p->output, w.i0, w.m, w.j0, w.n))
                continue;
            w.n_new_columns = converted == w.j0 ? 0 : w.n;
            run_block(&w);
            if (!w.kept)
                converted = w.j0; /* one panel: the residues of the columns stay */
        }
}

bool exb_t(residue_run)(const exb_t(product) * p, const exb_residue_kernels *kernels, int n_moduli)
{
    exb_residue_system system;
    layout s;
    int n_threads =
        exb_partition_count((double)p->m * (double)p->n * (double)p->k / 8, EXB_MAX_PARTS);
    if (p->k == 0 || p->k > most_terms || !choose_layout(p, n_moduli, n_threads, &s))
        return false;
    char *memory = exb_memory_get(s.bytes);
    if (!memory)
        return false;
    exb_residue_system_init(&system, n_moduli);
    if (p->stats) {
        p->stats->engine = "residue";
        p->stats->n_moduli = n_moduli;
    }
    run_all(p, kernels, &system, &s, n_threads, memory);
    exb_memory_put(memory);
    return true;
}
