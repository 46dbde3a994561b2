/* Products and systems with some rows of a triangle, products with one row of a Hermitian matrix,
 * updates of a rectangle of one: for libraries which have no more of it at once. Every element has
 * the bits that trmm, trsm, hemm or the update gives it. Exported for the libraries that are built
 * with this one, not for users. */
#pragma once

#include "core/partition.h"
#include "core/type.h"

/* Rows rows.begin ... rows.end - 1 of a triangle T of order n, stored by columns, ld >= the number
 * of rows: of a lower triangle columns 0 ... rows.end - 1, of an upper one rows.begin ... n - 1.
 * What is on the other side of the diagonal is not read. */
typedef struct {
    int64_t n;
    exb_range rows;
    bool is_lower;
    const exb_real *p;
    int64_t ld;
} exb_t(triangle_rows);

/* Element (i, j) of a matrix is p[EXB_PARTS * (i * rs + j * cs)]. */
typedef struct {
    exb_real *p;
    int64_t rs, cs;
} exb_t(strided);

/* A rectangle of C = alpha U U' + beta C, or of C = alpha U V' + alpha V U' + beta C, with ' and
 * the second alpha as in herk and her2k or as in syrk and syr2k. */
typedef struct {
    bool is_hermitian, has_v;
    bool is_diagonal; /* one element, of a Hermitian C */
    int64_t m, n, k;
    const exb_real *alpha;
    const exb_real *u; /* its rows of U, or of [U V] */
    int64_t ldu;
    const exb_real *w; /* its columns' rows of U, or of [V U] */
    int64_t ldw;
    const exb_real *beta; /* NULL: 1, and k = 1, as in syr, her, syr2 and her2 */
    exb_real *c;
    int64_t ldc;
} exb_t(update);

#pragma GCC visibility push(default)

/* c = RN(alpha T x) in these rows; unit: the diagonal of T is 1, whatever is stored. x has all n
 * rows, of which those are read that meet the triangle; c has the given rows only, stored by
 * columns, and is apart from x. alpha = NULL: there is none, as in
 * trmv. */
void exb_entry(rows_multiply)(const exb_t(triangle_rows) *t, bool unit, int64_t n_sides,
                              const exb_real *alpha, const exb_real *x, int64_t ldx, exb_real *c,
                              int64_t ldc);

/* These rows of x = RN((alpha x - sum of t x) / t_ii): the unknowns before them (behind them, if T
 * is upper) are known. unit: divided by nothing. n_sides > 0, and there are rows. */
void exb_entry(rows_solve)(const exb_t(triangle_rows) *t, bool unit, int64_t n_sides,
                           exb_scalar alpha, exb_real *x, int64_t ldx);

/* The same of a single vector without alpha, as trsv does it. */
void exb_entry(rows_solve_vector)(const exb_t(triangle_rows) *t, bool unit, exb_real *x);

#if EXB_IS_COMPLEX
/* c = RN(alpha h b + beta c): h is one row of k > 0 elements, of the first of which only the real
 * part counts, b is k x n, c one row; h and c have their elements cs apart. */
void exb_entry(hermitian_row)(int64_t n, int64_t k, exb_scalar alpha, exb_t(strided) h,
                              exb_t(strided) b, exb_scalar beta, exb_t(strided) c);
#endif

void exb_entry(update_rectangle)(const exb_t(update) *u);

#pragma GCC visibility pop
