/* What OpenBLAS exports besides routines, as far as programs use it. */
#include "shim_xerbla.h"

#include "entry.h"
#include "exblas/exblas.h"

#if defined(_WIN32)
#include <pthread.h>
#else
#include <unistd.h>
#endif

EXB_SHIM void openblas_set_num_threads(int n)
{
    exblas_set_num_threads(n);
}

EXB_SHIM void openblas_set_num_threads_(const int *n)
{
    exblas_set_num_threads(*n);
}

EXB_SHIM int openblas_get_num_threads(void)
{
    return exblas_get_num_threads();
}

EXB_SHIM int openblas_get_num_procs(void)
{
#if defined(_WIN32)
    return pthread_num_processors_np();
#else
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
#endif
}

/* Threads of its own, neither none nor those of OpenMP. */
EXB_SHIM int openblas_get_parallel(void)
{
    return 1;
}

EXB_SHIM const char *openblas_get_config(void)
{
    return "ExBLAS " EXBLAS_VERSION;
}

EXB_SHIM const char *openblas_get_corename(void)
{
    return exblas_info("isa");
}

EXB_SHIM __attribute__((alias("openblas_set_num_threads"))) void goto_set_num_threads(int n);
EXB_SHIM __attribute__((alias("openblas_get_num_threads"))) int openblas_get_num_threads_(void);
EXB_SHIM __attribute__((alias("openblas_get_num_procs"))) int openblas_get_num_procs_(void);
EXB_SHIM __attribute__((alias("openblas_get_num_procs"))) int goto_get_num_procs(void);
EXB_SHIM __attribute__((alias("openblas_get_parallel"))) int openblas_get_parallel_(void);

/* The products of complex vectors by value, where others have cblas_zdotu_sub. */
#define BY_VALUE(name, part)                                                                       \
    EXB_SHIM exblas_complex_##part cblas_##name(shim_info n, const void *x, shim_info incx,        \
                                                const void *y, shim_info incy)                     \
    {                                                                                              \
        exblas_complex_##part r;                                                                   \
        exb_entry_##name(n, x, incx, y, incy, (part *)&r);                                         \
        return r;                                                                                  \
    }
BY_VALUE(cdotu, float)
BY_VALUE(cdotc, float)
BY_VALUE(zdotu, double)
BY_VALUE(zdotc, double)
