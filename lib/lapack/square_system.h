/* Correctly rounded solutions of a square system for several right-hand sides: scaling, an inverse
 * with a bound, refinement; what these leave open, in exact arithmetic. */
#ifndef EXB_SQUARE_SYSTEM_H
#define EXB_SQUARE_SYSTEM_H

#include "core/arith/bits.h"
#include "exblas/lapack.h"

typedef struct {
    int64_t n, n_right;
    int64_t first; /* components first ... n - 1 of the solutions are wanted */
    bool has_info; /* the condition is asked for */
    exb_format format;
    const double *a; /* n rows of n, finite */
    const double *b; /* n_right times n, finite */
} exb_problem;

/* x: n_right times n - first, RN of the components as doubles that the format has. EXBLAS_OK,
 * ESINGULAR, ENOMEM; x may be written in any case. */
exblas_status exb_solve(const exb_problem *p, double *x, exblas_solution *info);

#endif
