/* The residue engine for products of doubles (residue.h): scale, convert, multiply, reconstruct.
 * Compiled for doubles.
 *
 * Scaling. mu = 2^floor((log2 P - 1) / 2 - 0.01 - log2 |a|_2), so that |a mu|_2 <= T = sqrt(P / 2)
 * 2^-0.01 (norms to 2^-20 stay inside 2^-0.001), and a' = rint(a mu) has |a'|_2 <= T + sqrt(k) / 2.
 * By Cauchy-Schwarz |C'| <= (P / 2) 2^-0.02 (1 + sqrt(k) / (2 T))^2, below (1/2 - 0.006) P for N >=
 * 5 and k <= 10^6, where T >= 2^19.4: 1 + 2^10 / 2^20.4 squared is below 1.0014, 2^-0.02 is below
 * 0.9863.
 *
 * Bound. delta = a mu - a' is computed exactly (convert); its norms are accumulated. Exactly
 *   C - C' = delta_a b' + (a mu) delta_b,   so that
 *   |C - C'| <= min(|delta_a|_1 |b'|_inf, |delta_a|_2 |b'|_2) + min(|a mu|_inf |delta_b|_1,
 *                                                                  |a mu|_2 |delta_b|_2)
 * with |b'| <= |b nu| + |delta_b|. All norms are computed with relative errors below 2^-20, all of
 * their use has fewer than 20 roundings: a factor of 1 + 2^-18 covers both. Squares that underflow
 * take less than k 2^-1074 off a sum: 2^-500 added to the 2-norm covers that. delta = 0 is claimed
 * only where a mu was exact: always if mu >= 1, and else if the smallest element is not scaled
 * below 2^-1022. Elements that would be add 2^-1000 to the norms (k <= 2^26 roundings of 2^-1075).
 *
 * Blocks. As many rows and columns at a time as the workspace holds residues of; k in panels, whose
 * residues are added modulo p. For each part of a block, one modulus after the other, the product
 * of bytes; then its residues, still in cache, are put together column by column. */
#include "level3/engine.h"

#include "core/memory.h"
#include "core/partition.h"
#include "core/thread.h"
#include "level3/deferred.h"
#include "level3/residue.h"
#include "level3/strips.h"

#include <stdatomic.h>

enum {
    PART_ROWS = 192, /* a multiple of 48 and of 64 */
    PART_COLUMNS = 192,
    TAKE_COLUMNS = 4,
    PANEL_MAX = 4096,
    CONVERT_TERMS = 64,
    CONVERT_VECTORS = 128
};

static const int64_t most_terms = 1000000;

/* What is known of the scaled vectors of one operand. */
typedef struct {
    double *factor, *scale;
    exb_residue_norms norms;
} side;

enum { SIDE_ARRAYS = 6 };

typedef struct {
    const exb_t(product) * p;
    const exb_residue_kernels *kernels;
    const exb_residue_system *system;
    int64_t i0, j0, m, n; /* the block */
    int64_t l0, k;        /* the panel */
    int64_t panel;
    int64_t plane_a, plane_b; /* bytes between residues of two moduli */
    side rows, columns;
    uint8_t *a, *b;
    int8_t *kept;          /* residues of all parts, NULL if there is one panel */
    int8_t *scratch;       /* else of one part for each worker */
    int64_t n_new_columns; /* of the block that are not converted yet: all or none */
    exb_deferred *deferred;
    int n_threads;
    int64_t n_parts;
    _Atomic int64_t next;
} work;

