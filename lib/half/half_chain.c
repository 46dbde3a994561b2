/* The driver of chains of bfloat16: pack, multiply, round; what is left open, by itself.
 * Types: s. */
#include "half/half_chain.h"

#include "core/memory.h"
#include "core/partition.h"
#include "core/thread.h"
#include "element/column.h"
#include "half/half_product.h"
#include "level3/way.h"

enum {
    LEAST = 48,               /* rows, columns and terms, */
    LEAST_PRODUCTS = 1 << 19, /* else packing costs more than it saves */
    PANEL = 3 << 17, /* bytes of rows that go by a strip of columns, which stay in a cache */
    CHUNK = 16       /* strips of columns of a task */
};

/* The rows of A or the columns of B in a block, packed in strips of `width`. lines: each along
 * memory, itself or a copy. norm: upper bounds of norms (half_chain.h), 0 behind the last; unit:
 * all elements are multiples of 2^ it; filled: which parts are not all 0, a bit each. */
typedef struct {
    exb_half_vectors x, lines;
    int width;
    uint16_t *copy;
    uint32_t *packed;
    double *norm;
    int *unit;
    uint64_t *filled;
} side;

typedef struct {
    const exb_half_product *q;
    double alpha, beta, bound;
    const exb_half_chain *chain;
    int64_t k, n_pairs, panel; /* strips of rows of a task */
    side rows, columns;
    uint16_t *c;
    atomic_bool fits;
    exb_call_stats *stats;
} work;

/* --- packing ------------------------------------------------------------------- */

/* n vectors that lie across, or in any other way, as lines. */
static void copy_lines(const exb_half_vectors *x, int64_t v0, int64_t n, uint16_t *out)
{
    enum { TERMS = 16 };
    uint16_t few[TERMS][EXB_HALF_MOST_ROWS];
    for (int64_t l = 0; l < x->k; l += TERMS) {
        int64_t terms = exb_least(x->k - l, TERMS);
        for (int64_t t = 0; t < terms; t++) {
            const uint16_t *p = x->p + v0 * x->vs + (l + t) * x->ls;
            for (int64_t v = 0; v < n; v++)
                few[t][v] = p[v * x->vs];
        }
        for (int64_t v = 0; v < n; v++)
            for (int64_t t = 0; t < terms; t++)
                out[v * x->k + l + t] = few[t][v];
    }
}

/* Pairs of the first n <= width lines of x as a strip, with zeros behind them. */
static void pack_lines(const exb_half_vectors *x, int64_t n, int width, uint32_t *out)
{
    int64_t l = 0;
    uint32_t pair = 0;
    for (; l + 2 <= x->k; l += 2, out += width)
        for (int64_t v = 0; v < n; v++) {
            memcpy(&pair, x->p + v * x->vs + l, sizeof pair);
            out[v] = pair;
        }
    for (int64_t v = 0; l < x->k && v < n; v++) {
        memcpy(&pair, (uint16_t[2]){x->p[v * x->vs + l], 0}, sizeof pair);
        out[v] = pair;
    }
}

static const uint16_t *line_at(const side *s, int64_t v)
{
    return s->lines.p + v * s->lines.vs;
}

/* What is known of vector v. Bits that no element has at the end make the unit larger. */
static void look_at(work *w, side *s, int64_t v)
{
    const uint16_t *line = line_at(s, v);
    int64_t part = exb_most(exb_tasks_of(w->k, 64), 16);
    unsigned all = 0x80;
    s->filled[v] = 0;
    for (int64_t i = 0; i * part < w->k; i++) {
        uint16_t any = 0;
        for (int64_t l = i * part; l < exb_least(w->k, (i + 1) * part); l++)
            any |= line[l];
        s->filled[v] |= (uint64_t)((any & 0x7fff) != 0) << i;
        all |= any;
    }
    s->unit[v] = exb_half_unit(&s->lines, v) + __builtin_ctz(all);
    s->norm[v] = w->chain->norm(w->k, line) * (1 + 0x1p-30); /* above the norm */
    if (s->norm[v] != 0 && !(s->norm[v] >= EXB_HALF_NORM_LEAST && s->norm[v] <= EXB_HALF_NORM_MOST))
        w->fits = false;
}

