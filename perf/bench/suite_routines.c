/* Routines of Levels 1 to 3 against n: their time over that of OpenBLAS's, or over a plain loop's
 * where it has none. Vectors of n numbers, matrices of n x n by columns; one thread. */
#include "comparators.h"
#include "data.h"
#include "suites.h"

#include <exblas/exblas.h>
#include <exblas/fortran.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef void function(void);
typedef double reduction(const int *, const double *, const int *);
typedef double dot(const int *, const double *, const int *, const double *, const int *);
typedef void complex_dot(int, const void *, int, const void *, int, void *);
typedef void gemv(const char *, const int *, const int *, const void *, const void *, const int *,
                  const void *, const int *, const void *, void *, const int *);
typedef void symv(const char *, const int *, const void *, const void *, const int *, const void *,
                  const int *, const void *, void *, const int *);
typedef void trsv(const char *, const char *, const char *, const int *, const void *, const int *,
                  void *, const int *);
typedef void ger(const int *, const int *, const void *, const void *, const int *, const void *,
                 const int *, void *, const int *);
typedef void gemm(const char *, const char *, const int *, const int *, const int *, const void *,
                  const void *, const int *, const void *, const int *, const void *, void *,
                  const int *);
typedef void symm(const char *, const char *, const int *, const int *, const void *, const void *,
                  const int *, const void *, const int *, const void *, void *, const int *);
typedef void syrk(const char *, const char *, const int *, const int *, const void *, const void *,
                  const int *, const void *, void *, const int *);
typedef void trsm(const char *, const char *, const char *, const char *, const int *, const int *,
                  const void *, const void *, const int *, void *, const int *);

typedef struct {
    const char *name, *symbol; /* of OpenBLAS */
    function *ours, *plain;    /* plain: in place of OpenBLAS's, or NULL */
    void (*run)(function *f, char option, double value);
    char option;      /* trans or uplo */
    double value;     /* increment, alpha, the largest n of a slow gemm */
    const char *data; /* a name of data_kinds, or NULL: uniform */
} routine;

/* Reads a and b, the triangle and start, writes c; s types have their numbers as floats there.
 * Products read x and y: a and b or, of 16 bits, the same numbers at start and triangle. */
static struct {
    const routine *listed;
    int n;
    size_t bytes; /* of a matrix */
    bool has_halves;
    const void *one, *zero, *x, *y;
    double *a, *b, *c, *triangle, *start;
} work;

static volatile double sink;
static const double one_d[2] = {1, 0}, zero_d[2] = {0, 0};
static const float one_s = 1, zero_s = 0;
static const exblas_bf16 one_b = 0x3f80;
static const int unit = 1;

/* --- calls -------------------------------------------------------------------------- */

static void run_reduction(function *f, char option, double increment)
{
    int step = (int)increment;
    (void)option;
    sink = ((reduction *)f)(&work.n, work.a, &step);
}

static void run_dot(function *f, char option, double increment)
{
    int step = (int)increment;
    (void)option;
    sink = ((dot *)f)(&work.n, work.a, &step, work.b, &step);
}

static void run_complex_dot(function *f, char option, double increment)
{
    (void)option;
    (void)increment;
    ((complex_dot *)f)(work.n, work.a, 1, work.b, 1, work.c);
}

static void run_gemv(function *f, char trans, double unused)
{
    const int *n = &work.n;
    (void)unused;
    ((gemv *)f)(&trans, n, n, work.one, work.x, n, work.y, &unit, work.zero, work.c, &unit);
}

static void run_symv(function *f, char uplo, double unused)
{
    const int *n = &work.n;
    (void)unused;
    ((symv *)f)(&uplo, n, work.one, work.a, n, work.b, &unit, work.zero, work.c, &unit);
}

static void run_trsv(function *f, char trans, double unused)
{
    const int *n = &work.n;
    (void)unused;
    memcpy(work.c, work.start, (size_t)work.n * sizeof *work.c);
    ((trsv *)f)("L", &trans, "N", n, work.triangle, n, work.c, &unit);
}

static void run_ger(function *f, char unused, double alpha)
{
    const int *n = &work.n;
    (void)unused;
    ((ger *)f)(n, n, &alpha, work.a, &unit, work.b, &unit, work.c, n);
}

static void run_gemm(function *f, char trans, double unused)
{
    const int *n = &work.n;
    (void)unused;
    ((gemm *)f)(&trans, "N", n, n, n, work.one, work.x, n, work.y, n, work.zero, work.c, n);
}

static void run_symm(function *f, char uplo, double unused)
{
    const int *n = &work.n;
    (void)unused;
    ((symm *)f)("L", &uplo, n, n, work.one, work.a, n, work.b, n, work.zero, work.c, n);
}

