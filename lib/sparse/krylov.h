/* What the solvers share. A solver is a loop over the steps of its method, which ends when
 * exb_t(solver_goes_on) or one of the operations below says so. */
#pragma once

#include "core/partition.h"
#include "core/type.h"

#include "exblas/solvers.h"

typedef exblas_t(solver_options) exb_t(solver_options);

typedef struct {
    int64_t n;
    exblas_t(apply_fn) * multiply;
    void *context;
    const exb_real *b;
    exb_real *x;
    exb_t(solver_options) options; /* none is 0 that must not be */
    double limit;                  /* of ||r|| */
    exblas_status status;
    exblas_solver_result result;
} exb_t(solver);

/* Vectors, each element of the result rounded once. */
exb_real exb_t(solver_dot)(const exb_t(solver) *s, const exb_real *x, const exb_real *y);
double exb_t(solver_norm)(const exb_t(solver) *s, const exb_real *x);
/* y = c y + a x + b z */
void exb_t(solver_combine)(const exb_t(solver) *s, exb_real c, exb_real *y, exb_real a,
                           const exb_real *x, exb_real b, const exb_real *z);
/* y = a x */
void exb_t(solver_scale)(const exb_t(solver) *s, exb_real a, const exb_real *x, exb_real *y);

/* y = A x, y = M x. False: a function of the caller failed, the solver ends. */
bool exb_t(solver_multiply)(exb_t(solver) *s, const exb_real *x, exb_real *y);
bool exb_t(solver_precondition)(exb_t(solver) *s, const exb_real *x, exb_real *y);
/* r = b - A x */
bool exb_t(solver_residual)(exb_t(solver) *s, exb_real *r);

/* Takes down ||r|| after a step (step 0: before the first); false: that was the end. */
bool exb_t(solver_goes_on)(exb_t(solver) *s, int step, double residual);

/* x is finite and not 0. Otherwise the end is a breakdown. */
bool exb_t(solver_divides)(exb_t(solver) *s, exb_real x);

/* A method with room for its vectors, n elements each. */
typedef void exb_t(solver_method)(exb_t(solver) *s, exb_real **vector);

/* Checks the arguments and runs a method with n_vectors vectors. */
exblas_status exb_t(solver_run)(exb_t(solver) s, const exb_t(solver_options) *options,
                                int n_vectors, exb_t(solver_method) *method,
                                exblas_solver_result *result);

int exb_t(solver_restart)(const exb_t(solver_options) *options);