static void pack_strip(work *w, side *s, int64_t g)
{
    int64_t v0 = g * s->width, n = exb_least(s->x.n - v0, s->width);
    uint32_t *packed = s->packed + v0 * w->n_pairs;
    if (s->copy)
        copy_lines(&s->x, v0, n, s->copy + v0 * w->k);
    memset(s->norm + v0, 0, (size_t)s->width * sizeof *s->norm);
    for (int64_t v = v0; v < v0 + n; v++)
        look_at(w, s, v);
    if (n < s->width)
        memset(packed, 0, (size_t)(w->n_pairs * s->width) * sizeof *packed);
    const exb_half_vectors lines = exb_half_from(&s->lines, v0, n);
    pack_lines(&lines, n, s->width, packed);
}

static void pack_task(void *ctx, int64_t t)
{
    work *w = ctx;
    int64_t n_rows = exb_tasks_of(w->rows.x.n, w->rows.width);
    if (t < n_rows)
        pack_strip(w, &w->rows, t);
    else
        pack_strip(w, &w->columns, t - n_rows);
}

/* --- elements that are open -------------------------------------------------------- */

/* As every element of such a product, to *c. */
static EXB_NOINLINE void decide_element(const work *w, int64_t i, int64_t j, uint16_t *c)
{
    const exb_half_vectors row = exb_half_from(&w->rows.lines, i, 1),
                           column = exb_half_from(&w->columns.lines, j, 1);
    exb_sproduct p = {.m = 1, .n = 1, .k = w->k, .method = exb_method_current()};
    p.a = exb_half_operand(&row, NULL);
    p.b = exb_half_operand(&column, NULL);
    const exb_line line = exb_sline((exb_complex){w->alpha, 0}, (exb_complex){w->beta, 0});
    float f = exb_half_decide(&p, 0, &line, w->beta != 0 ? exb_widen_bf16(*c) : 0, true);
    const exb_half_end end = {EXB_BF16, w->alpha, w->beta, &p, c, 1, 1};
    int unit[2];
    exb_half_finish(&end, &f, unit);
}

/* An element from its sum in doubles, which is off by at most e; true if that decides. e = 0: all
 * is decided that adds up without rounding. */
static bool round_sum(const work *w, double s, double e, double c, uint16_t *r)
{
    double p_rest, v_rest, q = w->beta != 0 ? w->beta * c : 0;
    double p = exb_two_prod(w->alpha, s, &p_rest), v = exb_two_sum(p, q, &v_rest);
    double off = fabs(w->alpha) * e * (1 + 0x1p-50) + 0x1p-51 * (fabs(p) + fabs(q)) + 0x1p-1000;
    *r = exb_narrow_bf16_d(v - off);
    if (*r == exb_narrow_bf16_d(v + off))
        return true;
    *r = v == 0 ? 0 : exb_narrow_bf16_d(v);
    return e == 0 && p_rest == 0 && v_rest == 0 && fabs(v) <= DBL_MAX;
}

/* Products are floats, or, by underflow, off by 2^-150, far less than 2^-53 of the norms; sums of
 * multiples of 2^u below 2^(u + 53) are exact, where u >= -127 since norms are no smaller. */
static void settle(const work *w, int64_t i, int64_t j, uint16_t *c)
{
    bool is_zero = !(w->rows.filled[i] & w->columns.filled[j]);
    double s = is_zero ? 0 : w->chain->dot(w->k, line_at(&w->rows, i), line_at(&w->columns, j));
    double size = w->rows.norm[i] * w->columns.norm[j];
    double old = w->beta != 0 ? exb_widen_bf16(*c) : 0;
    bool is_exact = is_zero || size <= ldexp(0x1p53, w->rows.unit[i] + w->columns.unit[j]);
    uint16_t r;
    if (round_sum(w, s, is_exact ? 0 : (double)(w->k + 3) * 0x1p-53 * size, old, &r)) {
        *c = r;
        return;
    }
    decide_element(w, i, j, c);
    exb_stats_count(w->stats, 0, 1);
}