static int64_t tasks_of(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* --- scale --------------------------------------------------------------- */

/* x * factor may round below the normal range only if factor < 1 and x is tiny. */
static bool scales_exactly(const exb_t(operand) * o, int64_t v, int64_t k, double factor)
{
    exb_real buffer[EXB_GATHER_TERMS];
    if (factor >= 1)
        return true;
    for (int64_t l = 0; l < k; l += EXB_GATHER_TERMS) {
        int64_t nl = k - l < EXB_GATHER_TERMS ? k - l : EXB_GATHER_TERMS;
        exb_t(elements) x = exb_t(operand_at)(o, v, 1, l, nl, buffer);
        for (int64_t t = 0; t < nl; t++)
            if (x.p[t * x.ls] != 0 && fabs(x.p[t * x.ls] * factor) < DBL_MIN)
                return false;
    }
    return true;
}

enum { SCAN_VECTORS = 64 };

static void scale_vectors(const work *w, const exb_t(operand) * o, int64_t v0, int64_t n, side s)
{
    double sumsq[SCAN_VECTORS], largest[SCAN_VECTORS];
    int shift[SCAN_VECTORS];
    exb_t(norms)(o, v0, n, w->p->k, (exb_norms){sumsq, largest, shift});
    for (int64_t i = 0; i < n; i++) {
        double norm = sqrt(sumsq[i]);
        bool is_finite = norm <= DBL_MAX;
        double room = (w->system->log2_p - 1) / 2 - 0.01;
        int e = is_finite && norm > 0 ? (int)floor(room - log2(norm)) - shift[i] : 0;
        bool fits = is_finite && e > -900 && e < 900;
        s.factor[i] = fits ? exb_pow2(e) : 1;
        s.scale[i] = fits ? exb_pow2(-e) : 0;
        s.norms.inf[i] = fits ? largest[i] * s.factor[i] : (double)INFINITY;
        s.norms.two[i] = fits ? ldexp(norm, shift[i] + e) : (double)INFINITY;
        bool exact = !fits || scales_exactly(o, v0 + i, w->p->k, s.factor[i]);
        s.norms.lost_1[i] = s.norms.lost_2[i] = exact ? 0 : 0x1p-1000;
    }
}

static side side_from(side s, int64_t i)
{
    return (side){s.factor + i,
                  s.scale + i,
                  {s.norms.inf + i, s.norms.two + i, s.norms.lost_1 + i, s.norms.lost_2 + i}};
}

static void scan_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    int64_t since = exb_stats_now(w->p->stats);
    int64_t n_row_tasks = tasks_of(w->m, SCAN_VECTORS);
    bool is_row = t < n_row_tasks;
    int64_t begin = (is_row ? t : t - n_row_tasks) * SCAN_VECTORS;
    int64_t left = (is_row ? w->m : w->n) - begin;
    scale_vectors(w, is_row ? &w->p->a : &w->p->b, (is_row ? w->i0 : w->j0) + begin,
                  left < SCAN_VECTORS ? left : SCAN_VECTORS,
                  side_from(is_row ? w->rows : w->columns, begin));
    exb_stats_phase(w->p->stats, EXB_PHASE_CONVERT, &since);
}

/* --- convert ------------------------------------------------------------- */

/* Brings the terms after the next CONVERT_TERMS of one strip nearer: a line at a time in the
 * direction in which they are contiguous. */
static void fetch_strip(const exb_t(operand) * o, int64_t v0, int64_t n, int64_t l0, int64_t nl)
{
    enum { LINE = 64 / sizeof(exb_real) };
    int64_t step_v = o->vs == 1 ? LINE : 1, step_l = o->ls == 1 ? LINE : 1;
    if (o->gather)
        return;
    for (int64_t l = 0; l < nl; l += step_l)
        for (int64_t v = 0; v < n; v += step_v)
            __builtin_prefetch(o->p + (v0 + v) * o->vs + (l0 + l) * o->ls, 0, 2);
}

/* A few strips of one operand through the panel, some terms at a time: lines and pages of operands
 * whose vectors lie side by side are used whole. */
