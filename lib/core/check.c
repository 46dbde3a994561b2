#include "core/check.h"

#include "exblas/exblas.h"

#include <stdatomic.h>
#include <stdio.h>

static const exb_fault none = {0, false, false};

static bool is_layout(int v)
{
    return v == EXB_ROW_MAJOR || v == EXB_COL_MAJOR;
}

static bool is_trans(int v)
{
    return v == EXB_NO_TRANS || v == EXB_TRANS || v == EXB_CONJ_TRANS;
}

static bool is_uplo(int v)
{
    return v == EXB_UPPER || v == EXB_LOWER;
}

static bool is_diag(int v)
{
    return v == EXB_NON_UNIT || v == EXB_UNIT;
}

/* An enum argument without such a value; Fortran has no layout argument. */
static exb_fault option(const exb_site *site, int position)
{
    return (exb_fault){site->convention == EXB_CALL_FORTRAN ? position - 1 : position, true, false};
}

static exb_fault value(const exb_site *site, int position)
{
    return (exb_fault){site->convention == EXB_CALL_CBLAS ? position : position - 1, false, false};
}

/* A row-major call under netlib's convention is checked as the Fortran call
 * that netlib makes of it. */
static bool swapped(const exb_site *site, int layout)
{
    return site->convention == EXB_CALL_NETLIB_CBLAS && layout == EXB_ROW_MAJOR;
}

static exb_fault from_row_major(exb_fault fault)
{
    fault.row_major = true;
    return fault;
}

static int64_t at_least_one(int64_t n)
{
    return n > 1 ? n : 1;
}

static int flip_uplo(int uplo)
{
    return uplo == EXB_UPPER ? EXB_LOWER : EXB_UPPER;
}

static int flip_trans(int trans)
{
    return trans == EXB_NO_TRANS ? EXB_TRANS : EXB_NO_TRANS;
}

exb_fault exb_check_gemv(const exb_site *site, int layout, int trans, int64_t m, int64_t n,
                         int64_t lda, int64_t incx, int64_t incy)
{
    if (!is_layout(layout))
        return option(site, 1);
    if (!is_trans(trans))
        return option(site, 2);
    if (swapped(site, layout))
        return from_row_major(
            exb_check_gemv(site, EXB_COL_MAJOR, flip_trans(trans), n, m, lda, incx, incy));
    if (m < 0)
        return value(site, 3);
    if (n < 0)
        return value(site, 4);
    if (lda < at_least_one(layout == EXB_COL_MAJOR ? m : n))
        return value(site, 7);
    if (incx == 0)
        return value(site, 9);
    return incy == 0 ? value(site, 12) : none;
}

exb_fault exb_check_trsv(const exb_site *site, int layout, int uplo, int trans, int diag, int64_t n,
                         int64_t lda, int64_t incx)
{
    if (!is_layout(layout))
        return option(site, 1);
    if (!is_uplo(uplo))
        return option(site, 2);
    if (!is_trans(trans))
        return option(site, 3);
    if (!is_diag(diag))
        return option(site, 4);
    if (swapped(site, layout)) /* the arguments stay where they are */
        return from_row_major(exb_check_trsv(site, EXB_COL_MAJOR, flip_uplo(uplo),
                                             flip_trans(trans), diag, n, lda, incx));
    if (n < 0)
        return value(site, 5);
    if (lda < at_least_one(n))
        return value(site, 7);
    return incx == 0 ? value(site, 9) : none;
}

exb_fault exb_check_gemm(const exb_site *site, int layout, int transa, int transb, int64_t m,
                         int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc)
{
    if (!is_layout(layout))
        return option(site, 1);
    if (!is_trans(transa))
        return option(site, 2);
    if (!is_trans(transb))
        return option(site, 3);
    if (swapped(site, layout))
        return from_row_major(
            exb_check_gemm(site, EXB_COL_MAJOR, transb, transa, n, m, k, ldb, lda, ldc));
    if (m < 0)
        return value(site, 4);
    if (n < 0)
        return value(site, 5);
    if (k < 0)
        return value(site, 6);
    /* The stored extent along which a leading dimension strides. */
    bool by_columns = layout == EXB_COL_MAJOR;
    if (lda < at_least_one((transa == EXB_NO_TRANS) == by_columns ? m : k))
        return value(site, 9);
    if (ldb < at_least_one((transb == EXB_NO_TRANS) == by_columns ? k : n))
        return value(site, 11);
    return ldc < at_least_one(by_columns ? m : n) ? value(site, 14) : none;
}

exb_fault exb_check_syrk(const exb_site *site, int layout, int uplo, int trans, int64_t n,
                         int64_t k, int64_t lda, int64_t ldc)
{
    if (!is_layout(layout))
        return option(site, 1);
    if (!is_uplo(uplo))
        return option(site, 2);
    if (!is_trans(trans))
        return option(site, 3);
    if (swapped(site, layout))
        return from_row_major(exb_check_syrk(site, EXB_COL_MAJOR, flip_uplo(uplo),
                                             flip_trans(trans), n, k, lda, ldc));
    if (n < 0)
        return value(site, 4);
    if (k < 0)
        return value(site, 5);
    if (lda < at_least_one((trans == EXB_NO_TRANS) == (layout == EXB_COL_MAJOR) ? n : k))
        return value(site, 8);
    return ldc < at_least_one(n) ? value(site, 11) : none;
}

/* Letters in either case; 0x20 is the difference of cases in ASCII, which is
 * what Fortran processors use. */
static char lower(const char *letter)
{
    return (char)(*letter | 0x20);
}

int exb_trans_of(const char *letter)
{
    switch (lower(letter)) {
    case 'n':
        return EXB_NO_TRANS;
    case 't':
        return EXB_TRANS;
    case 'c':
        return EXB_CONJ_TRANS;
    default:
        return 0;
    }
}

int exb_uplo_of(const char *letter)
{
    return lower(letter) == 'u' ? EXB_UPPER : lower(letter) == 'l' ? EXB_LOWER : 0;
}

int exb_diag_of(const char *letter)
{
    return lower(letter) == 'n' ? EXB_NON_UNIT : lower(letter) == 'u' ? EXB_UNIT : 0;
}

static void default_xerbla(const char *routine, int info)
{
    fprintf(stderr, "exblas: argument %d of %s has an illegal value; nothing was computed\n", info,
            routine);
}

static _Atomic(exblas_xerbla_fn *) handler = default_xerbla;

exblas_xerbla_fn *exblas_set_xerbla(exblas_xerbla_fn *f)
{
    return atomic_exchange(&handler, f ? f : default_xerbla);
}

void exb_report(const exb_site *site, exb_fault fault)
{
    atomic_load (&handler)(site->routine, fault.position);
}
