/* Solvers of linear systems A x = b with a square matrix that is given as a function: conjugate
 * gradients, BiCGStab, GMRES.
 *
 * Every dot product is exact and rounded once, every update of a vector rounds each element once,
 * scalars are IEEE operations in a fixed order. So the iterates have the same bits for any number
 * of threads and any processor, and for vectors that are spread over processes (exblas/mpi.h), if
 * the functions of the caller have.
 *
 * Vectors are contiguous and have n elements. b and x must not overlap. Errors: EXBLAS_EINVAL for a
 * negative size or a null pointer, EXBLAS_ENOMEM without room for some vectors, and whatever else a
 * function of the caller returns; x is as the last step left it. Names ending in _64 take 64-bit
 * integers.
 *
 * Sources: Hestenes, Stiefel, J. Res. NBS 49 (1952); van der Vorst, SIAM J. Sci. Stat. Comput. 13
 * (1992); Saad, Schultz, SIAM J. Sci. Stat. Comput. 7 (1986); Saad, "Iterative Methods for Sparse
 * Linear Systems" (2003), chapters 6, 7 and 9. */
#ifndef EXBLAS_SOLVERS_H
#define EXBLAS_SOLVERS_H

#include "exblas/types.h"

EXBLAS_BEGIN_C

/* y = A x, for vectors of n elements that do not overlap; EXBLAS_OK, or what ends the solver. */
typedef exblas_status exblas_dapply_fn(void *context, exblas_int64 n, const double *x, double *y);

/* The dot product of two vectors, rounded once. */
typedef double exblas_dproduct_fn(void *context, exblas_int64 n, const double *x, const double *y);

/* Is told ||r|| after a step, and x (of GMRES: as it was at the last restart). 0: go on. */
typedef int exblas_dstep_fn(void *context, int step, double residual, const double *x);

/* What may be chosen; all of it may be 0. */
typedef struct {
    double tolerance;               /* the end is ||r|| <= tolerance ||b||; 0: 2^-26 */
    int most_steps;                 /* 0: 10 000 */
    int restart;                    /* of GMRES, in steps; 0: 30 */
    exblas_dapply_fn *precondition; /* y = M x, M near the inverse of A; NULL: none */
    void *precondition_context;
    exblas_dproduct_fn *dot; /* NULL: the vectors are whole */
    void *dot_context;
    exblas_dstep_fn *step; /* NULL: none */
    void *step_context;
    double *history;  /* receives ||r|| before the first step and after each, or NULL */
    int history_size; /* at most so many */
} exblas_dsolver_options;

/* The same for floats. */
typedef exblas_status exblas_sapply_fn(void *context, exblas_int64 n, const float *x, float *y);

typedef float exblas_sproduct_fn(void *context, exblas_int64 n, const float *x, const float *y);

typedef int exblas_sstep_fn(void *context, int step, double residual, const float *x);

typedef struct {
    double tolerance;               /* the end is ||r|| <= tolerance ||b||; 0: 2^-11 */
    int most_steps;                 /* 0: 10 000 */
    int restart;                    /* of GMRES, in steps; 0: 30 */
    exblas_sapply_fn *precondition; /* y = M x, M near the inverse of A; NULL: none */
    void *precondition_context;
    exblas_sproduct_fn *dot; /* NULL: the vectors are whole */
    void *dot_context;
    exblas_sstep_fn *step; /* NULL: none */
    void *step_context;
    double *history;  /* receives ||r|| before the first step and after each, or NULL */
    int history_size; /* at most so many */
} exblas_ssolver_options;

/* Why a solver ended: ||r|| is small; most_steps; a divisor was 0 or not finite, or the matrix is
 * not positive definite (CG); the function `step` said so. */
enum { EXBLAS_CONVERGED = 1, EXBLAS_MOST_STEPS = 2, EXBLAS_BREAKDOWN = 3, EXBLAS_STOPPED = 4 };

/* How it ended. The last ||r|| is the one that the method updates; of GMRES its estimate. */
typedef struct {
    int reason, steps;
    double residual;
} exblas_solver_result;

/* Conjugate gradients: A and M symmetric and positive definite. x holds the first guess and
 * receives the solution. options and result may be NULL. Room for 4 vectors. */
EXBLAS_API exblas_status exblas_dcg(exblas_int n, exblas_dapply_fn *multiply, void *context,
                                    const double *b, double *x,
                                    const exblas_dsolver_options *options,
                                    exblas_solver_result *result);
EXBLAS_API exblas_status exblas_dcg_64(exblas_int64 n, exblas_dapply_fn *multiply, void *context,
                                       const double *b, double *x,
                                       const exblas_dsolver_options *options,
                                       exblas_solver_result *result);
EXBLAS_API exblas_status exblas_scg(exblas_int n, exblas_sapply_fn *multiply, void *context,
                                    const float *b, float *x, const exblas_ssolver_options *options,
                                    exblas_solver_result *result);
