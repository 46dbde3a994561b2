/* Products of matrices by residues on a device (level3/residue.h has the arithmetic): scan,
 * foretell how many moduli are needed, convert rows and columns, panel by panel of the terms,
 * multiply bytes, reconstruct and certify; what stays open is summed exactly, element by element.
 * All on the device; the host reads the forecast, once. */
#include "gpu/flow/matrix.h"
#include "level3/residue.h"
#include "gpu/residue_table.h"

#include <stdio.h>

/* Numbers of moduli among which the forecast chooses. */
enum { CANDIDATES = EXB_MODULI_MAX - EXB_MODULI_MIN + 1 };

/* What the device knows of one operand: vectors along the terms of the product, the rows of `from`.
 */
typedef struct {
    exb_gpu_matrix from;
    exb_i64 n;                  /* vectors */
    int index;                  /* 0: A, 1: B */
    exb_gpu_ref top, norms;     /* of each vector; exb_residue_join_norms */
    exb_gpu_ref partial, side;  /* of each vector and chunk; an exb_side of each vector */
    exb_gpu_ref lost, residues; /* of the sample; of the block that is being multiplied */
    exb_i64 most, plane;        /* vectors of such a block, bytes between residues of two moduli */
} operand;

typedef struct {
    exb_gpu *gpu;
    const exb_gpu_product *p,
        *whole;   /* whole has C: p, or the product of which p is the real one */
    size_t group; /* work-items of a group */
    int n_chunks;
    exb_i64 chunk, panel; /* terms; of a panel as many bytes are between residues of two vectors */
    operand a, b;
    exb_residue_system system;
    exb_residue_table constants;
    exb_gpu_ref sums, list, count;
    exb_i64 plane; /* of sums, in elements; their leading dimension is a.most */
} flow;

static int param_of(const flow *w, const char *name, int standard)
{
    return exb_gpu_typed_param(w->gpu, w->p, name, standard);
}

static exb_gpu_grid grid_of(const flow *w, size_t groups_0, size_t groups_1)
{
    return (exb_gpu_grid){{groups_0, groups_1}, {w->group, 1}, 0};
}

/* A work-item for each of n. */
static exb_gpu_grid grid_for(const flow *w, exb_i64 n)
{
    return grid_of(w, (size_t)exb_tasks_of(n, (exb_i64)w->group), 1);
}

/* Launches kernel `name` of a program with the arguments. */
#define LAUNCH(w, program, name, grid, ...)                                                        \
    EXB_GPU_LAUNCH((w)->gpu,                                                                       \
                   ((exb_gpu_kernel){program, name, exb_gpu_real_options((w)->p->is_s)}), grid,    \
                   __VA_ARGS__)

static exb_gpu_ref take_doubles(const flow *w, exb_i64 n)
{
    return exb_gpu_scratch(w->gpu, (size_t)n * sizeof(double));
}

/* --- constants ----------------------------------------------------------------- */

static void init_modulus(exb_table_modulus *t, const exb_modulus *m)
{
    t->p = m->p;
    t->inverse = 1.0 / m->p;
    for (int side = 0; side < 2; side++) {
        /* The lowest of the four bytes that stand for c, 256 c, ... (residue.h) is c itself. */
        int64_t weight = (int8_t)(m->digit[side][0] & 255);
        for (int d = 0; d < EXB_PARTS_MAX; d++) {
            t->weight[side][d] = exb_symmetric(weight, m->p);
            weight = weight * (((int64_t)1 << EXB_PART_BITS) % m->p);
        }
    }
}

static void take_table(flow *w, int n_moduli)
{
    const exb_residue_system *system = &w->system;
    exb_residue_table *table = &w->constants;
    exb_residue_system_init(&w->system, n_moduli);
    memset(table, 0, sizeof *table);
    table->log2_p = system->log2_p;
    table->inverse = system->inverse;
    memcpy(table->limb, system->limb, sizeof table->limb);
    memcpy(table->carry, system->carry, sizeof table->carry);
    for (int n = EXB_MODULI_MIN; n <= EXB_MODULI_MAX; n++)
        table->log2_of[n] = exb_residue_log2(n);
    for (int i = 0; i < n_moduli; i++)
        init_modulus(&table->modulus[i], &system->modulus[i]);
    table->modulus[n_moduli].p = 1;
    table->modulus[n_moduli].inverse = 1;
    for (int i = 0; i < system->n_pairs; i++) {
        table->pair[i].multiply[0] = system->pair[i].multiply[0] & 255;
        table->pair[i].multiply[1] = system->pair[i].multiply[0] >> 8;
        memcpy(table->pair[i].limb, system->pair[i].limb, sizeof table->pair[i].limb);
    }
}