/* --- blocks --------------------------------------------------------------------- */

/* n rows from row i on of column j, from their sums. */
static void end_column(const work *w, int64_t i, int64_t n, int64_t j, const double *s)
{
    uint16_t r[EXB_HALF_MOST_ROWS], *c = w->c + i + j * w->q->cs;
    double old[EXB_HALF_MOST_ROWS] = {0};
    exb_column q = {.h = s, .alpha = w->alpha, .beta = w->beta, .row_bound = w->rows.norm + i};
    q.col_bound = w->bound * w->columns.norm[j];
    q.c = w->beta != 0 ? old : NULL;
    for (int64_t t = 0; q.c && t < n; t++)
        old[t] = exb_widen_bf16(c[t]);
    uint64_t open = w->chain->end(&q, r) & exb_first_bits(n);
    for (uint64_t rest = open; rest; rest &= rest - 1)
        r[__builtin_ctzll(rest)] = c[__builtin_ctzll(rest)];
    memcpy(c, r, (size_t)n * sizeof *c);
    for (; open; open &= open - 1)
        settle(w, i + __builtin_ctzll(open), j, c + __builtin_ctzll(open));
}

/* Chains of floats are exact if all products are multiples of a unit 2^u, and sums below 2^(u +
 * 24). No number is subnormal then, for u >= -98 and the units of rows and columns >= -61, since
 * norms are no smaller. */
static void multiply_strips(const work *w, int64_t g, int64_t h)
{
    double s[EXB_HALF_MOST_ROWS * EXB_HALF_MOST_COLS], most = 0;
    const int64_t rows = w->chain->rows, cols = w->chain->cols, i = g * rows, j = h * cols;
    int64_t m = exb_least(rows, w->rows.x.n - i);
    const double *s_t = s;
    int unit = w->rows.unit[i];
    w->chain->sum(w->n_pairs, w->rows.packed + i * w->n_pairs, w->columns.packed + j * w->n_pairs,
                  s);
    for (int64_t t = i; t < i + m; t++) {
        most = w->rows.norm[t] > most ? w->rows.norm[t] : most;
        unit = w->rows.unit[t] < unit ? w->rows.unit[t] : unit;
    }
    for (int64_t t = j; t < exb_least(j + cols, w->columns.x.n); t++, s_t += rows)
        if (w->alpha == 1 && w->beta == 0 &&
            most * w->columns.norm[t] <= exb_pow2(24 + unit + w->columns.unit[t]))
            for (int64_t l = 0; l < m; l++)
                w->c[i + l + t * w->q->cs] = exb_narrow_bf16((float)s_t[l]);
        else
            end_column(w, i, m, t, s_t);
}

static int64_t chunks_of(const work *w)
{
    return exb_tasks_of(w->columns.x.n, CHUNK * w->chain->cols);
}

static void multiply_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    int64_t g0 = t / chunks_of(w) * w->panel, h0 = t % chunks_of(w) * CHUNK;
    int64_t g1 = exb_least(g0 + w->panel, exb_tasks_of(w->rows.x.n, w->chain->rows));
    int64_t h1 = exb_least(h0 + CHUNK, exb_tasks_of(w->columns.x.n, w->chain->cols));
    for (int64_t h = h0; h < h1; h++)
        for (int64_t g = g0; g < g1; g++)
            multiply_strips(w, g, h);
}

