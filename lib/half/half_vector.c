/* A matrix of 16-bit numbers times a vector, in strips that are widened inside the second-level
 * cache: memory is read once, half as many bytes as floats have.
 * Types: s. */
#include "core/memory.h"
#include "core/thread.h"
#include "half/half_product.h"
#include "level2/vector_product.h"

typedef struct {
    const exb_half_product *q;
    double alpha, beta;
    const float *x;
    int64_t height;
    exb_call_stats *stats;
} work;

enum {
    STRIP = 1 << 16, /* elements, 256 KB */
    LEAST_ROWS = 8,
    LEAST_LINE = 256 /* elements of lines across the rows: four lines of memory */
};

static int64_t strip_height(const exb_half_vectors *a)
{
    int64_t least = a->vs == 1 ? LEAST_LINE : LEAST_ROWS;
    return exb_least(exb_most(STRIP / a->k & -LEAST_ROWS, least), a->n);
}

/* The elements of a strip from their floats at y. */
static void finish_strip(const work *w, exb_selements a, int64_t n, uint16_t *c, float *y)
{
    int64_t k = w->q->a.k;
    exb_sproduct p = {.m = n, .n = 1, .k = k, .method = exb_method_current(), .stats = w->stats};
    p.a = (exb_soperand){.in_place = a};
    p.b = (exb_soperand){.in_place = {w->x, k, 1}};
    const exb_half_end end = {w->q->a.kind, w->alpha, w->beta, &p, c, w->q->cs, 0};
    exb_half_finish(&end, y, (int *)(void *)(y + n));
}

static void multiply_strip(const work *w, const exb_half_vectors *rows, int64_t at, float *memory)
{
    const exb_half_product *q = w->q;
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
        finish_strip(w, a, rows->n, c, y);
}

static void strip_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    exb_half_product part = *w->q;
    int64_t at = t * w->height, n = exb_least(part.b.n - at, w->height);
    part.b = exb_half_from(&part.b, at, n);
    float *memory = exb_memory_get((size_t)(n * part.b.k + 2 * n + 1) * sizeof *memory);
    if (memory) {
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
    work w = {q, exb_half_scalar(q, q->alpha), exb_half_scalar(q, q->beta), NULL, 0, stats};
    int64_t k = q->a.k;
    w.height = k > 0 ? strip_height(&q->b) : 1;
    size_t bytes = (size_t)k * sizeof(float);
    bool fits = (double)bytes * (double)(w.height + 1) <= (double)exb_memory_limit() / 4;
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
