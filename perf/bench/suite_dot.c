/* Dot products against n, beside every BLAS that is named. */
#include "comparators.h"
#include "data.h"
#include "suites.h"

#include <exblas/exblas.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int n;
    double *x, *y;
    const comparators *c;
} work;

static volatile double sink;

static void run_plain(void *ctx)
{
    (void)ctx;
    sink = plain_best()->dot(work.n, work.x, work.y);
}

static void run_dot2(void *ctx)
{
    (void)ctx;
    sink = work.c->dot2(work.n, work.x, work.y);
}

static void run_exblas(void *ctx)
{
    (void)ctx;
    sink = excblas_ddot(work.n, work.x, 1, work.y, 1);
}

static void run_library(void *ctx)
{
    double (*ddot)(const int *, const double *, const int *, const double *, const int *);
    int one = 1;
    memcpy(&ddot, &ctx, sizeof ddot);
    sink = ddot(&work.n, work.x, &one, work.y, &one);
}

static char methods[][16] = {"superacc", "fpe4", "auto"};
static const char *const method_names[] = {"ExBLAS superacc", "ExBLAS fpe4", "ExBLAS auto"};

static int list(const bench_options *o, bench_table *t, bench_candidate *c)
{
    int n = 0;
    c[n++] = (bench_candidate){.name = "plain loop", .run = run_plain};
    t->base = bench_openblas(o, "ddot_") ? 1 : 0;
    n += bench_libraries(o, "ddot_", run_library, c + n);
    c[n++] = (bench_candidate){.name = "Dot2", .run = run_dot2};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        c[n++] = (bench_candidate){.name = method_names[k],
                                   .run = run_exblas,
                                   .before = bench_choose_method,
                                   .ctx = methods[k]};
    return n;
}

static bool allocate(int most)
{
    const data_kind *kind = &data_kinds[DATA_UNIFORM];
    work.c = comparators_best();
    work.x = malloc((size_t)most * sizeof *work.x);
    work.y = malloc((size_t)most * sizeof *work.y);
    if (!work.x || !work.y)
        return false;
    kind->fill(most, work.x, &kind->parameter, 1);
    kind->fill(most, work.y, &kind->parameter, 2);
    return true;
}

bool suite_dot(const bench_options *o, bench_table *t)
{
    bench_candidate c[TABLE_SERIES];
    int most = o->quick ? 1 << 16 : 1 << 24;
    *t = (bench_table){.suite = "dot",
                       .title = "Dot products of n doubles, uniform in [-1, 1), one thread",
                       .x_name = "n",
                       .y_name = "10^9 products a second",
                       .unit = "10^9 products/s",
                       .x_log = true,
                       .y_log = true};
    if (!allocate(most))
        return false;
    table_name_series(t, c, list(o, t, c));
    for (work.n = o->quick ? 256 : 64; work.n <= most; work.n *= o->quick ? 16 : 4) {
        table_work per_call = {work.n, 16.0 * work.n, 2.0 * work.n};
        table_measure(o, t, work.n, per_call, c, NULL);
    }
    table_level_ceiling(t, "plain loop, from memory", t->value[t->n_points - 1][0]);
    exblas_set_method(NULL);
    free(work.x);
    free(work.y);
    return true;
}
