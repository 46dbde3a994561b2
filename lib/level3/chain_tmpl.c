/* The engine of FMA chains (chain.h): scan, pack, multiply, enclose.
 *
 * The product is computed in blocks of at most n_rows x n_columns; for each, k goes by in panels.
 * The rows and columns of a block are scanned for their norms, then, panel by panel, packed, and the
 * chains of all its elements advance. If k fits into one panel a chain lives in a small part on the
 * stack; else all chains of the block are kept from panel to panel.
 *
 *   m = 1000, n_rows = 512:   blocks [0, 512) [512, 1000), parts of 96 rows x 24 columns
 */
#include "level3/product.h"

#include "level1/reduce.h"

#include "core/fpenv.h"
#include "core/memory.h"
#include "core/partition.h"
#include "core/thread.h"
#include "level3/chain.h"
#include "level3/engine.h"

enum { PART_ROWS = 96, PART_COLUMNS = 24, PART = PART_ROWS * PART_COLUMNS };

/* What is known of the packed vectors of one operand, arrays of n_padded. */
typedef struct {
    double *sumsq, *largest, *factor, *scale, *bound, *lost;
} side;

enum { SIDE_ARRAYS = 6 };

typedef struct {
    const exb_t(product) * p;
    const exb_kernels *kernels;
    exb_chain_kernel *multiply;
    double anchor, bound;
    int64_t i0, j0, m, n; /* the block */
    int64_t l0, k;        /* the panel */
    int64_t panel;        /* most terms of a panel */
    int64_t ld;           /* of the kept chains */
    side rows, columns;
    double *a, *b;       /* packed panels, strips of panel * width */
    double *sums, *lows; /* the kept chains, NULL if there is one panel */
    int n_threads;
} work;

static int64_t round_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* --- scan ---------------------------------------------------------------- */

static void scan(const exb_t(operand) * o, int64_t v0, int64_t n, int64_t k, side s)
{
    exb_real buffer[EXB_GATHER_VECTORS * EXB_GATHER_TERMS];
    int64_t step_v = o->gather ? EXB_GATHER_VECTORS : n, step_l = o->gather ? EXB_GATHER_TERMS : k;
    for (int64_t v = 0; v < n; v += step_v)
        for (int64_t l = 0; l < k; l += step_l) {
            int64_t nv = n - v < step_v ? n - v : step_v, nl = k - l < step_l ? k - l : step_l;
            exb_t(elements) x = exb_t(operand_at)(o, v0 + v, nv, l, nl, buffer);
            exb_t_kernels()->scan(nv, nl, x.p, x.vs, x.ls, s.sumsq + v, s.largest + v);
        }
}

/* The sum of squares of a vector whose squares may have left the range, times 4^-e. */
static double scaled_sumsq(const exb_t(operand) * o, int64_t v, int64_t k, int e)
{
    exb_real buffer[EXB_GATHER_TERMS];
    double sum = 0;
    for (int64_t l = 0; l < k; l += EXB_GATHER_TERMS) {
        int64_t nl = k - l < EXB_GATHER_TERMS ? k - l : EXB_GATHER_TERMS;
        exb_t(elements) x = exb_t(operand_at)(o, v, 1, l, nl, buffer);
        for (int64_t t = 0; t < nl; t++) {
            double y = ldexp((double)x.p[t * x.ls], -e);
            sum += y * y;
        }
    }
    return sum;
}

/* Scales from norms. A vector that is not finite or out of range is left to other ways. */
static void scale_vector(const work *w, const exb_t(operand) * o, int64_t v, side s, int64_t i)
{
    int shift = 0;
    double sumsq = s.sumsq[i], top = s.largest[i];
    if (top != 0 && sumsq == sumsq && !(top >= 0x1p-300 && top <= 0x1p300) && top <= DBL_MAX) {
        frexp(top, &shift);
        sumsq = scaled_sumsq(o, v, w->p->k, shift);
    }
    int e = sumsq > 0 && sumsq <= DBL_MAX ? exb_chain_exponent(sumsq) + shift : 0;
    bool fits = sumsq <= DBL_MAX && e > -1000 && e < 1000;
    s.factor[i] = fits ? ldexp(1, -e) : 1;
    s.scale[i] = fits ? ldexp(1, e) : 0;
    s.bound[i] = w->bound;
    s.lost[i] = 0;
}

