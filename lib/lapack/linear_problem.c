#include "lapack/linear_problem.h"

#include "core/partition.h"
#include "lapack/condition.h"
#include "lapack/exact_solve.h"
#include "lapack/gram.h"
#include "lapack/refinement.h"

#include <stdlib.h>

typedef struct {
    const exb_problem *p;
    exb_gram gram; /* where m is not n */
    exb_scaled_system system;
    exb_inverse_bound bound;
    exb_refinement refinement;
    bool has_bound, has_exact;
    bool *wanted; /* of p->n components */

    exb_exact exact;                         /* of A, or of the chain of words: n_chain equations */
    int64_t n_chain, n_batch, first, offset; /* n_batch components from `first` on are there */
    double *chain, *side, *solution;
    bool *in_chain; /* what is wanted of its solution, times 2^exp2 */
    int *exp2;
} solver;

static bool is_square(const solver *s)
{
    return s->p->m == s->p->n;
}

static bool is_wide(const solver *s)
{
    return s->p->m < s->p->n;
}

static void shift_scales(exb_gram *g, int by)
{
    for (int64_t i = 0; i < g->n; i++)
        g->scale[i] += by;
}

/* Of A, as the root of that of G. A factor that all of A has does not change it: without the factor
 * of the largest column, only what is beyond 2^512 overflows, and is Inf. */
static double condition_of(solver *s)
{
    exb_gram *g = &s->gram;
    if (is_square(s))
        return exb_condition(&s->system, &s->bound);
    int least = g->scale[0];
    for (int64_t i = 1; i < g->n; i++)
        least = g->scale[i] < least ? g->scale[i] : least;
    shift_scales(g, -least);
    double condition = sqrt(exb_condition(&s->system, &s->bound));
    shift_scales(g, least);
    return condition;
}

static bool init_inverse(solver *s)
{
    const exb_gram *g = &s->gram;
    if (is_square(s))
        return exb_scaled_system_init(&s->system, s->p->n, s->p->a) &&
               exb_inverse_bound_init(&s->bound, s->p->n, s->system.s);
    s->system = (exb_scaled_system){
        .n = g->n, .s = g->word, .row = g->scale, .column = g->scale, .layout = g->layout};
    return g->is_scaled && exb_gram_inverse_init(&s->bound, g);
}

static void init_bound(solver *s, exblas_solution *info)
{
    s->has_bound =
        init_inverse(s) && exb_refinement_init(&s->refinement, &s->system, &s->bound, s->p->format);
    if (is_wide(s)) {
        s->refinement.v = s->gram.v;
        s->refinement.n_results = s->p->n;
    }
    info->condition = s->has_bound && s->p->has_info ? condition_of(s) : INFINITY;
}

/* Element (i, j) of W_w to (w n + i, j) of the chain, and the carries. */
static void set_chain(solver *s)
{
    const exb_gram *g = &s->gram;
    int64_t n = g->n, n_chain = s->n_chain, n_words = g->layout.n_words;
    memset(s->chain, 0, (size_t)(n_chain * n_chain) * sizeof *s->chain);
    for (int64_t w = 0; w < n_words; w++)
        for (int64_t i = 0; i < n; i++) {
            double *row = s->chain + (w * n + i) * n_chain;
            memcpy(row, g->word + i * g->layout.ld + w * n, (size_t)n * sizeof *row);
            if (w > 0)
                row[w * n + i] = -1;
            if (w + 1 < n_words)
                row[(w + 1) * n + i] = 0x1p53;
        }
}

/* The equations of the components from s->first on of a wide system. */
static void set_last_rows(solver *s)
{
    for (int64_t l = s->offset; l < s->n_chain; l++) {
        double *row = s->chain + l * s->n_chain;
        int64_t j = s->first + l - s->offset;
        for (int64_t i = 0; i < s->gram.n && j < s->p->n; i++)
            row[i] = s->gram.v[i * s->gram.length + j];
        row[l] = -1;
    }
}

/* A wide system has as many components at once as there are words, or all. */
static bool allocate_chain(solver *s)
{
    int64_t n_words = s->gram.n * s->gram.layout.n_words;
    s->offset = is_wide(s) ? n_words : 0;
    s->n_chain = n_words + (is_wide(s) ? exb_least(n_words, s->p->n) : 0);
    s->n_batch = is_wide(s) ? s->n_chain - n_words : s->p->n;
    size_t n = (size_t)s->n_chain;
    s->chain = malloc((n + 2) * n * sizeof *s->chain);
    s->in_chain = calloc(n, sizeof *s->in_chain);
    s->exp2 = calloc(n, sizeof *s->exp2);
    if (!s->chain || !s->in_chain || !s->exp2)
        return false;
    s->side = s->chain + n * n;
    s->solution = s->side + n;
    return true;
}