/* --- forecast ------------------------------------------------------------------ */

/* Describes n vectors of operand `index`, and starts on their largest elements and norms. */
static void scan_operand(flow *w, operand *o, exb_gpu_matrix from, exb_i64 n, int index)
{
    *o = (operand){.from = from, .n = n, .index = index};
    o->top = exb_gpu_scratch(w->gpu, (size_t)n * sizeof(exb_u32));
    o->norms = take_doubles(w, 2 * n);
    o->partial = take_doubles(w, 2 * n * w->n_chunks);
    o->side = exb_gpu_scratch(w->gpu, (size_t)n * sizeof(exb_side));
    exb_gpu_grid tiles = grid_of(w, (size_t)exb_tasks_of(n, EXB_TILE), (size_t)w->n_chunks);
    exb_gpu_clear(w->gpu, o->top, (size_t)n * sizeof(exb_u32));
    LAUNCH(w, "residue_scan", "residue_measure", tiles, EXB_GPU_VIEW(from), exb_gpu_i64(n),
           exb_gpu_i64(w->p->k), exb_gpu_i64(w->chunk), exb_gpu_place(o->top),
           exb_gpu_place(o->partial));
    LAUNCH(w, "residue_scan", "residue_join_norms", grid_for(w, n), EXB_GPU_VIEW(from),
           exb_gpu_i64(n), exb_gpu_i64(w->p->k), exb_gpu_i32(w->n_chunks), exb_gpu_place(o->top),
           exb_gpu_place(o->partial), exb_gpu_place(o->norms));
}

static void foretell_losses(flow *w, operand *o)
{
    o->lost = take_doubles(w, 2 * EXB_SAMPLE * CANDIDATES);
    LAUNCH(w, "residue_choice", "residue_foretell", grid_of(w, EXB_SAMPLE, CANDIDATES),
           EXB_GPU_VIEW(o->from), exb_gpu_i64(o->n), exb_gpu_i64(w->p->k), exb_gpu_place(o->top),
           exb_gpu_place(o->norms), exb_gpu_constants(&w->constants), exb_gpu_place(o->lost));
}

/* On an H200 an open element of 8192 terms took 9 ns where the terms of a row of A lie side by
 * side, 165 ns where they do not, and one modulus more 0.015 ns for each element of the block. */
static const double tolerated = 1e-4, too_many = 0.01;

/* Of each number of moduli. */
static exb_gpu_ref foretell_rates(flow *w)
{
    const exb_gpu_product *p = w->p;
    exb_gpu_ref value = take_doubles(w, EXB_SAMPLE * EXB_SAMPLE),
                rates = take_doubles(w, CANDIDATES);
    foretell_losses(w, &w->a);
    foretell_losses(w, &w->b);
    LAUNCH(w, "residue_choice", "residue_sample", grid_of(w, EXB_SAMPLE, EXB_SAMPLE),
           EXB_GPU_VIEW(p->a), exb_gpu_place(p->b.at), exb_gpu_i64(p->b.col), exb_gpu_i64(p->b.row),
           exb_gpu_i64(p->m), exb_gpu_i64(p->n), exb_gpu_i64(p->k), exb_gpu_place(w->a.top),
           exb_gpu_place(w->b.top), exb_gpu_place(value));
    LAUNCH(w, "residue_choice", "residue_rates", grid_of(w, CANDIDATES, 1), exb_gpu_i64(p->m),
           exb_gpu_i64(p->n), exb_gpu_place(w->a.norms), exb_gpu_place(w->b.norms),
           exb_gpu_place(w->a.lost), exb_gpu_place(w->b.lost), exb_gpu_place(value),
           exb_gpu_place(rates));
    return rates;
}

/* The smallest number of moduli with which few elements stay open; 0 if there is none, unless
 * `forced`, or if the device failed. From a sample of both operands, for which it waits. */
