/* The triangle of trmm and trsm. */
#ifndef EXB_TRIANGLE_H
#define EXB_TRIANGLE_H

#include "level2/pattern.h"

/* Row i is what multiplies the vectors of the other matrix: row i of op(A) for columns of B, column
 * i of op(A) for rows of B. */
typedef struct {
    exb_view view;
    int64_t n;
    bool lower; /* row i ends with the diagonal, or begins with it */
    bool conjugate;
} exb_triangle;

EXB_INLINE exb_triangle exb_triangle_of(bool by_rows, bool left, int uplo, int trans, int64_t lda,
                                        int64_t n)
{
    bool transposed = (trans != EXB_NO_TRANS) == left;
    exb_view v = exb_view_transposed_if(transposed, exb_view_full(by_rows, lda));
    return (exb_triangle){v, n, (uplo == EXB_LOWER) != transposed, trans == EXB_CONJ_TRANS};
}

/* Conjugated only if the elements are complex. */
EXB_INLINE exb_pattern exb_triangle_pattern(const exb_triangle *t, bool unit, bool is_complex)
{
    int64_t diagonal = unit ? -1 : 0;
    exb_pattern p = exb_pattern_band(t->view, t->n, t->n, t->lower ? t->n : diagonal,
                                     t->lower ? diagonal : t->n, t->conjugate && is_complex);
    p.diagonal = unit ? EXB_DIAGONAL_ONES : EXB_DIAGONAL_NONE;
    return p;
}

#endif
