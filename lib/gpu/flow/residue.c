#include "gpu/flow/residue.h"

static const exb_i64 most_terms = 1000000;

/* An operand as vectors along the terms of the product: term l of vector v is x[v * vs + l * ls].
 */
typedef struct {
    exb_gpu_ref x;
    exb_i64 vs, ls;
} vectors;

/* What the device knows of one operand. */
typedef struct {
    vectors from;
    exb_i64 n;                  /* vectors */
    int index;                  /* 0: A, 1: B */
    exb_gpu_ref top, norms;     /* of each vector; exb_residue_join_norms */
    exb_gpu_ref partial, side;  /* of each vector and chunk; the arrays of EXB_SIDE_* */
    exb_gpu_ref lost, residues; /* of the sample; of the block that is being multiplied */
    exb_i64 most, plane;        /* vectors of such a block, bytes between residues of two moduli */
} operand;

typedef struct {
    exb_gpu *gpu;
    const exb_gpu_product *p;
    exb_gpu_residue_stats *stats;
    size_t group; /* work-items of a group */
    int n_chunks;
    exb_i64 chunk, panel, stride; /* terms; stride: bytes between residues of two vectors */
    operand a, b;
    exb_residue_system system;
    exb_gpu_ref small; /* the rest of the call's small memory */
    exb_gpu_ref table, sums, list, count;
    exb_i64 plane; /* of sums, in elements; their leading dimension is a.most */
} work;

static exb_i64 rounded_up(exb_i64 n, exb_i64 unit)
{
    return (n + unit - 1) / unit * unit;
}

static size_t groups_for(exb_i64 n, exb_i64 unit)
{
    return (size_t)((n + unit - 1) / unit);
}

static exb_i64 least(exb_i64 a, exb_i64 b)
{
    return a < b ? a : b;
}

static exb_gpu_grid grid_of(const work *w, size_t groups_0, size_t groups_1)
{
    return (exb_gpu_grid){{groups_0, groups_1}, {w->group, 1}, 0};
}

/* A work-item for each of n. */
static exb_gpu_grid grid_for(const work *w, exb_i64 n)
{
    return grid_of(w, groups_for(n, (exb_i64)w->group), 1);
}

/* Launches kernel `name` of a program with the arguments. */
#define LAUNCH(w, program, name, grid, ...)                                                        \
    exb_gpu_launch((w)->gpu, (exb_gpu_kernel){program, name, ""}, grid,                            \
                   (int)(sizeof((exb_gpu_arg[]){__VA_ARGS__}) / sizeof(exb_gpu_arg)),              \
                   (exb_gpu_arg[]){__VA_ARGS__})
#define PLACE(r) exb_gpu_place(r)
#define I32(i) exb_gpu_i32((exb_i32)(i))
#define I64(i) exb_gpu_i64(i)
#define F64(x) exb_gpu_f64(x)

/* --- memory ---------------------------------------------------------------- */

/* n doubles of the call's small memory, the next ones; places are aligned as their kernels want. */
static exb_gpu_ref doubles(work *w, exb_i64 n)
{
    exb_gpu_ref r = w->small;
    w->small = exb_gpu_at(r, (size_t)rounded_up(n, 32) * sizeof(double));
    return r;
}

enum { CANDIDATES = EXB_MODULI_MAX - EXB_MODULI_MIN + 1, SMALL_PLACES = 16 };

/* Everything but residues and sums in one piece. */
static void take_small_memory(work *w)
{
    exb_i64 of_vector = 1 + 2 + 2 * w->n_chunks + EXB_SIDE_ARRAYS;
    exb_i64 n = (w->p->m + w->p->n) * of_vector + 4 * EXB_SAMPLE * CANDIDATES +
                EXB_SAMPLE * EXB_SAMPLE + (exb_i64)(sizeof(exb_residue_table) / sizeof(double)) +
                32 * SMALL_PLACES;
    w->small = exb_gpu_scratch(w->gpu, (size_t)n * sizeof(double));
    w->table = doubles(w, sizeof(exb_residue_table) / sizeof(double));
    w->count = doubles(w, 1);
}

static void take_memory(work *w)
{
    int n = w->system.n_moduli;
    w->a.residues = exb_gpu_scratch(w->gpu, (size_t)(n * w->a.plane));
    w->b.residues = exb_gpu_scratch(w->gpu, (size_t)(n * w->b.plane));
    w->sums = exb_gpu_scratch(w->gpu, (size_t)(n * w->plane) * sizeof(exb_i32));
    w->list = exb_gpu_scratch(w->gpu, (size_t)w->plane * sizeof(exb_i64));
}

/* --- scan ----------------------------------------------------------------- */

