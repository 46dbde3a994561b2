/* A call for correctly rounded solutions, as far as all routines do the same: arguments are
 * checked, the system is made of doubles, solved, and written if it could be. */
#ifndef EXB_SOLUTION_CALL_H
#define EXB_SOLUTION_CALL_H

#include "core/check/check_rules.h"
#include "core/type.h"
#include "exblas/lapack.h"

typedef struct exb_t(solution_call)
{
    const char *routine; /* for xerbla */
    int n_before;        /* arguments before n, nrhs, a, lda, b, ldb, x, ldx */
    int64_t n, nrhs;     /* X has n rows and nrhs columns */
    const exb_real *a, *b;
    int64_t lda, ldb, b_rows; /* A and B have b_rows rows */
    exb_real *x;
    int64_t ldx;
    exblas_solution *info; /* or NULL */

    int option; /* a triangle, where only that is read */

    /* A as an exb_problem has it. */
    void (*set_matrix)(const struct exb_t(solution_call) *c, double *rows);
    /* If not NULL: whether the system is as the routine asks; EXBLAS_OK or another status. */
    exblas_status (*check)(int64_t n, const double *rows);
}
exb_t(solution_call);

/* is_legal: the argument before n, if there is one. */
exblas_status exb_t(solution_run)(const exb_t(solution_call) *c, bool is_legal);

#endif
