/* Types: d. */
#include "lapack/residual_columns.h"

#include "entry.h"

#include "core/memory.h"
#include "core/partition.h"
#include "core/thread.h"
#include "lapack/plain_dot.h"
#include "level3/engine.h"

#include <stdlib.h>

/* B, A and C, and the columns first ... first + n_columns - 1 of A, which end with row n_terms - 1.
 * `known`: of all columns. Norms are those of rows of B. */
typedef struct {
    int64_t n, first, n_columns, n_terms;
    const double *b, *a, *c, *known;
    double lost, least_norm, largest_norm;
} block;

/* Row `row` of C, columns first ... first + n - 1. */
static void copy_c(const block *k, int64_t row, int64_t first, int64_t n, double *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = 0;
    if (row > first)
        memcpy(out, k->c + row * k->n + first, (size_t)exb_least(n, row - first) * sizeof *out);
    if (row >= first && row < first + n)
        out[row - first] = 1;
}

/* The least and the largest 2-norm of a row of B that is not zero. */
static void set_norms(block *k)
{
    k->least_norm = INFINITY;
    k->largest_norm = 0;
    for (int64_t j = 0; j < k->n; j++) {
        const double *row = k->b + j * k->n;
        double norm = sqrt(exb_plain_dot(k->n, row, row));
        k->least_norm = norm > 0 && norm < k->least_norm ? norm : k->least_norm;
        k->largest_norm = norm > k->largest_norm ? norm : k->largest_norm;
    }
}

/* 2-norms of the columns of the block. */
static void column_norms(const block *k, double *norms)
{
    memset(norms, 0, (size_t)k->n_columns * sizeof *norms);
    for (int64_t l = 0; l < k->n_terms; l++)
        for (int64_t i = 0; i < k->n_columns; i++) {
            double x = k->a[l * k->n + k->first + i];
            norms[i] += x * x;
        }
    for (int64_t i = 0; i < k->n_columns; i++)
        norms[i] = sqrt(norms[i]);
}

/* Bits of |a| |b| above what is known of W, with half of one to spare: so much larger may elements
 * of B A be than P (is_known). */
static double excess_of(const block *k, const double *norms)
{
    enum { MOST = 48 };
    double least = INFINITY;
    for (int64_t i = 0; i < k->n_columns; i++) {
        double ratio = norms[i] / k->known[k->first + i];
        least = norms[i] > 0 && !(ratio >= least) ? ratio : least;
    }
    double bits = floor(log2(least * k->least_norm) - 0.5);
    return bits > 0 ? (bits < MOST ? bits : MOST) : 0; /* 0 for NaN */
}

/* log2 P without excess that leaves at most `lost` of a sum open. A column a of A and a row b of B
 * are rounded to multiples of 2^(2 - x) of their 2-norms, x = log2 P / 2 - 1/2, or half of that
 * (residue_choice_tmpl.c). That loses half of it of each of k = n_terms elements, of size sqrt(k /
 * 12) if they are spread evenly, times the other norm; there are n rows. */
static double needed_log2(const block *k, const double *norms)
{
    double largest = 0;
    for (int64_t i = 0; i < k->n_columns; i++)
        largest = norms[i] > largest ? norms[i] : largest;
    double open = 4 * (double)k->n * sqrt((double)k->n_terms / 12) * largest * k->largest_norm;
    return 2 * log2(open / k->lost) + 1;
}

enum { MOST_LOG2 = 230 }; /* with excess and a modulus more, below 240 */

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
    bool exceeds;
    double *sums; /* n_columns for each task */
} work;

/* x modulo P, at most 2/3 P, with an error below 2^-51 P, where |x| <= |B A| + |W| < 2^49 P. q is a
 * double within 1/2 + 2^-3 of x / P; x - q p_high is rounded once, and the product of q p_low,
 * which is below 2^-4 P; of what P is more than both, 2^-102 q P is lost. */
EXB_INLINE double modulo(const exb_residue_system *s, double x)
{
    double q = (x * s->inverse + 0x1.8p52) - 0x1.8p52;
    return exb_remainder(x, q, s->p_high) - q * s->p_low;
}

/* h - c and the sum are rounded to within 2^-52 of |h| + |c|. */
EXB_INLINE double plain_magnitude(double h, double l, double e, double c)
{
    return exb_fabs(h - c + l) + e + (exb_fabs(h) + exb_fabs(c)) * 0x1p-51;
}

/* h + l and r = c are modulo P. If |W| <= `known` is so small that of all numbers that differ by
 * multiples of P it is the one found, its magnitude. Multiples of p_high are exact, of at most two.
 * r is c if |c| < 0.49 P, without an error; where q is not 0, |h| + |r| > 0.49 P. So the errors of
 * r and of the additions are below 2^-50 of `size`, |h| and the lesser of |c| and P; what is added
 * for them is twice that. */