static void scan(work *w, operand *o, vectors from, exb_i64 n, int index)
{
    *o = (operand){.from = from, .n = n, .index = index};
    o->top = doubles(w, (n + 1) / 2);
    o->norms = doubles(w, 2 * n);
    o->partial = doubles(w, 2 * n * w->n_chunks);
    o->side = doubles(w, EXB_SIDE_ARRAYS * n);
    exb_gpu_grid tiles = grid_of(w, groups_for(n, EXB_TILE), (size_t)w->n_chunks);
    exb_gpu_clear(w->gpu, o->top, (size_t)n * sizeof(exb_u32));
    LAUNCH(w, "residue_scan", "residue_top", tiles, PLACE(from.x), I64(from.vs), I64(from.ls),
           I64(n), I64(w->p->k), I64(w->chunk), PLACE(o->top));
    LAUNCH(w, "residue_scan", "residue_norms", tiles, PLACE(from.x), I64(from.vs), I64(from.ls),
           I64(n), I64(w->p->k), I64(w->chunk), PLACE(o->top), PLACE(o->partial));
    LAUNCH(w, "residue_scan", "residue_join_norms", grid_for(w, n), I64(n), I32(w->n_chunks),
           PLACE(o->partial), PLACE(o->norms));
}

/* --- the number of moduli ------------------------------------------------- */

static void foretell(work *w, operand *o)
{
    o->lost = doubles(w, 2 * EXB_SAMPLE * CANDIDATES);
    LAUNCH(w, "residue_choice", "residue_foretell", grid_of(w, EXB_SAMPLE, CANDIDATES),
           PLACE(o->from.x), I64(o->from.vs), I64(o->from.ls), I64(o->n), I64(w->p->k),
           PLACE(o->top), PLACE(o->norms), PLACE(w->table), PLACE(o->lost));
}

/* An element by itself costs about what 5000 cost in a block, a modulus a sixteenth of those. */
static const double tolerated = 1e-5, hopeless = 0.01;

/* The smallest number with which few elements stay open; 0 if there is none, unless `forced`. */
static int choose(work *w, bool forced)
{
    const exb_gpu_product *p = w->p;
    double rate[CANDIDATES];
    exb_gpu_ref value = doubles(w, EXB_SAMPLE * EXB_SAMPLE), rates = doubles(w, CANDIDATES);
    foretell(w, &w->a);
    foretell(w, &w->b);
    LAUNCH(w, "residue_choice", "residue_sample", grid_of(w, EXB_SAMPLE, EXB_SAMPLE),
           PLACE(p->a.at), I64(p->a.row), I64(p->a.col), PLACE(p->b.at), I64(p->b.col),
           I64(p->b.row), I64(p->m), I64(p->n), I64(p->k), PLACE(w->a.top), PLACE(w->b.top),
           PLACE(value));
    LAUNCH(w, "residue_choice", "residue_rates", grid_for(w, CANDIDATES), I64(p->m), I64(p->n),
           PLACE(w->a.norms), PLACE(w->b.norms), PLACE(w->a.lost), PLACE(w->b.lost), PLACE(value),
           PLACE(rates));
    exb_gpu_read(w->gpu, rates, sizeof rate, rate);
    if (exb_gpu_status(w->gpu) != EXBLAS_OK)
        return 0;
    int c = 0;
    while (c < CANDIDATES - 1 && rate[c] > tolerated)
        c++;
    return forced || rate[c] < hopeless ? EXB_MODULI_MIN + c : 0;
}

static void write_table(work *w, int n_moduli)
{
    exb_residue_table table;
    exb_residue_system_init(&w->system, n_moduli);
    exb_residue_table_init(&table, &w->system);
    exb_gpu_write(w->gpu, w->table, sizeof table, &table);
}

/* --- blocks ---------------------------------------------------------------- */

static exb_i64 bytes_of(const work *w, exb_i64 rows, exb_i64 columns, exb_i64 panel)
{
    return w->system.n_moduli * ((rows + columns) * panel + 4 * rows * columns) +
           4 * rows * columns;
}

/* Elements of a block are counted in 32 bits. */
enum { BLOCK_MAX = 1 << 15 };

/* What the user set, or `standard`, in whole units; at least one. */
static exb_i64 size_param(const work *w, const char *name, exb_i64 standard, exb_i64 unit)
{
    int n = exb_gpu_param(w->gpu, "dgemm", name, (int)standard);
    return rounded_up(n > 0 && n < standard ? n : standard, unit);
}

/* Rows and columns of C that are computed at once, terms that are multiplied at once: what the
 * user set, or as much as the workspace holds. */
