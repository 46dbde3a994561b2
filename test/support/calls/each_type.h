/* Includes TEMPLATE for each type and integer width, for calls through every name. It sees
 *
 *   INT, E         the integer type, the type of the parts
 *   IS_COMPLEX
 *   V(p)           the scalar at p as CBLAS takes it
 *   NAME(f)        a name of its own: NAME(cblas) and NAME(fortran) are what FORM_TABLE has
 *   CBLAS(r)       the two names of routine r
 *   FORTRAN(r)
 *   enum_of()      options */
#ifndef EACH_TYPE_H
#define EACH_TYPE_H

#include <exblas/cblas.h>
#include <exblas/fortran.h>
#include <string.h>

/* CBLAS's value of option number i of `letters`, the first of which is `first`; 0 if none. */
static int enum_of(const char *letters, int first, char option)
{
    const char *at = strchr(letters, option);
    return at ? first + (int)(at - letters) : 0;
}

#define EACH_TYPE_PASTE_(a, b, c) a##b##c
#define EACH_TYPE_PASTE(a, b, c) EACH_TYPE_PASTE_(a, b, c)

/* By type (in the order of "sdcz") and call_form. */
#define FORM_TABLE                                                                                 \
    {                                                                                              \
        {s_cblas, s_cblas_64, s_fortran, s_fortran_64},                                            \
            {d_cblas, d_cblas_64, d_fortran, d_fortran_64},                                        \
            {c_cblas, c_cblas_64, c_fortran, c_fortran_64},                                        \
        {                                                                                          \
            z_cblas, z_cblas_64, z_fortran, z_fortran_64                                           \
        }                                                                                          \
    }

#define IS_COMPLEX 0
#define E float
#define V(p) (*(const float *)(p))
#define INT exblas_int
#define NAME(f) s_##f
#define CBLAS(r) EACH_TYPE_PASTE(excblas_s, r, )
#define FORTRAN(r) EACH_TYPE_PASTE(exs, r, _)
#include TEMPLATE
#undef INT
#undef NAME
#undef CBLAS
#undef FORTRAN
#define INT exblas_int64
#define NAME(f) s_##f##_64
#define CBLAS(r) EACH_TYPE_PASTE(excblas_s, r, _64)
#define FORTRAN(r) EACH_TYPE_PASTE(exs, r, _64_)
#include TEMPLATE
#undef INT
#undef NAME
#undef CBLAS
#undef FORTRAN
#undef V
#undef E
#define E double
#define V(p) (*(const double *)(p))
#define INT exblas_int
#define NAME(f) d_##f
#define CBLAS(r) EACH_TYPE_PASTE(excblas_d, r, )
#define FORTRAN(r) EACH_TYPE_PASTE(exd, r, _)
#include TEMPLATE
#undef INT
#undef NAME
#undef CBLAS
#undef FORTRAN
#define INT exblas_int64
#define NAME(f) d_##f##_64
#define CBLAS(r) EACH_TYPE_PASTE(excblas_d, r, _64)
#define FORTRAN(r) EACH_TYPE_PASTE(exd, r, _64_)
#include TEMPLATE
#undef INT
#undef NAME
#undef CBLAS
#undef FORTRAN
#undef V
#undef E
#undef IS_COMPLEX

#define IS_COMPLEX 1
#define V(p) (p)
#define E float
#define INT exblas_int
#define NAME(f) c_##f
#define CBLAS(r) EACH_TYPE_PASTE(excblas_c, r, )
#define FORTRAN(r) EACH_TYPE_PASTE(exc, r, _)
#include TEMPLATE
#undef INT
#undef NAME
#undef CBLAS
#undef FORTRAN
#define INT exblas_int64
#define NAME(f) c_##f##_64
#define CBLAS(r) EACH_TYPE_PASTE(excblas_c, r, _64)
#define FORTRAN(r) EACH_TYPE_PASTE(exc, r, _64_)
#include TEMPLATE
#undef INT
#undef NAME
#undef CBLAS
#undef FORTRAN
#undef E
#define E double
#define INT exblas_int
#define NAME(f) z_##f
#define CBLAS(r) EACH_TYPE_PASTE(excblas_z, r, )
#define FORTRAN(r) EACH_TYPE_PASTE(exz, r, _)
#include TEMPLATE
#undef INT
#undef NAME
#undef CBLAS
#undef FORTRAN
#define INT exblas_int64
#define NAME(f) z_##f##_64
#define CBLAS(r) EACH_TYPE_PASTE(excblas_z, r, _64)
#define FORTRAN(r) EACH_TYPE_PASTE(exz, r, _64_)
#include TEMPLATE
#undef INT
#undef NAME
#undef CBLAS
#undef FORTRAN
#undef E
#undef V
#undef IS_COMPLEX

#endif