EXB_INLINE double exceeding_magnitude(const exb_residue_system *s, double h, double l, double e,
                                      double c, double r, double known)
{
    double x = h - r, q = (x * s->inverse + 0x1.8p52) - 0x1.8p52, size = exb_fabs(c);
    x = (x - q * s->p_high) + (l - q * s->p_low);
    size = exb_fabs(h) + (size < s->p_high ? size : s->p_high);
    return known + e <= 0.499 * s->p_high ? exb_fabs(x) + e + 0x1p-49 * size : INFINITY;
}

enum { ROWS = EXB_RESIDUE_FOUND_ROWS };

/* So that what underflows when an element of C is scaled is below 2^-800. */
#define MOST_SCALE 0x1p256

/* Column j of what was found. Scales that are not usual leave `inverse` anything. */
static void add_column(const work *w, const exb_enclosures *t, int j, double *sums)
{
    const exb_residue_system *s = &w->flow.residue.system;
    int64_t at = (int64_t)j * t->ld, first = w->block->first + t->i0;
    const double *known = w->block->known + first, *h = t->h + at, *l = t->l + at, *e = t->e + at;
    double c[ROWS], r[ROWS], m[ROWS];
    copy_c(w->block, t->j0 + j, first, t->m, c);
    for (int i = 0; i < t->m; i++) {
        double inverse = 1 / (t->row_scale[i] * t->col_scale[j]);
        r[i] = c[i] *= inverse;
        m[i] = known[i] * inverse;
    }
    if (w->exceeds && t->j0 + j >= first)
        for (int i = 0; i < t->m; i++)
            r[i] = modulo(s, c[i]);
    if (w->exceeds)
        for (int i = 0; i < t->m; i++)
            m[i] = exceeding_magnitude(s, h[i] - t->anchor, l[i], e[i], c[i], r[i], m[i]);
    else
        for (int i = 0; i < t->m; i++)
            m[i] = plain_magnitude(h[i] - t->anchor, l[i], e[i], c[i]);
    for (int i = 0; i < t->m; i++) {
        double scale = t->row_scale[i] * t->col_scale[j];
        bool usual = scale >= EXB_SCALE_LEAST && scale <= MOST_SCALE;
        sums[t->i0 + i] += usual ? m[i] * scale : INFINITY;
    }
}

static void add_found(const work *w, const exb_enclosures *t, double *sums)
{
    for (int j = 0; j < t->n; j++)
        add_column(w, t, j, sums);
}

static void add_task(void *ctx, int64_t number)
{
    work *w = ctx;
    exb_t(task) t;
    exb_t(task_begin)(&t, &w->flow, number);
    while (exb_t(task_next)(&t))
        add_found(w, &t.found, w->sums + number * w->block->n_columns);
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
    column_norms(k, sums);
    double excess = excess_of(k, sums), needed = needed_log2(k, sums);
    int n_moduli = permitted && fast && needed < MOST_LOG2 ? choose_moduli(needed - excess) : 0;
    if (!n_moduli)
        return false;
    w.exceeds = excess > 0;
    exb_t(flow_init)(&w.flow, &p);
    if (exb_t(residue_begin)(&w.flow, exb_residue_permitted(), n_moduli)) {
        exb_t(residue_exceed)(&w.flow, excess);
        done = add_tasks(&w, sums);
    }
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
        copy_c(k, j, k->first, m, e + j * m);
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

/* Columns by blocks of about equal width, which leave out most of the zeros of A, and need fewer
 * moduli or more; but B is converted for each. */
bool exb_residual_columns(int64_t n, int64_t first, const double *b, const double *a,
                          const double *c, const double *known, double lost, double *sums)
{
    enum { MOST_BLOCKS = 4, LEAST = 256, UNIT = 8 };
    int64_t n_blocks = exb_least(MOST_BLOCKS, exb_most(1, (n - first) / LEAST));
    int64_t width = exb_round_up(exb_tasks_of(n - first, n_blocks), UNIT);
    block k = {.n = n, .b = b, .a = a, .c = c, .known = known, .lost = lost};
    bool done = true;
    set_norms(&k);
    for (; first < n && done; first += width) {
        int64_t end = exb_least(n, first + width);
        k.first = first;
        k.n_columns = end - first;
        k.n_terms = end;
        done = (enclose(&k, sums + first) && all_finite(end - first, sums + first)) ||
               round_all(&k, sums + first);
    }
    return done;
}
