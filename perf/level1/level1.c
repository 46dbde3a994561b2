/* Level 1 reductions beside the plain loops and OpenBLAS. */
#include "comparators.h"
#include "data.h"
#include "harness.h"

#include <exblas/exblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int64_t n, stride;
    double *x, *y;
    double (*ddot)(const int *, const double *, const int *, const double *, const int *);
} work;

static volatile double sink;

static void plain_sum(void *c)
{
    (void)c;
    sink = plain_best()->sum(work.n, work.x);
}

static void plain_asum(void *c)
{
    (void)c;
    sink = plain_best()->asum(work.n, work.x);
}

static void plain_norm(void *c)
{
    (void)c;
    sink = sqrt(plain_best()->sumsq(work.n, work.x));
}

static void plain_strided_sum(void *c)
{
    (void)c;
    double sum = 0;
    for (int64_t i = 0; i < work.n; i++)
        sum += work.x[i * work.stride];
    sink = sum;
}

static void openblas_dot(void *c)
{
    (void)c;
    int n = (int)work.n, stride = (int)work.stride;
    sink = work.ddot(&n, work.x, &stride, work.y, &stride);
}

static void ex_sum(void *c)
{
    (void)c;
    sink = excblas_dsum_64(work.n, work.x, work.stride);
}

static void ex_asum(void *c)
{
    (void)c;
    sink = excblas_dasum_64(work.n, work.x, 1);
}

static void ex_norm(void *c)
{
    (void)c;
    sink = excblas_dnrm2_64(work.n, work.x, 1);
}

static void ex_dot(void *c)
{
    (void)c;
    sink = excblas_ddot_64(work.n, work.x, work.stride, work.y, work.stride);
}

static void fill(const data_kind *kind)
{
    kind->fill(work.n * work.stride, work.x, &kind->parameter, 1);
    kind->fill(work.n * work.stride, work.y, &kind->parameter, 2);
    if (strcmp(kind->name, "cancelling") == 0) /* x . y cancels as well */
        for (int64_t i = 0; i < work.n; i++)
            work.y[i] = work.y[i < work.n / 2 ? i : 2 * (work.n / 2) - 1 - i];
}

static void zeros(int64_t n, double *x, const double *unused, uint64_t seed)
{
    (void)unused, (void)seed;
    memset(x, 0, (size_t)n * sizeof *x);
}

static void fill_integers(int64_t n, double *x, const double *unused, uint64_t seed)
{
    (void)unused;
    for (int64_t i = 0; i < n; i++)
        x[i] = (double)((seed + 7919 * (uint64_t)i) * 2654435761u % 20000) - 10000;
}

/* Of two places. */
static void decimals(int64_t n, double *x, const double *unused, uint64_t seed)
{
    (void)unused;
    for (int64_t i = 0; i < n; i++)
        x[i] = (double)((seed + 7919 * (uint64_t)i) * 2654435761u % 20000) / 100;
}

/* Whose sum is 2^53 + 1: 2^53, n - 2 numbers of which every second is its neighbour's negative, and
 * 1. */
static void ties(int64_t n, double *x, const double *unused, uint64_t seed)
{
    decimals(n, x, unused, seed);
    for (int64_t i = 1; i < n - 2; i += 2)
        x[i + 1] = -x[i];
    x[0] = 0x1p53;
    x[n - 1] = 1;
}

static const data_kind exact_kinds[] = {{"integers", fill_integers, 0},
                                        {"decimals", decimals, 0},
                                        {"ties", ties, 0},
                                        {"zeros", zeros, 0}};

static void measure(const bench_options *o, const char *routine, const data_kind *kind,
                    void (*baseline)(void *), const char *baseline_name, void (*ours)(void *))
{
    char label[80];
    snprintf(label, sizeof label, "%s %s n=%lld", routine, kind->name, (long long)work.n);
    if (!bench_wanted(o, label))
        return;
    bench_candidate c[2] = {{.name = baseline_name, .run = baseline},
                            {.name = "exblas", .run = ours}};
    fill(kind);
    bench_measure(o, c, 2, NULL);
    bench_row(o, label, (double)work.n, c, 2);
}

static void measure_all(const bench_options *o, const data_kind *kind)
{
    measure(o, "sum", kind, plain_sum, "plain loop", ex_sum);
    measure(o, "asum", kind, plain_asum, "plain loop", ex_asum);
    measure(o, "nrm2", kind, plain_norm, "plain loop", ex_norm);
    if (work.ddot)
        measure(o, "dot", kind, openblas_dot, "OpenBLAS", ex_dot);
}

static void measure_strides(const bench_options *o)
{
    bench_header(o, "Strides, uniform data");
    for (work.stride = 2; work.stride <= 3; work.stride++)
        for (work.n = 1000; work.n <= 100000; work.n *= 100) {
            const char *sum = work.stride == 2 ? "sum, stride 2," : "sum, stride 3,";
            const char *dot = work.stride == 2 ? "dot, stride 2," : "dot, stride 3,";
            measure(o, sum, &data_kinds[0], plain_strided_sum, "plain loop", ex_sum);
            if (work.ddot)
                measure(o, dot, &data_kinds[0], openblas_dot, "OpenBLAS", ex_dot);
        }
}

int main(int argc, char **argv)
{
    static const int64_t sizes[] = {16, 64, 256, 1000, 10000, 100000, 1000000, 10000000};
    bench_options o =
        bench_start(argc, argv, "level1: sum, asum, nrm2, dot beside plain loops and OpenBLAS");
    void *p = bench_openblas(&o, "ddot_");
    memcpy(&work.ddot, &p, sizeof p);
    int64_t most = o.quick ? 1000000 : 10000000;
    work.x = malloc((size_t)most * sizeof(double));
    work.y = malloc((size_t)most * sizeof(double));
    if (!work.x || !work.y)
        return 1;
    work.stride = 1;
    bench_header(&o, "Sizes, uniform data");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= most; i++) {
        work.n = sizes[i];
        measure_all(&o, &data_kinds[0]);
    }
    bench_header(&o, "Sums that are exact, or ties, or of zeros");
    for (size_t k = 0; k < sizeof exact_kinds / sizeof *exact_kinds; k++)
        for (work.n = 16; work.n <= 4096; work.n *= 4)
            measure_all(&o, &exact_kinds[k]);
    bench_header(&o, "Kinds of data");
    for (int k = 0; k < n_data_kinds; k++)
        for (int64_t n = 1000; n <= 100000; n *= 100) {
            work.n = n;
            measure_all(&o, &data_kinds[k]);
        }
    measure_strides(&o);
    free(work.x);
    free(work.y);
    return 0;
}