static void lay_out(work *w)
{
    const exb_gpu_product *p = w->p;
    exb_i64 workspace = (exb_i64)exb_gpu_param(w->gpu, "dgemm", "workspace_mib", 4096) << 20;
    exb_i64 rows = rounded_up(p->m, EXB_TERMS_ALIGN), columns = rounded_up(p->n, EXB_TERMS_ALIGN);
    w->panel = rounded_up(p->k, EXB_TERMS_ALIGN);
    if (w->panel > EXB_PANEL_TERMS)
        w->panel = EXB_PANEL_TERMS / w->chunk * w->chunk;
    while (bytes_of(w, rows, columns, w->panel) > workspace && rows + columns > 128) {
        exb_i64 *more = rows > columns ? &rows : &columns;
        *more = rounded_up(*more / 2, EXB_TERMS_ALIGN);
    }
    w->a.most = size_param(w, "residue_rows", least(rows, BLOCK_MAX), EXB_TERMS_ALIGN);
    w->b.most = size_param(w, "residue_columns", least(columns, BLOCK_MAX), EXB_TERMS_ALIGN);
    w->panel = size_param(w, "residue_terms", w->panel, EXB_TERMS_ALIGN);
    if (w->panel < p->k)
        w->panel = rounded_up(w->panel, w->chunk);
    w->stride = w->panel;
    w->a.plane = w->a.most * w->stride;
    w->b.plane = w->b.most * w->stride;
    w->plane = w->a.most * w->b.most;
}

static void scale(work *w, operand *o)
{
    LAUNCH(w, "residue_scan", "residue_scale", grid_for(w, o->n), I64(o->n), PLACE(o->top),
           PLACE(o->norms), PLACE(w->table), PLACE(o->side));
}

/* Parts hold |a'| <= sqrt(P / 2) < 2^(44 n_parts - 1). */
static int n_parts(const work *w)
{
    return w->system.log2_p / 2 < 2 * EXB_PART_BITS - 1 ? 2 : 3;
}

/* Terms l0 to l1 of vectors v0 to v0 + n of an operand. */
static void convert(work *w, operand *o, exb_i64 v0, exb_i64 n, exb_i64 l0, exb_i64 l1)
{
    exb_i64 n_out = rounded_up(n, 16);
    exb_gpu_ref partial = exb_gpu_at(o->partial, (size_t)(l0 / w->chunk * o->n) * sizeof(double));
    exb_gpu_grid grid = grid_of(w, groups_for(n_out, EXB_TILE), groups_for(l1 - l0, w->chunk));
    LAUNCH(w, "residue_convert", "residue_convert", grid, PLACE(o->from.x), I64(o->from.vs),
           I64(o->from.ls), I64(o->n), I64(v0), I64(n_out), I64(l0), I64(l1), I64(w->chunk),
           I32(w->n_chunks), PLACE(o->side), PLACE(w->table), I32(o->index),
           I32(w->system.n_moduli), I32(n_parts(w)), PLACE(o->residues), I64(o->plane / 4),
           I64(w->stride / 4), PLACE(partial));
    if (l1 == w->p->k)
        LAUNCH(w, "residue_convert", "residue_close", grid_for(w, n), I64(o->n), I64(v0),
               I64(v0 + n), I32(w->n_chunks), PLACE(o->partial), PLACE(o->side));
}

/* The sums of m rows and n columns; of another panel if l0 > 0. */
static void multiply(work *w, exb_i64 m, exb_i64 n, exb_i64 l0, exb_i64 l1)
{
    exb_i64 terms = rounded_up(l1 - l0, EXB_TERMS_ALIGN);
    if (l0 > 0)
        LAUNCH(w, "residue_product", "residue_fold", grid_for(w, w->plane * w->system.n_moduli),
               I64(w->plane), I32(w->system.n_moduli), PLACE(w->table), PLACE(w->sums));
    exb_gpu_int8_product(w->gpu, (exb_gpu_int8){.m = rounded_up(m, 16),
                                                .n = rounded_up(n, 16),
                                                .k = terms,
                                                .n_planes = w->system.n_moduli,
                                                .a = w->a.residues,
                                                .plane_a = w->a.plane,
                                                .b = w->b.residues,
                                                .plane_b = w->b.plane,
                                                .stride = w->stride,
                                                .c = w->sums,
                                                .ldc = w->a.most,
                                                .plane_c = w->plane,
                                                .add = l0 > 0});
}

