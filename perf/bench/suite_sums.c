/* Time per element: of sums against n and against dynamic range, of dot products against n, beside
 * every BLAS that is named. */
#include "sums.h"

#include "data.h"
#include "hallberg.h"
#include "rivals.h"
#include "suites.h"

#include <exblas/exblas.h>
#include <exblas/fixed.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums of more numbers are not given to MPFR. The fixed-point number has 384 bits against
 * Hallberg's 380, which take 2^25 terms. */
enum { MOST_MPFR = 1 << 18, HP_N = 6, HP_K = 3 };

sums_work sums;

/* A candidate of the harness for each way. */
#define WAY(name, expression)                                                                      \
    static void name(void *ctx)                                                                    \
    {                                                                                              \
        (void)ctx;                                                                                 \
        sums.result = expression;                                                                  \
    }

WAY(run_plain, plain_best()->sum(sums.n, sums.x))
WAY(run_pairwise, sums.c->pairwise(sums.n, sums.x))
WAY(run_neumaier, sums.c->neumaier(sums.n, sums.x))
WAY(run_two_pass, sums.c->two_pass(sums.n, sums.x))
WAY(run_binned2, sums.c->binned2(sums.n, sums.x))
WAY(run_binned3, sums.c->binned3(sums.n, sums.x))

WAY(run_exblas, excblas_dsum_64(sums.n, sums.x, 1))
WAY(run_plain_dot, plain_best()->dot(sums.n, sums.x, sums.y))
WAY(run_dot2, sums.c->dot2(sums.n, sums.x, sums.y))
WAY(run_exblas_dot, excblas_ddot_64(sums.n, sums.x, 1, sums.y, 1))

static double by_hallberg(void)
{
    hallberg s = {{0}};
    for (int64_t i = 0; i < sums.n; i++)
        hallberg_add(&s, sums.x[i]);
    return hallberg_value(&s);
}

static double by_fixed_point(void)
{
    double x = 0;
    uint64_t w[HP_N] = {0};
    for (int64_t i = 0; i < sums.n; i++) {
        uint64_t v[HP_N] = {0};
        exblas_hp_from_double(v, HP_N, HP_K, sums.x[i]);
        exblas_hp_add(w, v, HP_N);
    }
    exblas_hp_to_double(w, HP_N, HP_K, &x);
    return x;
}

WAY(run_hallberg, by_hallberg())
WAY(run_hp6, by_fixed_point())
WAY(run_mpfr, rivals_mpfr(sums.n))

/* x as MPFR's numbers, made beforehand. */
static void give_mpfr(void *ctx)
{
    (void)ctx;
    rivals_mpfr_set(sums.n, sums.x);
}

static void run_library(void *ctx)
{
    double (*ddot)(const int *, const double *, const int *, const double *, const int *);
    int n = (int)sums.n, one = 1;
    memcpy(&ddot, &ctx, sizeof ddot);
    sums.result = ddot(&n, sums.x, &one, sums.y, &one);
}

#define OURS(title, function, method)                                                              \
    {                                                                                              \
        .name = title, .run = function, .before = bench_choose_method, .ctx = (char[])             \
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
    OURS("ExBLAS superacc", run_exblas, "superacc"),
    OURS("ExBLAS fpe2", run_exblas, "fpe2"),
    OURS("ExBLAS fpe4", run_exblas, "fpe4"),
    OURS("ExBLAS fpe8ee", run_exblas, "fpe8ee"),
    OURS("ExBLAS auto", run_exblas, "auto"),
};

static const bench_candidate methods[] = {
    {.name = "plain loop", .run = run_plain}, OURS("superacc", run_exblas, "superacc"),
    OURS("fpe2", run_exblas, "fpe2"),         OURS("fpe3", run_exblas, "fpe3"),
    OURS("fpe4", run_exblas, "fpe4"),         OURS("fpe5", run_exblas, "fpe5"),
    OURS("fpe6", run_exblas, "fpe6"),         OURS("fpe7", run_exblas, "fpe7"),
    OURS("fpe8", run_exblas, "fpe8"),         OURS("fpe4ee", run_exblas, "fpe4ee"),
    OURS("fpe6ee", run_exblas, "fpe6ee"),     OURS("fpe8ee", run_exblas, "fpe8ee"),
    OURS("filter", run_exblas, "filter"),     OURS("auto", run_exblas, "auto"),
};

/* Behind a plain loop and the libraries. */
static const bench_candidate dots[] = {
    {.name = "Dot2", .run = run_dot2},
    OURS("ExBLAS superacc", run_exblas_dot, "superacc"),
    OURS("ExBLAS fpe2", run_exblas_dot, "fpe2"),
    OURS("ExBLAS fpe4", run_exblas_dot, "fpe4"),
    OURS("ExBLAS fpe8ee", run_exblas_dot, "fpe8ee"),
    OURS("ExBLAS auto", run_exblas_dot, "auto"),
};

