#include "blas_call.h"

#include <exblas/cblas.h>
#include <exblas/fortran.h>
#include <stdlib.h>

static int cblas_trans(char trans)
{
    return trans == 't' ? 112 : trans == 'c' ? 113 : 111;
}

#define REAL double
#define INT exblas_int
#define NAME(x) x##_d
#define CBLAS(r) excblas_d##r
#define FORTRAN(r) exd##r##_
#define IS_FLOAT 0
#include "blas_call_tmpl.h"

#define REAL double
#define INT exblas_int64
#define NAME(x) x##_d_64
#define CBLAS(r) excblas_d##r##_64
#define FORTRAN(r) exd##r##_64_
#define IS_FLOAT 0
#include "blas_call_tmpl.h"

#define REAL float
#define INT exblas_int
#define NAME(x) x##_s
#define CBLAS(r) excblas_s##r
#define FORTRAN(r) exs##r##_
#define CBLAS_MIXED(r) excblas_##r
#define FORTRAN_MIXED(r) ex##r##_
#define IS_FLOAT 1
#include "blas_call_tmpl.h"

#define REAL float
#define INT exblas_int64
#define NAME(x) x##_s_64
#define CBLAS(r) excblas_s##r##_64
#define FORTRAN(r) exs##r##_64_
#define CBLAS_MIXED(r) excblas_##r##_64
#define FORTRAN_MIXED(r) ex##r##_64_
#define IS_FLOAT 1
#include "blas_call_tmpl.h"

const char *call_form_name(call_form form)
{
    static const char *const names[N_FORMS] = {"CBLAS", "CBLAS _64", "Fortran", "Fortran _64"};
    return names[form];
}

void blas_call(call_form form, const blas_arguments *p)
{
    static void (*const call[N_FORMS][2])(const blas_arguments *) = {
        {cblas_call_d, cblas_call_s},
        {cblas_call_d_64, cblas_call_s_64},
        {fortran_call_d, fortran_call_s},
        {fortran_call_d_64, fortran_call_s_64},
    };
    call[form][p->type == 's'](p);
}
