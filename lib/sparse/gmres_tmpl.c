/* GMRES with restarts: modified Gram-Schmidt, the least-squares problem by Givens rotations.
 * Types: s d. */
#include "sparse/krylov.h"

#include "core/memory.h"
#include "entry.h"

/* basis: restart + 1 vectors. Column j of the triangle R is at h[j * (restart + 2)]; rotation j is
 * (c_j, s_j); g is the right-hand side, whose last element is the residual. */
typedef struct {
    int restart;
    exb_real **basis, *z, *u;
    exb_real *h, *c, *s, *g;
} gmres;

static exb_real *hessenberg_column(const gmres *q, int j)
{
    return q->h + (int64_t)j * (q->restart + 2);
}

/* Vector j + 1 of the basis: A M times vector j, made orthogonal to the others. */
static bool extend_basis(exb_t(solver) *s, const gmres *q, int j)
{
    exb_real *w = q->basis[j + 1], *h = hessenberg_column(q, j);
    if (!exb_t(solver_precondition)(s, q->basis[j], q->z) || !exb_t(solver_multiply)(s, q->z, w))
        return false;
    for (int i = 0; i <= j; i++) {
        h[i] = exb_t(solver_dot)(s, q->basis[i], w);
        exb_entry(axpy)(s->n, -h[i], q->basis[i], 1, w, 1);
    }
    h[j + 1] = (exb_real)exb_t(solver_norm)(s, w);
    if (h[j + 1] > 0)
        exb_t(solver_scale)(s, 1 / h[j + 1], w, w);
    return true;
}

/* Rotates column j into the triangle; returns the residual. */
static double rotate_column(const gmres *q, int j)
{
    exb_real *h = hessenberg_column(q, j);
    for (int i = 0; i < j; i++) {
        exb_real t = q->c[i] * h[i] + q->s[i] * h[i + 1];
        h[i + 1] = q->c[i] * h[i + 1] - q->s[i] * h[i];
        h[i] = t;
    }
    exb_entry(rotg)(&h[j], &h[j + 1], &q->c[j], &q->s[j]);
    q->g[j + 1] = -q->s[j] * q->g[j];
    q->g[j] = q->c[j] * q->g[j];
    return fabs((double)q->g[j + 1]);
}

/* x += M V y with the solution y of the triangle of order n: in g. */
static void update_x(exb_t(solver) *s, const gmres *q, int n)
{
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            q->g[i] -= hessenberg_column(q, j)[i] * q->g[j];
        if (!exb_t(solver_divides)(s, hessenberg_column(q, i)[i]) &&
            s->result.reason == EXBLAS_BREAKDOWN)
            return;
        q->g[i] /= hessenberg_column(q, i)[i];
    }
    exb_t(solver_scale)(s, q->g[0], q->basis[0], q->u);
    for (int i = 1; i < n; i++)
        exb_entry(axpy)(s->n, q->g[i], q->basis[i], 1, q->u, 1);
    if (exb_t(solver_precondition)(s, q->u, q->z))
        exb_entry(axpy)(s->n, 1, q->z, 1, s->x, 1);
}

/* Up to `restart` steps from a residual of that norm in basis[0]; false: that was the end. */
static bool run_cycle(exb_t(solver) *s, const gmres *q, double norm)
{
    int n = 0, before = s->result.steps;
    bool goes_on = true;
    q->g[0] = (exb_real)norm;
    exb_t(solver_scale)(s, 1 / q->g[0], q->basis[0], q->basis[0]);
    while (n < q->restart && goes_on) {
        if (!extend_basis(s, q, n))
            return false;
        double residual = rotate_column(q, n);
        n++;
        goes_on = exb_t(solver_goes_on)(s, before + n, residual);
    }
    update_x(s, q, n);
    return s->result.reason == 0 && s->status == EXBLAS_OK;
}

static void run_gmres(exb_t(solver) *s, exb_real **vector)
{
    gmres q = {.restart = s->options.restart, .basis = vector};
    int64_t m = q.restart;
    exb_real *small = exb_memory_get((size_t)(m * (m + 2) + 3 * (m + 1)) * sizeof *small);
    if (!small) {
        s->status = EXBLAS_ENOMEM;
        return;
    }
    q.z = vector[m + 1];
    q.u = vector[m + 2];
    q.h = small;
    q.c = small + m * (m + 2);
    q.s = q.c + m + 1;
    q.g = q.s + m + 1;
    bool first = true, goes_on = true;
    while (goes_on && exb_t(solver_residual)(s, q.basis[0])) {
        double norm = exb_t(solver_norm)(s, q.basis[0]);
        goes_on = first ? exb_t(solver_goes_on)(s, 0, norm) : true;
        if (!first && norm <= s->limit) {
            s->result.reason = EXBLAS_CONVERGED;
            goes_on = false;
        }
        goes_on = goes_on && run_cycle(s, &q, norm);
        first = false;
    }
    exb_memory_put(small);
}

exblas_status exblas_t(gmres_64)(exblas_int64 n, exblas_t(apply_fn) * multiply, void *context,
                                 const exb_real *b, exb_real *x,
                                 const exblas_t(solver_options) * options,
                                 exblas_solver_result *result)
{
    exb_t(solver) s = {.n = n, .multiply = multiply, .context = context, .b = b, .x = x};
    return exb_t(solver_run)(s, options, exb_t(solver_restart)(options) + 3, run_gmres, result);
}
