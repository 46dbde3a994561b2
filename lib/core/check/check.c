#include "core/check/check.h"

#include "core/check/check_rules.h"
#include "exblas/exblas.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* The value of a letter in either case, of those in `letters` the ones from `first` on; 0x20 is the
 * difference of cases in ASCII, which is what Fortran processors use. */
static int value_of(const char *letter, const char *letters, int first)
{
    const char *at = strchr(letters, *letter | 0x20);
    return at ? first + (int)(at - letters) : 0;
}

int exb_trans_of(const char *letter)
{
    return value_of(letter, "ntc", EXB_NO_TRANS);
}

int exb_side_of(const char *letter)
{
    return value_of(letter, "lr", EXB_LEFT);
}

int exb_uplo_of(const char *letter)
{
    return value_of(letter, "ul", EXB_UPPER);
}

int exb_diag_of(const char *letter)
{
    return value_of(letter, "nu", EXB_NON_UNIT);
}

int exb_order_of(const char *letter)
{
    return value_of(letter, "rc", EXB_ROW_MAJOR);
}

int exb_op_of(const char *letter)
{
    return value_of(letter, "ntcr", EXB_NO_TRANS);
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
