#include "blas.h"

#include "format.h"
#include "worker.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the routine reads: a vector or a matrix. Term i stands at i * step and, all rows of A and
 * all columns of B being equal so that every result is of the same terms, in `count` copies,
 * `apart` from each other. */
typedef struct {
    int64_t step, count, apart;
    void *array, *last; /* the terms that it holds */
} operand;

typedef struct blas blas;
struct blas {
    fprev_problem problem;
    fprev_function f;
    void *symbol;
    void (*invoke)(const blas *s, void *results);
    int64_t ldb;
    operand x, y;
};

/* Terms are void *: those of the 16-bit types, too, have results in float. */
#define REAL double
#define INT int32_t
#define NAME(x) x##_d32
#include "blas_call_tmpl.h"
#define REAL double
#define INT int64_t
#define NAME(x) x##_d64
#include "blas_call_tmpl.h"
#define REAL float
#define INT int32_t
#define NAME(x) x##_s32
#include "blas_call_tmpl.h"
#define REAL float
#define INT int64_t
#define NAME(x) x##_s64
#include "blas_call_tmpl.h"

/* Of 16-bit numbers: sbdot, shgemm, with results of floats. */
static bool is_short(const fprev_problem *p)
{
    return fprev_formats[p->type].size == 2;
}

static void set_invoke(blas *s, fprev_abi abi)
{
    static void (*const invoke[2][2][2])(const blas *, void *) = {
        {{call_cblas_s32, call_cblas_s64}, {call_cblas_d32, call_cblas_d64}},
        {{call_fortran_s32, call_fortran_s64}, {call_fortran_d32, call_fortran_d64}},
    };
    bool fortran = abi == FPREV_ABI_FORTRAN || abi == FPREV_ABI_FORTRAN64;
    bool wide = abi == FPREV_ABI_CBLAS64 || abi == FPREV_ABI_FORTRAN64;
    s->invoke = invoke[fortran][s->problem.type == FPREV_DOUBLE][wide];
}

/* Opens the library and finds the symbol: the place of the first name that it has. */
static int load(blas *s, const char *path, const char *what, int n_names, char **names)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fprev_fail(FPREV_BAD_USAGE, "cannot load %.60s: %.180s", path, dlerror());
    for (int k = 0; k < n_names; k++)
        if ((s->symbol = dlsym(library, names[k] + 1)) != NULL)
            return k;
    fprev_fail(FPREV_BAD_USAGE, "%.100s has no %.200s", path, what);
}

static void allocate(const blas *s, operand *o)
{
    size_t size = fprev_formats[s->problem.type].size, align = (size_t)s->problem.align;
    int64_t n = (s->f.n_terms - 1) * o->step + (o->count - 1) * o->apart + 1;
    void *block;
    if (n <= 0 || (uint64_t)n > (SIZE_MAX >> 1) / size - 128 ||
        posix_memalign(&block, 64, (size_t)n * size + align) != 0)
        fprev_fail(FPREV_BAD_USAGE, "out of memory");
    memset(block, 0, (size_t)n * size + align);
    o->array = (char *)block + align;
    o->last = fprev_allocate(s->f.n_terms, size);
}

static void scatter(const operand *o, int64_t i, const void *term, size_t size)
{
    char *at = (char *)o->array + (size_t)(i * o->step) * size;
    for (int64_t k = 0; k < o->count; k++, at += (size_t)o->apart * size)
        memcpy(at, term, size);
}

/* Brings the terms that changed since the last call into an array: few do, so whole pieces are
 * compared first. */
static void update(const blas *s, const operand *o, const void *terms)
{
    enum { PIECE = 64 };
    size_t size = fprev_formats[s->problem.type].size;
    for (int64_t begin = 0, end; begin < s->f.n_terms; begin = end) {
        end = s->f.n_terms - begin < PIECE ? s->f.n_terms : begin + PIECE;
        const char *now = (const char *)terms + (size_t)begin * size;
        char *old = (char *)o->last + (size_t)begin * size;
        size_t n_bytes = (size_t)(end - begin) * size;
        if (memcmp(now, old, n_bytes) == 0)
            continue;
        for (size_t k = 0; k < n_bytes; k += size)
            if (memcmp(now + k, old + k, size))
                scatter(o, begin + (int64_t)(k / size), now + k, size);
        memcpy(old, now, n_bytes);
    }
}

static int call(void *ctx, const void *a, const void *b, void *results)
{
    blas *s = ctx;
    update(s, &s->x, a);
    if (b)
        update(s, &s->y, b);
    s->invoke(s, results);
    return 0;
}

/* Where the terms stand. */
static void lay_out(blas *s)
{
    const fprev_problem *p = &s->problem;
    int64_t rows = p->routine == FPREV_GEMV && p->transposed ? p->n : p->m;
    s->x = (operand){.step = p->incx, .count = 1};
    s->y = (operand){.step = p->routine == FPREV_DOT ? p->incx : 0, .count = 1};
    if (p->routine == FPREV_GEMV || p->routine == FPREV_GEMM) {
        s->x = p->transposed ? (operand){.step = 1, .count = rows, .apart = p->lda}
                             : (operand){.step = p->lda, .count = rows, .apart = 1};
        s->y.step = 1;
    }
    if (p->routine == FPREV_GEMM)
        s->y = p->transposed ? (operand){.step = s->ldb, .count = p->n, .apart = 1}
                             : (operand){.step = 1, .count = p->n, .apart = s->ldb};
}

static void describe(blas *s, fprev_function *f)
{
    fprev_problem *p = &s->problem;
    bool matrix = p->routine == FPREV_GEMV || p->routine == FPREV_GEMM;
    int64_t terms = p->routine == FPREV_GEMM                    ? p->k
                    : p->routine == FPREV_GEMV && p->transposed ? p->m
                                                                : p->n;
    int64_t rows = p->routine == FPREV_GEMM && p->transposed ? p->k : p->m;
    *f = (fprev_function){.n_terms = terms, .n_results = 1, .type = p->type, .ctx = s};
    f->result_type = is_short(p) ? FPREV_FLOAT : p->type;
    f->product = matrix || p->routine == FPREV_DOT;
    f->absolute = p->routine == FPREV_ASUM;
    f->call = call;
    if (p->routine == FPREV_GEMV)
        f->n_results = p->transposed ? p->n : p->m;
    if (p->routine == FPREV_GEMM)
        f->n_results = p->m * p->n;
    if (matrix && p->lda == 0)
        p->lda = rows;
    s->ldb = p->transposed ? p->n : p->k;
    s->f = *f;
    lay_out(s);
}

const char *fprev_blas_start(fprev_function *f, const fprev_problem *p, const char *library,
                             const char *what, int n_names, char **names)
{
    blas *s = fprev_allocate(1, sizeof *s);
    s->problem = *p;
    describe(s, f);
    if (p->lda && s->problem.lda < (p->routine == FPREV_GEMM && p->transposed ? p->k : p->m))
        fprev_fail(FPREV_BAD_USAGE, "--lda is smaller than the number of rows");
    allocate(s, &s->x);
    allocate(s, &s->y);
    const char *name = names[load(s, library, what, n_names, names)];
    if (*name - '0' == FPREV_ABI_UNKNOWN)
        fprev_fail(FPREV_BAD_USAGE, "the name %.60s does not tell how it is called: use --abi",
                   name + 1);
    set_invoke(s, (fprev_abi)(*name - '0'));
    return name + 1;
}
