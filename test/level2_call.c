#include "level2_call.h"

#include <exblas/cblas.h>
#include <exblas/fortran.h>
#include <stdlib.h>

const level2_traits level2_family_traits[L2_FAMILIES] = {
    [L2_GEMV] = {"gemv", "gemv", SHAPE_GENERAL, STORED_FULL, .has_beta = true, .has_y = true},
    [L2_GBMV] = {"gbmv", "gbmv", SHAPE_GENERAL, STORED_BAND, .has_beta = true, .has_y = true},
    [L2_SYMV] = {"symv", "hemv", SHAPE_SYMMETRIC, STORED_FULL, .has_beta = true, .has_y = true},
    [L2_SBMV] = {"sbmv", "hbmv", SHAPE_SYMMETRIC, STORED_BAND, .has_beta = true, .has_y = true},
    [L2_SPMV] = {"spmv", "hpmv", SHAPE_SYMMETRIC, STORED_PACKED, .has_beta = true, .has_y = true},
    [L2_TRMV] = {"trmv", "trmv", SHAPE_TRIANGLE, STORED_FULL, .solves = false},
    [L2_TBMV] = {"tbmv", "tbmv", SHAPE_TRIANGLE, STORED_BAND, .solves = false},
    [L2_TPMV] = {"tpmv", "tpmv", SHAPE_TRIANGLE, STORED_PACKED, .solves = false},
    [L2_TRSV] = {"trsv", "trsv", SHAPE_TRIANGLE, STORED_FULL, .solves = true},
    [L2_TBSV] = {"tbsv", "tbsv", SHAPE_TRIANGLE, STORED_BAND, .solves = true},
    [L2_TPSV] = {"tpsv", "tpsv", SHAPE_TRIANGLE, STORED_PACKED, .solves = true},
    [L2_GER] = {"ger", "geru", SHAPE_GENERAL, STORED_FULL, .updates = true, .has_y = true},
    [L2_GERC] = {NULL, "gerc", SHAPE_GENERAL, STORED_FULL, .updates = true, .has_y = true},
    [L2_SYR] = {"syr", "her", SHAPE_SYMMETRIC, STORED_FULL, .updates = true},
    [L2_SPR] = {"spr", "hpr", SHAPE_SYMMETRIC, STORED_PACKED, .updates = true},
    [L2_SYR2] = {"syr2", "her2", SHAPE_SYMMETRIC, STORED_FULL, .updates = true, .has_y = true},
    [L2_SPR2] = {"spr2", "hpr2", SHAPE_SYMMETRIC, STORED_PACKED, .updates = true, .has_y = true},
};

bool level2_is_complex(char type)
{
    return type == 'c' || type == 'z';
}

const char *level2_name(level2_family f, char type)
{
    static char name[8];
    const level2_traits *t = &level2_family_traits[f];
    const char *base = level2_is_complex(type) ? t->complex : t->real;
    if (!base)
        return NULL;
    name[0] = type;
    strcpy(name + 1, base);
    return name;
}

/* CBLAS's value of option number i of `letters`, the first of which is `first`; 0 if none. */
static int enum_of(const char *letters, int first, char option)
{
    const char *at = strchr(letters, option);
    return at ? first + (int)(at - letters) : 0;
}

#define IS_COMPLEX 0
#define SY(r) sy##r
#define SB(r) sb##r
#define SP(r) sp##r
#define PASTE_(a, b, c) a##b##c
#define PASTE(a, b, c) PASTE_(a, b, c)

#define V(p) (*(const float *)(p))
#define E float
#define INT exblas_int
#define NAME(f) s_##f
#define CBLAS(r) PASTE(excblas_s, r, )
#define FORTRAN(r) PASTE(exs, r, _)
#include "level2_call_tmpl.h"

#define INT exblas_int64
#define NAME(f) s_##f##_64
#define CBLAS(r) PASTE(excblas_s, r, _64)
#define FORTRAN(r) PASTE(exs, r, _64_)
#include "level2_call_tmpl.h"
#undef V
#undef E

#define V(p) (*(const double *)(p))
#define E double
#define INT exblas_int
#define NAME(f) d_##f
#define CBLAS(r) PASTE(excblas_d, r, )
#define FORTRAN(r) PASTE(exd, r, _)
#include "level2_call_tmpl.h"

#define INT exblas_int64
#define NAME(f) d_##f##_64
#define CBLAS(r) PASTE(excblas_d, r, _64)
#define FORTRAN(r) PASTE(exd, r, _64_)
#include "level2_call_tmpl.h"
#undef V
#undef E

#undef IS_COMPLEX
#undef SY
#undef SB
#undef SP
#define IS_COMPLEX 1
#define SY(r) he##r
#define SB(r) hb##r
#define SP(r) hp##r
#define V(p) (p)

#define E float
#define INT exblas_int
#define NAME(f) c_##f
#define CBLAS(r) PASTE(excblas_c, r, )
#define FORTRAN(r) PASTE(exc, r, _)
#include "level2_call_tmpl.h"

#define INT exblas_int64
#define NAME(f) c_##f##_64
#define CBLAS(r) PASTE(excblas_c, r, _64)
#define FORTRAN(r) PASTE(exc, r, _64_)
#include "level2_call_tmpl.h"
#undef E

#define E double
#define INT exblas_int
#define NAME(f) z_##f
#define CBLAS(r) PASTE(excblas_z, r, )
#define FORTRAN(r) PASTE(exz, r, _)
#include "level2_call_tmpl.h"

#define INT exblas_int64
#define NAME(f) z_##f##_64
#define CBLAS(r) PASTE(excblas_z, r, _64)
#define FORTRAN(r) PASTE(exz, r, _64_)
#include "level2_call_tmpl.h"
#undef E

void level2_run(const level2_call *c)
{
    static void (*const run[4][N_FORMS])(const level2_call *) = {
        {s_cblas, s_cblas_64, s_fortran, s_fortran_64},
        {d_cblas, d_cblas_64, d_fortran, d_fortran_64},
        {c_cblas, c_cblas_64, c_fortran, c_fortran_64},
        {z_cblas, z_cblas_64, z_fortran, z_fortran_64}};
    static const char types[] = "sdcz";
    run[strchr(types, c->type) - types][c->form](c);
}
