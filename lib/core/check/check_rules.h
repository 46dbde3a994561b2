/* What the argument checks of all levels share (check.h); those made from lib/symbols.list ask for
 * these. */
#pragma once

#include "core/check/check.h"
#include "core/arith/compiler.h"

static const exb_fault exb_no_fault = {0, false, false};

EXB_INLINE bool exb_is_layout(int v)
{
    return v == EXB_ROW_MAJOR || v == EXB_COL_MAJOR;
}

EXB_INLINE bool exb_is_trans(int v)
{
    return v == EXB_NO_TRANS || v == EXB_TRANS || v == EXB_CONJ_TRANS;
}

/* The operations of omatcopy and imatcopy. */
EXB_INLINE bool exb_is_op(int v)
{
    return exb_is_trans(v) || v == EXB_CONJ_NO_TRANS;
}

EXB_INLINE bool exb_is_transposed(int v)
{
    return v == EXB_TRANS || v == EXB_CONJ_TRANS;
}

EXB_INLINE bool exb_is_trans_of(exb_update_kind kind, int trans)
{
    return trans == EXB_NO_TRANS || (trans == EXB_TRANS && kind != EXB_UPDATE_HERMITIAN) ||
           (trans == EXB_CONJ_TRANS && kind != EXB_UPDATE_SYMMETRIC);
}

EXB_INLINE bool exb_is_uplo(int v)
{
    return v == EXB_UPPER || v == EXB_LOWER;
}

EXB_INLINE bool exb_is_side(int v)
{
    return v == EXB_LEFT || v == EXB_RIGHT;
}

EXB_INLINE bool exb_is_diag(int v)
{
    return v == EXB_NON_UNIT || v == EXB_UNIT;
}

/* Keeps the fault of the first rule that does not hold: an enum argument without such a value
 * (Fortran has no layout argument), or another one. */
EXB_INLINE void exb_demand_option(exb_fault *f, const exb_site *site, int position, bool holds)
{
    if (!f->position && !holds)
        *f = (exb_fault){site->convention == EXB_CALL_FORTRAN ? position - 1 : position, true,
                         false};
}

EXB_INLINE void exb_demand(exb_fault *f, const exb_site *site, int position, bool holds)
{
    if (!f->position && !holds)
        *f =
            (exb_fault){site->convention == EXB_CALL_CBLAS ? position : position - 1, false, false};
}

/* A row-major call under netlib's convention is checked as the Fortran call
 * that netlib makes of it. */
EXB_INLINE bool exb_is_swapped(const exb_site *site, int layout)
{
    return site->convention == EXB_CALL_NETLIB_CBLAS && layout == EXB_ROW_MAJOR;
}

EXB_INLINE exb_fault exb_from_row_major(exb_fault fault)
{
    fault.row_major = true;
    return fault;
}

EXB_INLINE int64_t exb_at_least_one(int64_t n)
{
    return n > 1 ? n : 1;
}

EXB_INLINE int exb_flip_uplo(int uplo)
{
    return uplo == EXB_UPPER ? EXB_LOWER : EXB_UPPER;
}

EXB_INLINE int exb_flip_side(int side)
{
    return side == EXB_LEFT ? EXB_RIGHT : EXB_LEFT;
}

EXB_INLINE int exb_flip_trans(int trans)
{
    return trans == EXB_NO_TRANS ? EXB_TRANS : EXB_NO_TRANS;
}

/* The transpose that netlib's CBLAS asks Fortran for: it takes either of the two for a
 * row-major N, and complains in Fortran's place about a column-major one. */
EXB_INLINE int exb_flip_update(exb_update_kind kind, int trans)
{
    int transposed = kind == EXB_UPDATE_HERMITIAN ? EXB_CONJ_TRANS : EXB_TRANS;
    return trans == EXB_NO_TRANS ? transposed : EXB_NO_TRANS;
}

/* lda > kl + ku, without overflow. A negative kl has a fault of its own. */
EXB_INLINE bool exb_holds_band(int64_t lda, int64_t kl, int64_t ku)
{
    return kl < 0 || (lda > kl && lda - kl > ku);
}

/* Whether matrices of m x n elements lie behind each other, `stride` apart. */
EXB_INLINE bool exb_are_apart(int layout, int64_t m, int64_t n, int64_t ld, int64_t stride)
{
    int64_t rows = layout == EXB_COL_MAJOR ? m : n, columns = layout == EXB_COL_MAJOR ? n : m;
    if (rows == 0 || columns == 0 || ld < 1) /* a bad leading dimension has a fault of its own */
        return true;
    /* stride >= ld (columns - 1) + rows, without overflow */
    return stride >= rows && (columns == 1 || (stride - rows) / ld >= columns - 1);
}