static void convert_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    int64_t since = exb_stats_now(w->p->stats);
    int64_t n_row_tasks = tasks_of(w->m, CONVERT_VECTORS);
    bool is_row = t < n_row_tasks;
    int64_t begin = (is_row ? t : t - n_row_tasks) * CONVERT_VECTORS;
    int64_t n = least((is_row ? w->m : w->n) - begin, CONVERT_VECTORS);
    int64_t v0 = (is_row ? w->i0 : w->j0) + begin;
    const exb_t(operand) *o = is_row ? &w->p->a : &w->p->b;
    side s = side_from(is_row ? w->rows : w->columns, begin);
    uint8_t *out = (is_row ? w->a : w->b) + begin * w->panel;
    _Alignas(64) double x[CONVERT_TERMS * CONVERT_VECTORS];
    double off_grid[CONVERT_VECTORS] = {0}; /* means nothing here */
    for (int64_t l = 0; l < w->k; l += CONVERT_TERMS) {
        int64_t nl = least(w->k - l, CONVERT_TERMS);
        exb_strips to = {EXB_STRIP, nl * EXB_STRIP, x, s.factor, off_grid};
        exb_t(pack_strips)(o, v0, n, w->l0 + l, nl, to);
        for (int64_t v = 0; v < n; v += EXB_STRIP) {
            int64_t next = l + CONVERT_TERMS;
            fetch_strip(o, v0 + v, least(n - v, EXB_STRIP), w->l0 + next,
                        least(w->k - next, CONVERT_TERMS));
            w->kernels->convert(w->system, !is_row, nl, x + v * nl,
                                out + v * w->panel + l * EXB_STRIP,
                                is_row ? w->plane_a : w->plane_b,
                                (exb_lost){s.norms.lost_1 + v, s.norms.lost_2 + v});
        }
    }
    exb_stats_phase(w->p->stats, EXB_PHASE_CONVERT, &since);
}

/* From sums of squares to 2-norms. */
static void close_norms(side s, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (s.norms.lost_1[i] != 0)
            s.norms.lost_2[i] = sqrt(s.norms.lost_2[i]) + 0x1p-500;
}

/* --- multiply and finish ------------------------------------------------- */

typedef struct {
    int64_t i, j; /* in the block */
    int m, n;
} part;

static part part_at(const work *w, int64_t t)
{
    int64_t n_row_parts = tasks_of(w->m, PART_ROWS);
    part q = {t % n_row_parts * PART_ROWS, t / n_row_parts * PART_COLUMNS, PART_ROWS, PART_COLUMNS};
    q.m = (int)(w->m - q.i < q.m ? w->m - q.i : q.m);
    q.n = (int)(w->n - q.j < q.n ? w->n - q.j : q.n);
    return q;
}

/* Planes of residues start at different sets of the first-level cache, since the same place in all
 * of them is used at once; APART is an odd number of lines. */
enum { APART = 5 * 64, PART = PART_ROWS * PART_COLUMNS, PART_PLANE = PART + APART };

/* The t-th strip of the part in the residues of modulus i, rows first; any address if there is
 * none: what the t-th tile of the modulus before it fetches. */
static const uint8_t *strip_of(const work *w, part q, int i, int64_t t)
{
    int64_t stride = EXB_STRIP * w->panel, n_rows = tasks_of(q.m, EXB_STRIP);
    if (i >= w->system->n_moduli || t < 0 || t >= n_rows + tasks_of(q.n, EXB_STRIP))
        return w->a;
    if (t < n_rows)
        return w->a + i * w->plane_a + (q.i / EXB_STRIP + t) * stride;
    return w->b + i * w->plane_b + (q.j / EXB_STRIP + t - n_rows) * stride;
}

