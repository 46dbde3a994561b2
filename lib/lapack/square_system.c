#include "lapack/square_system.h"

#include "lapack/condition.h"
#include "lapack/exact_solve.h"
#include "lapack/refinement.h"

#include <stdlib.h>

/* What a matrix needs once; `has_bound` and `has_exact` say what is there. */
typedef struct {
    const exb_problem *p;
    exb_scaled_system scaled;
    exb_inverse_bound bound;
    exb_refinement refinement;
    exb_exact exact;
    bool has_bound, has_exact;
    bool *wanted; /* n */
} solver;

static void init_bound(solver *s)
{
    int64_t n = s->p->n;
    if (!exb_scaled_system_init(&s->scaled, n, s->p->a))
        return;
    if (exb_inverse_bound_init(&s->bound, n, s->scaled.s)) {
        s->has_bound = exb_refinement_init(&s->refinement, &s->scaled, &s->bound, s->p->format);
        if (!s->has_bound)
            exb_inverse_bound_free(&s->bound);
    }
    if (!s->has_bound)
        exb_scaled_system_free(&s->scaled);
}

static void solver_free(solver *s)
{
    if (s->has_bound) {
        exb_refinement_free(&s->refinement);
        exb_inverse_bound_free(&s->bound);
        exb_scaled_system_free(&s->scaled);
    }
    if (s->has_exact)
        exb_exact_free(&s->exact);
    free(s->wanted);
}

/* What refinement left, for one right-hand side. */
static exblas_status solve_rest(solver *s, const double *b, double *x, exblas_solution *info)
{
    int64_t n_left = 0;
    for (int64_t j = 0; j < s->p->n; j++)
        n_left += s->wanted[j];
    if (n_left == 0)
        return EXBLAS_OK;
    if (!s->has_exact) {
        exblas_status status = exb_exact_init(&s->exact, s->p->n, s->p->a);
        if (status != EXBLAS_OK)
            return status;
        s->has_exact = true;
    }
    info->n_exact += n_left;
    return exb_exact_solve(&s->exact, b, s->p->format, s->wanted, NULL, x);
}

static exblas_status solve_one(solver *s, const double *b, double *x, exblas_solution *info)
{
    const exb_problem *p = s->p;
    for (int64_t j = 0; j < p->n; j++)
        s->wanted[j] = true;
    if (s->has_bound) {
        exb_refine(&s->refinement, b, s->wanted, x);
        if (s->refinement.n_terms > info->n_terms)
            info->n_terms = s->refinement.n_terms;
    }
    return solve_rest(s, b, x, info);
}

static exblas_status solve_all(solver *s, double *x, exblas_solution *info)
{
    const exb_problem *p = s->p;
    exblas_status status = EXBLAS_OK;
    init_bound(s);
    info->condition = INFINITY;
    if (s->has_bound && p->has_info)
        info->condition = exb_condition(&s->scaled, &s->bound);
    for (int64_t k = 0; k < p->n_right && status == EXBLAS_OK; k++)
        status = solve_one(s, p->b + k * p->n, x + k * p->n, info);
    if (s->has_bound)
        info->n_more = s->refinement.n_more;
    return status;
}

exblas_status exb_solve(const exb_problem *p, double *x, exblas_solution *info)
{
    solver s = {.p = p};
    s.wanted = malloc((size_t)p->n * sizeof *s.wanted);
    exblas_status status = EXBLAS_ENOMEM;
    if (s.wanted)
        status = solve_all(&s, x, info);
    solver_free(&s);
    return status;
}
