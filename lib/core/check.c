#include "core/check.h"

#include "core/check_rules.h"
#include "exblas/exblas.h"

#include <stdatomic.h>
#include <stdio.h>

exb_fault exb_check_gemm(const exb_site *site, int layout, int transa, int transb, int64_t m,
                         int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc)
{
    if (!exb_is_layout(layout))
        return exb_option_fault(site, 1);
    if (!exb_is_trans(transa))
        return exb_option_fault(site, 2);
    if (!exb_is_trans(transb))
        return exb_option_fault(site, 3);
    if (exb_is_swapped(site, layout))
        return exb_from_row_major(
            exb_check_gemm(site, EXB_COL_MAJOR, transb, transa, n, m, k, ldb, lda, ldc));
    if (m < 0)
        return exb_value_fault(site, 4);
    if (n < 0)
        return exb_value_fault(site, 5);
    if (k < 0)
        return exb_value_fault(site, 6);
    /* The stored extent along which a leading dimension strides. */
    bool by_columns = layout == EXB_COL_MAJOR;
    if (lda < exb_at_least_one((transa == EXB_NO_TRANS) == by_columns ? m : k))
        return exb_value_fault(site, 9);
    if (ldb < exb_at_least_one((transb == EXB_NO_TRANS) == by_columns ? k : n))
        return exb_value_fault(site, 11);
    return ldc < exb_at_least_one(by_columns ? m : n) ? exb_value_fault(site, 14) : exb_no_fault;
}

exb_fault exb_check_syrk(const exb_site *site, int layout, int uplo, int trans, int64_t n,
                         int64_t k, int64_t lda, int64_t ldc)
{
    if (!exb_is_layout(layout))
        return exb_option_fault(site, 1);
    if (!exb_is_uplo(uplo))
        return exb_option_fault(site, 2);
    if (!exb_is_trans(trans))
        return exb_option_fault(site, 3);
    if (exb_is_swapped(site, layout))
        return exb_from_row_major(exb_check_syrk(site, EXB_COL_MAJOR, exb_flip_uplo(uplo),
                                                 exb_flip_trans(trans), n, k, lda, ldc));
    if (n < 0)
        return exb_value_fault(site, 4);
    if (k < 0)
        return exb_value_fault(site, 5);
    if (lda < exb_at_least_one((trans == EXB_NO_TRANS) == (layout == EXB_COL_MAJOR) ? n : k))
        return exb_value_fault(site, 8);
    return ldc < exb_at_least_one(n) ? exb_value_fault(site, 11) : exb_no_fault;
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
