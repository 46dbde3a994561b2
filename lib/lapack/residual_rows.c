/* Types: d. */
#include "lapack/residual_rows.h"

#include "entry.h"

#include "core/memory.h"
#include "core/thread.h"
#include "level3/engine.h"

#include <stdlib.h>

/* log2 P that leaves at most EXB_RESIDUAL_LOST of a row open. A row r and a column s are rounded to
 * multiples of 2^(2 - x) of their 2-norms, x = log2 P / 2 - 1/2, or half of that
 * (residue_choice.c). That loses half of it of each of n elements, of size sqrt(n / 12) if they are
 * spread evenly, times the other norm; there are n columns. |s|_2 <= sqrt(n) |s|_max. */
static double needed_log2(int64_t n, const double *r, const double *s)
{
    double most = 0, largest = 0, size = (double)n;
    for (int64_t i = 0; i < n; i++) {
        double square = 0;
        for (int64_t j = 0; j < n; j++) {
            double m = exb_fabs(s[i * n + j]);
            square += r[i * n + j] * r[i * n + j];
            largest = m > largest ? m : largest;
        }
        most = square > most ? square : most;
    }
    double open = 4 * size * sqrt(size / 12) * sqrt(most * size) * largest;
    return 2 * log2(open / EXB_RESIDUAL_LOST) + 1;
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
    double *sums; /* n for each task */
} work;

/* h - 1 and the sum are rounded to within 2^-52 of |h| + 1. */
static void add_found(const exb_enclosures *t, double *sums)
{
    for (int j = 0; j < t->n; j++) {
        int64_t at = (int64_t)j * t->ld, diagonal = t->j0 + j - t->i0;
        for (int i = 0; i < t->m; i++) {
            double scale = t->row_scale[i] * t->col_scale[j], one = i == diagonal ? 1 : 0;
            double h = (t->h[at + i] - t->anchor) * scale;
            double m = exb_fabs(h - one + t->l[at + i] * scale) + t->e[at + i] * scale +
                       (exb_fabs(h) + one) * 0x1p-51;
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
        add_found(&t.found, w->sums + number * w->flow.p->m);
}

static bool add_blocks(work *w, int64_t n, double *sums)
{
    int n_parts = w->flow.n_threads;
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
static bool enclose(int64_t n, const double *r, const double *s, double *sums)
{
    work w;
    bool fast, done = false;
    const exb_t(product) p = {
        .m = n,
        .n = n,
        .k = n,
        .a = {.in_place = {r, n, 1}},
        .b = {.in_place = {s, 1, n}},
        .method = exb_method_current(),
        .region = EXB_REGION_ALL,
        .n_sums = 1,
    };
    bool permitted = p.method->filter &&
                     (p.method->engine == EXB_ENGINE_ANY || p.method->engine == EXB_ENGINE_RESIDUE);
    exb_residue_current(&fast);
    int n_moduli = permitted && fast ? choose_moduli(needed_log2(n, r, s)) : 0;
    if (!n_moduli)
        return false;
    exb_t(flow_init)(&w.flow, &p);
    if (exb_t(residue_begin)(&w.flow, exb_residue_permitted(), n_moduli))
        done = add_blocks(&w, n, sums);
    exb_t(flow_end)(&w.flow);
    return done;
}

/* Each |e_ij| is within a factor 1 + 2^-52 or 2^-1074 of what it rounds. */
static bool round_all(int64_t n, const double *r, const double *s, double *sums)
{
    static const exb_site site = {"exblas_dgesv", EXB_CALL_CBLAS, exb_report};
    double *e = exb_memory_get((size_t)(n * n) * sizeof *e);
    if (!e)
        return false;
    memset(e, 0, (size_t)(n * n) * sizeof *e);
    for (int64_t i = 0; i < n; i++)
        e[i * n + i] = 1;
    exb_entry_dgemm(&site, EXB_ROW_MAJOR, EXB_NO_TRANS, EXB_NO_TRANS, n, n, n, 1, r, n, s, n, -1, e,
                    n);
    for (int64_t i = 0; i < n; i++) {
        sums[i] = 0;
        for (int64_t j = 0; j < n; j++)
            sums[i] += exb_fabs(e[i * n + j]);
    }
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

bool exb_residual_rows(int64_t n, const double *r, const double *s, double *sums)
{
    if (enclose(n, r, s, sums) && all_finite(n, sums))
        return true;
    return round_all(n, r, s, sums);
}
