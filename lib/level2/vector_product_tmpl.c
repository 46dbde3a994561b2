/* Patterns times vectors: filter, certify, exact for blocks of rows.
 * Types: s d c z. */
#include "level2/vector_product.h"

#include "core/memory.h"
#include "core/thread.h"
#include "level2/few_rows.h"
#include "level2/kernels/column.h"
#include "observe/stats.h"

/* Rows begin ... end - 1; row i goes to y[EXB_PARTS * (i - begin) * incy]. */
typedef struct {
    const exb_t(matrix) *a;
    bool is_scaled; /* false: the sums themselves; 1 + 0i times an infinite part is NaN */
    exb_complex alpha, beta;
    exb_t(vector) x;
    int64_t begin, end;
    exb_real *y;
    int64_t incy;
    const exb_method *method;
    int height; /* rows of a block */
    exb_call_stats *stats;
} problem;

static void exact_parts(const problem *p, int64_t i, exb_complex old, const bool *done, exb_real *r)
{
    exb_t(exact) sum;
    exb_t(exact_zero)(&sum);
    exb_t(pattern_row_exact)(p->a, i, p->x, p->method, &sum);
    for (int k = 0; k < EXB_PARTS; k++)
        if (!done[k])
            r[k] = p->is_scaled ? exb_t(affine_exact)(k, p->alpha, &sum, p->beta, old)
                                : exb_round_superacc(&sum.part[k].acc);
}

static bool round_part(const problem *p, int k, const exb_t(value) *v, exb_complex old, exb_real *r)
{
    return exb_round_enclosure(
        p->is_scaled ? exb_t(affine)(k, p->alpha, v, p->beta, old) : v->part[k], r);
}

#if EXB_IS_COMPLEX
static bool triple_row(const problem *p, int64_t i, exb_complex old, exb_real *r)
{
    (void)p, (void)i, (void)old, (void)r;
    return false;
}
#else
enum { FEW_TERMS = 24 };

/* A few products, which are often the sum of two doubles exactly, with nothing lost on the way: a
 * tie, or short numbers. Unknown otherwise. */
static exb_enclosure sum_of_few(const exb_t(reduction) *row)
{
    double h = 0, l = 0, lost = 0;
    for (int64_t j = 0; j < row->n; j++) {
        double a = row->x[j * row->incx], b = row->y[j * row->incy], r, e, e1, e2;
        double p = exb_two_prod(a, b, &e);
        if (p == 0 ? a != 0 && b != 0 : !exb_product_in_range(p))
            return exb_enclosure_unknown();
        h = exb_two_sum(h, p, &r);
        r = exb_two_sum(r, e, &e1);
        l = exb_two_sum(l, r, &e2);
        lost += fabs(e1) + fabs(e2);
    }
    return lost == 0 ? (exb_enclosure){h, l, 0, true} : exb_enclosure_unknown();
}

/* Row i of a general matrix if three-part sums decide it: they are quicker with ties, which are
 * most of what is left of short sums. True if *r means something. */
static bool triple_row(const problem *p, int64_t i, exb_complex old, exb_real *r)
{
    const exb_pattern *t = &p->a->pattern;
    const exb_view *v = &t->piece[0].view;
    if (!exb_pattern_is_general(t) || v->drs != 0 || v->dcs != 0)
        return false;
    exb_t(reduction) row =
        exb_t(dot_of)(t->n_cols, p->a->p + exb_view_at(*v, i, 0), v->cs, p->x.p, p->x.inc);
    exb_t(value) sum = {{row.n <= FEW_TERMS ? sum_of_few(&row) : exb_enclosure_unknown()}};
    if (!sum.part[0].exact)
        sum.part[0] = exb_t(reduce_triple)(&row);
    return round_part(p, 0, &sum, old, r);
}
#endif