static void run_syrk(function *f, char uplo, double unused)
{
    const int *n = &work.n;
    (void)unused;
    ((syrk *)f)(&uplo, "N", n, n, work.one, work.a, n, work.zero, work.c, n);
}

/* trmm and trsm, from the same numbers every time: n^2 numbers are copied, for n^3 operations. */
static void run_trsm(function *f, char uplo, double unused)
{
    const int *n = &work.n;
    (void)unused;
    memcpy(work.c, work.start, work.bytes);
    ((trsm *)f)("L", &uplo, "N", "N", n, n, work.one, work.triangle, n, work.c, n);
}

static double plain_sum(const int *n, const double *x, const int *increment)
{
    double sum = 0;
    if (*increment == 1)
        return plain_best()->sum(*n, x);
    for (int64_t i = 0; i < *n; i++)
        sum += x[i * *increment];
    return sum;
}

static double plain_asum(const int *n, const double *x, const int *increment)
{
    (void)increment;
    return plain_best()->asum(*n, x);
}

static double plain_norm(const int *n, const double *x, const int *increment)
{
    (void)increment;
    return sqrt(plain_best()->sumsq(*n, x));
}

/* --- what is measured --------------------------------------------------------------- */

#define OURS(f) (function *)(f)

static const routine level1[] = {
    {"dsum", NULL, OURS(exdsum_), OURS(plain_sum), run_reduction, 0, 1, NULL},
    {"dasum", NULL, OURS(exdasum_), OURS(plain_asum), run_reduction, 0, 1, NULL},
    {"dnrm2", NULL, OURS(exdnrm2_), OURS(plain_norm), run_reduction, 0, 1, NULL},
    {"ddot", "ddot_", OURS(exddot_), NULL, run_dot, 0, 1, NULL},
    {"zdotu", "cblas_zdotu_sub", OURS(excblas_zdotu_sub), NULL, run_complex_dot, 0, 1, NULL},
    {"dsum, stride 2", NULL, OURS(exdsum_), OURS(plain_sum), run_reduction, 0, 2, NULL},
    {"ddot, stride 2", "ddot_", OURS(exddot_), NULL, run_dot, 0, 2, NULL},
    {"dsum of integers", NULL, OURS(exdsum_), OURS(plain_sum), run_reduction, 0, 1,
     "integers of 11 bits"},
    {"dsum over 10^60", NULL, OURS(exdsum_), OURS(plain_sum), run_reduction, 0, 1, "10^60"},
    {"dsum that cancels", NULL, OURS(exdsum_), OURS(plain_sum), run_reduction, 0, 1, "cancelling"},
    {"ddot over 10^60", "ddot_", OURS(exddot_), NULL, run_dot, 0, 1, "10^60"},
    {"ddot that cancels", "ddot_", OURS(exddot_), NULL, run_dot, 0, 1, "condition 2^60"},
};

static const routine level2[] = {
    {"dgemv N", "dgemv_", OURS(exdgemv_), NULL, run_gemv, 'N', 0, NULL},
    {"dgemv T", "dgemv_", OURS(exdgemv_), NULL, run_gemv, 'T', 0, NULL},
    {"sgemv N", "sgemv_", OURS(exsgemv_), NULL, run_gemv, 'N', 0, NULL},
    {"sgemv T", "sgemv_", OURS(exsgemv_), NULL, run_gemv, 'T', 0, NULL},
    {"sbgemv N by sgemv", "sgemv_", OURS(exsbgemv_), NULL, run_gemv, 'N', 0, NULL},
    {"sbgemv T by sgemv", "sgemv_", OURS(exsbgemv_), NULL, run_gemv, 'T', 0, NULL},
    {"shgemv N by sgemv", "sgemv_", OURS(exshgemv_), NULL, run_gemv, 'N', 0, NULL},
    {"shgemv T by sgemv", "sgemv_", OURS(exshgemv_), NULL, run_gemv, 'T', 0, NULL},
    {"zgemv N", "zgemv_", OURS(exzgemv_), NULL, run_gemv, 'N', 0, NULL},
    {"zgemv T", "zgemv_", OURS(exzgemv_), NULL, run_gemv, 'T', 0, NULL},
    {"dsymv L", "dsymv_", OURS(exdsymv_), NULL, run_symv, 'L', 0, NULL},
    {"dsymv U", "dsymv_", OURS(exdsymv_), NULL, run_symv, 'U', 0, NULL},
    {"dtrmv N", "dtrmv_", OURS(exdtrmv_), NULL, run_trsv, 'N', 0, NULL},
    {"dtrmv T", "dtrmv_", OURS(exdtrmv_), NULL, run_trsv, 'T', 0, NULL},
    {"dtrsv N", "dtrsv_", OURS(exdtrsv_), NULL, run_trsv, 'N', 0, NULL},
    {"dtrsv T", "dtrsv_", OURS(exdtrsv_), NULL, run_trsv, 'T', 0, NULL},
    {"dger, alpha 2^-40", "dger_", OURS(exdger_), NULL, run_ger, 0, 0x1p-40, NULL},
    {"dger, alpha of 53 bits", "dger_", OURS(exdger_), NULL, run_ger, 0, 0x1.23456789abcdfp-40,
     NULL},
};

