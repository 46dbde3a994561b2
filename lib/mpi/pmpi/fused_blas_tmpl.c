/* dot, asum and nrm2 as the drop-in object calls them under all names of BLAS: the library's
 * result, and the exact value behind it is kept. Its place is before the library. Types: s d. */
#include "acc/acc_names.h"
#include "entry.h"
#include "mpi/pmpi/fused.h"
#include "mpi/pmpi/next.h"

/* The library's own. */
static __typeof__(exb_entry(dot)) *next_dot;
static __typeof__(exb_entry(asum)) *next_asum;
static __typeof__(exb_entry(nrm2)) *next_nrm2;

__attribute__((constructor)) static void find_all(void)
{
    exb_find_next(EXB_STRING(exb_entry(dot)), &next_dot);
    exb_find_next(EXB_STRING(exb_entry(asum)), &next_asum);
    exb_find_next(EXB_STRING(exb_entry(nrm2)), &next_nrm2);
}

exb_real exb_entry(dot)(int64_t n, const exb_real *x, int64_t incx, const exb_real *y, int64_t incy)
{
    exb_real r = next_dot(n, x, incx, y, incy);
    exblas_acc exact = {.n_free = 0};
    acc_of_vector(add_dot)(&exact, n, x, incx, y, incy);
    exb_fused_remember(&r, sizeof r, &exact);
    return r;
}

exb_real exb_entry(asum)(int64_t n, const exb_real *x, int64_t incx)
{
    exb_real r = next_asum(n, x, incx);
    exblas_acc exact = {.n_free = 0};
    acc_of_vector(add_magnitudes)(&exact, incx > 0 ? n : 0, x, incx);
    exb_fused_remember(&r, sizeof r, &exact);
    return r;
}

/* Programs add up squares of norms. */
exb_real exb_entry(nrm2)(int64_t n, const exb_real *x, int64_t incx)
{
    exb_real r = next_nrm2(n, x, incx);
    exblas_acc exact = {.n_free = 0};
    acc_of_vector(add_dot)(&exact, n, x, incx, x, incx);
    const exb_real square = r * r;
    exb_fused_remember(&square, sizeof square, &exact);
    return r;
}