/* Bytes of a side; with memory, laid out there. */
static int64_t lay_out(side *s, int64_t n_pairs, char *memory)
{
    int64_t n = exb_round_up(exb_round_up(s->x.n, s->width), 8),
            at_norm = n * n_pairs * (int64_t)sizeof *s->packed;
    int64_t at_unit = at_norm + n * (int64_t)sizeof *s->norm;
    int64_t at_filled = at_unit + n * (int64_t)sizeof *s->unit;
    int64_t at_copy = at_filled + n * (int64_t)sizeof *s->filled;
    int64_t copied = s->x.ls == 1 ? 0 : s->x.n * s->x.k * (int64_t)sizeof *s->copy;
    if (memory) {
        s->packed = (uint32_t *)(void *)memory;
        s->norm = (double *)(void *)(memory + at_norm);
        s->unit = (int *)(void *)(memory + at_unit);
        s->filled = (uint64_t *)(void *)(memory + at_filled);
        s->copy = copied ? (uint16_t *)(void *)(memory + at_copy) : NULL;
        s->lines = s->x;
        if (copied)
            s->lines = (exb_half_vectors){EXB_BF16, s->copy, s->x.k, 1, s->x.n, s->x.k};
    }
    return exb_round_up(at_copy + copied, 64);
}

static bool are_worth_it(const work *w)
{
    bool is_any = exb_method_current()->filter && exb_method_current()->engine == EXB_ENGINE_ANY;
    int64_t m = w->rows.x.n, n = w->columns.x.n;
    return is_any && m >= LEAST && n >= LEAST && w->k >= LEAST && w->k < 1 << 20 &&
           (double)m * (double)n * (double)w->k >= LEAST_PRODUCTS && fabs(w->alpha) <= DBL_MAX &&
           fabs(w->beta) <= DBL_MAX;
}

/* False: some norm does not fit, or there is no memory. */
static bool multiply(work *w)
{
    int64_t n_a = lay_out(&w->rows, w->n_pairs, NULL), n_b = lay_out(&w->columns, w->n_pairs, NULL);
    int64_t n_strips = exb_tasks_of(w->rows.x.n, w->chain->rows);
    double products = (double)w->rows.x.n * (double)w->columns.x.n * (double)w->k;
    int n_threads = exb_partition_count(products / 8, EXB_MOST_RANGES);
    double most = 0.75 * (double)exb_memory_limit(); /* the block of floats may have the rest */
    char *memory = (double)n_a + (double)n_b <= most ? exb_memory_get((size_t)(n_a + n_b)) : NULL;
    if (!memory)
        return false;
    lay_out(&w->rows, w->n_pairs, memory);
    lay_out(&w->columns, w->n_pairs, memory + n_a);
    exb_parallel_for(n_threads, n_strips + exb_tasks_of(w->columns.x.n, w->chain->cols), pack_task,
                     w);
    w->panel = exb_most(PANEL / (w->n_pairs * w->chain->rows * (int64_t)sizeof(uint32_t)), 1);
    if (w->fits) {
        exb_note_way(w->stats, EXB_WAY_CHAIN);
        exb_stats_count(w->stats, w->rows.x.n * w->columns.x.n, 0);
        exb_parallel_for(n_threads, exb_tasks_of(n_strips, w->panel) * chunks_of(w), multiply_task,
                         w);
    }
    exb_memory_put(memory);
    return w->fits;
}

bool exb_half_chains(const exb_half_product *q, double alpha, double beta, exb_block b,
                     exb_call_stats *stats)
{
    work w = {.q = q, .alpha = alpha, .beta = beta, .k = q->a.k, .stats = stats, .fits = true};
    w.chain = exb_half_chain_current();
    w.rows = (side){.x = exb_half_from(&q->a, b.i0, b.m), .width = w.chain->rows};
    w.columns = (side){.x = exb_half_from(&q->b, b.j0, b.n), .width = w.chain->cols};
    if (!q->is_half || q->a.kind != EXB_BF16 || !are_worth_it(&w))
        return false;
    w.n_pairs = exb_tasks_of(w.k, 2);
    w.bound = fabs(alpha) * exb_half_bound(w.k) * (1 + 0x1p-19);
    w.c = (uint16_t *)q->c + b.i0 + b.j0 * q->cs;
    return multiply(&w);
}