enum { SCAN_VECTORS = 64 };

static void scan_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    int64_t n_row_tasks = (w->m + SCAN_VECTORS - 1) / SCAN_VECTORS;
    bool is_row = t < n_row_tasks;
    const exb_t(operand) *o = is_row ? &w->p->a : &w->p->b;
    int64_t begin = (is_row ? t : t - n_row_tasks) * SCAN_VECTORS;
    int64_t n = (is_row ? w->m : w->n) - begin, v0 = (is_row ? w->i0 : w->j0) + begin;
    side s = is_row ? w->rows : w->columns;
    n = n < SCAN_VECTORS ? n : SCAN_VECTORS;
    side at = {s.sumsq + begin,  s.largest + begin, s.factor + begin,
               s.scale + begin, s.bound + begin,   s.lost + begin};
    memset(at.sumsq, 0, (size_t)n * sizeof *at.sumsq);
    memset(at.largest, 0, (size_t)n * sizeof *at.largest);
    scan(o, v0, n, w->p->k, at);
    for (int64_t i = 0; i < n; i++)
        scale_vector(w, o, v0 + i, at, i);
}

/* --- pack ---------------------------------------------------------------- */

/* Strips of one operand from `begin`, n vectors. */
static void pack(const work *w, const exb_t(operand) * o, int64_t v0, int64_t n, int width,
                 const side *s, int64_t begin, double *out)
{
    exb_real buffer[EXB_GATHER_VECTORS * EXB_GATHER_TERMS];
    int64_t stride = w->panel * width;
    out += begin / width * stride;
    if (!o->gather) {
        exb_t(elements) x = exb_t(operand_at)(o, v0 + begin, n, w->l0, w->k, buffer);
        exb_t_kernels()->pack(width, n, w->k, x.p, x.vs, x.ls, s->factor + begin, out, stride,
                              s->lost + begin);
        return;
    }
    /* Element by element through a strip-wide buffer: gathered operands come in pieces. */
    for (int64_t v = 0; v < n; v += width)
        for (int64_t l = 0; l < w->k; l += EXB_GATHER_TERMS) {
            int64_t nv = n - v < width ? n - v : width;
            int64_t nl = w->k - l < EXB_GATHER_TERMS ? w->k - l : EXB_GATHER_TERMS;
            exb_real strip[EXB_MOST_WIDTH * EXB_GATHER_TERMS];
            for (int64_t g = 0; g < nv; g += EXB_GATHER_VECTORS) {
                int64_t ng = nv - g < EXB_GATHER_VECTORS ? nv - g : EXB_GATHER_VECTORS;
                o->gather(o->source, v0 + begin + v + g, ng, w->l0 + l, nl, strip + g * nl);
            }
            exb_t_kernels()->pack(width, nv, nl, strip, nl, 1, s->factor + begin + v,
                                  out + v / width * stride + l * width, stride,
                                  s->lost + begin + v);
        }
}

enum { PACK_VECTORS = 96 /* a multiple of every strip width */ };

static void pack_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    int64_t n_row_tasks = (w->m + PACK_VECTORS - 1) / PACK_VECTORS;
    bool is_row = t < n_row_tasks;
    int64_t begin = (is_row ? t : t - n_row_tasks) * PACK_VECTORS;
    int64_t left = (is_row ? w->m : w->n) - begin, n = left < PACK_VECTORS ? left : PACK_VECTORS;
    if (is_row)
        pack(w, &w->p->a, w->i0, n, w->kernels->chain_rows, &w->rows, begin, w->a);
    else
        pack(w, &w->p->b, w->j0, n, w->kernels->chain_cols, &w->columns, begin, w->b);
}

/* --- multiply ------------------------------------------------------------ */

typedef struct {
    int64_t i, j; /* in the block */
    int m, n;
} part;

