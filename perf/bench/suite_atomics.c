/* y[index[i]] += x[i] against the number of places: plain, by atomic operations on doubles and on
 * exact numbers, and exactly as one call. */
#include "data.h"
#include "suites.h"

#include <exblas/exblas.h>
#include <exblas/fixed.h>
#include <exblas/scatter.h>
#include <stdlib.h>

enum { HP_WORDS = 3, HP_FRACTION = 2, MOST_EXACT = 1 << 14 };

static struct {
    exblas_int n, n_bins;
    double *x, *y;
    exblas_int *index;
    exblas_acc *sum; /* MOST_EXACT of each */
    uint64_t (*fixed)[HP_WORDS];
} work;

static void run_plain(void *ctx)
{
    (void)ctx;
    for (exblas_int i = 0; i < work.n; i++)
        work.y[work.index[i]] += work.x[i];
}

static void add_atomic(double *to, double x)
{
    double was, is;
    __atomic_load(to, &was, __ATOMIC_RELAXED);
    do {
        is = was + x;
    } while (!__atomic_compare_exchange(to, &was, &is, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static void run_atomic(void *ctx)
{
    (void)ctx;
    for (exblas_int i = 0; i < work.n; i++)
        add_atomic(&work.y[work.index[i]], work.x[i]);
}

static void run_accumulators(void *ctx)
{
    (void)ctx;
    for (exblas_int i = 0; i < work.n; i++)
        exblas_acc_add_atomic(&work.sum[work.index[i]], work.x[i]);
}

static void run_fixed(void *ctx)
{
    (void)ctx;
    for (exblas_int i = 0; i < work.n; i++) {
        uint64_t v[HP_WORDS];
        exblas_hp_from_double(v, HP_WORDS, HP_FRACTION, work.x[i]);
        exblas_hp_atomic_add(work.fixed[work.index[i]], v, HP_WORDS);
    }
}

static void run_scatter(void *ctx)
{
    (void)ctx;
    exblas_dscatter_add(work.n, work.x, work.index, work.n_bins, work.y);
}

static const bench_candidate ways[] = {
    {.name = "plain loop", .run = run_plain},
    {.name = "atomic doubles (CAS)", .run = run_atomic},
    {.name = "atomic HP(3,2)", .run = run_fixed},
    {.name = "atomic accumulators", .run = run_accumulators},
    {.name = "exblas_dscatter_add", .run = run_scatter},
};
enum { N_WAYS = sizeof ways / sizeof *ways };

static bool allocate(const bench_options *o, exblas_int most)
{
    work.n = o->quick ? 100000 : 1 << 18;
    work.x = malloc((size_t)work.n * sizeof *work.x);
    work.y = calloc((size_t)most, sizeof *work.y);
    work.index = malloc((size_t)work.n * sizeof *work.index);
    work.sum = calloc(MOST_EXACT, sizeof *work.sum);
    work.fixed = calloc(MOST_EXACT, sizeof *work.fixed);
    if (!work.x || !work.y || !work.index || !work.sum || !work.fixed)
        return false;
    data_kinds[DATA_UNIFORM].fill(work.n, work.x, &data_kinds[DATA_UNIFORM].parameter, 1);
    return true;
}

static void measure(const bench_options *o, bench_table *t)
{
    bench_candidate c[N_WAYS];
    uint64_t state = 1;
    for (exblas_int i = 0; i < work.n; i++)
        work.index[i] = (exblas_int)(data_uniform(&state) * work.n_bins);
    for (int j = 0; j < N_WAYS; j++) {
        c[j] = ways[j];
        if (work.n_bins > MOST_EXACT && (c[j].run == run_accumulators || c[j].run == run_fixed))
            c[j].run = NULL;
    }
    table_measure(o, t, work.n_bins, (table_work){.elements = work.n}, c, NULL);
}

bool suite_atomics(const bench_options *o, bench_table *t)
{
    exblas_int most = o->quick ? 4096 : 1 << 18;
    *t = (bench_table){.suite = "atomics",
                       .title = "Sums at random places: y[index[i]] += x[i], one thread",
                       .x_name = "places (bins)",
                       .y_name = "ns per term",
                       .unit = "ns",
                       .show = TABLE_NS,
                       .x_log = true,
                       .y_log = true};
    if (!allocate(o, most))
        return false;
    table_name_series(t, ways, N_WAYS);
    for (work.n_bins = 1; work.n_bins <= most; work.n_bins *= o->quick ? 64 : 8)
        measure(o, t);
    free(work.x);
    free(work.y);
    free(work.index);
    free(work.sum);
    free(work.fixed);
    return true;
}
