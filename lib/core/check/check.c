#include "core/check/check.h"

#include "core/check/check_rules.h"
#include "exblas/exblas.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* 0x20 is the difference of cases in ASCII, which is what Fortran processors use. */
int exb_option_of(const char *letters, int first, const char *letter)
{
    const char *at = strchr(letters, *letter | 0x20);
    return at ? first + (int)(at - letters) : 0;
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
