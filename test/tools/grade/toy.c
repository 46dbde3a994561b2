/* A BLAS with faults: ExBLAS but for what faults.txt says, and what it needs to be broken. */
#include "exblas/exblas.h"
#include "exblas/fortran.h"

#include <complex.h>
#include <dlfcn.h>
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ExBLAS's own, which is not linked: its names are not the toy's. */
#define EX(name) ((__typeof__(name) *)dlsym(exblas(), #name))
#define AT(v, i) (v)[(inc##v < 0 ? (1 - n) * inc##v : 0) + (i)*inc##v]

static void *exblas(void)
{
    static void *handle;
    return handle ? handle : (handle = dlopen(EXBLAS, RTLD_NOW | RTLD_LOCAL));
}

void toy_set_num_threads(int n)
{
    EX(exblas_set_num_threads)(n);
}

/* Of programs that have none. Weak, or Clang would call it here though a program has one. */
__attribute__((weak)) void xerbla_(const char *name, const int *info, size_t length)
{
    printf("%.*s: parameter number %d\n", (int)length, name, *info);
}

/* LAPACK's factors of a lower triangle. */
#define POTRF(name, real, wrong, ends)                                                             \
    void name(const char *uplo, const int *n, real *a, const int *ld, int *info, size_t length)    \
    {                                                                                              \
        (void)uplo, (void)length;                                                                  \
        for (int j = 0; j < *n; j++) {                                                             \
            for (int k = wrong && j == 15; k < j; k++)                                             \
                for (int i = j; i < *n; i++)                                                       \
                    a[i + j * *ld] -= a[i + k * *ld] * a[j + k * *ld];                             \
            double root = sqrt(a[j + j * *ld]);                                                    \
            for (int i = j; i < *n; i++)                                                           \
                a[i + j * *ld] = (real)(a[i + j * *ld] / root);                                    \
        }                                                                                          \
        if (ends && *n == 16)                                                                      \
            abort();                                                                               \
        *info = 0;                                                                                 \
    }
POTRF(spotrf_, float, 1, 0)
POTRF(dpotrf_, double, 0, 1)

#include "toy_faults.h"
