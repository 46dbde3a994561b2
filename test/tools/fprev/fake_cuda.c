/* Stands in for libcudart and libcublas where there is no GPU: device memory is host memory, and
 * every sum runs from the last term to the first. Checks that pointers are where they belong. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *device[64];
static size_t size[64];

static int on_device(const void *p)
{
    for (int k = 0; k < 64; k++)
        if (device[k] && (const char *)p >= device[k] && (const char *)p < device[k] + size[k])
            return 1;
    return 0;
}

int cudaMalloc(void **p, size_t n)
{
    *p = malloc(n);
    for (int k = 0; k < 64; k++)
        if (!device[k]) {
            device[k] = *p;
            size[k] = n;
            return 0;
        }
    return 2;
}

int cudaFree(void *p)
{
    for (int k = 0; k < 64; k++)
        if (device[k] == p)
            device[k] = NULL;
    free(p);
    return 0;
}

int cudaMemcpy(void *to, const void *from, size_t n, int kind)
{
    memcpy(to, from, n);
    return kind != 1 && kind != 2;
}

int cublasCreate_v2(void **handle)
{
    *handle = getenv("FAKE_NO_GPU") ? NULL : malloc(1);
    return !*handle;
}

int cublasDestroy_v2(void *handle)
{
    free(handle);
    return 0;
}

int cublasDasum_v2(void *h, int n, const double *x, int incx, double *r)
{
    double s = 0;
    if (!h || !on_device(x))
        return 1;
    for (int i = n - 1; i >= 0; i--)
        s += fabs(x[i * incx]);
    *r = s;
    return 0;
}

int cublasSdot_v2(void *h, int n, const float *x, int incx, const float *y, int incy, float *r)
{
    float s = 0;
    if (!h || !on_device(x) || !on_device(y) || on_device(r))
        return 1;
    for (int i = n - 1; i >= 0; i--)
        s += x[i * incx] * y[i * incy];
    *r = s;
    return 0;
}

int cublasDdot_v2(void *h, int n, const double *x, int incx, const double *y, int incy, double *r)
{
    double s = 0;
    if (!h || !on_device(x) || !on_device(y) || on_device(r))
        return 1;
    for (int i = n - 1; i >= 0; i--)
        s += x[i * incx] * y[i * incy];
    *r = s;
    return 0;
}

int cublasDgemv_v2(void *h, int t, int m, int n, const double *alpha, const double *a, int lda,
                   const double *x, int incx, const double *beta, double *y, int incy)
{
    if (!h || !on_device(a) || !on_device(x) || !on_device(y))
        return 1;
    for (int i = 0; i < (t ? n : m); i++) {
        double s = 0;
        for (int j = (t ? m : n) - 1; j >= 0; j--)
            s += a[t ? i * lda + j : j * lda + i] * x[j * incx];
        y[i * incy] = *beta == 0 ? *alpha * s : *alpha * s + *beta * y[i * incy];
    }
    return 0;
}

/* bfloat16 in, float out. */
static float widen(unsigned short bits)
{
    unsigned wide = (unsigned)bits << 16;
    float x;
    memcpy(&x, &wide, sizeof x);
    return x;
}

int cublasGemmEx(void *h, int ta, int tb, int m, int n, int k, const float *alpha,
                 const unsigned short *a, int atype, int lda, const unsigned short *b, int btype,
                 int ldb, const float *beta, float *c, int ctype, int ldc, int compute, int algo)
{
    if (!h || !on_device(a) || !on_device(b) || !on_device(c) || atype != 14 || btype != 14 ||
        ctype != 0 || compute != 68 || algo != -1)
        return 1;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int l = k - 1; l >= 0; l--)
                s += widen(a[ta ? i * lda + l : l * lda + i]) *
                     widen(b[tb ? l * ldb + j : j * ldb + l]);
            c[j * ldc + i] = *alpha * s + (*beta == 0 ? 0 : *beta * c[j * ldc + i]);
        }
    return 0;
}
