/* Types: s d. */
#include "sparse/krylov.h"

#include "core/fpenv.h"
#include "core/memory.h"
#include "entry.h"
#include "level1/linear.h"
#include "level1/reduce.h"

exb_real exb_t(solver_dot)(const exb_t(solver) *s, const exb_real *x, const exb_real *y)
{
    if (s->options.dot)
        return s->options.dot(s->options.dot_context, s->n, x, y);
    return exb_t(own_dot)(s->n, x, 1, y, 1);
}

double exb_t(solver_norm)(const exb_t(solver) *s, const exb_real *x)
{
    return sqrt((double)exb_t(solver_dot)(s, x, x));
}

void exb_t(solver_combine)(const exb_t(solver) *s, exb_real c, exb_real *y, exb_real a,
                           const exb_real *x, exb_real b, const exb_real *z)
{
    exb_t(linear) l = exb_t(linear_of)(s->n);
    if (s->n == 0)
        return;
    int iy = exb_t(linear_operand)(&l, y, 1), ix = exb_t(linear_operand)(&l, x, 1);
    int iz = exb_t(linear_operand)(&l, z, 1);
    exb_t(linear_output)(&l, iy, y);
    exb_t(linear_real)(&l, iy, c, iy);
    exb_t(linear_real)(&l, iy, a, ix);
    exb_t(linear_real)(&l, iy, b, iz);
    exb_t(linear_apply)(&l);
}

void exb_t(solver_scale)(const exb_t(solver) *s, exb_real a, const exb_real *x, exb_real *y)
{
    if (x != y && s->n > 0)
        memcpy(y, x, (size_t)s->n * sizeof *y);
    exb_entry(scal)(s->n, a, y, 1);
}

bool exb_t(solver_multiply)(exb_t(solver) *s, const exb_real *x, exb_real *y)
{
    s->status = s->multiply(s->context, s->n, x, y);
    return s->status == EXBLAS_OK;
}

bool exb_t(solver_precondition)(exb_t(solver) *s, const exb_real *x, exb_real *y)
{
    if (s->options.precondition)
        s->status = s->options.precondition(s->options.precondition_context, s->n, x, y);
    else if (s->n > 0)
        memcpy(y, x, (size_t)s->n * sizeof *y);
    return s->status == EXBLAS_OK;
}

bool exb_t(solver_residual)(exb_t(solver) *s, exb_real *r)
{
    if (!exb_t(solver_multiply)(s, s->x, r))
        return false;
    exb_entry(axpby)(s->n, 1, s->b, 1, -1, r, 1);
    return true;
}

bool exb_t(solver_goes_on)(exb_t(solver) *s, int step, double residual)
{
    const exb_t(solver_options) *o = &s->options;
    s->result.steps = step;
    s->result.residual = residual;
    if (o->history && step < o->history_size)
        o->history[step] = residual;
    if (residual <= s->limit)
        s->result.reason = EXBLAS_CONVERGED;
    else if (!(residual <= DBL_MAX))
        s->result.reason = EXBLAS_BREAKDOWN;
    else if (step > 0 && o->step && o->step(o->step_context, step, residual, s->x) != 0)
        s->result.reason = EXBLAS_STOPPED;
    else if (step >= o->most_steps)
        s->result.reason = EXBLAS_MOST_STEPS;
    return s->result.reason == 0;
}

bool exb_t(solver_divides)(exb_t(solver) *s, exb_real x)
{
    if (x == 0 || x - x != 0)
        s->result.reason = EXBLAS_BREAKDOWN;
    return s->result.reason == 0;
}

int exb_t(solver_restart)(const exb_t(solver_options) *options)
{
    enum { RESTART = 30 };
    int m = options ? options->restart : 0;
    return m > 0 ? m : RESTART;
}

static exb_t(solver_options) completed(const exb_t(solver_options) *options)
{
    enum { MOST_STEPS = 10000 };
    exb_t(solver_options) o = {0};
    if (options)
        o = *options;
    if (!(o.tolerance > 0))
        o.tolerance = EXB_IS_S ? 0x1p-11 : 0x1p-26;
    if (o.most_steps <= 0)
        o.most_steps = MOST_STEPS;
    o.restart = exb_t(solver_restart)(options);
    return o;
}

/* Vectors begin at cache lines. */
static exb_real *allocate_vectors(int64_t n, int n_vectors, exb_real **vector)
{
    int64_t size = exb_round_up(n, 64 / (int64_t)sizeof(exb_real));
    exb_real *all = exb_memory_get((size_t)exb_most(size, 1) * (size_t)n_vectors * sizeof *all);
    for (int i = 0; i < n_vectors && all; i++)
        vector[i] = all + i * size;
    return all;
}

exblas_status exb_t(solver_run)(exb_t(solver) s, const exb_t(solver_options) *options,
                                int n_vectors, exb_t(solver_method) *method,
                                exblas_solver_result *result)
{
    exb_fpenv env;
    exb_real **vector = exb_memory_get((size_t)n_vectors * sizeof *vector);
    exb_real *all = NULL;
    if (s.n < 0 || !s.multiply || (s.n > 0 && (!s.b || !s.x)))
        s.status = EXBLAS_EINVAL;
    else if (!vector || !(all = allocate_vectors(s.n, n_vectors, vector)))
        s.status = EXBLAS_ENOMEM;
    if (s.status == EXBLAS_OK) {
        exb_fpenv_enter(&env);
        s.options = completed(options);
        s.limit = s.options.tolerance * exb_t(solver_norm)(&s, s.b);
        method(&s, vector);
        exb_fpenv_leave(&env);
        if (result)
            *result = s.result;
    }
    exb_memory_put(all);
    exb_memory_put(vector);
    return s.status;
}
