/* Time per element of sums: against n, and against dynamic range. */
#include "comparators.h"
#include "rivals.h"
#include "suites.h"
#include "sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums of more numbers are not given to MPFR. */
enum { MOST_MPFR = 1 << 18 };

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

WAY(run_plain, plain_best()->sum(work.n, work.x))
WAY(run_pairwise, work.c->pairwise(work.n, work.x))
WAY(run_neumaier, work.c->neumaier(work.n, work.x))
WAY(run_two_pass, work.c->two_pass(work.n, work.x))
WAY(run_binned2, work.c->binned2(work.n, work.x))
WAY(run_binned3, work.c->binned3(work.n, work.x))

WAY(run_exblas, excblas_dsum_64(work.n, work.x, 1))

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
WAY(run_hp6, by_fixed_point())
WAY(run_mpfr, rivals_mpfr(work.n))

/* x as MPFR's numbers, made beforehand. */
static void give_mpfr(void *ctx)
{
    (void)ctx;
    rivals_mpfr_set(work.n, work.x);
}

#define OURS(title, method)                                                                        \
    {                                                                                              \
        .name = title, .run = run_exblas, .before = bench_choose_method, .ctx = (char[])           \
        {                                                                                          \
            method                                                                                 \
        }                                                                                          \
    }

static const bench_candidate ways[] = {
    {.name = "plain loop", .run = run_plain},
    {.name = "pairwise", .run = run_pairwise},
    {.name = "Neumaier", .run = run_neumaier},
    {.name = "two-pass, 2 slices", .run = run_two_pass},
    {.name = "binned, K = 2", .run = run_binned2},
    {.name = "binned, K = 3", .run = run_binned3},
    {.name = "Hallberg", .run = run_hallberg},
    {.name = "fixed point HP(6,3)", .run = run_hp6},
    {.name = "MPFR mpfr_sum", .run = run_mpfr, .before = give_mpfr},
    OURS("ExBLAS superacc", "superacc"),
    OURS("ExBLAS fpe4", "fpe4"),
    OURS("ExBLAS auto", "auto"),
};

static const bench_candidate methods[] = {
    {.name = "plain loop", .run = run_plain},
    OURS("superacc", "superacc"),
    OURS("fpe2", "fpe2"),
    OURS("fpe3", "fpe3"),
    OURS("fpe4", "fpe4"),
    OURS("fpe5", "fpe5"),
    OURS("fpe6", "fpe6"),
    OURS("fpe7", "fpe7"),
    OURS("fpe8", "fpe8"),
    OURS("fpe4ee", "fpe4ee"),
    OURS("fpe6ee", "fpe6ee"),
    OURS("fpe8ee", "fpe8ee"),
    OURS("filter", "filter"),
    OURS("auto", "auto"),
};

static bool begin(bench_table *t, const bench_candidate *c, int n_candidates, int64_t most)
{
    table_name_series(t, c, n_candidates);
    work.c = comparators_best();
    work.x = malloc((size_t)most * sizeof *work.x);
    return work.x;
}

static void end(void)
{
    free(work.x);
    rivals_mpfr_free();
    exblas_set_method(NULL);
}

/* What is not in the build, or would take too much time or memory, is left out. */
static void measure(const bench_options *o, bench_table *t, double x, const bench_candidate *c)
{
    bench_candidate candidate[TABLE_SERIES];
    table_work per_call = {(double)work.n, 8 * (double)work.n, (double)work.n};
    memcpy(candidate, c, (size_t)t->n_series * sizeof *c);
    for (int j = 0; j < t->n_series; j++)
        if (c[j].run == run_mpfr && (!rivals_have_mpfr || work.n > MOST_MPFR))
            candidate[j].run = NULL;
    table_measure(o, t, x, per_call, candidate, NULL);
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
    int64_t most = o->quick ? 1 << 16 : 1 << 24;
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
    table_level_ceiling(t, "plain loop, from memory", t->value[t->n_points - 1][0]);
    end();
    return true;
}

bool suite_range(const bench_options *o, bench_table *t)
{
    *t = (bench_table){.suite = "range",
                       .title = "Sums of 10^5 doubles by method and dynamic range, one thread",
                       .x_name = "decades between smallest and largest magnitude",
                       .y_name = "10^9 elements a second",
                       .unit = "10^9 elements/s",
                       .y_log = true};
    int64_t n = o->quick ? 10000 : 100000;
    if (!begin(t, methods, sizeof methods / sizeof *methods, n))
        return false;
    work.n = n;
    for (int decades = 0; decades <= 140; decades += o->quick ? 70 : 10) {
        spread(decades);
        measure(o, t, decades, methods);
    }
    end();
    return true;
}
