/* What suites.py measures ExBLAS beside, called by addresses: n, x and its increment, y and its. */
#include "comparators.h"
#include "data.h"
#include "hallberg.h"
#include "harness.h"

#include <exblas/exblas.h>
#include <exblas/fixed.h>
#include <exblas/lapack.h>
#include <exblas/scatter.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "commit.h"

#ifndef EXB_MPIRUN
#define EXB_MPIRUN ""
#endif

const char *const bench_commit = EXB_COMMIT, *const bench_mpirun = EXB_MPIRUN;

/* --- sums ------------------------------------------------------------------------ */

/* The fixed-point number has 384 bits against Hallberg's 380, which take 2^25 terms. */
enum { HP_N = 6, HP_K = 3 };

double plain_sum(const int *n, const double *x, const int *increment)
{
    double sum = 0;
    if (*increment == 1)
        return plain_best()->sum(*n, x);
    for (int64_t i = 0; i < *n; i++)
        sum += x[i * *increment];
    return sum;
}

double plain_norm(const int *n, const double *x)
{
    return sqrt(plain_best()->sumsq(*n, x));
}

double hallberg_sum(const int *n, const double *x)
{
    hallberg s = {{0}};
    for (int i = 0; i < *n; i++)
        hallberg_add(&s, x[i]);
    return hallberg_value(&s);
}

double fixed_point_sum(const int *n, const double *x)
{
    double sum = 0;
    uint64_t w[HP_N] = {0};
    for (int i = 0; i < *n; i++) {
        uint64_t v[HP_N] = {0};
        exblas_hp_from_double(v, HP_N, HP_K, x[i]);
        exblas_hp_add(w, v, HP_N);
    }
    exblas_hp_to_double(w, HP_N, HP_K, &sum);
    return sum;
}

#define SUM(name, way)                                                                             \
    double name(const int *n, const double *x)                                                     \
    {                                                                                              \
        return way(*n, x);                                                                         \
    }
#define DOT(name, way)                                                                             \
    double name(const int *n, const double *x, const int *incx, const double *y)                   \
    {                                                                                              \
        (void)incx;                                                                                \
        return way(*n, x, y);                                                                      \
    }
SUM(plain_asum, plain_best()->asum)
SUM(pairwise_sum, comparators_best()->pairwise)
SUM(neumaier_sum, comparators_best()->neumaier)
SUM(two_pass_sum, comparators_best()->two_pass)
SUM(binned2_sum, comparators_best()->binned2)
SUM(binned3_sum, comparators_best()->binned3)
DOT(plain_dot, plain_best()->dot)
DOT(dot2, comparators_best()->dot2)

double plain_peak(const int *n)
{
    return plain_best()->peak(*n);
}

/* +-(1 + u) times powers of ten spread evenly over so many decades. */
void bench_spread(int n, double *x, double decades)
{
    uint64_t s = 88172645463325252u;
    for (int i = 0; i < n; i++) {
        double m = (1 + data_uniform(&s)) * pow(10, decades * (data_uniform(&s) - 0.5));
        x[i] = data_uniform(&s) < 0.5 ? m : -m;
    }
}

/* --- errors ---------------------------------------------------------------------- */

enum { N = 1000, MOST_SAMPLES = 64 };
static double x[N], y[N];

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

/* Half of the terms reach up to 2^n_bits; each further one takes most of the sum so far away. T.
 * Ogita, S. Rump, S. Oishi, "Accurate sum and dot product", algorithm 6.1. */
static void generate(double n_bits, bool with_y, uint64_t *s)
{
    exblas_acc a;
    exblas_acc_init(&a);
    for (int i = 0; i < N; i++) {
        double down = 2.0 * (i - N / 2) / N;
        double e = i == 0 ? n_bits : i < N / 2 ? n_bits * data_uniform(s) : n_bits * (1 - down);
        double so_far = i < N / 2 ? 0 : exblas_acc_to_double(&a);
        double scale = with_y ? n_bits * data_uniform(s) / 2 : 0;
        y[i] = with_y ? symmetric(s) * exp2(scale) : 1;
        x[i] = (symmetric(s) * exp2(e) - so_far) / y[i];
        exblas_acc_add_product(&a, x[i], y[i]);
    }
    for (int i = N - 1; i > 0; i--) {
        int j = (int)(data_uniform(s) * (i + 1));
        swap(x, i, j);
        swap(y, i, j);
    }
}

/* 2 sum |x y| / |sum x y|, at most 10^150. */
static double condition(const exblas_acc *sum)
{
    exblas_acc magnitudes;
    exblas_acc_init(&magnitudes);
    for (int i = 0; i < N; i++)
        exblas_acc_add_product(&magnitudes, fabs(x[i]), fabs(y[i]));
    return fmin(2 * exblas_acc_to_double(&magnitudes) / fabs(exblas_acc_to_double(sum)), 1e150);
}

static double ulp(double z)
{
    int e;
    frexp(z, &e);
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
    double s = *(const double *)a, t = *(const double *)b;
    return (s > t) - (s < t);
}

/* The largest and the median error of many problems of like condition, to min_ns and median_ns; the
 * logarithm of the condition. Candidates are given N, x, 1, y, 1. */
