/* Conjugate gradients, and BiCGStab.
 * Types: s d. */
#include "entry.h"
#include "sparse/krylov.h"

/* p = z + beta p; z = M r or, without a preconditioner, r itself. */
static void run_cg(exb_t(solver) *s, exb_real **vector)
{
    exb_real *r = vector[0], *p = vector[1], *q = vector[2];
    bool has_m = s->options.precondition; /* vectors without elements may be at one place */
    exb_real *z = has_m ? vector[3] : r;
    if (!exb_t(solver_residual)(s, r) || !exb_t(solver_goes_on)(s, 0, exb_t(solver_norm)(s, r)) ||
        !exb_t(solver_precondition)(s, r, p))
        return;
    exb_real rz = exb_t(solver_dot)(s, r, p);
    for (int step = 1; exb_t(solver_multiply)(s, p, q); step++) {
        exb_real pq = exb_t(solver_dot)(s, p, q);
        if (!(pq > 0 && rz > 0)) {
            s->result.reason = EXBLAS_BREAKDOWN;
            return;
        }
        exb_real alpha = rz / pq;
        exb_entry(axpy)(s->n, alpha, p, 1, s->x, 1);
        exb_entry(axpy)(s->n, -alpha, q, 1, r, 1);
        exb_real rr = exb_t(solver_dot)(s, r, r);
        if (!exb_t(solver_goes_on)(s, step, sqrt((double)rr)) ||
            (has_m && !exb_t(solver_precondition)(s, r, z)))
            return;
        exb_real next = has_m ? exb_t(solver_dot)(s, r, z) : rr;
        exb_entry(axpby)(s->n, 1, z, 1, next / rz, p, 1);
        rz = next;
    }
}

typedef struct {
    exb_real *r, *shadow, *p, *v, *t, *p_hat, *s_hat;
    exb_real rho, alpha, omega;
} bicgstab;

/* p = r + beta (p - omega v), v = A M p, s = r - alpha v: in r. */
static bool first_half(exb_t(solver) *s, bicgstab *q, bool is_first)
{
    exb_real rho = exb_t(solver_dot)(s, q->shadow, q->r);
    if (!exb_t(solver_divides)(s, rho))
        return false;
    if (is_first) {
        exb_t(solver_scale)(s, 1, q->r, q->p);
    } else {
        exb_real beta = rho / q->rho * (q->alpha / q->omega), gamma = -beta * q->omega;
        exb_t(solver_combine)(s, beta, q->p, 1, q->r, gamma, q->v);
    }
    q->rho = rho;
    if (!exb_t(solver_precondition)(s, q->p, q->p_hat) ||
        !exb_t(solver_multiply)(s, q->p_hat, q->v))
        return false;
    exb_real projection = exb_t(solver_dot)(s, q->shadow, q->v);
    if (!exb_t(solver_divides)(s, projection))
        return false;
    q->alpha = rho / projection;
    exb_entry(axpy)(s->n, -q->alpha, q->v, 1, q->r, 1);
    return true;
}

/* t = A M s, x += alpha M p + omega M s, r = s - omega t. */
static bool second_half(exb_t(solver) *s, bicgstab *q)
{
    if (!exb_t(solver_precondition)(s, q->r, q->s_hat) ||
        !exb_t(solver_multiply)(s, q->s_hat, q->t))
        return false;
    exb_real tt = exb_t(solver_dot)(s, q->t, q->t), ts = exb_t(solver_dot)(s, q->t, q->r);
    q->omega = tt == 0 ? 0 : ts / tt; /* 0: s was 0, or the next step finds a breakdown */
    exb_t(solver_combine)(s, 1, s->x, q->alpha, q->p_hat, q->omega, q->s_hat);
    exb_entry(axpy)(s->n, -q->omega, q->t, 1, q->r, 1);
    return true;
}

static void run_bicgstab(exb_t(solver) *s, exb_real **vector)
{
    bicgstab q = {vector[0], vector[1], vector[2], vector[3], vector[4],
                  vector[5], vector[6], 0,         0,         0};
    if (!exb_t(solver_residual)(s, q.r))
        return;
    exb_t(solver_scale)(s, 1, q.r, q.shadow);
    int step = 0;
    while (exb_t(solver_goes_on)(s, step, exb_t(solver_norm)(s, q.r)) &&
           (step == 0 || exb_t(solver_divides)(s, q.omega)) && first_half(s, &q, step == 0) &&
           second_half(s, &q))
        step++;
}

exblas_status exblas_t(cg_64)(exblas_int64 n, exblas_t(apply_fn) * multiply, void *context,
                              const exb_real *b, exb_real *x,
                              const exblas_t(solver_options) * options,
                              exblas_solver_result *result)
{
    exb_t(solver) s = {.n = n, .multiply = multiply, .context = context, .b = b, .x = x};
    return exb_t(solver_run)(s, options, 4, run_cg, result);
}

exblas_status exblas_t(bicgstab_64)(exblas_int64 n, exblas_t(apply_fn) * multiply, void *context,
                                    const exb_real *b, exb_real *x,
                                    const exblas_t(solver_options) * options,
                                    exblas_solver_result *result)
{
    exb_t(solver) s = {.n = n, .multiply = multiply, .context = context, .b = b, .x = x};
    return exb_t(solver_run)(s, options, 7, run_bicgstab, result);
}
