/* What it costs to find an order: calls and time against n for the naive, the basic and the
 * optimised algorithm (first and random pivots) on plain sums and on OpenBLAS's dot, gemv and gemm.
 */
#include "harness.h"

#include <fprev.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void gemv_fn(const char *, const int *, const int *, const double *, const double *,
                     const int *, const double *, const int *, const double *, double *,
                     const int *, size_t);
typedef void gemm_fn(const char *, const char *, const int *, const int *, const int *,
                     const double *, const double *, const int *, const double *, const int *,
                     const double *, double *, const int *, size_t, size_t);
typedef double dot_fn(const int *, const double *, const int *, const double *, const int *);

typedef struct {
    int n;
    double *matrix, *other, *out;
    dot_fn *dot;
    gemv_fn *gemv;
    gemm_fn *gemm;
} work;

static int forward(void *ctx, const void *a, const void *b, void *result)
{
    const work *w = ctx;
    const double *x = a;
    double s = 0;
    (void)b;
    for (int i = 0; i < w->n; i++)
        s += x[i];
    *(double *)result = s;
    return 0;
}

static int backward(void *ctx, const void *a, const void *b, void *result)
{
    const work *w = ctx;
    const double *x = a;
    double s = 0;
    (void)b;
    for (int i = w->n - 1; i >= 0; i--)
        s += x[i];
    *(double *)result = s;
    return 0;
}

static int call_dot(void *ctx, const void *a, const void *b, void *result)
{
    const work *w = ctx;
    const int one = 1;
    *(double *)result = w->dot(&w->n, a, &one, b, &one);
    return 0;
}

/* Every row of the n x n matrix (every column of the transposed one that is passed) is a. */
static void set_rows(const work *w, const double *a)
{
    for (int j = 0; j < w->n; j++)
        memcpy(w->matrix + (size_t)j * (size_t)w->n, a, (size_t)w->n * sizeof *a);
}

static int call_gemv(void *ctx, const void *a, const void *b, void *result)
{
    const work *w = ctx;
    const double one = 1, zero = 0;
    const int step = 1;
    set_rows(w, a);
    w->gemv("T", &w->n, &w->n, &one, w->matrix, &w->n, b, &step, &zero, w->out, &step, 1);
    *(double *)result = w->out[0];
    return 0;
}

static int call_gemm(void *ctx, const void *a, const void *b, void *result)
{
    const work *w = ctx;
    const double one = 1, zero = 0;
    set_rows(w, a);
    for (int j = 0; j < w->n; j++)
        memcpy(w->other + (size_t)j * (size_t)w->n, b, (size_t)w->n * sizeof(double));
    w->gemm("T", "N", &w->n, &w->n, &w->n, &one, w->matrix, &w->n, w->other, &w->n, &zero, w->out,
            &w->n, 1, 1);
    *(double *)result = w->out[0];
    return 0;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const struct {
    const char *name;
    fprev_options options;
    int largest; /* n of sums and dots */
} algorithms[] = {
    {"naive", {.algorithm = FPREV_NAIVE, .seed = 1}, 8},
    {"basic", {.algorithm = FPREV_BASIC, .seed = 1}, 1024},
    {"opt, first", {.algorithm = FPREV_OPT, .first_pivot = true, .seed = 1}, 2048},
    {"opt, random", {.algorithm = FPREV_OPT, .seed = 1}, 8192},
};

static void row(const bench_options *o, const char *name, const fprev_function *f, int algorithm)
{
    fprev_result r;
    double t = now_s();
    fprev_status status = fprev_reveal(f, &algorithms[algorithm].options, &r);
    t = now_s() - t;
    const char *format =
        o->csv ? "%s,%s,%lld,%lld,%lld,%.6f,%s\n" : "%-16s %-12s %6lld %10lld %10lld %12.6f  %s\n";
    printf(format, name, algorithms[algorithm].name, (long long)f->n_terms, (long long)r.calls,
           (long long)r.total_calls, t,
           status ? fprev_status_text(status) : fprev_class_name(r.class_));
    fflush(stdout);
    fprev_result_free(&r);
}

static bool start(work *w, int n, bool matrices)
{
    size_t size = (size_t)n * sizeof(double) * (matrices ? (size_t)n : 1);
    w->n = n;
    w->matrix = malloc(size);
    w->other = malloc(size);
    w->out = malloc(size);
    return w->matrix && w->other && w->out;
}

static void stop(work *w)
{
    free(w->matrix);
    free(w->other);
    free(w->out);
}

static void suite(const bench_options *o, const char *name, work *w, bool product, int largest,
                  int (*call)(void *, const void *, const void *, void *))
{
    if (!bench_wanted(o, name))
        return;
    for (int k = 0; k < 4; k++)
        for (int n = 4; n <= largest && n <= algorithms[k].largest; n *= 2) {
            fprev_function f = {.n_terms = n,
                                .n_results = 1,
                                .type = FPREV_DOUBLE,
                                .result_type = FPREV_DOUBLE,
                                .product = product,
                                .ctx = w,
                                .call = call};
            if (start(w, n, largest < 1024))
                row(o, name, &f, k);
            stop(w);
        }
}

int main(int argc, char **argv)
{
    bench_options o = bench_start(argc, argv, "fprev: the cost of finding an order of summation");
    work w = {0};
    void *symbol[3] = {bench_openblas(&o, "ddot_"), bench_openblas(&o, "dgemv_"),
                       bench_openblas(&o, "dgemm_")};
    memcpy(&w.dot, &symbol[0], sizeof w.dot);
    memcpy(&w.gemv, &symbol[1], sizeof w.gemv);
    memcpy(&w.gemm, &symbol[2], sizeof w.gemm);
    printf(o.csv ? "function,algorithm,n,calls,total_calls,seconds,class\n"
                 : "\n%-16s %-12s %6s %10s %10s %12s  %s\n",
           "function", "algorithm", "n", "calls", "with marks", "seconds", "class");
    suite(&o, "sum, forward", &w, false, o.quick ? 1024 : 8192, forward);
    suite(&o, "sum, backward", &w, false, o.quick ? 1024 : 8192, backward);
    if (w.dot)
        suite(&o, "OpenBLAS dot", &w, true, o.quick ? 1024 : 8192, call_dot);
    if (w.gemv)
        suite(&o, "OpenBLAS gemv", &w, true, o.quick ? 128 : 512, call_gemv);
    if (w.gemm)
        suite(&o, "OpenBLAS gemm", &w, true, o.quick ? 64 : 256, call_gemm);
    return 0;
}