static part part_at(const work *w, int64_t t)
{
    int64_t n_row_parts = (w->m + PART_ROWS - 1) / PART_ROWS;
    part q = {t % n_row_parts * PART_ROWS, t / n_row_parts * PART_COLUMNS, PART_ROWS, PART_COLUMNS};
    q.m = (int)(w->m - q.i < q.m ? w->m - q.i : q.m);
    q.n = (int)(w->n - q.j < q.n ? w->n - q.j : q.n);
    return q;
}

/* The chains of a part through the panel. */
static EXB_NOINLINE void advance(const work *w, part q, double *sums, double *lows, int64_t ld)
{
    int rows = w->kernels->chain_rows, cols = w->kernels->chain_cols;
    for (int j = 0; j < q.n; j += cols)
        for (int i = 0; i < q.m; i += rows)
            w->multiply(w->k, w->a + (q.i + i) / rows * (w->panel * rows),
                        w->b + (q.j + j) / cols * (w->panel * cols), sums + j * ld + i,
                        lows + j * ld + i, ld);
}

/* Rows and columns on the grid: the chains are exact. */
static void enclose(const work *w, part q, double *sums, double *lows, int64_t ld)
{
    double e[PART];
    for (int j = 0; j < q.n; j++) {
        double column = w->columns.lost[q.j + j] == 0 ? 0 : w->bound;
        for (int i = 0; i < q.m; i++) {
            double row = w->rows.lost[q.i + i] == 0 ? 0 : w->bound;
            sums[j * ld + i] -= w->anchor;
            e[j * ld + i] = row > column ? row : column;
        }
    }
    exb_block b = {w->i0 + q.i,
                   w->j0 + q.j,
                   q.m,
                   q.n,
                   (int)ld,
                   false,
                   sums,
                   lows,
                   e,
                   w->rows.scale + q.i,
                   w->columns.scale + q.j};
    w->p->take(w->p->output, &b);
}

static void start(const work *w, double *sums, double *lows, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        sums[i] = w->anchor;
        lows[i] = 0;
    }
}

static void multiply_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    part q = part_at(w, t);
    if (w->p->wanted && !w->p->wanted(w->p->output, w->i0 + q.i, q.m, w->j0 + q.j, q.n))
        return;
    double stack_sums[PART], stack_lows[PART];
    double *sums = w->sums ? w->sums + t * PART : stack_sums;
    double *lows = w->sums ? w->lows + t * PART : stack_lows;
    if (w->l0 == 0)
        start(w, sums, lows, PART);
    exb_fpenv env;
    exb_fpenv_enter_flushing(&env);
    advance(w, q, sums, lows, PART_ROWS);
    exb_fpenv_leave(&env);
    if (w->l0 + w->k == w->p->k)
        enclose(w, q, sums, lows, PART_ROWS);
}

/* --- blocks -------------------------------------------------------------- */

static int64_t tasks_of(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit;
}

static void run_block(work *w)
{
    int64_t most = tasks_of(w->m, SCAN_VECTORS) + tasks_of(w->n, SCAN_VECTORS);
    exb_parallel_for(w->n_threads, most, scan_task, w);
    int64_t n_packs = tasks_of(w->m, PACK_VECTORS) + tasks_of(w->n, PACK_VECTORS);
    int64_t n_parts = tasks_of(w->m, PART_ROWS) * tasks_of(w->n, PART_COLUMNS);
    for (w->l0 = 0; w->l0 < w->p->k; w->l0 += w->panel) {
        w->k = w->p->k - w->l0 < w->panel ? w->p->k - w->l0 : w->panel;
        exb_parallel_for(w->n_threads, n_packs, pack_task, w);
        exb_parallel_for(w->n_threads, n_parts, multiply_task, w);
    }
}

typedef struct {
    int64_t rows, columns, panel; /* of a block */
    size_t doubles;
} layout;

static layout layout_of(const exb_t(product) * p, int64_t rows, int64_t columns, int64_t panel)
{
    layout s = {rows, columns, panel, 0};
    int64_t padded = round_up(rows, PACK_VECTORS) + round_up(columns, PACK_VECTORS);
    int64_t parts = tasks_of(rows, PART_ROWS) * tasks_of(columns, PART_COLUMNS);
    s.doubles = (size_t)(padded * (SIDE_ARRAYS + panel) + (panel < p->k ? 2 * parts * PART : 0));
    return s;
}

