/* The matrices of a call as operands of a real product: general, symmetric, Hermitian or triangular
 * ones in full storage, one or two side by side, of any type.
 *
 * A complex product is a real one of twice the terms and n_sums = 2 columns for one:
 *
 *   row i of A       re a(i, 0), -im a(i, 0), re a(i, 1), ...
 *   column 2j of B   re b(0, j),  im b(0, j), ...        gives the real part of C(i, j)
 *   column 2j + 1    im b(0, j), -re b(0, j), ...        gives the imaginary part
 *
 * so that every part is one sum of real products, with no intermediate rounding. With n_sums = 4,
 * columns 4j + 2 and 4j + 3 are the same with the second of two matrices negated. */
#ifndef EXB_SOURCE_H
#define EXB_SOURCE_H

#include "level2/stored_matrix.h"
#include "level3/operand.h"

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

#endif