static const routine level3[] = {
    {"dgemm", "dgemm_", OURS(exdgemm_), NULL, run_gemm, 'N', 0, "normal"},
    {"dgemm T", "dgemm_", OURS(exdgemm_), NULL, run_gemm, 'T', 0, "normal"},
    {"sgemm", "sgemm_", OURS(exsgemm_), NULL, run_gemm, 'N', 0, "normal"},
    {"sbgemm by sgemm", "sgemm_", OURS(exsbgemm_), NULL, run_gemm, 'N', 0, "normal"},
    {"shgemm by sgemm", "sgemm_", OURS(exshgemm_), NULL, run_gemm, 'N', 0, "normal"},
    {"bgemm by sgemm", "sgemm_", OURS(exbgemm_), NULL, run_gemm, 'N', 0, "normal"},
    {"zgemm", "zgemm_", OURS(exzgemm_), NULL, run_gemm, 'N', 0, "normal"},
    {"dsyrk", "dsyrk_", OURS(exdsyrk_), NULL, run_syrk, 'L', 0, "normal"},
    {"dsymm", "dsymm_", OURS(exdsymm_), NULL, run_symm, 'L', 0, "normal"},
    {"dtrmm", "dtrmm_", OURS(exdtrmm_), NULL, run_trsm, 'L', 0, "normal"},
    {"dtrsm", "dtrsm_", OURS(exdtrsm_), NULL, run_trsm, 'L', 0, "normal"},
    {"ztrsm", "ztrsm_", OURS(exztrsm_), NULL, run_trsm, 'L', 0, "normal"},
    {"dgemm of integers", "dgemm_", OURS(exdgemm_), NULL, run_gemm, 'N', 0, "integers of 11 bits"},
    {"dgemm, exp(2 normal)", "dgemm_", OURS(exdgemm_), NULL, run_gemm, 'N', 0, "exp(2 normal)"},
    {"dgemm over 10^60", "dgemm_", OURS(exdgemm_), NULL, run_gemm, 'N', 256, "10^60"},
    {"dgemm, every exponent", "dgemm_", OURS(exdgemm_), NULL, run_gemm, 'N', 256, "full range"},
};

/* --- the tables --------------------------------------------------------------------- */

typedef struct {
    const routine *r;
    function *f;
} call;

static void run(void *p)
{
    const call *c = p;
    bool of_halves = work.has_halves && c->f == c->r->ours;
    work.x = of_halves ? work.start : work.a;
    work.y = of_halves ? work.triangle : work.b;
    if (work.has_halves)
        work.one = c->f == OURS(exbgemm_) ? (const void *)&one_b : &one_s;
    c->r->run(c->f, c->r->option, c->r->value);
}

/* In place. */
static void narrow(int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        float f = (float)x[i];
        memcpy((char *)x + (size_t)i * sizeof f, &f, sizeof f);
    }
}

/* n floats to bfloat16 or half, towards zero: as floats in place, and in 16 bits. */
static void cut_to_halves(bool bf16, int64_t n, double *x, double *bits)
{
    for (int64_t i = 0; i < n; i++) {
        char *at = (char *)x + (size_t)i * sizeof(float);
        uint32_t b;
        memcpy(&b, at, sizeof b);
        b &= bf16 ? 0xffff0000 : (b & 0x7fffffff) < 0x38800000 ? 0x80000000 : 0xffffe000;
        uint32_t magnitude = (b & 0x7fffffff) >> (bf16 ? 16 : 13), rebias = bf16 ? 0 : 112 << 10;
        uint16_t half =
            (uint16_t)(b >> 16 & 0x8000) | (uint16_t)(magnitude ? magnitude - rebias : 0);
        memcpy(at, &b, sizeof b);
        memcpy((char *)bits + (size_t)i * sizeof half, &half, sizeof half);
    }
}

static const data_kind *kind_of(const routine *r)
{
    int k = 0;
    while (r->data && k < n_data_kinds - 1 && strcmp(data_kinds[k].name, r->data) != 0)
        k++;
    return &data_kinds[k];
}

/* s, d or z */
static char type_of(const routine *r)
{
    const char *prefix = "cblas_";
    if (!r->symbol)
        return 'd';
    return strncmp(r->symbol, prefix, strlen(prefix)) ? r->symbol[0] : r->symbol[strlen(prefix)];
}

