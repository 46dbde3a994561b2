/* A matrix of 16-bit numbers times a vector, widened inside the second-level cache: memory is read
 * once, half as many bytes as floats have. Rows that are contiguous are widened in strips; of
 * contiguous columns a few at a time are added to plain sums (plain.h).
 * Types: s. */
#include "core/arith/plain.h"
#include "core/memory.h"
#include "core/thread.h"
#include "element/line.h"
#include "half/half_product.h"
#include "level2/vector_product.h"

typedef struct {
    const exb_half_product *q;
    double alpha, beta;
    const float *x;
    bool is_tall;
    int64_t height;
    exb_call_stats *stats;
} work;

enum {
    STRIP = 1 << 16, /* elements, 256 KB */
    LEAST_ROWS = 8,
    TALL = 512, /* rows of contiguous columns, at most, and where threads share few of them */
    LEAST_TALL = 64,
    COLUMNS = 16,  /* that are widened at once */
    SESSION = 2048 /* columns of a plain sum */
};

static bool is_tall(const exb_half_vectors *a)
{
    return a->vs == 1 && a->n * a->k > STRIP / 4 && exb_method_current()->filter;
}

static int64_t strip_height(const exb_half_vectors *a, bool tall_rows)
{
    if (tall_rows) {
        int64_t most = exb_tasks_of(a->n, LEAST_TALL);
        int parts = exb_partition_count((double)a->n * (double)a->k, most);
        return exb_least(TALL, exb_round_up(exb_tasks_of(a->n, parts), LEAST_TALL));
    }
    return exb_least(exb_most(STRIP / a->k & -LEAST_ROWS, LEAST_ROWS), a->n);
}

/* n elements that come next, while others are multiplied. */
static void prefetch(const uint16_t *p, int64_t n)
{
    for (int64_t i = 0; i < n; i += 64 / (int64_t)sizeof *p)
        __builtin_prefetch(p + i);
}

/* The elements of a strip from their floats at y. */
static void finish_strip(const work *w, exb_soperand a, int64_t n, uint16_t *c, float *y, int *unit)
{
    int64_t k = w->q->a.k;
    exb_sproduct p = {.m = n, .n = 1, .k = k, .method = exb_method_current(), .stats = w->stats};
    p.a = a;
    p.b = (exb_soperand){.in_place = {w->x, k, 1}};
    const exb_half_end end = {w->q->a.kind, w->alpha, w->beta, &p, c, w->q->cs, 0};
    exb_half_finish(&end, y, unit);
}

static void multiply_strip(const work *w, const exb_half_vectors *rows, int64_t at, float *memory)
{
    const exb_half_product *q = w->q;
    for (int64_t v = at + rows->n; rows->ls == 1 && v < exb_least(q->b.n, at + 2 * rows->n); v++)
        prefetch(q->b.p + v * q->b.vs, rows->k);
    exb_selements a = exb_half_widen_vectors(rows, memory);
    exb_view view = {.rs = a.vs, .cs = a.ls};
    exb_smatrix matrix = exb_sfull_matrix(a.p, view, rows->n, rows->k, false);
    float *y = q->is_half ? memory + rows->n * rows->k : (float *)q->c + at * q->cs;
    uint16_t *c = q->is_half ? (uint16_t *)q->c + at * q->cs : NULL;
    if (c && w->beta != 0)
        exb_half_widen(q->a.kind, rows->n, c, q->cs, y, 1);
    exb_svector_product(&matrix, (exb_complex){w->alpha, 0}, (exb_svector){w->x, 1},
                        (exb_complex){w->beta, 0}, y, c ? 1 : q->cs);
    if (c)
        finish_strip(w, (exb_soperand){.in_place = a}, rows->n, c, y, (int *)(void *)(y + rows->n));
}

/* --- contiguous columns ------------------------------------------------------- */

typedef struct {
    exb_enclosure v[TALL];
    double s[TALL], peak[TALL];
    float columns[COLUMNS * TALL], y[TALL];
    int unit[TALL + 1];
} tall;

