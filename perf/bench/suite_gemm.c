/* Time of a multiply-add of matrix products against n, by every method, beside every BLAS that is
 * named. */
#include "comparators.h"
#include "data.h"
#include "suites.h"

#include <exblas/exblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int n;
    double *a, *b, *c;
} work;

static volatile double sink;

static void run_exblas(void *ctx)
{
    (void)ctx;
    int n = work.n;
    excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, n, n, n, 1, work.a, n, work.b,
                  n, 0, work.c, n);
}

static void run_library(void *ctx)
{
    void (*dgemm)(const char *, const char *, const int *, const int *, const int *, const double *,
                  const double *, const int *, const double *, const int *, const double *,
                  double *, const int *);
    static const double one = 1, zero = 0;
    const int *n = &work.n;
    memcpy(&dgemm, &ctx, sizeof dgemm);
    dgemm("N", "N", n, n, n, &one, work.a, n, work.b, n, &zero, work.c, n);
}

static char methods[][16] = {"superacc", "fpe3", "fpe4",   "fpe5", "fpe6",
                             "fpe7",     "fpe8", "fpe4ee", "auto"};
static const char *const method_names[] = {"superacc", "fpe3", "fpe4",   "fpe5",       "fpe6",
                                           "fpe7",     "fpe8", "fpe4ee", "ExBLAS auto"};
enum { N_METHODS = sizeof methods / sizeof *methods };

static int list(const bench_options *o, bench_table *t, bench_candidate *c)
{
    int n = bench_libraries(o, "dgemm_", run_library, c);
    for (int k = 0; k < N_METHODS; k++)
        c[n++] = (bench_candidate){.name = method_names[k],
                                   .run = run_exblas,
                                   .before = bench_choose_method,
                                   .ctx = methods[k]};
    t->base = bench_openblas(o, "dgemm_") ? 0 : n - 1;
    return n;
}

enum { PEAK_OPERATIONS = 1 << 20 };

static void run_peak(void *ctx)
{
    (void)ctx;
    sink = plain_best()->peak(PEAK_OPERATIONS);
}

/* Ceiling: if every multiply-add of the processor were one of the product's. */
static void add_peak(const bench_options *o, bench_table *t)
{
    bench_candidate peak = {.name = "peak", .run = run_peak};
    bench_measure(o, &peak, 1, NULL);
    t->ceiling_name = "FMA units at peak";
    t->ceiling = peak.min_ns / PEAK_OPERATIONS;
}

/* Methods that compute every element exactly take seconds for large products. */
static void measure(const bench_options *o, bench_table *t, const bench_candidate *c)
{
    bench_candidate candidate[TABLE_SERIES];
    double cube = pow(work.n, 3);
    table_work per_call = {cube, 0, 2 * cube};
    int most_exact = o->quick ? 64 : 256;
    memcpy(candidate, c, (size_t)t->n_series * sizeof *c);
    for (int j = 0; j < t->n_series; j++)
        if (work.n > most_exact && c[j].run == run_exblas && c[j].ctx != methods[N_METHODS - 1])
            candidate[j].run = NULL;
    table_measure(o, t, work.n, per_call, candidate, NULL);
}

static bool allocate(int most)
{
    size_t n_bytes = (size_t)most * (size_t)most * sizeof(double);
    work.a = malloc(n_bytes);
    work.b = malloc(n_bytes);
    work.c = malloc(n_bytes);
    return work.a && work.b && work.c;
}

bool suite_gemm(const bench_options *o, bench_table *t)
{
    bench_candidate c[TABLE_SERIES];
    const data_kind *kind = &data_kinds[DATA_UNIFORM];
    int most = o->quick ? 128 : 2048;
    *t = (bench_table){.suite = "gemm",
                       .title =
                           "Products of n x n matrices of doubles, uniform in [-1, 1), one thread",
                       .x_name = "n",
                       .y_name = "ns per multiply-add",
                       .unit = "ns",
                       .show = TABLE_NS,
                       .x_log = true,
                       .y_log = true};
    if (!allocate(most))
        return false;
    table_name_series(t, c, list(o, t, c));
    for (work.n = 16; work.n <= most; work.n *= 2) {
        int64_t n_elements = (int64_t)work.n * work.n;
        kind->fill(n_elements, work.a, &kind->parameter, 1);
        kind->fill(n_elements, work.b, &kind->parameter, 2);
        measure(o, t, c);
    }
    add_peak(o, t);
    exblas_set_method(NULL);
    free(work.a);
    free(work.b);
    free(work.c);
    return true;
}
