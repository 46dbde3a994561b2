/* What the argument checks of all levels share (check.h). */
#ifndef EXB_CHECK_RULES_H
#define EXB_CHECK_RULES_H

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

/* An enum argument without such a value; Fortran has no layout argument. */
EXB_INLINE exb_fault exb_option_fault(const exb_site *site, int position)
{
    return (exb_fault){site->convention == EXB_CALL_FORTRAN ? position - 1 : position, true, false};
}

EXB_INLINE exb_fault exb_value_fault(const exb_site *site, int position)
{
    return (exb_fault){site->convention == EXB_CALL_CBLAS ? position : position - 1, false, false};
}

/* Keeps the fault of the first rule that does not hold. */
EXB_INLINE void exb_demand_option(exb_fault *f, const exb_site *site, int position, bool holds)
{
    if (!f->position && !holds)
        *f = exb_option_fault(site, position);
}

EXB_INLINE void exb_demand(exb_fault *f, const exb_site *site, int position, bool holds)
{
    if (!f->position && !holds)
        *f = exb_value_fault(site, position);
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

#endif
