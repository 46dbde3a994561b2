#include "core/check/check.h"

#include "core/check/check_rules.h"
#include "exblas/exblas.h"

#include <stdatomic.h>
#include <stdio.h>

/* Letters in either case; 0x20 is the difference of cases in ASCII, which is
 * what Fortran processors use. */
static char lower_case(const char *letter)
{
    return (char)(*letter | 0x20);
}

int exb_trans_of(const char *letter)
{
    switch (lower_case(letter)) {
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

int exb_side_of(const char *letter)
{
    return lower_case(letter) == 'l' ? EXB_LEFT : lower_case(letter) == 'r' ? EXB_RIGHT : 0;
}

int exb_uplo_of(const char *letter)
{
    return lower_case(letter) == 'u' ? EXB_UPPER : lower_case(letter) == 'l' ? EXB_LOWER : 0;
}

int exb_diag_of(const char *letter)
{
    return lower_case(letter) == 'n' ? EXB_NON_UNIT : lower_case(letter) == 'u' ? EXB_UNIT : 0;
}

int exb_order_of(const char *letter)
{
    return lower_case(letter) == 'c'   ? EXB_COL_MAJOR
           : lower_case(letter) == 'r' ? EXB_ROW_MAJOR
                                       : 0;
}

int exb_op_of(const char *letter)
{
    return lower_case(letter) == 'r' ? EXB_CONJ_NO_TRANS : exb_trans_of(letter);
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