static void multiply_modulus(const work *w, part q, int i, int8_t *residues)
{
    int64_t kq = tasks_of(w->k, 4), stride = EXB_STRIP * w->panel;
    /* The last tiles fetch the next modulus: later would be too late, earlier would drive out what
     * is still in use. */
    int64_t n_tiles = tasks_of(q.n, EXB_RESIDUE_COLS) * tasks_of(q.m, EXB_RESIDUE_ROWS);
    int64_t t = tasks_of(q.m, EXB_STRIP) + tasks_of(q.n, EXB_STRIP) - n_tiles;
    const uint8_t *a = w->a + i * w->plane_a + q.i / EXB_STRIP * stride;
    const int8_t *b = (const int8_t *)w->b + i * w->plane_b + q.j / EXB_STRIP * stride;
    for (int c = 0; c < q.n; c += EXB_RESIDUE_COLS)
        for (int r = 0; r < q.m; r += EXB_RESIDUE_ROWS) {
            int64_t n_strips = least(tasks_of(q.m - r, EXB_STRIP), 3);
            w->kernels->multiply(
                &w->system->modulus[i], kq, (int)n_strips, a + r / EXB_STRIP * stride, stride,
                b + c / EXB_STRIP * stride + c % EXB_STRIP * 4, strip_of(w, q, i + 1, t++),
                w->l0 > 0, residues + c * PART_ROWS + r, PART_ROWS);
        }
}

static void multiply(const work *w, part q, int8_t *residues)
{
    for (int i = 0; i < w->system->n_moduli; i++)
        multiply_modulus(w, q, i, residues + (int64_t)i * PART_PLANE);
}

static void finish(const work *w, part q, const int8_t *residues)
{
    _Alignas(64) double h[TAKE_COLUMNS * PART_ROWS], l[TAKE_COLUMNS * PART_ROWS],
        e[TAKE_COLUMNS * PART_ROWS];
    int64_t rows = tasks_of(q.m, 64) * 64;
    for (int c = 0; c < q.n; c += TAKE_COLUMNS) {
        int n = q.n - c < TAKE_COLUMNS ? q.n - c : TAKE_COLUMNS;
        int64_t since = exb_stats_now(w->p->stats);
        for (int j = 0; j < n; j++) {
            int64_t at = (int64_t)j * PART_ROWS, column = q.j + c + j;
            w->kernels->reconstruct(w->system, rows, residues + (int64_t)(c + j) * PART_ROWS,
                                    PART_PLANE, h + at, l + at, e + at);
            side s = side_from(w->columns, column);
            exb_residue_norms row = side_from(w->rows, q.i).norms;
            w->kernels->add_bounds(q.m, &row, *s.norms.inf + (*s.norms.lost_1 != 0 ? 0.5 : 0),
                                   *s.norms.two + *s.norms.lost_2, *s.norms.lost_1, *s.norms.lost_2,
                                   e + at);
        }
        exb_stats_phase(w->p->stats, EXB_PHASE_RECONSTRUCT, &since);
        exb_block b = {.i0 = w->i0 + q.i, .j0 = w->j0 + q.j + c, .m = q.m, .n = n, .ld = PART_ROWS};
        b.deferred = w->deferred;
        b.h = h;
        b.l = l;
        b.e = e;
        b.row_scale = w->rows.scale + q.i;
        b.col_scale = w->columns.scale + q.j + c;
        w->p->take(w->p->output, &b);
    }
}

/* A worker takes parts until none is left. */
static void multiply_worker(void *ctx, int64_t worker)
{
    work *w = ctx;
    for (;;) {
        int64_t t = atomic_fetch_add(&w->next, 1);
        if (t >= w->n_parts)
            return;
        part q = part_at(w, t);
        if (w->p->wanted && !w->p->wanted(w->p->output, w->i0 + q.i, q.m, w->j0 + q.j, q.n))
            continue;
        int64_t size = (int64_t)w->system->n_moduli * PART_PLANE;
        int8_t *residues = w->kept ? w->kept + t * size : w->scratch + worker * size;
        int64_t since = exb_stats_now(w->p->stats);
        multiply(w, q, residues);
        exb_stats_phase(w->p->stats, EXB_PHASE_PRODUCT, &since);
        if (w->l0 + w->k == w->p->k)
            finish(w, q, residues);
    }
}

