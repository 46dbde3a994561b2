#include "level3_call.h"

#include <exblas/cblas.h>
#include <exblas/fortran.h>
#include <stdlib.h>

const level3_traits level3_family_traits[L3_FAMILIES] = {
    [L3_GEMM] = {"gemm", .has_transb = true, .has_m = true, .has_k = true, .has_b = true,
                 .has_beta = true},
    [L3_GEMMT] = {"gemmt", .has_uplo = true, .has_transb = true, .has_k = true, .has_b = true,
                  .has_beta = true, .writes_triangle = true},
    [L3_BATCH] = {"gemm_batch_strided", .has_transb = true, .has_m = true, .has_k = true,
                  .has_b = true, .has_beta = true},
    [L3_SYMM] = {"symm", .has_side = true, .has_uplo = true, .has_m = true, .has_b = true,
                 .has_beta = true},
    [L3_HEMM] = {"hemm", .is_complex_only = true, .is_hermitian = true, .has_side = true,
                 .has_uplo = true, .has_m = true, .has_b = true, .has_beta = true},
    [L3_SYRK] = {"syrk", .has_uplo = true, .has_k = true, .has_beta = true,
                 .writes_triangle = true},
    [L3_HERK] = {"herk", .is_complex_only = true, .is_hermitian = true, .has_uplo = true,
                 .has_k = true, .has_beta = true, .real_alpha = true, .real_beta = true,
                 .writes_triangle = true},
    [L3_SYR2K] = {"syr2k", .has_uplo = true, .has_k = true, .has_b = true, .has_beta = true,
                  .writes_triangle = true},
    [L3_HER2K] = {"her2k", .is_complex_only = true, .is_hermitian = true, .has_uplo = true,
                  .has_k = true, .has_b = true, .has_beta = true, .real_beta = true,
                  .writes_triangle = true},
    [L3_TRMM] = {"trmm", .has_side = true, .has_uplo = true, .has_diag = true, .has_m = true},
    [L3_TRSM] = {"trsm", .has_side = true, .has_uplo = true, .has_diag = true, .has_m = true},
};

const char *level3_name(level3_family f, char type)
{
    static char name[24];
    const level3_traits *t = &level3_family_traits[f];
    if (t->is_complex_only && !level2_is_complex(type))
        return NULL;
    name[0] = type;
    strcpy(name + 1, t->name);
    return name;
}

/* CBLAS's value of option number i of `letters`, the first of which is `first`; 0 if none. */
static int enum_of(const char *letters, int first, char option)
{
    const char *at = strchr(letters, option);
    return at ? first + (int)(at - letters) : 0;
}

#define IS_COMPLEX 0
#define PASTE_(a, b, c) a##b##c
#define PASTE(a, b, c) PASTE_(a, b, c)

#define V(p) (*(const float *)(p))
#define E float
#define INT exblas_int
#define NAME(f) s_##f
#define CBLAS(r) PASTE(excblas_s, r, )
#define FORTRAN(r) PASTE(exs, r, _)
#include "level3_call_tmpl.h"

#define INT exblas_int64
#define NAME(f) s_##f##_64
#define CBLAS(r) PASTE(excblas_s, r, _64)
#define FORTRAN(r) PASTE(exs, r, _64_)
#include "level3_call_tmpl.h"
#undef V
#undef E

#define V(p) (*(const double *)(p))
#define E double
#define INT exblas_int
#define NAME(f) d_##f
#define CBLAS(r) PASTE(excblas_d, r, )
#define FORTRAN(r) PASTE(exd, r, _)
#include "level3_call_tmpl.h"

#define INT exblas_int64
#define NAME(f) d_##f##_64
#define CBLAS(r) PASTE(excblas_d, r, _64)
#define FORTRAN(r) PASTE(exd, r, _64_)
#include "level3_call_tmpl.h"
#undef V
#undef E

#undef IS_COMPLEX
#define IS_COMPLEX 1
#define V(p) (p)

#define E float
#define INT exblas_int
#define NAME(f) c_##f
#define CBLAS(r) PASTE(excblas_c, r, )
#define FORTRAN(r) PASTE(exc, r, _)
#include "level3_call_tmpl.h"

#define INT exblas_int64
#define NAME(f) c_##f##_64
#define CBLAS(r) PASTE(excblas_c, r, _64)
#define FORTRAN(r) PASTE(exc, r, _64_)
#include "level3_call_tmpl.h"
#undef E

#define E double
#define INT exblas_int
#define NAME(f) z_##f
#define CBLAS(r) PASTE(excblas_z, r, )
#define FORTRAN(r) PASTE(exz, r, _)
#include "level3_call_tmpl.h"

#define INT exblas_int64
#define NAME(f) z_##f##_64
#define CBLAS(r) PASTE(excblas_z, r, _64)
#define FORTRAN(r) PASTE(exz, r, _64_)
#include "level3_call_tmpl.h"
#undef E

void level3_run(const level3_call *c)
{
    static void (*const run[4][N_FORMS])(const level3_call *) = {
        {s_cblas, s_cblas_64, s_fortran, s_fortran_64},
        {d_cblas, d_cblas_64, d_fortran, d_fortran_64},
        {c_cblas, c_cblas_64, c_fortran, c_fortran_64},
        {z_cblas, z_cblas_64, z_fortran, z_fortran_64}};
    static const char types[] = "sdcz";
    run[strchr(types, c->type) - types][c->form](c);
}
