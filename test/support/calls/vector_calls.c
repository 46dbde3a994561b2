#include "vector_calls.h"

#include <exblas/cblas.h>

#define REAL float
#define IS_COMPLEX 0
#define N(f) s_##f
#define T(f) excblas_s##f
#define I(f) excblas_is##f
#define V(x) (*(const float *)(x))
#include "vector_calls_tmpl.h"

#define REAL double
#define IS_COMPLEX 0
#define N(f) d_##f
#define T(f) excblas_d##f
#define I(f) excblas_id##f
#define V(x) (*(const double *)(x))
#include "vector_calls_tmpl.h"

#define REAL float
#define IS_COMPLEX 1
#define N(f) c_##f
#define T(f) excblas_c##f
#define I(f) excblas_ic##f
#define M(f) excblas_cs##f
#define R(f) excblas_sc##f
#define V(x) (x)
#include "vector_calls_tmpl.h"

#define REAL double
#define IS_COMPLEX 1
#define N(f) z_##f
#define T(f) excblas_z##f
#define I(f) excblas_iz##f
#define M(f) excblas_zd##f
#define R(f) excblas_dz##f
#define V(x) (x)
#include "vector_calls_tmpl.h"

#define ALL(t, letter)                                                                             \
    {#t "scal", "scal", letter, t##_scal}, {#t "axpy", "axpy", letter, t##_axpy},                  \
        {#t "axpby", "axpby", letter, t##_axpby}, {#t "copy", "copy", letter, t##_copy},           \
        {#t "swap", "swap", letter, t##_swap}, {"i" #t "amax", "amax", letter, t##_amax},          \
        {#t "rot", "rot", letter, t##_rot},                                                        \
    {                                                                                              \
#t "rotg", "rotg", letter, t##_rotg                                                        \
    }
#define OF_REAL(t, letter)                                                                         \
    {#t "rotm", "rotm", letter, t##_rotm},                                                         \
    {                                                                                              \
#t "rotmg", "rotmg", letter, t##_rotmg                                                     \
    }
#define OF_COMPLEX(t, letter)                                                                      \
    {#t "real_scal", "real_scal", letter, t##_real_scal}, {#t "sum", "sum", letter, t##_sum},      \
        {#t "dotu", "dotu", letter, t##_dotu}, {#t "dotc", "dotc", letter, t##_dotc},              \
        {#t "asum", "asum", letter, t##_asum},                                                     \
    {                                                                                              \
#t "nrm2", "nrm2", letter, t##_nrm2                                                        \
    }

const vector_entry vector_entries[] = {
    ALL(s, 's'),     ALL(d, 'd'),     ALL(c, 'c'),        ALL(z, 'z'),
    OF_REAL(s, 's'), OF_REAL(d, 'd'), OF_COMPLEX(c, 'c'), OF_COMPLEX(z, 'z'),
};
const int n_vector_entries = sizeof vector_entries / sizeof *vector_entries;
