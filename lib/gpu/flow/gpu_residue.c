/* A product by residues: its memory, how it is cut into blocks, and the order of the steps. */
#include "gpu/flow/residue_flow.h"

static const exb_i64 most_terms = 1000000;

enum { SMALL_PLACES = 16, BLOCK_PLACES = 4 };

static int param_of(const exb_gpu *gpu, const exb_gpu_product *p, const char *name, int standard)
{
    return exb_gpu_typed_param(gpu, p->is_s, "gemm", name, standard);
}

/* Everything but residues and sums in one piece. */
static void take_small_memory(exb_residue_flow *w)
{
    exb_i64 of_vector = 1 + 2 + 2 * w->n_chunks + EXB_SIDE_ARRAYS;
    exb_i64 n = (w->p->m + w->p->n) * of_vector + 4 * EXB_SAMPLE * EXB_CANDIDATES +
                EXB_SAMPLE * EXB_SAMPLE + 32 * SMALL_PLACES;
    w->small = exb_gpu_scratch(w->gpu, (size_t)n * sizeof(double));
    w->count = exb_residue_doubles(w, 1);
}

/* Of one block: residues of rows and columns, sums, the list. False, and nothing is taken, if there
 * is too little. */
static bool try_memory(exb_residue_flow *w)
{
    size_t n = (size_t)w->system.n_moduli, plane = (size_t)w->plane;
    const size_t bytes[BLOCK_PLACES] = {n * (size_t)w->a.plane, n * (size_t)w->b.plane,
                                        n * plane * sizeof(exb_i32), plane * sizeof(exb_i64)};
    exb_gpu_ref *const to[] = {&w->a.residues, &w->b.residues, &w->sums, &w->list};
    int taken = 0;
    while (taken < BLOCK_PLACES && (*to[taken] = exb_gpu_try_scratch(w->gpu, bytes[taken])).buffer)
        taken++;
    if (taken < BLOCK_PLACES)
        exb_gpu_drop_scratch(w->gpu, taken);
    return taken == BLOCK_PLACES;
}

static void take_table(exb_residue_flow *w, int n_moduli)
{
    exb_residue_system_init(&w->system, n_moduli);
    exb_residue_table_init(&w->constants, &w->system);
}

static exb_i64 bytes_of(const exb_residue_flow *w, exb_i64 rows, exb_i64 columns, exb_i64 panel)
{
    return w->system.n_moduli * ((rows + columns) * panel + 4 * rows * columns) +
           8 * rows * columns;
}

/* Elements of a block are counted in 32 bits. */
enum { BLOCK_MAX = 1 << 15 };

/* Products of bytes are fast with so many, and rows that stay whole are converted once. */
enum { FEWEST_COLUMNS = 4096 };

/* What the user set, or `standard`, in whole units; at least one. */
static exb_i64 size_param(const exb_residue_flow *w, const char *name, exb_i64 standard,
                          exb_i64 unit)
{
    int n = param_of(w->gpu, w->p, name, (int)standard);
    return exb_round_up(n > 0 && n < standard ? n : standard, unit);
}

/* Rows and columns of C that are computed at once, terms that are multiplied at once: what the
 * user set, or as much as the workspace holds. */
