/* A call of Level 3: its matrices, as views of what BLAS stores, and they as operands of a real
 * product: general, symmetric, Hermitian or triangular ones in full storage, one or two side by
 * side, of any type.
 *
 * A complex product is a real one of twice the terms and n_sums = 2 columns for one:
 *
 *   row i of A       re a(i, 0), -im a(i, 0), re a(i, 1), ...
 *   column 2j of B   re b(0, j),  im b(0, j), ...        gives the real part of C(i, j)
 *   column 2j + 1    im b(0, j), -re b(0, j), ...        gives the imaginary part
 *
 * so that every part is one sum of real products, with no intermediate rounding. With n_sums = 4,
 * columns 4j + 2 and 4j + 3 are the same with the second of two matrices negated. Chains sum the
 * halves of two columns apart instead (output_tmpl.c). */
#pragma once

#include "core/check/check.h"
#include "level3/output.h"
#include "level2/stored_matrix.h"

typedef enum { EXB_AS_ROWS, EXB_AS_COLUMNS } exb_role;

/* Vector i is row i of matrix[0], followed by that of matrix[1] if n_matrices = 2. In full storage:
 * no view grows. */
typedef struct {
    int n_matrices, n_sums;
    exb_role role;
    exb_t(matrix) matrix[2];
} exb_t(source);

/* The operand, which refers to s unless it can be read in place; to where it is wanted, since a
 * struct that is returned is read before its parts have been stored. */
void exb_t(operand_of)(const exb_t(source) *s, exb_p(operand) *out);

/* One matrix; what there is of a second is left alone, since calls of a few elements would take
 * longer to clear it than to multiply. */
EXB_INLINE void exb_t(source_set)(exb_t(source) *s, exb_t(matrix) a)
{
    s->n_matrices = s->n_sums = 1;
    s->role = EXB_AS_ROWS;
    s->matrix[0] = a;
}

/* The triangle of trmm and trsm: row i is what multiplies the vectors of the other matrix, row i of
 * op(A) for columns of B, column i of op(A) for rows of B. */
EXB_INLINE exb_t(matrix) exb_t(triangle_of)(const exb_real *a, bool by_rows, bool left, int uplo,
                                            int trans, bool strict, int64_t lda, int64_t n)
{
    bool transposed = (trans != EXB_NO_TRANS) == left;
    exb_view v = exb_view_transposed_if(transposed, exb_view_full(by_rows, lda));
    return (exb_t(matrix)){a,
                           exb_pattern_triangle(v, n, n, (uplo == EXB_LOWER) != transposed, strict,
                                                EXB_IS_COMPLEX && trans == EXB_CONJ_TRANS)};
}

/* C (m x n) = RN(alpha A B + beta C): a has the rows of A, b the rows of the transpose of B, of k
 * elements each, or of k in each of two matrices side by side. alpha and beta point to the parts
 * that the caller gave, one if marked as real; they are looked at in the default floating-point
 * environment only, under DAZ a subnormal alpha would compare equal to 0. No beta: 0. */
typedef struct {
    exb_t(source) a, b;
    int64_t m, n, k;
    const exb_real *alpha, *beta;
    exb_t(output) output; /* c, flags, n_sums */
} exb_t(call);

/* The scalars and no flags; sources, sizes and C are to be set. Nothing else is cleared. */
EXB_INLINE void exb_t(call_init)(exb_t(call) *call, const exb_real *alpha, const exb_real *beta)
{
    exb_t(output) *o = &call->output;
    call->alpha = alpha;
    call->beta = beta;
    o->real_alpha = o->real_beta = o->hermitian = false;
    o->n_sums = 0;
    o->c.region = EXB_REGION_ALL;
}

/* Computes it; BLAS's quick returns included. Sets the floating-point environment. */
void exb_t(call_run)(exb_t(call) *call, const exb_site *site);

/* For routines with more to do: enters the environment, calls run(ctx), leaves it. */
void exb_t(call_guarded)(const exb_site *site, void (*run)(void *ctx, exb_call_stats *stats),
                         void *ctx);

/* Inside: the scalars' values; the operands and the product. */
exb_complex exb_t(scalar_at)(const exb_real *p, bool is_real);
void exb_t(call_prepare)(exb_t(call) *call, exb_call_stats *stats);
void exb_t(call_compute)(exb_t(call) *call, exb_call_stats *stats);

/* Where C goes, in either layout. */
EXB_INLINE void exb_t(call_set_c)(exb_t(call) *call, bool by_rows, exb_real *c, int64_t ldc)
{
    call->output.c.p = c;
    call->output.c.view = exb_view_full(by_rows, ldc);
}

/* symm, hemm, skewsymm: alpha A B + beta C, or B A, A of that kind. Their entries, and those below,
 * are made from lib/symbols.list (lib/checks.py), and check the arguments. */
void exb_t(multiply_by_symmetric)(const exb_site *site, exb_symmetry kind, int layout, int side,
                                  int uplo, int64_t m, int64_t n, const exb_real *alpha,
                                  const exb_real *a, int64_t lda, const exb_real *b, int64_t ldb,
                                  const exb_real *beta, exb_real *c, int64_t ldc);

/* syrk, herk; with B syr2k, her2k, skewsyr2k. Real scalars of Hermitian updates have no imaginary
 * part. */
void exb_t(update_triangle)(const exb_site *site, exb_symmetry kind, bool has_b, int layout,
                            int uplo, int trans, int64_t n, int64_t k, const exb_real *alpha,
                            const exb_real *a, int64_t lda, const exb_real *b, int64_t ldb,
                            const exb_real *beta, exb_real *c, int64_t ldc);
