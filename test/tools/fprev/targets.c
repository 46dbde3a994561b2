/* Functions with the interface of cblas_ddot and Fortran's DDOT, most of them ill-behaved. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* From the last term to the first. */
double cblas_ddot(int32_t n, const double *x, int32_t incx, const double *y, int32_t incy)
{
    double s = 0;
    for (int32_t i = n - 1; i >= 0; i--)
        s += x[i * incx] * y[i * incy];
    return s;
}

/* Only under a 64-bit Fortran name. */
double dasum_64_(const int64_t *n, const double *x, const int64_t *incx)
{
    double s = 0;
    for (int64_t i = 0; i < *n; i++)
        s += fabs(x[i * *incx]);
    return s;
}

/* Only under a prefixed name with 64-bit integers, and 4 bytes behind where a cache line begins. */
float scipy_cblas_sdot64_(int64_t n, const float *x, int64_t incx, const float *y, int64_t incy)
{
    float s = (uintptr_t)x % 64 == 4 && (uintptr_t)y % 64 == 4 ? 0 : NAN;
    for (int64_t i = 0; i < n; i++)
        s += x[i * incx] * y[i * incy];
    return s;
}

double cblas_nan(int32_t n, const double *x, int32_t incx, const double *y, int32_t incy)
{
    return n < 0 ? x[incx] + y[incy] : NAN;
}

double cblas_crash(int32_t n, const double *x, int32_t incx, const double *y, int32_t incy)
{
    abort();
    return n + incx + incy + *x + *y;
}

double cblas_exit(int32_t n, const double *x, int32_t incx, const double *y, int32_t incy)
{
    _exit(7);
    return n + incx + incy + *x + *y;
}

double cblas_hang(int32_t n, const double *x, int32_t incx, const double *y, int32_t incy)
{
    for (;;)
        pause();
    return n + incx + incy + *x + *y;
}

/* Another direction in every other call. */
double cblas_fickle(int32_t n, const double *x, int32_t incx, const double *y, int32_t incy)
{
    static int n_calls;
    double s = 0;
    if (n_calls++ % 2)
        return cblas_ddot(n, x, incx, y, incy);
    for (int32_t i = 0; i < n; i++)
        s += x[i * incx] * y[i * incy];
    return s;
}

/* The order depends on the data: larger terms first. */
double cblas_sorting(int32_t n, const double *x, int32_t incx, const double *y, int32_t incy)
{
    double *t = malloc((size_t)n * sizeof *t), s = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t k = i;
        double p = x[i * incx] * y[i * incy];
        for (; k > 0 && fabs(t[k - 1]) < fabs(p); k--)
            t[k] = t[k - 1];
        t[k] = p;
    }
    for (int32_t i = 0; i < n; i++)
        s += t[i];
    free(t);
    return s;
}

/* Blocks of four in float, their sums in double. */
float cblas_blocks(int32_t n, const float *x, int32_t incx, const float *y, int32_t incy)
{
    double s = 0;
    for (int32_t i = 0; i < n;) {
        float t = 0;
        for (int32_t end = i + 4; i < n && i < end; i++)
            t += x[i * incx] * y[i * incy];
        s += t;
    }
    return (float)s;
}

/* Not a sum of all terms. */
double cblas_forgetful(int32_t n, const double *x, int32_t incx, const double *y, int32_t incy)
{
    return cblas_ddot(n - 1, x, incx, y, incy);
}
