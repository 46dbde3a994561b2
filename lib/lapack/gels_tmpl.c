/* gels: correctly rounded least squares and least norm solutions, as those of a square system of m
 * + n unknowns whose elements are those of A:
 *
 *   m >= n:   (scale I) r' + A x = b,  A' r' = 0      x minimises |b - A x|; r' = (b - A x) / scale
 *   m < n:    A x = b,  A' y - (scale I) x = 0        x = A' y / scale has the least |x| of all
 *
 * It has one solution exactly if A has full rank. x does not depend on the scale, a power of two
 * near the least singular value of A: with it the condition of the system is that of A, without it
 * the square.
 *
 * Types: s d.
 *
 * Source: Bjorck, Numerical Methods for Least Squares Problems (1996), sections 1.1.6 and 2.5. */
#include "lapack/gels_scale.h"
#include "lapack/solution_call.h"

/* Element (i, j) of A to (row + i, column + j) of the system, and to (column + j, row + i). */
static void set_blocks(const exb_t(solution_call) *c, double *rows, int64_t row, int64_t column)
{
    int64_t n = c->n_system;
    for (int64_t j = 0; j < c->n; j++)
        for (int64_t i = 0; i < c->b_rows; i++) {
            double x = c->a[i + j * c->lda];
            rows[(row + i) * n + column + j] = x;
            rows[(column + j) * n + row + i] = x;
        }
}

static void set_matrix(const exb_t(solution_call) *c, double *rows)
{
    int64_t n = c->n_system, m = c->b_rows;
    memset(rows, 0, (size_t)(n * n) * sizeof *rows);
    set_blocks(c, rows, 0, m);
    double scale = exb_gels_scale(m, c->n, rows + m, n);
    for (int64_t i = 0; m >= c->n && i < m; i++)
        rows[i * n + i] = scale;
    for (int64_t i = m; m < c->n && i < n; i++)
        rows[i * n + i] = -scale;
}

exblas_status exblas_t(gels_64)(exblas_int64 m, exblas_int64 n, exblas_int64 nrhs,
                                const exb_real *a, exblas_int64 lda, const exb_real *b,
                                exblas_int64 ldb, exb_real *x, exblas_int64 ldx,
                                exblas_solution *info)
{
    exb_t(solution_call) c = {.routine = EXB_STRING(exblas_t(gels)),
                              .n_before = 1,
                              .n = n,
                              .nrhs = nrhs,
                              .n_system = m + n,
                              .a = a,
                              .lda = lda,
                              .b = b,
                              .ldb = ldb,
                              .b_rows = m,
                              .x = x,
                              .ldx = ldx,
                              .info = info,
                              .set_matrix = set_matrix};
    return exb_t(solution_run)(&c, m >= 0);
}
