/* A matrix as Levels 2 and 3 read it, general, band, triangular, symmetric or Hermitian, in any
 * storage: an array and the pattern by which its elements make up rows. */
#pragma once

#include "core/type.h"
#include "level2/pattern.h"

typedef struct {
    const exb_real *p;
    exb_pattern pattern;
} exb_t(matrix);

/* The parts of a scalar, not looked at: under DAZ already the conversion of a subnormal float to
 * double gives 0. */
EXB_INLINE const exb_real *exb_t(parts_of)(const exb_scalar *s)
{
#if EXB_IS_COMPLEX
    return *s;
#else
    return s;
#endif
}

/* All m x n elements of a view; conjugated only if they are complex. */
EXB_INLINE exb_t(matrix)
    exb_t(full_matrix)(const exb_real *p, exb_view v, int64_t m, int64_t n, bool conjugate)
{
    return (exb_t(matrix)){p, exb_pattern_band(v, m, n, m, n, conjugate && EXB_IS_COMPLEX)};
}

/* A matrix as they write it: the elements of a view that lie in a region. */
typedef struct {
    exb_real *p;
    exb_view view;
    exb_region region;
} exb_t(target);

EXB_INLINE exb_real *exb_t(target_at)(const exb_t(target) *t, int64_t i, int64_t j)
{
    return t->p + EXB_PARTS * exb_view_at(t->view, i, j);
}

EXB_INLINE exb_t(target) exb_t(target_transposed)(const exb_t(target) *t)
{
    return (exb_t(target)){t->p, exb_view_transposed(t->view), exb_region_transposed(t->region)};
}

/* What is added beside the pieces to a(i, i). */
EXB_INLINE exb_real exb_t(diagonal_of)(const exb_t(matrix) *a, int64_t i)
{
    const exb_pattern *t = &a->pattern;
    return t->diagonal == EXB_DIAGONAL_ONES ? 1
                                            : a->p[EXB_PARTS * exb_view_at(t->diagonal_view, i, i)];
}

/* Element (i, j) of the view of the first piece, in its band or not. */
EXB_INLINE exb_complex exb_t(element_of)(const exb_t(matrix) *a, int64_t i, int64_t j)
{
    const exb_piece *piece = &a->pattern.piece[0];
    const exb_real *e = a->p + EXB_PARTS * exb_view_at(piece->view, i, j);
    double im = EXB_IS_COMPLEX ? (double)e[EXB_PARTS - 1] : 0;
    return (exb_complex){e[0], piece->conjugate ? -im : im};
}