double bench_errors(bench_candidate *c, int n_candidates, double n_bits, int with_y, int n_samples)
{
    static const int n = N, one = 1;
    double error[BENCH_CANDIDATES][MOST_SAMPLES], log_condition = 0;
    uint64_t s = 88172645463325252u + (uint64_t)(n_bits * 1000);
    for (int k = 0; k < n_samples; k++) {
        exblas_acc sum;
        generate(n_bits, with_y, &s);
        exblas_acc_init(&sum);
        exblas_acc_add_dot(&sum, N, x, 1, y, 1);
        log_condition += log10(condition(&sum)) / n_samples;
        for (int j = 0; j < n_candidates; j++) {
            memcpy(c[j].argument, (const void *[]){&n, x, &one, y, &one}, 5 * sizeof(void *));
            if (c[j].before)
                c[j].before(c[j].given, &n, x);
            error[j][k] = error_in_ulps(&sum, bench_call(&c[j]));
        }
    }
    for (int j = 0; j < n_candidates; j++) {
        qsort(error[j], (size_t)n_samples, sizeof(double), compare);
        c[j].min_ns = error[j][n_samples - 1];
        c[j].median_ns = error[j][n_samples / 2];
    }
    return log_condition;
}

/* --- solutions -------------------------------------------------------------------- */

/* matrix and side: copies of a and b, which OpenBLAS overwrites. */
typedef struct {
    int m, n;
    double *a, *b, *left, *right, *matrix, *side;
} problem;

void problem_copy(const problem *p)
{
    memcpy(p->matrix, p->a, (size_t)p->m * (size_t)p->n * sizeof *p->a);
    memcpy(p->side, p->b, (size_t)p->m * sizeof *p->b);
}

void problem_solve(const problem *p, double *solution)
{
    if (p->m == p->n)
        exblas_dgesv(p->n, 1, p->a, p->n, p->b, p->n, solution, p->n, NULL);
    else
        exblas_dgels(p->m, p->n, 1, p->a, p->m, p->b, p->m, solution, p->n, NULL);
}

static void multiply(int m, int n, const double *a, const double *b, double *c)
{
    excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, m, n, n, 1, a, m, b, n, 0, c,
                  m);
}

/* Sines with signs: T D T with the orthogonal T_ij = sqrt(2 / (n + 1)) sin(pi i j / (n + 1)). */
static void set_orthogonal(const problem *p, uint64_t seed, double *q)
{
    int64_t n = p->n;
    for (int64_t j = 0; j < n; j++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        for (int64_t i = 0; i < n; i++) {
            double t = sqrt(2 / (double)(n + 1)) *
                       sin(3.14159265358979323846 * (double)((i + 1) * (j + 1) % (2 * n + 2)) /
                           (double)(n + 1));
            p->matrix[i + j * n] = t;
            p->a[i + j * n] = seed >> 63 ? -t : t;
        }
    }
    multiply(p->n, p->n, p->a, p->matrix, q);
}

/* A system with singular values from 1 down to 1 / condition at equal ratios between dense
 * orthogonal factors; of more equations, normal numbers times such a matrix. */
void problem_set(const problem *p, double condition_number)
{
    int64_t n = p->n;
    set_orthogonal(p, 1, p->left);
    set_orthogonal(p, 2, p->right);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < n; i++)
            p->left[i + j * n] *= pow(condition_number, -(double)j / (double)(n - 1));
        p->b[j] = cos((double)j);
    }
    multiply(p->n, p->n, p->left, p->right, p->a);
    if (p->m == p->n)
        return;
    memcpy(p->right, p->a, (size_t)n * (size_t)n * sizeof *p->a);
    data_fill("normal", (int64_t)p->m * n, p->matrix, 1, false);
    data_fill("normal", p->m, p->b, 2, false);
    multiply(p->m, p->n, p->matrix, p->right, p->a);
}

/* --- sums at random places --------------------------------------------------------- */

enum { HP_WORDS = 3, HP_FRACTION = 2, MOST_EXACT = 1 << 14 };
static exblas_acc sum_at[MOST_EXACT];
static uint64_t fixed_at[MOST_EXACT][HP_WORDS];

void places_set(int n, int n_bins, int *index)
{
    uint64_t state = 1;
    for (int i = 0; i < n; i++)
        index[i] = (int)(data_uniform(&state) * n_bins);
}

void places_plain(const int *n, const double *terms, const int *index, double *to)
{
    for (int i = 0; i < *n; i++)
        to[index[i]] += terms[i];
}

static void add_atomic(double *to, double term)
{
    double was, is;
    __atomic_load(to, &was, __ATOMIC_RELAXED);
    do {
        is = was + term;
    } while (!__atomic_compare_exchange(to, &was, &is, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

void places_atomic(const int *n, const double *terms, const int *index, double *to)
{
    for (int i = 0; i < *n; i++)
        add_atomic(&to[index[i]], terms[i]);
}

void places_accumulators(const int *n, const double *terms, const int *index)
{
    for (int i = 0; i < *n; i++)
        exblas_acc_add_atomic(&sum_at[index[i]], terms[i]);
}

void places_fixed(const int *n, const double *terms, const int *index)
{
    for (int i = 0; i < *n; i++) {
        uint64_t v[HP_WORDS];
        exblas_hp_from_double(v, HP_WORDS, HP_FRACTION, terms[i]);
        exblas_hp_atomic_add(fixed_at[index[i]], v, HP_WORDS);
    }
}

void places_scatter(const int *n, const double *terms, const int *index, double *to,
                    const int *n_bins)
{
    exblas_dscatter_add(*n, terms, index, *n_bins, to);
}