static int forecast(flow *w, bool forced)
{
    double rate[CANDIDATES];
    int c = 0;
    exb_gpu_read(w->gpu, foretell_rates(w), sizeof rate, rate);
    if (exb_gpu_status(w->gpu) != EXBLAS_OK)
        return 0;
    while (c < CANDIDATES - 1 && rate[c] > tolerated)
        c++;
    return forced || rate[c] < too_many ? EXB_MODULI_MIN + c : 0;
}

/* --- memory -------------------------------------------------------------------- */

static exb_i64 bytes_of(const flow *w, exb_i64 rows, exb_i64 columns, exb_i64 panel)
{
    return w->system.n_moduli * ((rows + columns) * panel + 4 * rows * columns) +
           8 * rows * columns;
}

/* Of one block: residues of rows and columns, sums, the list, in one piece. Planes are multiples of
 * 64 x 64 bytes. False if there is too little. */
static bool try_memory(flow *w)
{
    size_t n = (size_t)w->system.n_moduli;
    size_t bytes = (size_t)bytes_of(w, w->a.most, w->b.most, w->panel);
    w->a.residues = exb_gpu_try_scratch(w->gpu, bytes);
    w->b.residues = exb_gpu_at(w->a.residues, n * (size_t)w->a.plane);
    w->sums = exb_gpu_at(w->b.residues, n * (size_t)w->b.plane);
    w->list = exb_gpu_at(w->sums, n * (size_t)w->plane * sizeof(exb_i32));
    return w->a.residues.buffer != NULL;
}

/* Elements of a block are counted in 32 bits. */
enum { BLOCK_MAX = 1 << 15 };

/* Products of bytes are fast with so many, and rows that stay whole are converted once. */
enum { FEWEST_COLUMNS = 4096 };

/* What the user set, at most `standard`, in whole units. */
static exb_i64 size_param(const flow *w, const char *name, exb_i64 standard)
{
    return exb_round_up(exb_least(param_of(w, name, (int)standard), standard), EXB_TERMS_ALIGN);
}

/* Rows and columns of C that are computed at once, terms that are multiplied at once: what the
 * user set, or as much as the workspace holds. */
static void lay_out(flow *w, exb_i64 workspace)
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
    w->a.most = size_param(w, "residue_rows", exb_least(rows, BLOCK_MAX));
    w->b.most = size_param(w, "residue_columns", exb_least(columns, BLOCK_MAX));
    w->panel = size_param(w, "residue_terms", w->panel);
    if (w->panel < p->k)
        w->panel = exb_round_up(w->panel, w->chunk);
    w->a.plane = w->a.most * w->panel;
    w->b.plane = w->b.most * w->panel;
    w->plane = w->a.most * w->b.most;
}

/* As much memory as the user permits, or less where the device has no more: false if there is not
 * enough for the smallest blocks. */
static bool take_memory(flow *w)
{
    exb_i64 most = (exb_i64)param_of(w, "workspace_mib", 4096) << 20;
    for (;; most /= 2) {
        lay_out(w, most);
        if (try_memory(w))
            return true;
        if (exb_gpu_status(w->gpu) || most < (1 << 16))
            return false;
    }
}

/* --- blocks -------------------------------------------------------------------- */

static void scale_operand(flow *w, operand *o)
{
    LAUNCH(w, "residue_scan", "residue_scale", grid_for(w, o->n), exb_gpu_i64(o->n),
           exb_gpu_place(o->top), exb_gpu_place(o->norms), exb_gpu_constants(&w->constants),
           exb_gpu_place(o->side));
}