EXBLAS_API exblas_status exblas_scg_64(exblas_int64 n, exblas_sapply_fn *multiply, void *context,
                                       const float *b, float *x,
                                       const exblas_ssolver_options *options,
                                       exblas_solver_result *result);

/* BiCGStab, preconditioned from the right: any matrix, two products a step. Room for 7 vectors. */
EXBLAS_API exblas_status exblas_dbicgstab(exblas_int n, exblas_dapply_fn *multiply, void *context,
                                          const double *b, double *x,
                                          const exblas_dsolver_options *options,
                                          exblas_solver_result *result);
EXBLAS_API exblas_status exblas_dbicgstab_64(exblas_int64 n, exblas_dapply_fn *multiply,
                                             void *context, const double *b, double *x,
                                             const exblas_dsolver_options *options,
                                             exblas_solver_result *result);
EXBLAS_API exblas_status exblas_sbicgstab(exblas_int n, exblas_sapply_fn *multiply, void *context,
                                          const float *b, float *x,
                                          const exblas_ssolver_options *options,
                                          exblas_solver_result *result);
EXBLAS_API exblas_status exblas_sbicgstab_64(exblas_int64 n, exblas_sapply_fn *multiply,
                                             void *context, const float *b, float *x,
                                             const exblas_ssolver_options *options,
                                             exblas_solver_result *result);

/* GMRES with restarts, preconditioned from the right: modified Gram-Schmidt, Givens rotations. Room
 * for restart + 3 vectors. */
EXBLAS_API exblas_status exblas_dgmres(exblas_int n, exblas_dapply_fn *multiply, void *context,
                                       const double *b, double *x,
                                       const exblas_dsolver_options *options,
                                       exblas_solver_result *result);
EXBLAS_API exblas_status exblas_dgmres_64(exblas_int64 n, exblas_dapply_fn *multiply, void *context,
                                          const double *b, double *x,
                                          const exblas_dsolver_options *options,
                                          exblas_solver_result *result);
EXBLAS_API exblas_status exblas_sgmres(exblas_int n, exblas_sapply_fn *multiply, void *context,
                                       const float *b, float *x,
                                       const exblas_ssolver_options *options,
                                       exblas_solver_result *result);
EXBLAS_API exblas_status exblas_sgmres_64(exblas_int64 n, exblas_sapply_fn *multiply, void *context,
                                          const float *b, float *x,
                                          const exblas_ssolver_options *options,
                                          exblas_solver_result *result);

/* A sparse matrix (exblas/sparse.h) as a context. */
typedef struct {
    exblas_int n;
    const exblas_int *row_start, *column;
    const double *value;
} exblas_dcsr;

typedef struct {
    exblas_int n;
    const exblas_int *row_start, *column;
    const float *value;
} exblas_scsr;

/* y = RN(A x) for the exblas_dcsr, exblas_scsr behind `matrix`. EINVAL if its size is not n. */
EXBLAS_API exblas_status exblas_dcsr_apply(void *matrix, exblas_int64 n, const double *x,
                                           double *y);
EXBLAS_API exblas_status exblas_scsr_apply(void *matrix, exblas_int64 n, const float *x, float *y);

/* The inverses of the diagonal blocks of a square matrix, rows and columns k size ... (k + 1) size
 * - 1, as a matrix again: the M of block Jacobi, and for size = 1 of Jacobi. Gauss and Jordan with
 * partial pivoting in doubles, in a fixed order. to_row_start has n + 1 elements, to_column and
 * to_value have n * size. ERANGE: a block is singular, or its inverse is not finite; nothing was
 * written. 1 <= size <= 512. */
EXBLAS_API exblas_status exblas_dcsr_block_inverse(exblas_int n, exblas_int size,
                                                   const exblas_int *row_start,
                                                   const exblas_int *column, const double *value,
                                                   exblas_int *to_row_start, exblas_int *to_column,
                                                   double *to_value);
EXBLAS_API exblas_status exblas_dcsr_block_inverse_64(
    exblas_int64 n, exblas_int64 size, const exblas_int64 *row_start, const exblas_int64 *column,
    const double *value, exblas_int64 *to_row_start, exblas_int64 *to_column, double *to_value);
EXBLAS_API exblas_status exblas_scsr_block_inverse(exblas_int n, exblas_int size,
                                                   const exblas_int *row_start,
                                                   const exblas_int *column, const float *value,
                                                   exblas_int *to_row_start, exblas_int *to_column,
                                                   float *to_value);
EXBLAS_API exblas_status exblas_scsr_block_inverse_64(
    exblas_int64 n, exblas_int64 size, const exblas_int64 *row_start, const exblas_int64 *column,
    const float *value, exblas_int64 *to_row_start, exblas_int64 *to_column, float *to_value);

EXBLAS_END_C

#endif
