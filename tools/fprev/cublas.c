#include "cublas.h"

#include "format.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values of the CUDA headers. */
enum {
    TO_DEVICE = 1,
    TO_HOST = 2,
    R_32F = 0,
    R_16F = 2,
    R_16BF = 14,
    COMPUTE_32F = 68,
    DEFAULT_ALGORITHM = -1
};

/* Scalars and results are passed by pointer, so that one prototype serves all types. */
typedef int malloc_fn(void **, size_t);
typedef int free_fn(void *);
typedef int memcpy_fn(void *, const void *, size_t, int);
typedef int handle_fn(void **);
typedef int dot_fn(void *, int, const void *, int, const void *, int, void *);
typedef int asum_fn(void *, int, const void *, int, void *);
typedef int gemv_fn(void *, int, int, int, const void *, const void *, int, const void *, int,
                    const void *, void *, int);
typedef int gemm_fn(void *, int, int, int, int, int, const void *, const void *, int, const void *,
                    int, const void *, void *, int);
typedef int gemm_ex_fn(void *, int, int, int, int, int, const void *, const void *, int, int,
                       const void *, int, int, const void *, void *, int, int, int, int);

struct fprev_cublas {
    fprev_problem problem;
    void *handle, *x, *y, *out; /* on the device */
    malloc_fn *malloc;
    free_fn *free;
    memcpy_fn *memcpy;
    handle_fn *create;
    int (*destroy)(void *);
    union {
        void *symbol;
        dot_fn *dot;
        asum_fn *asum;
        gemv_fn *gemv;
        gemm_fn *gemm;
        gemm_ex_fn *gemm_ex;
    } f;
};

static void *open_library(const char *base)
{
    static const char *const version[] = {"", ".13", ".12", ".11", ".11.0"};
    void *library = NULL;
    for (size_t k = 0; !library && k < sizeof version / sizeof *version; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", base, version[k]);
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

/* Object pointers and function pointers have one representation where dlsym exists. */
static bool find(void *library, const char *name, void *function, size_t size)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
    return symbol != NULL;
}

static bool is_short(const fprev_problem *p)
{
    return fprev_formats[p->type].size == 2;
}

static bool name_of(const fprev_problem *p, char found[64])
{
    static const char *const name[] = {NULL, "dot", "asum", "gemv", "gemm"};
    if (is_short(p)) {
        snprintf(found, 64, "cublasGemmEx");
        return p->routine == FPREV_GEMM;
    }
    if (!name[p->routine])
        return false;
    snprintf(found, 64, "cublas%c%s_v2", p->type == FPREV_DOUBLE ? 'D' : 'S', name[p->routine]);
    return true;
}

static const char *load(fprev_cublas *c, char found[64])
{
    if (!name_of(&c->problem, found))
        return "cublas has no such routine for this type";
    void *runtime = open_library("libcudart.so"), *blas = open_library("libcublas.so");
    if (!runtime || !blas)
        return "cannot load libcudart.so and libcublas.so";
    bool ok = find(runtime, "cudaMalloc", &c->malloc, sizeof c->malloc) &&
              find(runtime, "cudaFree", &c->free, sizeof c->free) &&
              find(runtime, "cudaMemcpy", &c->memcpy, sizeof c->memcpy) &&
              find(blas, "cublasCreate_v2", &c->create, sizeof c->create) &&
              find(blas, "cublasDestroy_v2", &c->destroy, sizeof c->destroy) &&
              find(blas, found, &c->f.symbol, sizeof c->f.symbol);
    return ok ? NULL : "libcudart.so or libcublas.so lacks a function";
}

static const char *prepare(fprev_cublas *c, const fprev_arrays *a)
{
    if (c->create(&c->handle) != 0)
        return "cublas cannot be started: is there a GPU?";
    if (c->malloc(&c->x, a->x_bytes) != 0 || c->malloc(&c->y, a->y_bytes) != 0 ||
        c->malloc(&c->out, a->out_bytes) != 0)
        return "out of device memory";
    return NULL;
}

fprev_cublas *fprev_cublas_open(const fprev_problem *p, const fprev_arrays *arrays, char found[64],
                                char error[256])
{
    fprev_cublas *c = calloc(1, sizeof *c);
    const char *problem = "out of memory";
    if (c) {
        c->problem = *p;
        problem = load(c, found);
        problem = problem ? problem : prepare(c, arrays);
    }
    if (!problem)
        return c;
    snprintf(error, 256, "%s", problem);
    fprev_cublas_close(c);
    return NULL;
}

static int multiply(const fprev_cublas *c, int64_t ldb, const void *alpha, const void *beta)
{
    const fprev_problem *p = &c->problem;
    int m = (int)p->m, n = (int)p->n, k = (int)p->k, t = p->transposed, lda = (int)p->lda;
    int type = p->type == FPREV_HALF ? R_16F : R_16BF;
    if (is_short(p))
        return c->f.gemm_ex(c->handle, t, t, m, n, k, alpha, c->x, type, lda, c->y, type, (int)ldb,
                            beta, c->out, R_32F, m, COMPUTE_32F, DEFAULT_ALGORITHM);
    return c->f.gemm(c->handle, t, t, m, n, k, alpha, c->x, lda, c->y, (int)ldb, beta, c->out, m);
}

/* Vectors' results go to the host, those of matrices to c->out. */
static int invoke(const fprev_cublas *c, const fprev_arrays *a, const void *alpha, const void *beta)
{
    const fprev_problem *p = &c->problem;
    int n = (int)p->n, inc = (int)p->incx;
    switch (p->routine) {
    case FPREV_DOT:
        return c->f.dot(c->handle, n, c->x, inc, c->y, inc, a->out);
    case FPREV_GEMV:
        return c->f.gemv(c->handle, p->transposed, (int)p->m, n, alpha, c->x, (int)p->lda, c->y, 1,
                         beta, c->out, 1);
    case FPREV_GEMM:
        return multiply(c, a->ldb, alpha, beta);
    default:
        return c->f.asum(c->handle, n, c->x, inc, a->out);
    }
}

bool fprev_cublas_call(fprev_cublas *c, const fprev_arrays *a, double alpha, double beta)
{
    bool matrix = c->problem.routine == FPREV_GEMV || c->problem.routine == FPREV_GEMM;
    float alpha_s = (float)alpha, beta_s = (float)beta;
    bool wide = c->problem.type == FPREV_DOUBLE;
    const void *scalar[2] = {wide ? (void *)&alpha : &alpha_s, wide ? (void *)&beta : &beta_s};
    return c->memcpy(c->x, a->x, a->x_bytes, TO_DEVICE) == 0 &&
           c->memcpy(c->y, a->y, a->y_bytes, TO_DEVICE) == 0 &&
           (beta == 0 || c->memcpy(c->out, a->out, a->out_bytes, TO_DEVICE) == 0) &&
           invoke(c, a, scalar[0], scalar[1]) == 0 &&
           (!matrix || c->memcpy(a->out, c->out, a->out_bytes, TO_HOST) == 0);
}

void fprev_cublas_close(fprev_cublas *c)
{
    if (!c)
        return;
    if (c->handle) {
        c->free(c->x);
        c->free(c->y);
        c->free(c->out);
        c->destroy(c->handle);
    }
    free(c);
}