/* --- blocks -------------------------------------------------------------- */

static void run_block(work *w)
{
    int64_t n_new = w->n_new_columns;
    exb_parallel_for(w->n_threads, tasks_of(w->m, SCAN_VECTORS) + tasks_of(n_new, SCAN_VECTORS),
                     scan_task, w);
    w->n_parts = tasks_of(w->m, PART_ROWS) * tasks_of(w->n, PART_COLUMNS);
    for (w->l0 = 0; w->l0 < w->p->k; w->l0 += w->panel) {
        w->k = w->p->k - w->l0 < w->panel ? w->p->k - w->l0 : w->panel;
        exb_parallel_for(w->n_threads,
                         tasks_of(w->m, CONVERT_VECTORS) + tasks_of(n_new, CONVERT_VECTORS),
                         convert_task, w);
        if (w->l0 + w->k == w->p->k) {
            close_norms(w->rows, w->m);
            close_norms(w->columns, n_new);
        }
        atomic_store(&w->next, 0);
        exb_parallel_for(w->n_threads, w->n_threads, multiply_worker, w);
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
    s.padded_rows = tasks_of(rows, PART_ROWS) * PART_ROWS;
    s.padded_columns = tasks_of(columns, PART_COLUMNS) * PART_COLUMNS;
    s.plane_a = tasks_of(rows, EXB_RESIDUE_ROWS) * EXB_RESIDUE_ROWS * panel + APART;
    s.plane_b = tasks_of(columns, EXB_STRIP) * EXB_STRIP * panel + APART;
    int64_t n_parts = tasks_of(rows, PART_ROWS) * tasks_of(columns, PART_COLUMNS);
    s.residues = (panel < p->k ? n_parts : n_threads) * n_moduli * PART_PLANE;
    s.bytes =
        (size_t)(n_moduli * (s.plane_a + s.plane_b) + s.residues + (int64_t)sizeof(exb_deferred) +
                 (s.padded_rows + s.padded_columns) * SIDE_ARRAYS * (int64_t)sizeof(double));
    return s;
}

/* Columns are converted once if k is one panel, rows for every block of columns: therefore as many
 * columns as the workspace holds beside a few parts' rows. In several panels both are, and blocks
 * are square. False if not even a part fits. */
static bool choose_layout(const exb_t(product) * p, int n_moduli, int n_threads, layout *s)
{
    size_t limit = exb_memory_limit() * (size_t)n_threads;
    int64_t panel = least(tasks_of(p->k, 4) * 4, PANEL_MAX);
    *s = layout_of(p, p->m, p->n, panel, n_moduli, n_threads);
    if (s->bytes <= limit)
        return true;
    for (; panel >= 64; panel = tasks_of(panel / 2, 4) * 4)
        for (int64_t block = 128 * PART_COLUMNS; block >= PART_COLUMNS; block -= PART_COLUMNS) {
            int64_t rows = panel >= p->k ? (n_threads > 4 ? 2 : 1) * PART_ROWS
                                         : tasks_of(block, PART_ROWS) * PART_ROWS;
            *s = layout_of(p, least(p->m, rows), least(p->n, block), panel, n_moduli, n_threads);
            if (s->bytes <= limit)
                return true;
        }
    return false;
}

static side carve_side(char **memory, int64_t n)
{
    double *d = (double *)*memory;
    *memory += n * SIDE_ARRAYS * (int64_t)sizeof *d;
    return (side){d, d + n, {d + 2 * n, d + 3 * n, d + 4 * n, d + 5 * n}};
}

static void run_all(const exb_t(product) * p, const exb_residue_kernels *kernels,
                    const exb_residue_system *system, const layout *s, int n_threads, char *memory)
{
    work w = {.p = p, .kernels = kernels, .system = system, .n_threads = n_threads};
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
            w.m = least(p->m - w.i0, s->rows);
            w.n = least(p->n - w.j0, s->columns);
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
