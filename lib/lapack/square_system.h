/* Correctly rounded solutions of a square system for several right-hand sides: scaling, an inverse
 * with a bound, refinement; what these leave open, in exact arithmetic. */
#ifndef EXB_SQUARE_SYSTEM_H
#define EXB_SQUARE_SYSTEM_H

#include "core/arith/bits.h"
#include "exblas/lapack.h"

typedef struct {
    int64_t m, n, n_right; /* equations, unknowns */
    bool has_info;         /* the condition is asked for */
    exb_format format;
    double *a; /* m rows of n or, for m > n, n columns of m; finite, and spoilt for m not n */
    double *b; /* n_right times m, likewise */
} exb_problem;

/* x: n_right times n, RN of the components as doubles that the format has, for m = n. EXBLAS_OK,
 * ESINGULAR, ENOMEM; x may be written in any case. */
exblas_status exb_solve(const exb_problem *p, double *x, exblas_solution *info);

#endif