/* The triangle's diagonal keeps solutions of moderate size. */
static void fill(const routine *r, int64_t n_numbers)
{
    const data_kind *kind = kind_of(r);
    bool is_float = type_of(r) == 's';
    int parts = type_of(r) == 'z' ? 2 : 1;
    double *all[] = {work.a, work.b, work.start, work.triangle};
    int64_t n = parts * n_numbers;
    work.bytes = (size_t)n * sizeof(double);
    work.one = is_float ? (const void *)&one_s : one_d;
    work.zero = is_float ? (const void *)&zero_s : zero_d;
    for (int i = 0; i < 4 && all[i]; i++) {
        kind->fill(n, all[i], &kind->parameter, (uint64_t)i + 1);
        if (is_float)
            narrow(n, all[i]);
    }
    for (int64_t i = 0; work.triangle && i < work.n; i++)
        work.triangle[parts * i * (work.n + 1)] = 4.0 * work.n;
    work.has_halves = strstr(r->name, "by sgem");
    if (work.has_halves) {
        cut_to_halves(strstr(r->name, "bgem"), n, work.a, work.start);
        cut_to_halves(strstr(r->name, "bgem"), n, work.b, work.triangle);
    }
}

static void measure(const bench_options *o, bench_table *t, int i, int series)
{
    const routine *r = &work.listed[series];
    call calls[2] = {{r, r->plain}, {r, r->ours}};
    bench_candidate c[2] = {{.name = "theirs", .run = run, .ctx = &calls[0]},
                            {.name = "ours", .run = run, .ctx = &calls[1]}};
    void *p = r->plain ? NULL : bench_openblas(o, r->symbol);
    if (p)
        memcpy(&calls[0].f, &p, sizeof p);
    if (calls[0].f)
        table_measure_ratios(o, t, i, series, 2, c);
}

static void measure_row(const bench_options *o, bench_table *t, int series)
{
    const routine *r = &work.listed[series];
    for (int i = 0; i < t->n_points; i++) {
        int64_t n = work.n = (int)t->x[i];
        if (r->run == run_gemm && r->value != 0 && (double)n > r->value)
            continue;
        fill(r, work.triangle ? n * n : 2 * n);
        measure(o, t, i, series);
    }
}

/* Three matrices and two more, or three vectors: of complex numbers, or with a stride of 2. */
static bool allocate(size_t n_numbers, bool matrices)
{
    double **all[] = {&work.a, &work.b, &work.c, &work.start, &work.triangle};
    for (int i = 0; i < (matrices ? 5 : 3); i++)
        if (!(*all[i] = calloc(2 * n_numbers, sizeof(double))))
            return false;
    return true;
}

static bool measure_all(const bench_options *o, bench_table *t, const routine *r, int most,
                        bool matrices)
{
    size_t n = (size_t)most;
    memset(&work, 0, sizeof work);
    work.listed = r;
    if (!allocate(matrices ? n * n : 2 * n, matrices))
        return false;
    table_start_columns(t, 1, most);
    table_measure_rows(o, t, measure_row);
    free(work.a);
    free(work.b);
    free(work.c);
    free(work.start);
    free(work.triangle);
    return true;
}

static void name(bench_table *t, const char *suite, const char *title, const routine *r, int n)
{
    *t = (bench_table){.suite = suite,
                       .title = title,
                       .x_name = "n",
                       .y_name = "time / time of OpenBLAS",
                       .unit = "times the other's time",
                       .show = TABLE_RATIOS,
                       .n_series = n,
                       .x_log = true,
                       .y_log = true};
    for (int k = 0; k < n; k++)
        t->series[k] = r[k].name;
}

enum {
    N_LEVEL1 = sizeof level1 / sizeof *level1,
    N_LEVEL2 = sizeof level2 / sizeof *level2,
    N_LEVEL3 = sizeof level3 / sizeof *level3
};

bool suite_level1(const bench_options *o, bench_table *t)
{
    name(t, "level1", "Level 1, over OpenBLAS (sum, asum, nrm2: over plain loops)", level1,
         N_LEVEL1);
    return measure_all(o, t, level1, o->quick ? 1 << 10 : 1 << 20, false);
}

bool suite_level2(const bench_options *o, bench_table *t)
{
    name(t, "level2", "Level 2, over OpenBLAS, uniform data", level2, N_LEVEL2);
    return measure_all(o, t, level2, o->quick ? 64 : 1024, true);
}

bool suite_level3(const bench_options *o, bench_table *t)
{
    name(t, "level3", "Level 3, over OpenBLAS, normal data", level3, N_LEVEL3);
    return measure_all(o, t, level3, o->quick ? 64 : 1024, true);
}
