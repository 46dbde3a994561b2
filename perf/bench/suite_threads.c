/* What more threads gain, beside OpenBLAS. */
#include "data.h"
#include "suites.h"

#include <exblas/exblas.h>
#include <exblas/scatter.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N_BINS = 4096 };

static struct {
    int n_matrix, n; /* order of the matrices, length of the vectors */
    double *a, *b, *c, *x, *y, bins[N_BINS];
    exblas_int *index;
} work;

static volatile double sink;

static void run_their_gemm(void *ctx)
{
    void (*dgemm)(const char *, const char *, const int *, const int *, const int *, const double *,
                  const double *, const int *, const double *, const int *, const double *,
                  double *, const int *);
    static const double one = 1, zero = 0;
    const int *n = &work.n_matrix;
    memcpy(&dgemm, &ctx, sizeof dgemm);
    dgemm("N", "N", n, n, n, &one, work.a, n, work.b, n, &zero, work.c, n);
}

static void run_gemm(void *ctx)
{
    (void)ctx;
    int n = work.n_matrix;
    excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, n, n, n, 1, work.a, n, work.b,
                  n, 0, work.c, n);
}

static void run_their_dot(void *ctx)
{
    double (*ddot)(const int *, const double *, const int *, const double *, const int *);
    int one = 1;
    memcpy(&ddot, &ctx, sizeof ddot);
    sink = ddot(&work.n, work.x, &one, work.y, &one);
}

static void run_dot(void *ctx)
{
    (void)ctx;
    sink = excblas_ddot(work.n, work.x, 1, work.y, 1);
}

static void run_sum(void *ctx)
{
    (void)ctx;
    sink = excblas_dsum(work.n, work.x, 1);
}

static void run_scatter(void *ctx)
{
    (void)ctx;
    exblas_dscatter_add(work.n, work.x, work.index, N_BINS, work.bins);
}

static int list(const bench_options *o, bench_candidate *c)
{
    int n = 0;
    void *gemm = bench_openblas(o, "dgemm_"), *dot = bench_openblas(o, "ddot_");
    if (gemm)
        c[n++] = (bench_candidate){.name = "dgemm, OpenBLAS", .run = run_their_gemm, .ctx = gemm};
    if (dot)
        c[n++] = (bench_candidate){.name = "ddot, OpenBLAS", .run = run_their_dot, .ctx = dot};
    c[n++] = (bench_candidate){.name = "ddot, ExBLAS", .run = run_dot};
    c[n++] = (bench_candidate){.name = "dsum, ExBLAS", .run = run_sum};
    c[n++] = (bench_candidate){.name = "scatter_add, ExBLAS", .run = run_scatter};
    c[n++] = (bench_candidate){.name = "dgemm, ExBLAS", .run = run_gemm};
    return n;
}

static void set_threads(const bench_options *o, int n_threads)
{
    void (*set)(int);
    void *p = bench_openblas(o, "openblas_set_num_threads");
    memcpy(&set, &p, sizeof p);
    if (p)
        set(n_threads);
    exblas_set_num_threads(n_threads);
}

static void fill(int64_t n, double *x, uint64_t seed)
{
    data_kinds[DATA_UNIFORM].fill(n, x, &data_kinds[DATA_UNIFORM].parameter, seed);
}

static bool allocate(void)
{
    size_t n_square = (size_t)work.n_matrix * (size_t)work.n_matrix, n = (size_t)work.n;
    work.a = malloc(n_square * sizeof(double));
    work.b = malloc(n_square * sizeof(double));
    work.c = malloc(n_square * sizeof(double));
    work.x = malloc(n * sizeof(double));
    work.y = malloc(n * sizeof(double));
    work.index = malloc(n * sizeof *work.index);
    if (!work.a || !work.b || !work.c || !work.x || !work.y || !work.index)
        return false;
    fill((int64_t)n_square, work.a, 1);
    fill((int64_t)n_square, work.b, 2);
    fill((int64_t)n, work.x, 3);
    fill((int64_t)n, work.y, 4);
    for (size_t i = 0; i < n; i++)
        work.index[i] = (exblas_int)(i * 2654435761u % N_BINS);
    return true;
}

/* The value is the gain: one thread's time over that of so many. */
static void measure(const bench_options *o, bench_table *t, const bench_candidate *c, int n_threads)
{
    int i = t->n_points;
    set_threads(o, n_threads);
    table_measure(o, t, n_threads, (table_work){0}, c, NULL);
    t->ceiling[i] = n_threads;
    for (int j = 0; j < t->n_series; j++) {
        t->value[i][j] = t->time[0][j].min_ns / t->time[i][j].min_ns;
        t->median[i][j] = t->time[0][j].median_ns / t->time[i][j].median_ns;
    }
}

bool suite_threads(const bench_options *o, bench_table *t)
{
    bench_candidate c[TABLE_SERIES];
    int n_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    work.n_matrix = o->quick ? 256 : 1024;
    work.n = o->quick ? 1 << 20 : 1 << 24;
    *t = (bench_table){.suite = "threads",
                       .title =
                           "Gain by threads: products of order 1024, vectors of 16777216 doubles",
                       .x_name = "threads",
                       .y_name = "time of one thread / time",
                       .unit = "times as fast",
                       .ceiling_name = "ideal"};
    if (o->quick)
        t->title = "Gain by threads: products of order 256, vectors of 1048576 doubles";
    if (!allocate())
        return false;
    bench_unpin(n_cpus);
    table_name_series(t, c, list(o, c));
    for (int n_threads = 1; n_threads < n_cpus; n_threads *= 2)
        measure(o, t, c, n_threads);
    measure(o, t, c, n_cpus);
    set_threads(o, 1);
    bench_pin(o);
    free(work.a);
    free(work.b);
    free(work.c);
    free(work.x);
    free(work.y);
    free(work.index);
    return true;
}