/* Columns l0 ... l1 - 1, at most SESSION. */
static void sweep_columns(const work *w, const exb_half_vectors *a, int64_t l0, int64_t l1, tall *t)
{
    memset(t->s, 0, sizeof t->s);
    memset(t->peak, 0, sizeof t->peak);
    for (int64_t l = l0; l < l1; l += COLUMNS) {
        int64_t n = exb_least(COLUMNS, l1 - l);
        for (int64_t i = 0; i < n; i++) {
            const uint16_t *column = a->p + (l + i) * a->ls;
            if (l + i + COLUMNS < a->k)
                prefetch(column + COLUMNS * a->ls, a->n);
            exb_half_widen(a->kind, a->n, column, 1, t->columns + i * TALL, 1);
        }
        exb_t_kernels()->plain_sweep(EXB_OF_REALS, a->n, n, t->columns, TALL, w->x + l, t->s,
                                     t->peak);
    }
    for (int64_t i = 0; i < a->n; i++)
        t->v[i] = exb_enclosure_add(t->v[i], exb_plain_enclosure(t->s[i], t->peak[i], l1 - l0));
}

/* Rows that enclosures do not decide are products of one row. */
static void round_rows(const work *w, const exb_half_vectors *a, const tall *t, float *y,
                       int64_t incy)
{
    const exb_line line = exb_sline((exb_complex){w->alpha, 0}, (exb_complex){w->beta, 0});
    const float alpha = (float)w->alpha, beta = (float)w->beta;
    exb_half_product row = {.a = w->q->a, .alpha = &alpha, .beta = &beta, .cs = 1};
    int64_t n_open = 0;
    for (int64_t i = 0; i < a->n; i++) {
        float r, *c = y + i * incy, old = w->beta != 0 ? *c : 0;
        if (!exb_sline_round(&line, false, &t->v[i], (exb_complex){old, 0}, &r)) {
            *c = r;
            continue;
        }
        n_open++;
        row.b = exb_half_from(a, i, 1);
        row.c = c;
        exb_half_multiply(&row, w->stats);
    }
    exb_stats_count(w->stats, a->n - n_open, 0); /* open ones count themselves */
}

static void multiply_tall(const work *w, const exb_half_vectors *a, int64_t at, tall *t)
{
    const exb_half_product *q = w->q;
    uint16_t *c = q->is_half ? (uint16_t *)q->c + at * q->cs : NULL;
    float *y = c ? t->y : (float *)q->c + at * q->cs;
    for (int64_t i = 0; i < a->n; i++)
        t->v[i] = exb_enclosure_exact(0);
    for (int64_t l = 0; l < a->k; l += SESSION)
        sweep_columns(w, a, l, exb_least(l + SESSION, a->k), t);
    if (c && w->beta != 0)
        exb_half_widen(q->a.kind, a->n, c, q->cs, y, 1);
    round_rows(w, a, t, y, c ? 1 : q->cs);
    if (c)
        finish_strip(w, exb_half_operand(a, NULL), a->n, c, y, t->unit);
}

/* --- strips ------------------------------------------------------------------- */

static void strip_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    exb_half_product part = *w->q;
    int64_t at = t * w->height, n = exb_least(part.b.n - at, w->height);
    part.b = exb_half_from(&part.b, at, n);
    void *memory = exb_memory_get(w->is_tall ? sizeof(tall)
                                             : (size_t)(n * part.b.k + 2 * n + 1) * sizeof(float));
    if (memory && w->is_tall) {
        multiply_tall(w, &part.b, at, memory);
    } else if (memory) {
        multiply_strip(w, &part.b, at, memory);
    } else {
        part.c = part.is_half ? (void *)((uint16_t *)part.c + at * part.cs)
                              : (void *)((float *)part.c + at * part.cs);
        exb_half_multiply(&part, w->stats);
    }
    exb_memory_put(memory);
}

void exb_half_multiply_vector(void *product, exb_call_stats *stats)
{
    const exb_half_product *q = product;
    int64_t k = q->a.k;
    work w = {.q = q, .is_tall = k > 0 && is_tall(&q->b), .stats = stats};
    w.alpha = exb_half_scalar(q, q->alpha);
    w.beta = exb_half_scalar(q, q->beta);
    w.height = k > 0 ? strip_height(&q->b, w.is_tall) : 1;
    size_t bytes = (size_t)k * sizeof(float);
    double more = w.is_tall ? sizeof(tall) : (double)bytes * (double)w.height;
    bool fits = more + (double)bytes <= (double)exb_memory_limit() / 4;
    float *x = w.alpha != 0 && k > 0 && fits ? exb_memory_get(bytes) : NULL;
    if (!x) {
        exb_half_multiply(product, stats);
        return;
    }
    exb_half_widen(q->a.kind, k, q->a.p, q->a.ls, x, 1);
    w.x = x;
    int64_t n_strips = exb_tasks_of(q->b.n, w.height);
    exb_parallel_for(exb_partition_count((double)q->b.n * (double)k, n_strips), n_strips,
                     strip_task, &w);
    exb_memory_put(x);
}