/* Terms l0 to l1 of vectors v0 to v0 + n of an operand. */
static void convert_operand(flow *w, operand *o, exb_i64 v0, exb_i64 n, exb_i64 l0, exb_i64 l1)
{
    exb_i64 n_out = exb_round_up(n, 16);
    /* Parts hold |a'| <= sqrt(P / 2) < 2^(44 n_parts - 1). */
    int n_parts = w->system.log2_p / 2 < 2 * EXB_PART_BITS - 1 ? 2 : 3;
    exb_gpu_ref partial = exb_gpu_at(o->partial, (size_t)(l0 / w->chunk * o->n) * sizeof(double));
    exb_gpu_grid grid =
        grid_of(w, (size_t)exb_tasks_of(n_out, EXB_TILE), (size_t)exb_tasks_of(l1 - l0, w->chunk));
    LAUNCH(w, "residue_convert", "residue_convert", grid, EXB_GPU_VIEW(o->from), exb_gpu_i64(o->n),
           exb_gpu_i64(v0), exb_gpu_i64(n_out), exb_gpu_i64(l0), exb_gpu_i64(l1),
           exb_gpu_i64(w->chunk), exb_gpu_i32(w->n_chunks), exb_gpu_place(o->side),
           exb_gpu_constants(&w->constants), exb_gpu_i32(o->index), exb_gpu_i32(w->system.n_moduli),
           exb_gpu_i32(n_parts), exb_gpu_place(o->residues), exb_gpu_i64(o->plane / 4),
           exb_gpu_i64(w->panel / 4), exb_gpu_place(partial));
    if (l1 == w->p->k)
        LAUNCH(w, "residue_convert", "residue_close", grid_for(w, n), exb_gpu_i64(o->n),
               exb_gpu_i64(v0), exb_gpu_i64(v0 + n), exb_gpu_i32(w->n_chunks),
               exb_gpu_place(o->partial), exb_gpu_place(o->side));
}

enum { PRODUCT_TILE = 128 }; /* rows and columns that a multiprocessor multiplies at a time */

/* Whether the products of all moduli go at once: one alone has too few tiles for all
 * multiprocessors, by the parameter plane_tiles for each of them. */
static bool are_together(const flow *w, exb_i64 m, exb_i64 n)
{
    exb_i64 tiles = exb_tasks_of(m, PRODUCT_TILE) * exb_tasks_of(n, PRODUCT_TILE);
    return tiles < (exb_i64)param_of(w, "plane_tiles", 2) * exb_gpu_get_limits(w->gpu).n_units;
}

/* The sums of m rows and n columns; of another panel if l0 > 0. */
static void multiply_residues(flow *w, exb_i64 m, exb_i64 n, exb_i64 l0, exb_i64 l1)
{
    exb_i64 terms = exb_round_up(l1 - l0, EXB_TERMS_ALIGN);
    if (l0 > 0)
        LAUNCH(w, "residue_convert", "residue_fold", grid_for(w, w->plane * w->system.n_moduli),
               exb_gpu_i64(w->plane), exb_gpu_i32(w->system.n_moduli),
               exb_gpu_constants(&w->constants), exb_gpu_place(w->sums));
    exb_gpu_get_limits(w->gpu).multiply_bytes(w->gpu,
                                              (exb_gpu_int8){.m = exb_round_up(m, 16),
                                                             .n = exb_round_up(n, 16),
                                                             .k = terms,
                                                             .n_planes = w->system.n_moduli,
                                                             .a = w->a.residues,
                                                             .plane_a = w->a.plane,
                                                             .b = w->b.residues,
                                                             .plane_b = w->b.plane,
                                                             .stride = w->panel,
                                                             .c = w->sums,
                                                             .ldc = w->a.most,
                                                             .plane_c = w->plane,
                                                             .add = l0 > 0,
                                                             .together = are_together(w, m, n)});
}

/* Rows i0 to i0 + m of all of C; each of their parts is a row of the sums. */
static void finish_block(flow *w, exb_i64 i0, exb_i64 m, exb_i64 j0, exb_i64 n)
{
    const exb_gpu_product *p = w->whole;
    char options[56];
    snprintf(options, sizeof options, "-DEXB_IS_S=%d -DEXB_LIMBS=%d -DEXB_PARTS=%d", p->is_s,
             w->system.n_limbs, 1 + p->is_complex);
    exb_gpu_kernel kernel = {"residue_finish", "residue_finish", options};
    exb_gpu_clear(w->gpu, w->count, sizeof(exb_u32));
    EXB_GPU_LAUNCH(w->gpu, kernel,
                   grid_of(w, (size_t)exb_tasks_of(m, (exb_i64)w->group),
                           (size_t)exb_least(exb_tasks_of(n, 2 - p->is_complex), 4096)),
                   exb_gpu_i32(m), exb_gpu_i32(n), exb_gpu_place(w->sums), exb_gpu_i64(w->a.most),
                   exb_gpu_i64(w->plane), exb_gpu_i32(w->system.n_moduli),
                   exb_gpu_constants(&w->constants), exb_gpu_place(w->a.side), exb_gpu_i64(i0),
                   exb_gpu_place(w->b.side), exb_gpu_i64(j0), exb_gpu_f64(p->alpha),
                   exb_gpu_f64(p->alpha_im), exb_gpu_f64(p->beta), exb_gpu_f64(p->beta_im),
                   exb_gpu_place(p->c.at), exb_gpu_i64(p->c.col), exb_gpu_place(w->list),
                   exb_gpu_place(w->count));
    exb_gpu_product rest = exb_gpu_block_of(p, i0, m, j0, n);
    exb_gpu_recheck_uncertified(w->gpu, &rest, &(exb_gpu_uncertified){w->count, w->list, m * n});
}

