/* Time per element of sums: against n, and against dynamic range. */
#include "comparators.h"
#include "suites.h"
#include "sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int64_t n;
    double *x;
    const comparators *c;
} work;

static volatile double sink;

/* A candidate of the harness for each way. */
#define WAY(name, expression)                                                                      \
    static void name(void *ctx)                                                                    \
    {                                                                                              \
        (void)ctx;                                                                                 \
        sink = expression;                                                                         \
    }

WAY(run_plain, work.c->plain(work.n, work.x))
WAY(run_pairwise, work.c->pairwise(work.n, work.x))
WAY(run_neumaier, work.c->neumaier(work.n, work.x))
WAY(run_two_pass, work.c->two_pass(work.n, work.x))
WAY(run_binned2, work.c->binned2(work.n, work.x))
WAY(run_binned3, work.c->binned3(work.n, work.x))

static double by_method(const char *name)
{
    exblas_set_method(name);
    return excblas_dsum_64(work.n, work.x, 1);
}

WAY(run_auto, by_method("auto"))
WAY(run_superacc, by_method("superacc"))
WAY(run_fpe2, by_method("fpe2"))
WAY(run_fpe3, by_method("fpe3"))
WAY(run_fpe4, by_method("fpe4"))
WAY(run_fpe5, by_method("fpe5"))
WAY(run_fpe6, by_method("fpe6"))
WAY(run_fpe7, by_method("fpe7"))
WAY(run_fpe8, by_method("fpe8"))
WAY(run_fpe4ee, by_method("fpe4ee"))
WAY(run_fpe6ee, by_method("fpe6ee"))
WAY(run_fpe8ee, by_method("fpe8ee"))

static double by_hallberg(void)
{
    hallberg s = {{0}};
    hallberg_add_all(&s, work.n, work.x);
    return hallberg_value(&s);
}

static double by_fixed_point(void)
{
    double x = 0;
    uint64_t w[HP_N] = {0};
    hp_add_all(w, HP_N, HP_K, work.n, work.x);
    exblas_hp_to_double(w, HP_N, HP_K, &x);
    return x;
}

WAY(run_hallberg, by_hallberg())
WAY(run_fixed_point, by_fixed_point())

static const bench_candidate ways[] = {
    {.name = "plain loop (ceiling)", .run = run_plain},
    {.name = "pairwise", .run = run_pairwise},
    {.name = "Neumaier", .run = run_neumaier},
    {.name = "two-pass, 2 slices", .run = run_two_pass},
    {.name = "binned, K = 2", .run = run_binned2},
    {.name = "binned, K = 3", .run = run_binned3},
    {.name = "Hallberg", .run = run_hallberg},
    {.name = "fixed point", .run = run_fixed_point},
    {.name = "ExBLAS superacc", .run = run_superacc},
    {.name = "ExBLAS fpe4", .run = run_fpe4},
    {.name = "ExBLAS auto", .run = run_auto},
};

static const bench_candidate methods[] = {
    {.name = "plain loop (ceiling)", .run = run_plain},
    {.name = "superacc", .run = run_superacc},
    {.name = "fpe2", .run = run_fpe2},
    {.name = "fpe3", .run = run_fpe3},
    {.name = "fpe4", .run = run_fpe4},
    {.name = "fpe5", .run = run_fpe5},
    {.name = "fpe6", .run = run_fpe6},
    {.name = "fpe7", .run = run_fpe7},
    {.name = "fpe8", .run = run_fpe8},
    {.name = "fpe4ee", .run = run_fpe4ee},
    {.name = "fpe6ee", .run = run_fpe6ee},
    {.name = "fpe8ee", .run = run_fpe8ee},
    {.name = "auto", .run = run_auto},
};

static bool begin(bench_table *t, const bench_candidate *c, int n_candidates, int64_t most)
{
    t->n_series = n_candidates;
    for (int j = 0; j < n_candidates; j++)
        t->series[j] = c[j].name;
    work.c = comparators_best();
    work.x = malloc((size_t)most * sizeof *work.x);
    return work.x;
}

static void end(void)
{
    free(work.x);
    exblas_set_method(NULL);
}

/* One point, in 10^9 elements a second. */
static void measure(const bench_options *o, bench_table *t, double x, const bench_candidate *c)
{
    bench_candidate candidate[TABLE_SERIES];
    memcpy(candidate, c, (size_t)t->n_series * sizeof *c);
    bench_measure(o, candidate, t->n_series, NULL);
    int i = t->n_points++;
    t->x[i] = x;
    for (int j = 0; j < t->n_series; j++) {
        t->value[i][j] = (double)work.n / candidate[j].min_ns;
        t->median[i][j] = (double)work.n / candidate[j].median_ns;
    }
}

/* +-(1 + u) times powers of ten spread evenly over so many decades. */
static void spread(double decades)
{
    uint64_t s = 88172645463325252u;
    for (int64_t i = 0; i < work.n; i++) {
        double m = (1 + next_uniform(&s)) * pow(10, decades * (next_uniform(&s) - 0.5));
        work.x[i] = next_uniform(&s) < 0.5 ? m : -m;
    }
}

bool suite_size(const bench_options *o, bench_table *t)
{
    int64_t most = o->quick ? 1 << 16 : 1 << 22;
    *t = (bench_table){.suite = "size",
                       .title = "Sums of n doubles, dynamic range 1, one thread",
                       .x_name = "n",
                       .y_name = "10^9 elements a second",
                       .unit = "10^9 elements/s",
                       .x_log = true,
                       .y_log = true};
    if (!begin(t, ways, sizeof ways / sizeof *ways, most))
        return false;
    for (work.n = o->quick ? 256 : 64; work.n <= most; work.n *= o->quick ? 16 : 4) {
        spread(0);
        measure(o, t, (double)work.n, ways);
    }
    end();
    return true;
}

static bool against_range(const bench_options *o, bench_table *t, const bench_candidate *c,
                          int n_candidates)
{
    int64_t n = o->quick ? 10000 : 100000;
    if (!begin(t, c, n_candidates, n))
        return false;
    work.n = n;
    for (int decades = 0; decades <= 140; decades += o->quick ? 70 : 10) {
        spread(decades);
        measure(o, t, decades, c);
    }
    end();
    return true;
}

bool suite_range(const bench_options *o, bench_table *t)
{
    *t = (bench_table){.suite = "range",
                       .title = "Sums of doubles by method and dynamic range, one thread",
                       .x_name = "decades between the smallest and the largest magnitude",
                       .y_name = "10^9 elements a second",
                       .unit = "10^9 elements/s",
                       .y_log = true};
    return against_range(o, t, methods, sizeof methods / sizeof *methods);
}
