/* A matrix of 16-bit numbers times a vector. Kernels of plain sums (plain.h) read the matrix where
 * it lies, half as many bytes as floats have. The vector is widened, if there is memory.
 *
 * Many sums of numbers of few bits are ties of floats, which no bound decides; but most of them are
 * known exactly. All products are multiples of a 2^u, which follows from the least numbers of the
 * row and of the vector. So are all sums, and one that an addition rounded is at least 2^(u + 53).
 * Types: s. */
#include "core/arith/plain.h"
#include "core/memory.h"
#include "core/thread.h"
#include "element/decide.h"
#include "half/half_product.h"

enum {
    SHORT = 2048, /* terms whose vector lies on the stack */
    TALL = 1024   /* rows of a task, at most */
};

/* x: the vector as floats; NULL: rows are decided one by one, as those whose elements are apart. */
typedef struct {
    exb_half_product q;
    exb_line line;
    const float *x;
    int64_t height;
    exb_call_stats *stats;
} work;

/* e = 0 of the rows in `open` whose sums were not rounded. e is at least (k + 3) 2^-53 times the
 * largest, which in lanes is the sum of their largest but for roundings, hence the factor 1/2. */
static EXB_NOINLINE void know_exactly(const work *w, const exb_half_vectors *a, uint64_t open,
                                      double *e)
{
    double most = (double)(a->k + 3) * ldexp(0.5, exb_half_unit(&w->q.a, 0));
    for (; open; open &= open - 1) {
        int i = __builtin_ctzll(open);
        if (e[i] <= ldexp(most, exb_half_unit(a, i)))
            e[i] = 0;
    }
}

/* The rows' sums s +- e, to arrays of whole vectors. */
static void sum_rows(const work *w, const exb_half_vectors *a, double *s, double *e)
{
    const exb_numbers of = a->kind == EXB_BF16 ? EXB_OF_B : EXB_OF_H;
    int64_t whole = exb_round_up(a->n, 8);
    bool by_rows = a->vs != 1, is_group = a->n >= EXB_ROW_GROUP;
    memset(s, 0, (size_t)whole * sizeof *s);
    memset(e, 0, (size_t)whole * sizeof *e);
    if (!by_rows)
        exb_t_kernels()->plain_sweep(of, a->n, a->k, a->p, a->ls, w->x, s, e);
    else if (is_group)
        exb_t_kernels()->plain_rows(of, a->n, a->k, a->p, a->vs, 0, w->x, NULL, s, e);
    for (int64_t i = 0; by_rows && !is_group && i < a->n; i++) /* of few: one, several times */
        exb_t_kernels()->plain_rows(of, EXB_ROW_GROUP, a->k, a->p + i * a->vs, 0, 0, w->x, NULL,
                                    s + i, e + i);
    for (int64_t i = 0; !by_rows && i < whole; i++)
        e[i] = exb_plain_enclosure(s[i], e[i], a->k).e;
}

/* At most EXB_DECIDED rows, to c. */
static void finish_rows(const work *w, const exb_half_vectors *a, const double *s, double *e,
                        void *c)
{
    static const double zeros[EXB_DECIDED];
    const exb_half_product *q = &w->q;
    bool has_old = w->line.beta.re != 0;
    int n = (int)a->n, unit[EXB_DECIDED + 1];
    float f[EXB_DECIDED];
    double old[EXB_DECIDED];
    uint64_t open = ~(uint64_t)0 >> (64 - n);
    exb_sproduct p = {.m = n, .n = 1, .k = a->k, .method = exb_method_current()};
    const exb_selements x = {w->x, 0, 1};
    p.a = exb_half_operand(a, NULL);
    p.b = exb_half_operand(&q->a, w->x ? &x : NULL);
    if (has_old && q->is_half)
        exb_half_widen(q->a.kind, n, c, q->cs, f, 1);
    for (int i = 0; has_old && i < exb_round_up(n, 8); i++)
        old[i] = i >= n ? 0 : q->is_half ? f[i] : ((float *)c)[i * q->cs];
    for (int try = 0; w->x && open && try < 2; try++) {
        exb_column column = {.h = s, .l = zeros, .e = e};
        if (try > 0)
            know_exactly(w, a, open, e);
        open = exb_sdecide_column(&w->line, n, &column, old, f);
    }
    exb_stats_count(w->stats, n, __builtin_popcountll(open));
    for (; open; open &= open - 1) {
        int64_t i = __builtin_ctzll(open);
        f[i] = exb_half_decide(&p, i, &w->line, has_old ? old[i] : 0, !w->x || a->k > SHORT);
    }
    const exb_half_end end = {q->a.kind, w->line.alpha.re, w->line.beta.re, &p, c, q->cs, 0};
    if (q->is_half)
        exb_half_finish(&end, f, unit);
    for (int i = 0; !q->is_half && i < n; i++)
        ((float *)c)[i * q->cs] = f[i];
}

static void rows_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    const exb_half_product *q = &w->q;
    const int64_t bytes = q->is_half ? sizeof(uint16_t) : sizeof(float);
    double s[TALL + 16], e[TALL]; /* not a multiple of 4 KiB apart */
    int64_t at = t * w->height, n = exb_least(q->b.n - at, w->height);
    exb_half_vectors a = exb_half_from(&q->b, at, n);
    if (w->x)
        sum_rows(w, &a, s, e);
    for (int64_t i = 0; i < n; i += EXB_DECIDED) {
        a = exb_half_from(&q->b, at + i, exb_least(n - i, EXB_DECIDED));
        finish_rows(w, &a, s + i, e + i, (char *)q->c + (at + i) * q->cs * bytes);
    }
}

void exb_half_multiply_vector(void *product, exb_call_stats *stats)
{
    static const uint16_t nothing;
    const exb_half_product *q = product;
    const exb_complex alpha = {exb_half_scalar(q, q->alpha), 0},
                      beta = {exb_half_scalar(q, q->beta), 0};
    work w = {.q = *q, .line = exb_sline(alpha, beta), .stats = stats};
    float few[SHORT], *many = NULL, *x = few;
    bool is_empty = alpha.re == 0 || q->a.k == 0;
    if (is_empty && beta.re == 1)
        return;
    if (is_empty) { /* neither A nor x nor alpha counts */
        w.q.a = w.q.b = (exb_half_vectors){q->a.kind, &nothing, 0, 0, q->b.n, 0};
        w.line.alpha.re = 1;
    }
    const int64_t k = w.q.a.k;
    if (k > SHORT) {
        bool fits = (double)k * sizeof *x <= (double)exb_memory_limit() / 4;
        x = many = fits ? exb_memory_get((size_t)k * sizeof *x) : NULL;
    }
    if (x && exb_method_current()->filter && (w.q.b.ls == 1 || w.q.b.vs == 1))
        w.x = x;
    if (w.x)
        exb_half_widen(w.q.a.kind, k, w.q.a.p, w.q.a.ls, x, 1);
    int n_threads =
        exb_partition_count((double)q->b.n * (double)(k + 1), exb_tasks_of(q->b.n, EXB_DECIDED));
    w.height = exb_least(TALL, exb_round_up(exb_tasks_of(q->b.n, n_threads), EXB_DECIDED));
    exb_parallel_for(n_threads, exb_tasks_of(q->b.n, w.height), rows_task, &w);
    exb_memory_put(many);
}