/* Row i from what the filter knows of it, NULL for nothing. */
static void finish_row(const problem *p, int64_t i, const exb_t(value) *v)
{
    exb_real *y = p->y + EXB_PARTS * (i - p->begin) * p->incy;
    exb_complex old = {0, 0};
    exb_real r[EXB_PARTS];
    bool done[EXB_PARTS] = {false}, all_done = true;
    if (!exb_is_zero(p->beta))
        old = exb_t(load)(y);
    for (int k = 0; k < EXB_PARTS; k++) {
        done[k] = v && round_part(p, k, v, old, &r[k]);
        all_done = all_done && done[k];
    }
    if (!all_done && !(v && triple_row(p, i, old, r))) {
        exact_parts(p, i, old, done, r);
        exb_stats_count(p->stats, 0, 1);
    }
    memcpy(y, r, sizeof r);
}

/* Reals that the finish kernel takes at once, and their rows. */
enum { FINISHED = 64, FINISHED_ROWS = FINISHED / EXB_PARTS };

static bool is_real_and_finite(exb_complex a)
{
    return a.im == 0 && fabs(a.re) <= DBL_MAX;
}

/* The values of n rows and what stands in y, as the kernel takes them. An error of 0 would tell it
 * that the value is exact. */
static void lay_out_rows(const problem *p, int64_t first, int n, const exb_t(value) *v,
                         double (*lane)[FINISHED])
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < EXB_PARTS; k++) {
            const exb_enclosure *part = &v[i].part[k];
            int at = EXB_PARTS * i + k;
            lane[0][at] = part->h;
            lane[1][at] = part->l;
            lane[2][at] = part->exact ? 0 : part->e > DBL_MIN ? part->e : DBL_MIN;
            if (!exb_is_zero(p->beta))
                lane[3][at] = p->y[EXB_PARTS * (first + i - p->begin) * p->incy + k];
        }
    for (int at = EXB_PARTS * n; at % 8 != 0; at++)
        lane[0][at] = lane[1][at] = lane[2][at] = lane[3][at] = 0;
}

/* Rounds the parts of n rows to r; returns those that are not certified, a bit each. */
static uint64_t round_rows(const problem *p, int64_t first, int n, const exb_t(value) *v,
                           exb_real *r)
{
    double lane[4][FINISHED];
    bool scaled = p->is_scaled;
    lay_out_rows(p, first, n, v, lane);
    exb_column column = {.h = lane[0], .l = lane[1], .e = lane[2]};
    column.alpha = scaled ? p->alpha.re : 1;
    column.beta = scaled ? p->beta.re : 0;
    column.c = lane[3];
    uint64_t uncertified = exb_kernels_current()->EXB_PART.finish(EXB_PARTS * n, &column, r);
    /* 0 times a part that is not finite counts, too. */
    const uint64_t even = 0x5555555555555555;
    return EXB_IS_COMPLEX ? uncertified | (uncertified & even) << 1 | (uncertified >> 1 & even)
                          : uncertified;
}

/* n rows from what the filter knows of them: together, then one by one what that leaves. */
static void finish_rows(const problem *p, int64_t first, int n, const exb_t(value) *v)
{
    exb_real r[FINISHED];
    uint64_t uncertified = ~(uint64_t)0;
    if (!p->is_scaled || (is_real_and_finite(p->alpha) && is_real_and_finite(p->beta)))
        uncertified = round_rows(p, first, n, v, r);
    for (int i = 0; i < n; i++)
        if (uncertified >> (EXB_PARTS * i) & 1)
            finish_row(p, first + i, &v[i]);
        else
            memcpy(p->y + EXB_PARTS * (first + i - p->begin) * p->incy, r + EXB_PARTS * i,
                   EXB_PARTS * sizeof *r);
}

/* Rows first ... first + m - 1, each by itself. */
static void filter_strip(const problem *p, int64_t first, int m, exb_t(value) *v)
{
    for (int i = 0; i < m; i++)
        v[i] = exb_t(value_zero)();
    exb_t(filter_rows)(p->a, first, m, p->x, v, NULL, NULL, NULL);
    for (int i = 0; i < m; i += FINISHED_ROWS)
        finish_rows(p, first + i, (int)exb_least(FINISHED_ROWS, m - i), v + i);
}

