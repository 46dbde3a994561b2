/* dot, asum and nrm2 under the names of BLAS: the library's result, and the exact value behind it
 * is kept. Its place is before the drop-in object. Types: s d. */
#include "acc/acc_names.h"
#include "exblas/cblas.h"
#include "mpi/pmpi/fused.h"

#define serial(name) EXB_PASTE4(excblas_, EXB_TYPE, name, _64)
#define blas_name(prefix, name, suffix) EXB_PASTE4(prefix, EXB_TYPE, name, suffix)

static uint64_t bits_of(exb_real x)
{
    uint64_t bits = 0;
#if EXB_IS_S
    uint32_t narrow;
    memcpy(&narrow, &x, sizeof narrow);
    bits = narrow;
#else
    memcpy(&bits, &x, sizeof bits);
#endif
    return bits;
}

static exb_real dot(int64_t n, const exb_real *x, int64_t incx, const exb_real *y, int64_t incy)
{
    exb_real r = serial(dot)(n, x, incx, y, incy);
    exblas_acc exact;
    exblas_acc_init(&exact);
    acc_of_vector(add_dot)(&exact, n, x, incx, y, incy);
    exb_fused_remember(bits_of(r), EXB_IS_S, &exact);
    return r;
}

static exb_real asum(int64_t n, const exb_real *x, int64_t incx)
{
    exb_real r = serial(asum)(n, x, incx);
    exblas_acc exact;
    exblas_acc_init(&exact);
    acc_of_vector(add_magnitudes)(&exact, incx > 0 ? n : 0, x, incx);
    exb_fused_remember(bits_of(r), EXB_IS_S, &exact);
    return r;
}

/* Programs add up squares of norms. */
static exb_real nrm2(int64_t n, const exb_real *x, int64_t incx)
{
    exb_real r = serial(nrm2)(n, x, incx);
    exblas_acc exact;
    exblas_acc_init(&exact);
    acc_of_vector(add_dot)(&exact, n, x, incx, x, incx);
    exb_fused_remember(bits_of(r * r), EXB_IS_S, &exact);
    return r;
}

#pragma GCC visibility push(default)

/* The names of a routine with these arguments, each with its conventions: CBLAS with 32 and 64
 * bits, Fortran with 32 and 64 bits. */
#define DOT_NAME(prefix, suffix, integer, value)                                                   \
    exb_real blas_name(prefix, dot, suffix)(integer n, const exb_real *x, integer incx,            \
                                            const exb_real *y, integer incy);                      \
    exb_real blas_name(prefix, dot, suffix)(integer n, const exb_real *x, integer incx,            \
                                            const exb_real *y, integer incy)                       \
    {                                                                                              \
        return dot(value n, x, value incx, y, value incy);                                         \
    }
#define VECTOR_NAME(prefix, name, suffix, integer, value)                                          \
    exb_real blas_name(prefix, name, suffix)(integer n, const exb_real *x, integer incx);          \
    exb_real blas_name(prefix, name, suffix)(integer n, const exb_real *x, integer incx)           \
    {                                                                                              \
        return name(value n, x, value incx);                                                       \
    }
#define ALL_NAMES(prefix, suffix, integer, value)                                                  \
    DOT_NAME(prefix, suffix, integer, value)                                                       \
    VECTOR_NAME(prefix, asum, suffix, integer, value)                                              \
    VECTOR_NAME(prefix, nrm2, suffix, integer, value)

ALL_NAMES(cblas_, , exblas_int, )
ALL_NAMES(cblas_, 64_, exblas_int64, )
ALL_NAMES(cblas_, _64, exblas_int64, )
ALL_NAMES(scipy_cblas_, , exblas_int, )
ALL_NAMES(scipy_cblas_, 64_, exblas_int64, )
ALL_NAMES(, _, const exblas_int *, *)
ALL_NAMES(, _64, const exblas_int64 *, *)
ALL_NAMES(, _64_, const exblas_int64 *, *)
ALL_NAMES(scipy_, _, const exblas_int *, *)
ALL_NAMES(scipy_, _64_, const exblas_int64 *, *)

#pragma GCC visibility pop
