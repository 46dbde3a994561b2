/* Stands for a vendor's BLAS with a LAPACK inside: adds in the order that TEST_ORDER says. */
#include <stdlib.h>

double cblas_ddot(int n, const double *x, int incx, const double *y, int incy)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        int j = getenv("TEST_ORDER") ? (i + 2) % n : i;
        s += x[j * incx] * y[j * incy];
    }
    return s;
}

double cblas_dgemm_pack(int n)
{
    return n;
}

double mkl_ddot_(int n)
{
    return n;
}

void dgemm_(void) {}

void dgetrf_(void) {}

void dgesv_(int *info)
{
    *info = 0;
}

double mkl_dgemv_(int n)
{
    return n;
}