static void lay_out(exb_residue_flow *w, exb_i64 workspace)
{
    const exb_gpu_product *p = w->p;
    exb_i64 rows = exb_round_up(p->m, EXB_TERMS_ALIGN),
            columns = exb_round_up(p->n, EXB_TERMS_ALIGN);
    w->panel = exb_round_up(p->k, EXB_TERMS_ALIGN);
    if (w->panel > EXB_PANEL_TERMS)
        w->panel = EXB_PANEL_TERMS / w->chunk * w->chunk;
    while (bytes_of(w, rows, columns, w->panel) > workspace && columns > FEWEST_COLUMNS)
        columns = exb_round_up(columns / 2, EXB_TERMS_ALIGN);
    while (bytes_of(w, rows, columns, w->panel) > workspace && rows + columns > 128) {
        exb_i64 *more = rows > columns ? &rows : &columns;
        *more = exb_round_up(*more / 2, EXB_TERMS_ALIGN);
    }
    while (bytes_of(w, rows, columns, w->panel) > workspace && w->panel > w->chunk)
        w->panel = exb_round_up(w->panel / 2, w->chunk);
    w->a.most = size_param(w, "residue_rows", exb_least(rows, BLOCK_MAX), EXB_TERMS_ALIGN);
    w->b.most = size_param(w, "residue_columns", exb_least(columns, BLOCK_MAX), EXB_TERMS_ALIGN);
    w->panel = size_param(w, "residue_terms", w->panel, EXB_TERMS_ALIGN);
    if (w->panel < p->k)
        w->panel = exb_round_up(w->panel, w->chunk);
    w->stride = w->panel;
    w->a.plane = w->a.most * w->stride;
    w->b.plane = w->b.most * w->stride;
    w->plane = w->a.most * w->b.most;
}

enum { PIECES_ROUNDED = 8 << 10 }; /* what alignment adds to the pieces of a block */

/* As much memory as the user permits, or less where the device has no more: false if there is not
 * enough for the smallest blocks. */
static bool take_memory(exb_residue_flow *w)
{
    exb_i64 most = (exb_i64)param_of(w->gpu, w->p, "workspace_mib", 4096) << 20;
    size_t left = exb_gpu_scratch_left(w->gpu);
    if (left < (size_t)most)
        most = (exb_i64)left - PIECES_ROUNDED;
    for (;; most /= 2) {
        lay_out(w, most);
        if (try_memory(w))
            return true;
        if (exb_gpu_status(w->gpu) || most < (1 << 16))
            return false;
    }
}

/* Conversion, and waiting for the forecast, cost more than they gain for small products. */
bool exb_gpu_residue_pays(exb_gpu *gpu, const exb_gpu_product *p)
{
    double products = (double)p->m * (double)p->n * (double)p->k;
    return exb_gpu_get_limits(gpu).multiply_bytes && p->m >= 128 && p->n >= 128 &&
           products >= 0x1p27;
}

/* What the user has chosen, or what the data need; 0: no number will do. */
static int choose_moduli(exb_residue_flow *w, bool forced)
{
    int fixed = param_of(w->gpu, w->p, "moduli", 0);
    return fixed ? fixed : exb_gpu_residue_forecast(w, forced);
}

bool exb_gpu_residue_run(exb_gpu *gpu, const exb_gpu_product *whole, const exb_gpu_product *p,
                         bool forced)
{
    exb_residue_flow w = {.gpu = gpu, .p = p, .whole = whole};
    if (!exb_gpu_get_limits(gpu).multiply_bytes || p->k > most_terms || whole->c.row != 1 ||
        !(p->a.row == 1 || p->a.col == 1) || !(p->b.row == 1 || p->b.col == 1) ||
        (!forced && !exb_gpu_residue_pays(gpu, p)))
        return false;
    w.group = (size_t)param_of(gpu, p, "residue_group", exb_gpu_get_limits(gpu).max_group);
    w.chunk = exb_round_up(p->k, 64 * EXB_SCAN_TERMS) / 64;
    w.n_chunks = (int)exb_tasks_of(p->k, w.chunk);
    take_small_memory(&w);
    take_table(&w, EXB_MODULI_MAX); /* the sample asks for sizes of all systems */
    exb_gpu_residue_scan(&w, &w.a, p->a, p->m, 0);
    exb_gpu_residue_scan(&w, &w.b, exb_gpu_transpose(p->b), p->n, 1);
    int n_moduli = choose_moduli(&w, forced);
    if (n_moduli == 0)
        return exb_gpu_status(gpu) != EXBLAS_OK;
    take_table(&w, n_moduli);
    if (!take_memory(&w))
        return exb_gpu_status(gpu) != EXBLAS_OK;
    exb_gpu_residue_blocks(&w);
    return true;
}