static void finish(work *w, exb_i64 i0, exb_i64 m, exb_i64 j0, exb_i64 n)
{
    const exb_gpu_product *p = w->p;
    static const char *const options[EXB_LIMBS_MAX] = {
        "-DEXB_LIMBS=1", "-DEXB_LIMBS=2", "-DEXB_LIMBS=3", "-DEXB_LIMBS=4",
        "-DEXB_LIMBS=5", "-DEXB_LIMBS=6", "-DEXB_LIMBS=7", "-DEXB_LIMBS=8"};
    exb_gpu_kernel kernel = {"residue_finish", "residue_finish", options[w->system.n_limbs - 1]};
    exb_gpu_arg args[] = {I32(m),          I32(n),           PLACE(w->sums),
                          I64(w->a.most),  I64(w->plane),    I32(w->system.n_moduli),
                          PLACE(w->table), PLACE(w->a.side), I64(p->m),
                          I64(i0),         PLACE(w->b.side), I64(p->n),
                          I64(j0),         F64(p->alpha),    F64(p->beta),
                          PLACE(p->c.at),  I64(p->c.col),    PLACE(w->list),
                          PLACE(w->count)};
    exb_gpu_clear(w->gpu, w->count, sizeof(exb_u32));
    exb_gpu_launch(w->gpu, kernel,
                   grid_of(w, groups_for(m, (exb_i64)w->group), (size_t)least(n, 4096)),
                   (int)(sizeof args / sizeof *args), args);
    exb_gpu_product rest = *p;
    rest.m = m;
    rest.n = n;
    rest.a.at = exb_gpu_element(p->a.at, i0 * p->a.row, false);
    rest.b.at = exb_gpu_element(p->b.at, j0 * p->b.col, false);
    rest.c.at = exb_gpu_element(p->c.at, i0 + j0 * p->c.col, false);
    exb_gpu_finish_undecided(w->gpu, "gemm", &rest, &(exb_gpu_undecided){w->count, w->list, m * n});
}

static void count_open(work *w)
{
    exb_u32 count = 0;
    exb_gpu_read(w->gpu, w->count, sizeof count, &count);
    w->stats->n_open += count;
}

/* Columns are converted once if there is one panel of terms. */
static void run_block(work *w, exb_i64 i0, exb_i64 m, exb_i64 j0, exb_i64 n)
{
    exb_i64 k = w->p->k;
    for (exb_i64 l0 = 0; l0 < k; l0 += w->panel) {
        exb_i64 l1 = least(l0 + w->panel, k);
        convert(w, &w->a, i0, m, l0, l1);
        if (i0 == 0 || w->panel < k)
            convert(w, &w->b, j0, n, l0, l1);
        multiply(w, m, n, l0, l1);
    }
    finish(w, i0, m, j0, n);
    if (w->stats)
        count_open(w);
}

static void run_all(work *w)
{
    const exb_gpu_product *p = w->p;
    for (exb_i64 j0 = 0; j0 < p->n; j0 += w->b.most)
        for (exb_i64 i0 = 0; i0 < p->m; i0 += w->a.most)
            run_block(w, i0, least(w->a.most, p->m - i0), j0, least(w->b.most, p->n - j0));
}

/* Conversion, and waiting for the forecast, cost more than they gain for small products. */
static bool pays(exb_gpu *gpu, const exb_gpu_product *p)
{
    double products = (double)p->m * (double)p->n * (double)p->k;
    return exb_gpu_get_limits(gpu).fast_int8 && p->m >= 128 && p->n >= 128 && products >= 0x1p27;
}

bool exb_gpu_residue_run(exb_gpu *gpu, const exb_gpu_product *p, bool forced,
                         exb_gpu_residue_stats *stats)
{
    work w = {.gpu = gpu, .p = p, .stats = stats};
    if (p->is_s || p->k > most_terms || p->c.row != 1 || !(p->a.row == 1 || p->a.col == 1) ||
        !(p->b.row == 1 || p->b.col == 1) || (!forced && !pays(gpu, p)))
        return false;
    w.group =
        (size_t)exb_gpu_param(gpu, "dgemm", "residue_group", exb_gpu_get_limits(gpu).max_group);
    w.chunk = rounded_up(p->k, 64 * EXB_SCAN_TERMS) / 64;
    w.n_chunks = (int)groups_for(p->k, w.chunk);
    take_small_memory(&w);
    write_table(&w, EXB_MODULI_MAX); /* the sample asks for sizes of all systems */
    scan(&w, &w.a, (vectors){p->a.at, p->a.row, p->a.col}, p->m, 0);
    scan(&w, &w.b, (vectors){p->b.at, p->b.col, p->b.row}, p->n, 1);
    int n_moduli = choose(&w, forced);
    if (stats)
        *stats = (exb_gpu_residue_stats){n_moduli, 0};
    if (n_moduli == 0)
        return exb_gpu_status(gpu) != EXBLAS_OK;
    write_table(&w, n_moduli);
    lay_out(&w);
    take_memory(&w);
    scale(&w, &w.a);
    scale(&w, &w.b);
    run_all(&w);
    return true;
}