int sums_candidates(bool is_short, bench_candidate *c)
{
    int n = 0;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        if (!is_short ||
            (ways[k].run != run_hallberg && ways[k].run != run_hp6 && ways[k].run != run_mpfr))
            c[n++] = ways[k];
    return n;
}

int sums_dot_candidates(const bench_options *o, bench_candidate *c)
{
    c[0] = (bench_candidate){.name = "plain loop", .run = run_plain_dot};
    int n = 1 + bench_libraries(o, "ddot_", run_library, c + 1);
    memcpy(c + n, dots, sizeof dots);
    return n + (int)(sizeof dots / sizeof *dots);
}

static bool begin(bench_table *t, const bench_candidate *c, int n_candidates, int64_t most,
                  int n_vectors)
{
    table_name_series(t, c, n_candidates);
    sums.c = comparators_best();
    sums.n = most;
    sums.x = malloc((size_t)most * sizeof *sums.x);
    sums.y = n_vectors > 1 ? malloc((size_t)most * sizeof *sums.y) : NULL;
    return sums.x && (sums.y || n_vectors == 1);
}

static void end(void)
{
    free(sums.x);
    free(sums.y);
    rivals_mpfr_free();
    exblas_set_method(NULL);
}

/* What is not in the build, or would take too much time or memory, is left out. */
static void measure(const bench_options *o, bench_table *t, double x, const bench_candidate *c)
{
    bench_candidate candidate[TABLE_SERIES];
    double n = (double)sums.n, n_vectors = sums.y ? 2 : 1;
    table_work per_call = {n, 8 * n_vectors * n, n_vectors * n};
    memcpy(candidate, c, (size_t)t->n_series * sizeof *c);
    for (int j = 0; j < t->n_series; j++)
        if (c[j].run == run_mpfr && (!rivals_have_mpfr || sums.n > MOST_MPFR))
            candidate[j].run = NULL;
    table_measure(o, t, x, per_call, candidate, NULL);
}

static int64_t most_of(const bench_options *o)
{
    return o->quick ? 1 << 16 : 1 << 24;
}

static void measure_sizes(const bench_options *o, bench_table *t, const bench_candidate *c)
{
    for (sums.n = o->quick ? 256 : 64; sums.n <= most_of(o); sums.n *= o->quick ? 16 : 4)
        measure(o, t, (double)sums.n, c);
    t->ceiling_name = "plain loop, from memory";
    t->ceiling = t->value[t->n_points - 1][0];
    end();
}

/* +-(1 + u) times powers of ten spread evenly over so many decades. */
static void spread(double decades)
{
    uint64_t s = 88172645463325252u;
    for (int64_t i = 0; i < sums.n; i++) {
        double m = (1 + data_uniform(&s)) * pow(10, decades * (data_uniform(&s) - 0.5));
        sums.x[i] = data_uniform(&s) < 0.5 ? m : -m;
    }
}

bool suite_size(const bench_options *o, bench_table *t)
{
    *t = (bench_table){.suite = "size",
                       .title = "Sums of n doubles, dynamic range 1, one thread",
                       .x_name = "n",
                       .y_name = "10^9 elements a second",
                       .unit = "10^9 elements/s",
                       .x_log = true,
                       .y_log = true};
    bench_candidate c[TABLE_SERIES];
    if (!begin(t, c, sums_candidates(false, c), most_of(o), 1))
        return false;
    spread(0);
    measure_sizes(o, t, c);
    return true;
}

bool suite_dot(const bench_options *o, bench_table *t)
{
    const data_kind *kind = &data_kinds[DATA_UNIFORM];
    bench_candidate c[TABLE_SERIES];
    *t = (bench_table){.suite = "dot",
                       .title = "Dot products of n doubles, uniform in [-1, 1), one thread",
                       .x_name = "n",
                       .y_name = "10^9 products a second",
                       .unit = "10^9 products/s",
                       .base = bench_openblas(o, "ddot_") ? 1 : 0,
                       .x_log = true,
                       .y_log = true};
    if (!begin(t, c, sums_dot_candidates(o, c), most_of(o), 2))
        return false;
    kind->fill(sums.n, sums.x, &kind->parameter, 1);
    kind->fill(sums.n, sums.y, &kind->parameter, 2);
    measure_sizes(o, t, c);
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
    if (!begin(t, methods, sizeof methods / sizeof *methods, n, 1))
        return false;
    for (int decades = 0; decades <= 140; decades += o->quick ? 70 : 10) {
        spread(decades);
        measure(o, t, decades, methods);
    }
    end();
    return true;
}
