/* Types: d. */
#include "lapack/residual_columns.h"

#include "entry.h"

#include "core/memory.h"
#include "core/partition.h"
#include "core/thread.h"
#include "level3/engine.h"

#include <stdlib.h>

/* B, A and C, and the columns first ... first + n_columns - 1 of A, which end with row n_terms - 1.
 */
typedef struct {
    int64_t n, first, n_columns, n_terms;
    const double *b, *a, *c;
    double lost;
} block;

static double c_at(const block *k, int64_t row, int64_t column)
{
    return row > column ? k->c[row * k->n + column] : row == column;
}

static double largest(int64_t n, const double *x)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = exb_fabs(x[i]) > most ? exb_fabs(x[i]) : most;
    return most;
}

/* The largest sum of squares of a column of the block, by way of `squares`, n_columns of them. */
static double largest_square(const block *k, double *squares)
{
    memset(squares, 0, (size_t)k->n_columns * sizeof *squares);
    for (int64_t l = 0; l < k->n_terms; l++)
        for (int64_t i = 0; i < k->n_columns; i++) {
            double x = k->a[l * k->n + k->first + i];
            squares[i] += x * x;
        }
    return largest(k->n_columns, squares);
}

/* log2 P that leaves at most `lost` of a sum open. A column a of A and a row b of B are rounded to
 * multiples of 2^(2 - x) of their 2-norms, x = log2 P / 2 - 1/2, or half of that
 * (residue_choice_tmpl.c). That loses half of it of each of k = n_terms elements, of size sqrt(k /
 * 12) if they are spread evenly, times the other norm; there are n rows. |b|_2 <= sqrt(k) |b|_max.
 */
static double needed_log2(const block *k, double *work)
{
    double terms = (double)k->n_terms, squares = largest_square(k, work);
    double open =
        4 * (double)k->n * sqrt(terms / 12) * sqrt(squares * terms) * largest(k->n * k->n, k->b);
    return 2 * log2(open / k->lost) + 1;
}

/* 0 if no number of moduli is enough. */
static int choose_moduli(double log2_p)
{
    int n = EXB_MODULI_MIN;
    while (n <= EXB_MODULI_MAX && !(exb_residue_log2(n) >= log2_p))
        n++;
    return n <= EXB_MODULI_MAX ? n : 0;
}

typedef struct {
    exb_t(flow) flow;
    const block *block;
    double *sums; /* n_columns for each task */
} work;

/* h - c and the sum are rounded to within 2^-52 of |h| + |c|. */
static void add_found(const block *k, const exb_enclosures *t, double *sums)
{
    for (int j = 0; j < t->n; j++) {
        int64_t at = (int64_t)j * t->ld;
        for (int i = 0; i < t->m; i++) {
            double scale = t->row_scale[i] * t->col_scale[j];
            double c = c_at(k, t->j0 + j, k->first + t->i0 + i);
            double h = (t->h[at + i] - t->anchor) * scale;
            double m = exb_fabs(h - c + t->l[at + i] * scale) + t->e[at + i] * scale +
                       (exb_fabs(h) + exb_fabs(c)) * 0x1p-51;
            bool known = scale >= EXB_SCALE_LEAST && scale <= EXB_SCALE_MOST;
            sums[t->i0 + i] += known ? m : INFINITY;
        }
    }
}

static void add_task(void *ctx, int64_t number)
{
    work *w = ctx;
    exb_t(task) t;
    exb_t(task_begin)(&t, &w->flow, number);
    while (exb_t(task_next)(&t))
        add_found(w->block, &t.found, w->sums + number * w->block->n_columns);
}

static bool add_tasks(work *w, double *sums)
{
    int n_parts = w->flow.n_threads;
    int64_t n = w->block->n_columns;
    w->sums = calloc((size_t)n_parts * (size_t)n, sizeof *w->sums);
    if (!w->sums)
        return false;
    while (exb_t(flow_next_block)(&w->flow))
        exb_parallel_for(w->flow.n_threads, w->flow.n_tasks, add_task, w);
    for (int64_t i = 0; i < n; i++) {
        sums[i] = 0;
        for (int k = 0; k < n_parts; k++)
            sums[i] += w->sums[k * n + i];
    }
    free(w->sums);
    return true;
}

/* By residues; false where they do not pay. */
static bool enclose(const block *k, double *sums)
{
    work w = {.block = k};
    bool fast, done = false;
    const exb_t(product) p = {
        .m = k->n_columns,
        .n = k->n,
        .k = k->n_terms,
        .a = {.in_place = {k->a + k->first, 1, k->n}},
        .b = {.in_place = {k->b, k->n, 1}},
        .method = exb_method_current(),
        .region = EXB_REGION_ALL,
        .n_sums = 1,
    };
    bool permitted = p.method->filter &&
                     (p.method->engine == EXB_ENGINE_ANY || p.method->engine == EXB_ENGINE_RESIDUE);
    exb_residue_current(&fast);
    int n_moduli = permitted && fast ? choose_moduli(needed_log2(k, sums)) : 0;
    if (!n_moduli)
        return false;
    exb_t(flow_init)(&w.flow, &p);
    if (exb_t(residue_begin)(&w.flow, exb_residue_permitted(), n_moduli))
        done = add_tasks(&w, sums);
    exb_t(flow_end)(&w.flow);
    return done;
}

/* Each element is within a factor 1 + 2^-52 or 2^-1074 of what it rounds. */
static bool round_all(const block *k, double *sums)
{
    static const exb_site site = {"exblas_dgesv", EXB_CALL_CBLAS, exb_report};
    int64_t m = k->n_columns;
    double *e = exb_memory_get((size_t)(k->n * m) * sizeof *e);
    if (!e)
        return false;
    for (int64_t j = 0; j < k->n; j++)
        for (int64_t i = 0; i < m; i++)
            e[j * m + i] = c_at(k, j, k->first + i);
    exb_entry_dgemm(&site, EXB_ROW_MAJOR, EXB_NO_TRANS, EXB_NO_TRANS, k->n, m, k->n_terms, 1, k->b,
                    k->n, k->a + k->first, k->n, -1, e, m);
    memset(sums, 0, (size_t)m * sizeof *sums);
    for (int64_t j = 0; j < k->n; j++)
        for (int64_t i = 0; i < m; i++)
            sums[i] += exb_fabs(e[j * m + i]);
    exb_memory_put(e);
    return true;
}

static bool all_finite(int64_t n, const double *x)
{
    for (int64_t i = 0; i < n; i++)
        if (!(exb_fabs(x[i]) <= DBL_MAX))
            return false;
    return true;
}

/* Columns by blocks, which leave out most of the zeros of A; B is converted for each. */
bool exb_residual_columns(int64_t n, int64_t first, const double *b, const double *a,
                          const double *c, double lost, double *sums)
{
    enum { BLOCKS = 4, LEAST = 128 };
    int64_t width = exb_round_up((n - first) / BLOCKS + 1, LEAST);
    bool done = true;
    for (; first < n && done; first += width) {
        int64_t end = exb_least(n, first + width);
        block k = {n, first, end - first, end, b, a, c, lost};
        done = (enclose(&k, sums + first) && all_finite(end - first, sums + first)) ||
               round_all(&k, sums + first);
    }
    return done;
}
