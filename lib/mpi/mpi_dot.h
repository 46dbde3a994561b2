/* Scalar products into accumulators, and what else the templates of the types s d c z share.
 * EXB_PARTS accumulators hold the parts of a sum. */
#pragma once

#include "acc/acc_names.h"
#include "core/check/check_rules.h"
#include "exblas/cblas.h"
#include "exblas/mpi.h"

#define mpi_name(name) EXB_PASTE3(exblas_mpi_, EXB_TYPE, name)
/* The library's own routines. */
#define serial(name) EXB_PASTE4(excblas_, EXB_TYPE, name, _64)
#if EXB_IS_COMPLEX
#define exb_mpi_address(scalar) (scalar)
#else
#define exb_mpi_address(scalar) (&(scalar))
#endif

/* sum += a x over n elements, or the conjugates of a times x; increments as in BLAS. */
EXB_INLINE void exb_mpi_add_dot(exblas_acc *sum, int64_t n, const exb_real *a, int64_t inca,
                                bool conjugate, const exb_real *x, int64_t incx)
{
#if EXB_IS_COMPLEX
    exblas_acc other[EXB_PARTS] = {{.n_free = 0}}; /* im a im x, im a re x */
    acc_of_vector(add_dot)(&sum[0], n, a, EXB_PARTS * inca, x, EXB_PARTS * incx);
    acc_of_vector(add_dot)(&sum[1], n, a, EXB_PARTS * inca, x + 1, EXB_PARTS * incx);
    for (int k = 0; k < EXB_PARTS; k++) {
        acc_of_vector(add_dot)(&other[k], n, a + 1, EXB_PARTS * inca, x + 1 - k, EXB_PARTS * incx);
        if (conjugate == (k == 1))
            exblas_acc_negate(&other[k]);
        exblas_acc_merge(&sum[k], &other[k]);
    }
#else
    (void)conjugate;
    acc_of_vector(add_dot)(sum, n, a, inca, x, incx);
#endif
}

/* sum += the squares, or the magnitudes, of the parts of x, which are real vectors. */
EXB_INLINE void exb_mpi_add_norm(exblas_acc *sum, bool of_squares, int64_t n, const exb_real *x,
                                 int64_t incx)
{
    for (int k = 0; k < EXB_PARTS; k++)
        if (of_squares)
            acc_of_vector(add_dot)(sum, n, x + k, EXB_PARTS * incx, x + k, EXB_PARTS * incx);
        else
            acc_of_vector(add_magnitudes)(sum, n, x + k, EXB_PARTS * incx);
}

/* The bits and not the value are looked at: the caller may have denormals flushed. */
EXB_INLINE bool exb_mpi_is_zero(const void *value, int n_parts)
{
    const exb_real *x = value;
    bool zero = true;
    for (int i = 0; i < n_parts; i++)
        zero = zero && !(EXB_IS_S ? exb_bits_f((float)x[i]) << 1 : exb_bits((double)x[i]) << 1);
    return zero;
}

/* BLAS's number as the drivers' letter: real numbers have no conjugates. */
EXB_INLINE char exb_mpi_letter(int trans)
{
    return trans == EXBLAS_NO_TRANS                       ? 'N'
           : EXB_IS_COMPLEX && trans == EXBLAS_CONJ_TRANS ? 'C'
                                                          : 'T';
}

/* Element i of n of a vector with BLAS's increment. */
EXB_INLINE exb_real *exb_mpi_element(exb_real *y, int64_t n, int64_t inc, int64_t i)
{
    return y + EXB_PARTS * (inc > 0 ? i * inc : (i - (n - 1)) * inc);
}
