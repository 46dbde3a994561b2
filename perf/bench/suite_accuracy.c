/* Error against condition number: sums and dot products whose terms cancel (generated as by T.
 * Ogita, S. Rump, S. Oishi, "Accurate sum and dot product", algorithm 6.1), the error measured
 * exactly with an accumulator. */
#include "data.h"
#include "suites.h"
#include "sums.h"

#include <exblas/exblas.h>
#include <math.h>
#include <stdlib.h>

enum { N = 1000, MOST_SAMPLES = 64 };

static double symmetric(uint64_t *s)
{
    return 2 * data_uniform(s) - 1;
}

static void swap(double *a, int i, int j)
{
    double t = a[i];
    a[i] = a[j];
    a[j] = t;
}

/* Half of the terms reach up to 2^n_bits; each further one takes most of the sum so far away. */
static void generate(double n_bits, bool with_y, uint64_t *s)
{
    exblas_acc a;
    exblas_acc_init(&a);
    for (int i = 0; i < N; i++) {
        double down = 2.0 * (i - N / 2) / N;
        double e = i == 0 ? n_bits : i < N / 2 ? n_bits * data_uniform(s) : n_bits * (1 - down);
        double so_far = i < N / 2 ? 0 : exblas_acc_to_double(&a);
        double scale = with_y ? n_bits * data_uniform(s) / 2 : 0;
        sums.y[i] = with_y ? symmetric(s) * exp2(scale) : 1;
        sums.x[i] = (symmetric(s) * exp2(e) - so_far) / sums.y[i];
        exblas_acc_add_product(&a, sums.x[i], sums.y[i]);
    }
    for (int i = N - 1; i > 0; i--) {
        int j = (int)(data_uniform(s) * (i + 1));
        swap(sums.x, i, j);
        swap(sums.y, i, j);
    }
}

/* 2 sum |x y| / |sum x y|, at most 10^150. */
static double condition(const exblas_acc *sum)
{
    exblas_acc magnitudes;
    exblas_acc_init(&magnitudes);
    for (int i = 0; i < N; i++)
        exblas_acc_add_product(&magnitudes, fabs(sums.x[i]), fabs(sums.y[i]));
    return fmin(2 * exblas_acc_to_double(&magnitudes) / fabs(exblas_acc_to_double(sum)), 1e150);
}

static double ulp(double x)
{
    int e;
    frexp(x, &e);
    return ldexp(1, e - 53 < -1074 ? -1074 : e - 53);
}

/* Shown from 0.01 (exact, or nearly) to 10^20 ulps (no digit is right, nor the magnitude). */
static double error_in_ulps(const exblas_acc *sum, double result)
{
    exblas_acc rest = *sum;
    exblas_acc_sub(&rest, result);
    double error = fabs(exblas_acc_to_double(&rest)) / ulp(exblas_acc_to_double(sum));
    return isnan(error) ? NAN : fmin(fmax(error, 0.01), 1e20);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest and the median error of many problems of like condition. */
static void point(bench_table *t, const bench_candidate *c, double n_bits, bool with_y,
                  int n_samples)
{
    double error[TABLE_SERIES][MOST_SAMPLES], log_condition = 0;
    uint64_t s = 88172645463325252u + (uint64_t)(n_bits * 1000);
    int i = t->n_points++;
    for (int k = 0; k < n_samples; k++) {
        exblas_acc sum;
        generate(n_bits, with_y, &s);
        exblas_acc_init(&sum);
        exblas_acc_add_dot(&sum, N, sums.x, 1, sums.y, 1);
        log_condition += log10(condition(&sum)) / n_samples;
        for (int j = 0; j < t->n_series; j++) {
            if (c[j].before)
                c[j].before(c[j].ctx);
            c[j].run(c[j].ctx);
            error[j][k] = error_in_ulps(&sum, sums.result);
        }
    }
    t->x[i] = pow(10, log_condition);
    for (int j = 0; j < t->n_series; j++) {
        qsort(error[j], (size_t)n_samples, sizeof(double), compare);
        t->value[i][j] = error[j][n_samples - 1];
        t->median[i][j] = error[j][n_samples / 2];
    }
}

static bool sweep(const bench_options *o, bench_table *t, bool with_y)
{
    static double x[N], y[N];
    bench_candidate c[TABLE_SERIES];
    sums = (sums_work){.n = N, .x = x, .y = y, .c = comparators_best()};
    t->x_name = "condition number";
    t->y_name = "largest error, ulps (at most 10^{20} is shown)";
    t->unit = "ulps";
    t->x_log = t->y_log = t->y_powers = true;
    table_name_series(t, c, with_y ? sums_dot_candidates(o, c) : sums_candidates(true, c));
    for (double n_bits = 0; n_bits <= 200; n_bits += o->quick ? 50 : 8)
        point(t, c, n_bits, with_y, o->quick ? 8 : MOST_SAMPLES);
    exblas_set_method(NULL);
    return true;
}

bool suite_accuracy_sum(const bench_options *o, bench_table *t)
{
    *t = (bench_table){.suite = "accuracy-sum", .title = "Error of sums of 1000 doubles"};
    return sweep(o, t, false);
}

bool suite_accuracy_dot(const bench_options *o, bench_table *t)
{
    *t = (bench_table){.suite = "accuracy-dot", .title = "Error of dot products of 1000 doubles"};
    return sweep(o, t, true);
}