/* With one panel of terms columns are converted once, and rows too if one block has all of them. */
static void run_block(flow *w, exb_i64 i0, exb_i64 m, exb_i64 j0, exb_i64 n)
{
    exb_i64 k = w->p->k;
    for (exb_i64 l0 = 0; l0 < k; l0 += w->panel) {
        exb_i64 l1 = exb_least(l0 + w->panel, k);
        if (j0 == 0 || w->a.most < w->p->m || w->panel < k)
            convert_operand(w, &w->a, i0, m, l0, l1);
        if (i0 == 0 || w->panel < k)
            convert_operand(w, &w->b, j0, n, l0, l1);
        multiply_residues(w, m, n, l0, l1);
    }
    finish_block(w, i0 >> w->whole->is_complex, m >> w->whole->is_complex, j0, n);
}

static void run_blocks(flow *w)
{
    const exb_gpu_product *p = w->p;
    scale_operand(w, &w->a);
    scale_operand(w, &w->b);
    for (exb_i64 j0 = 0; j0 < p->n; j0 += w->b.most)
        for (exb_i64 i0 = 0; i0 < p->m; i0 += w->a.most)
            run_block(w, i0, exb_least(w->a.most, p->m - i0), j0, exb_least(w->b.most, p->n - j0));
}

/* --- products ------------------------------------------------------------------ */

/* Conversion, and waiting for the forecast, cost more than they gain for small products. */
bool exb_gpu_residue_pays(exb_gpu *gpu, const exb_gpu_product *p)
{
    double products = (double)p->m * (double)p->n * (double)p->k;
    return exb_gpu_get_limits(gpu).multiply_bytes && p->m >= 128 && p->n >= 128 &&
           products >= 0x1p27;
}

bool exb_gpu_residue_run(exb_gpu *gpu, const exb_gpu_product *whole, const exb_gpu_product *p)
{
    flow w = {.gpu = gpu, .p = p, .whole = whole};
    if (!exb_gpu_get_limits(gpu).multiply_bytes || p->k > EXB_RESIDUE_MOST_TERMS ||
        whole->c.row != 1 || !(p->a.row == 1 || p->a.col == 1) || !(p->b.row == 1 || p->b.col == 1))
        return false;
    w.group = (size_t)param_of(&w, "residue_group", exb_gpu_get_limits(gpu).max_group);
    w.chunk = exb_round_up(p->k, 64 * EXB_SCAN_TERMS) / 64;
    w.n_chunks = (int)exb_tasks_of(p->k, w.chunk);
    w.count = exb_gpu_scratch(gpu, sizeof(exb_u32));
    take_table(&w, EXB_MODULI_MAX); /* the sample asks for sizes of all systems */
    scan_operand(&w, &w.a, p->a, p->m, 0);
    scan_operand(&w, &w.b, exb_gpu_transpose(p->b), p->n, 1);
    int fixed = param_of(&w, "moduli", 0); /* what the user has chosen, or what the data need */
    int n_moduli = fixed ? fixed : forecast(&w, exb_gpu_method(gpu)->engine == EXB_ENGINE_RESIDUE);
    if (n_moduli == 0)
        return exb_gpu_status(gpu) != EXBLAS_OK;
    take_table(&w, n_moduli);
    if (!take_memory(&w))
        return exb_gpu_status(gpu) != EXBLAS_OK;
    run_blocks(&w);
    return true;
}