/* Blocks of all of C if that is small; else large enough that packing is a few percent of the
 * work, in at most the workspace's limit. */
static layout choose_layout(const exb_t(product) * p, int n_threads)
{
    enum { PANEL = 2048, BLOCK = 480 };
    size_t limit = exb_memory_limit() / sizeof(double) * (size_t)n_threads;
    int64_t block = BLOCK * (n_threads > 16 ? 4 : n_threads > 4 ? 2 : 1), panel = PANEL;
    layout s;
    do {
        s = layout_of(p, p->m < block ? p->m : block, p->n < block ? p->n : block,
                      p->k < panel ? p->k : panel);
        if (block > PACK_VECTORS)
            block -= PACK_VECTORS;
        else
            panel /= 2;
    } while (s.doubles > limit && panel >= 64);
    return s;
}

static double *carve(double **free_part, int64_t n)
{
    double *p = *free_part;
    *free_part += n;
    return p;
}

static side carve_side(double **memory, int64_t n)
{
    side s;
    s.sumsq = carve(memory, n);
    s.largest = carve(memory, n);
    s.factor = carve(memory, n);
    s.scale = carve(memory, n);
    s.bound = carve(memory, n);
    s.lost = carve(memory, n);
    return s;
}

static void set_up(work *w, const layout *s, double *memory)
{
    int64_t rows = round_up(s->rows, PACK_VECTORS), columns = round_up(s->columns, PACK_VECTORS);
    w->panel = s->panel;
    w->a = carve(&memory, rows * s->panel);
    w->b = carve(&memory, columns * s->panel);
    w->rows = carve_side(&memory, rows);
    w->columns = carve_side(&memory, columns);
    w->sums = w->lows = NULL;
    if (s->panel < w->p->k) {
        int64_t n = tasks_of(s->rows, PART_ROWS) * tasks_of(s->columns, PART_COLUMNS) * PART;
        w->sums = carve(&memory, n);
        w->lows = carve(&memory, n);
    }
}

static void run_all(const exb_t(product) * p, const layout *s, int n_threads, double *memory)
{
    const exb_kernels *kernels = exb_kernels_current();
    bool anchored = !EXB_IS_S;
    work w = {.p = p, .kernels = kernels, .n_threads = n_threads};
    w.multiply = anchored ? kernels->chain_anchored : kernels->chain_plain;
    w.anchor = anchored ? EXB_CHAIN_ANCHOR : 0;
    w.bound = anchored ? exb_chain_bound_anchored(p->k) : exb_chain_bound_plain(p->k);
    set_up(&w, s, memory);
    for (w.j0 = 0; w.j0 < p->n; w.j0 += s->columns)
        for (w.i0 = 0; w.i0 < p->m; w.i0 += s->rows) {
            w.m = p->m - w.i0 < s->rows ? p->m - w.i0 : s->rows;
            w.n = p->n - w.j0 < s->columns ? p->n - w.j0 : s->columns;
            if (!p->wanted || p->wanted(p->output, w.i0, w.m, w.j0, w.n))
                run_block(&w);
        }
}

/* Small products need no allocation. */
static EXB_NOINLINE void run_on_stack(const exb_t(product) * p, const layout *s)
{
    double memory[EXB_STACK_DOUBLES];
    run_all(p, s, 1, memory);
}

bool exb_t(chain_run)(const exb_t(product) * p)
{
    if ((!EXB_IS_S && !exb_kernels_current()->chain_anchored) || p->k > EXB_CHAIN_MOST || p->k == 0)
        return false;
    double work_units = (double)p->m * (double)p->n * (double)p->k / 4;
    int n_threads = exb_partition_count(work_units, EXB_MAX_PARTS);
    layout s = choose_layout(p, n_threads);
    if (n_threads == 1 && s.doubles <= EXB_STACK_DOUBLES) {
        run_on_stack(p, &s);
        return true;
    }
    double *memory = exb_memory_get(s.doubles * sizeof(double));
    if (!memory)
        return false;
    run_all(p, &s, n_threads, memory);
    exb_memory_put(memory);
    return true;
}