/* The same for m <= EXB_TALL_ROWS: at once, or in strips if there is no memory. */
static EXB_NOINLINE void filter_block(const problem *p, int64_t first, int m)
{
    enum { STRIP = 256 / EXB_PARTS };
    exb_t(value) few[STRIP], *many = NULL;
    if (m > STRIP)
        many = exb_memory_get((size_t)m * sizeof *many);
    int step = many ? m : STRIP;
    for (int i = 0; i < m; i += step)
        filter_strip(p, first + i, (int)exb_least(step, m - i), many ? many : few);
    exb_memory_put(many);
}

#if EXB_IS_COMPLEX
static bool compute_few_rows(const problem *p)
{
    (void)p;
    return false;
}

static bool columns_block(const problem *p, int64_t first, int m)
{
    (void)p, (void)first, (void)m;
    return false;
}
#else
/* Row i by itself, to r, where its old value is. */
static void compute_row(const problem *p, int64_t i, exb_real *r)
{
    exb_real result;
    if (triple_row(p, i, exb_t(load)(r), &result)) {
        *r = result;
        return;
    }
    problem row = *p;
    row.begin = i;
    row.y = r;
    row.incy = 1;
    row.stats = NULL; /* counted by now */
    exb_t(value) v;
    filter_strip(&row, i, 1, &v);
}

static void store_rows(int64_t n, const exb_real *r, exb_real *y, int64_t incy)
{
    for (int64_t i = 0; i < n; i++)
        y[i * incy] = r[i];
}

/* All rows of a small matrix; false if there is more to it. */
static EXB_NOINLINE bool compute_few_rows_in(const problem *p, exb_t(few_room) room)
{
    exb_real *r = room.r;
    uint64_t uncertified[EXB_FEW_WORDS];
    int count = exb_t(multiply_few_rows)(p->a, p->alpha.re, p->x, p->beta.re, p->y, p->incy, room,
                                         uncertified);
    if (count > 0)
        exb_stats_count(p->stats, 0, count);
    for (int64_t i = 0; i < p->end && count > 0; i++)
        if (uncertified[i / 64] >> (i % 64) & 1) {
            r[i] = exb_is_zero(p->beta) ? 0 : p->y[i * p->incy];
            compute_row(p, i, &r[i]);
        }
    if (count >= 0)
        store_rows(p->end, r, p->y, p->incy);
    return count >= 0;
}

/* The same, false without memory for many rows, too. Not inlined: the ways that come after it have
 * its stack for themselves. */
static EXB_NOINLINE bool compute_few_rows(const problem *p)
{
    enum { ON_STACK = 256 };
    double few[EXB_FEW_ROOM(ON_STACK)];
    int64_t m = p->a->pattern.n_rows;
    if (m <= ON_STACK)
        return compute_few_rows_in(p, exb_t(few_room_of)(few, ON_STACK));
    double *many =
        m <= EXB_TRIANGLE_ROWS ? exb_memory_get(EXB_FEW_ROOM((size_t)m) * sizeof *many) : NULL;
    bool done = many && compute_few_rows_in(p, exb_t(few_room_of)(many, m));
    exb_memory_put(many);
    return done;
}

/* Columns that are contiguous and short enough for lanes: of a small matrix's kernels. */
static bool has_short_columns(const exb_pattern *t)
{
    const exb_view *v = &t->piece[0].view;
    return exb_pattern_is_general(t) && v->rs == 1 && v->drs == 0 && v->dcs == 0 &&
           t->n_cols <= 1 << EXB_ANCHOR_NU;
}

/* The rows of a block as a small matrix, whose rows cost less beside their products; false if it is
 * not one of those that can be done so. */
static bool columns_block(const problem *p, int64_t first, int m)
{
    _Static_assert((int)EXB_TALL_ROWS <= (int)EXB_TRIANGLE_ROWS, "what is computed at once");
    const exb_pattern *t = &p->a->pattern;
    if (!has_short_columns(t))
        return false;
    exb_view v = exb_view_from(t->piece[0].view, first, 0);
    exb_t(matrix) rows = {p->a->p, exb_pattern_band(v, m, t->n_cols, m, t->n_cols, false)};
    problem part = *p;
    part.a = &rows;
    part.begin = 0;
    part.end = m;
    part.y += (first - p->begin) * p->incy;
    return compute_few_rows(&part);
}
#endif