static exblas_status init_exact(solver *s, int64_t first)
{
    if (s->has_exact && s->first == first)
        return EXBLAS_OK;
    if (s->has_exact)
        exb_exact_free(&s->exact);
    s->first = first;
    if (!is_square(s))
        set_chain(s);
    if (is_wide(s))
        set_last_rows(s);
    exblas_status status = exb_exact_init(&s->exact, s->n_chain, s->chain);
    s->has_exact = status == EXBLAS_OK;
    return status;
}

/* What is wanted of the batch of components from `first` on, for right-hand side k. */
static exblas_status solve_batch(solver *s, int64_t first, int64_t k, double *x)
{
    const exb_gram *g = &s->gram;
    int64_t n_words = g->layout.n_words, n = exb_least(s->n_batch, s->p->n - first);
    exblas_status status = init_exact(s, first);
    if (status != EXBLAS_OK)
        return status;
    if (is_square(s))
        return exb_exact_solve(&s->exact, s->p->b + k * n, s->p->format, s->wanted, NULL, x);
    memset(s->side, 0, (size_t)s->n_chain * sizeof *s->side);
    for (int64_t i = 0; i < g->n; i++)
        for (int64_t w = 0; w < n_words; w++)
            s->side[w * g->n + i] = g->word[i * g->layout.ld + (g->n + k) * n_words + w];
    for (int64_t j = 0; j < n; j++) {
        s->in_chain[s->offset + j] = s->wanted[first + j];
        s->exp2[s->offset + j] = g->right[k] + (is_wide(s) ? 0 : g->scale[j]);
    }
    status = exb_exact_solve(&s->exact, s->side, s->p->format, s->in_chain, s->exp2, s->solution);
    for (int64_t j = 0; j < n && status == EXBLAS_OK; j++)
        if (s->wanted[first + j])
            x[first + j] = s->solution[s->offset + j];
    return status;
}

static int64_t count_wanted(const solver *s, int64_t first, int64_t n)
{
    int64_t n_wanted = 0;
    for (int64_t j = first; j < exb_least(first + n, s->p->n); j++)
        n_wanted += s->wanted[j];
    return n_wanted;
}

/* What refinement left, for right-hand side k. */
static exblas_status solve_rest(solver *s, int64_t k, double *x, exblas_solution *info)
{
    exblas_status status = EXBLAS_OK;
    int64_t n = s->p->n, n_left = count_wanted(s, 0, n);
    if (n_left > 0 && !s->chain && !allocate_chain(s))
        return EXBLAS_ENOMEM;
    for (int64_t first = 0; n_left > 0 && first < n && status == EXBLAS_OK; first += s->n_batch)
        if (count_wanted(s, first, s->n_batch) > 0)
            status = solve_batch(s, first, k, x);
    info->n_exact += status == EXBLAS_OK ? n_left : 0;
    return status;
}

static void refine(solver *s, int64_t k, double *x, exblas_solution *info)
{
    const exb_gram *g = &s->gram;
    exb_refinement *f = &s->refinement;
    const double *c = is_square(s) ? f->c : g->word + (g->n + k) * g->layout.n_words;
    if (!is_square(s))
        f->exp2 = g->right[k];
    else if (!exb_scale_right(&s->system, s->p->b + k * s->p->n, f->c, &f->exp2))
        return;
    exb_refine(f, c, s->wanted, x);
    info->n_terms = exb_most(info->n_terms, f->n_terms);
    info->n_more = f->n_more;
}

static exblas_status solve_all(solver *s, double *x, exblas_solution *info)
{
    exblas_status status = EXBLAS_OK;
    int64_t n = s->p->n;
    init_bound(s, info);
    for (int64_t k = 0; k < s->p->n_right && status == EXBLAS_OK; k++) {
        for (int64_t j = 0; j < n; j++)
            s->wanted[j] = j >= s->p->first;
        if (s->has_bound)
            refine(s, k, x + k * n, info);
        status = solve_rest(s, k, x + k * n, info);
    }
    return status;
}

static void solver_free(solver *s)
{
    exb_refinement_free(&s->refinement);
    exb_inverse_bound_free(&s->bound);
    exb_exact_free(&s->exact);
    if (is_square(s))
        exb_scaled_system_free(&s->system);
    else
        free(s->chain);
    exb_gram_free(&s->gram);
    free(s->wanted);
    free(s->in_chain);
    free(s->exp2);
}

exblas_status exb_solve(const exb_problem *p, double *x, exblas_solution *info)
{
    solver s = {.p = p};
    if (p->m == 0) {
        memset(x, 0, (size_t)(p->n * p->n_right) * sizeof *x);
        return EXBLAS_OK;
    }
    if (is_square(&s)) {
        s.n_chain = s.n_batch = p->n;
        s.chain = p->a;
    }
    s.wanted = malloc((size_t)p->n * sizeof *s.wanted);
    exblas_status status = EXBLAS_ENOMEM;
    info->condition = INFINITY;
    if (s.wanted && (is_square(&s) || exb_gram_init(&s.gram, p)))
        status = solve_all(&s, x, info);
    solver_free(&s);
    return status;
}
