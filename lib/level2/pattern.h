/* Access patterns: which stored elements make up row i of op(A), for matrices that are
 * general, band, triangular, symmetric, Hermitian or skew-symmetric, in any storage (view.h).
 *
 * A matrix is a sum of up to two pieces and a diagonal. A piece is a band of a view: its
 * row i has the columns i - below ... i + above, as far as they exist.
 *
 *   matrix              pieces (below, above)                      diagonal
 *   general             view (m, n)                                of the piece
 *   band                view (kl, ku)                              of the piece
 *   triangle            lower view (n, 0)                          of the piece
 *   unit triangle       lower view (n, -1)                         ones
 *   symmetric           lower view (n, 0), transposed (-1, n)      of the first piece
 *   Hermitian           lower view (n, -1), transposed (-1, n),    real parts
 *                       one of them conjugated
 *   skew-symmetric      the same, one of them negated              none
 *
 * and with k in place of n for bands; an upper triangle has them the other way round. Of a
 * symmetric matrix an upper triangle is a lower one, transposed. */
#pragma once

#include "core/partition.h"
#include "level2/view.h"

typedef struct {
    exb_view view;
    int64_t below, above;
    bool conjugate; /* reals: negated */
} exb_piece;

/* What is added to the pieces: nothing, 1, or the real parts of the view's diagonal. */
typedef enum { EXB_DIAGONAL_NONE, EXB_DIAGONAL_ONES, EXB_DIAGONAL_REAL } exb_diagonal;

typedef struct {
    int64_t n_rows, n_cols;
    int n_pieces;
    exb_piece piece[2];
    exb_diagonal diagonal;
    exb_view diagonal_view;
} exb_pattern;

/* Columns of row i. */
EXB_INLINE exb_range exb_piece_columns(const exb_piece *p, int64_t n_cols, int64_t i)
{
    return (exb_range){exb_most(i - p->below, 0), exb_least(i + p->above + 1, n_cols)};
}

/* Columns that all of the rows i ... i + m - 1 have. Empty ranges may have end < begin. */
EXB_INLINE exb_range exb_piece_common(const exb_piece *p, int64_t n_cols, int64_t i, int64_t m)
{
    return (exb_range){exb_piece_columns(p, n_cols, i + m - 1).begin,
                       exb_piece_columns(p, n_cols, i).end};
}

/* What it has not, a second piece and a view of the diagonal, stays as it is: clearing that would
 * take a tenth of a small call. */
EXB_INLINE exb_pattern exb_pattern_band(exb_view v, int64_t m, int64_t n, int64_t kl, int64_t ku,
                                        bool conjugate)
{
    exb_pattern t;
    t.n_rows = m;
    t.n_cols = n;
    t.n_pieces = 1;
    t.piece[0] = (exb_piece){v, kl, ku, conjugate};
    t.diagonal = EXB_DIAGONAL_NONE;
    return t;
}

/* Most columns from the first to the last that a row has, its diagonal too. As these move by one
 * from row to row, m rows have up to m - 1 more. */
EXB_INLINE int64_t exb_pattern_width(const exb_pattern *t)
{
    const exb_piece *p = &t->piece[0], *q = &t->piece[t->n_pieces > 1];
    int64_t below = exb_most(p->below, q->below), above = exb_most(p->above, q->above);
    if (t->diagonal != EXB_DIAGONAL_NONE) {
        below = exb_most(below, 0);
        above = exb_most(above, 0);
    }
    return exb_least(below + above + 1, t->n_cols);
}

/* All elements of the view of one piece. */
EXB_INLINE bool exb_pattern_is_general(const exb_pattern *t)
{
    return t->n_pieces == 1 && t->diagonal == EXB_DIAGONAL_NONE && t->piece[0].below >= t->n_rows &&
           t->piece[0].above >= t->n_cols;
}

/* A triangle with k diagonals beside the main one; strict: without the main one. */
EXB_INLINE exb_pattern exb_pattern_triangle(exb_view v, int64_t n, int64_t k, bool is_lower,
                                            bool strict, bool conjugate)
{
    int64_t diagonal = strict ? -1 : 0;
    return exb_pattern_band(v, n, n, is_lower ? k : diagonal, is_lower ? diagonal : k, conjugate);
}

EXB_INLINE bool exb_pattern_is_lower(const exb_pattern *p)
{
    return p->piece[0].above <= 0;
}

/* Rows and columns of a triangle of order n > 0 from the last to the first: an upper one is lower
 * then. */
EXB_INLINE void exb_pattern_reverse(exb_pattern *p)
{
    exb_piece *t = &p->piece[0];
    *t = (exb_piece){exb_view_reversed(t->view, p->n_rows), t->above, t->below, t->conjugate};
}

/* What a triangle stands for: the other one is its transpose as it is, conjugated, or negated
 * beside a diagonal of zeros. */
typedef enum { EXB_SYMMETRIC, EXB_HERMITIAN, EXB_SKEW } exb_symmetry;

/* From the view of a lower triangle; changes_lower: of the two it is the lower one that is
 * conjugated or negated. */
EXB_INLINE exb_pattern exb_pattern_mirrored(exb_symmetry kind, exb_view lower, int64_t n, int64_t k,
                                            bool changes_lower)
{
    bool changes = kind != EXB_SYMMETRIC;
    exb_pattern p = exb_pattern_triangle(lower, n, k, true, changes, changes && changes_lower);
    p.piece[p.n_pieces++] =
        (exb_piece){exb_view_transposed(lower), -1, k, changes && !changes_lower};
    if (kind == EXB_HERMITIAN) {
        p.diagonal = EXB_DIAGONAL_REAL;
        p.diagonal_view = lower;
    }
    return p;
}

/* Which elements of a matrix are written. */
typedef enum { EXB_REGION_ALL, EXB_REGION_LOWER, EXB_REGION_UPPER } exb_region;

EXB_INLINE exb_region exb_region_transposed(exb_region r)
{
    return r == EXB_REGION_LOWER   ? EXB_REGION_UPPER
           : r == EXB_REGION_UPPER ? EXB_REGION_LOWER
                                   : EXB_REGION_ALL;
}

/* The rows that column j has of m. */
EXB_INLINE exb_range exb_region_rows(exb_region r, int64_t m, int64_t j)
{
    return (exb_range){r == EXB_REGION_LOWER ? j : 0,
                       r == EXB_REGION_UPPER ? exb_least(j + 1, m) : m};
}

/* False if nothing of rows i0 ... i0 + m - 1 and columns j0 ... j0 + n - 1 is in the region. */
EXB_INLINE bool exb_region_meets(exb_region r, int64_t i0, int64_t m, int64_t j0, int64_t n)
{
    return r == EXB_REGION_ALL || (r == EXB_REGION_LOWER ? i0 + m > j0 : i0 < j0 + n);
}