static void row_block(void *ctx, int64_t block)
{
    const problem *p = ctx;
    int64_t first = p->begin + block * p->height;
    int m = (int)exb_least(p->height, p->end - first);
    if (p->method->filter) {
        if (!columns_block(p, first, m))
            filter_block(p, first, m);
        return;
    }
    for (int i = 0; i < m; i++)
        finish_row(p, first + i, NULL);
}

static double count_elements(const exb_pattern *t, int64_t n_rows)
{
    double width = 0;
    for (int k = 0; k < t->n_pieces; k++) {
        double diagonals = (double)t->piece[k].below + (double)t->piece[k].above + 1;
        width += fmin(diagonals, (double)t->n_cols);
    }
    return width * (double)n_rows;
}

/* Tall blocks, whose columns are read in long runs, if there are enough for all threads. */
static int block_height(const problem *p, double work)
{
    int64_t m = p->end - p->begin;
    int n_ranges = exb_partition_count(work, exb_tasks_of(m, EXB_PANEL_ROWS));
    int64_t blocks = exb_tasks_of(m / n_ranges, EXB_PANEL_ROWS);
    const int64_t most = EXB_TALL_ROWS / EXB_PANEL_ROWS;
    return EXB_PANEL_ROWS * (int)exb_least(exb_most(blocks, 1), most);
}

static void compute_rows(problem *p)
{
    double work = EXB_PARTS * EXB_PARTS * count_elements(&p->a->pattern, p->end - p->begin);
    p->height = block_height(p, work);
    int64_t n_blocks = exb_tasks_of(p->end - p->begin, p->height);
    exb_parallel_for(exb_partition_count(work, n_blocks), n_blocks, row_block, p);
}

/* One thread is enough for all of it: triangles say so themselves. */
static bool is_small(const exb_pattern *t)
{
    return !exb_pattern_is_general(t) ||
           (t->n_rows <= EXB_FEW_ROWS && t->n_rows * t->n_cols <= EXB_FEW_ELEMENTS);
}

/* alpha and beta are looked at here, inside the guard: under DAZ a subnormal alpha
 * would compare equal to 0. */
EXB_NOINLINE void exb_t(vector_product)(const exb_t(matrix) *a, exb_complex alpha, exb_t(vector) x,
                                        exb_complex beta, exb_real *y, int64_t incy)
{
    static const exb_t(matrix) empty;
    int64_t n = a->pattern.n_rows;
    if (exb_is_zero(alpha) && exb_is_one(beta))
        return;
    if (exb_is_zero(alpha)) { /* an empty sum */
        a = &empty;
        alpha = (exb_complex){1, 0};
    }
    problem p = {
        a, true, alpha, beta, x, 0, n, y, incy, exb_method_current(), 0, exb_stats_current()};
    if (!is_small(&a->pattern) || !compute_few_rows(&p))
        compute_rows(&p);
}

EXB_NOINLINE bool exb_t(small_product_in_place)(const exb_t(matrix) *a, exb_real *x, int64_t incx)
{
    problem p = {.a = a, .alpha = {1, 0}, .x = {x, incx}, .end = a->pattern.n_rows};
    p.y = x;
    p.incy = incx;
    p.method = exb_method_current();
    p.stats = exb_stats_current();
    return compute_few_rows(&p);
}

/* Waves of rows from the last to the first, since row i needs the old x_0 ... x_i: as
 * many as a buffer on the stack holds. */
EXB_NOINLINE void exb_t(vector_product_in_place)(const exb_t(matrix) *a, exb_real *x, int64_t incx)
{
    enum { WAVE = 12 * EXB_PANEL_ROWS };
    exb_real buffer[EXB_PARTS * WAVE];
    problem p = {.a = a, .x = {x, incx}, .y = buffer, .incy = 1};
    p.method = exb_method_current();
    p.stats = exb_stats_current();
    for (p.end = a->pattern.n_rows; p.end > 0; p.end = p.begin) {
        p.begin = exb_most(p.end - WAVE, 0);
        compute_rows(&p);
        for (int64_t i = p.begin; i < p.end; i++)
            memcpy(x + EXB_PARTS * i * incx, buffer + EXB_PARTS * (i - p.begin),
                   EXB_PARTS * sizeof *x);
    }
}
