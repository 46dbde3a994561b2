/* Correctly rounded solutions against the number of unknowns n: time over OpenBLAS's dgesv and
 * dgels. Systems have singular values from 1 down to 1 / c at equal ratios between dense orthogonal
 * factors, one right-hand side; least squares have 10 n equations of normal numbers. */
#include "data.h"
#include "suites.h"

#include <exblas/exblas.h>
#include <exblas/lapack.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef void dgesv(const int *, const int *, double *, const int *, int *, double *, const int *,
                   int *);
typedef void dgels(const char *, const int *, const int *, const int *, double *, const int *,
                   double *, const int *, double *, const int *, int *);

enum { EQUATIONS = 10, MOST_SQUARES = 100, N_CONDITIONS = 5 };
static const double conditions[N_CONDITIONS] = {1e2, 1e5, 1e8, 1e11, 1e13};

/* matrix and side: copies of a and b, which OpenBLAS overwrites. */
static struct {
    int m, n, n_space;
    double *a, *b, *x, *left, *right, *matrix, *side;
    int *pivot;
    dgesv *gesv;
    dgels *gels;
} work;

static void copy(void *unused)
{
    (void)unused;
    memcpy(work.matrix, work.a, (size_t)work.m * (size_t)work.n * sizeof *work.a);
    memcpy(work.side, work.b, (size_t)work.m * sizeof *work.b);
}

static void their_system(void *unused)
{
    int one = 1, failed;
    (void)unused;
    work.gesv(&work.n, &one, work.matrix, &work.n, work.pivot, work.side, &work.n, &failed);
}

static void our_system(void *unused)
{
    (void)unused;
    exblas_dgesv(work.n, 1, work.a, work.n, work.b, work.n, work.x, work.n, NULL);
}

static void their_squares(void *unused)
{
    int one = 1, failed;
    (void)unused;
    work.gels("N", &work.m, &work.n, &one, work.matrix, &work.m, work.side, &work.m, work.left,
              &work.n_space, &failed);
}

static void our_squares(void *unused)
{
    (void)unused;
    exblas_dgels(work.m, work.n, 1, work.a, work.m, work.b, work.m, work.x, work.n, NULL);
}

static void multiply(const double *x, const double *y, double *z)
{
    int n = work.n;
    excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, n, n, n, 1, x, n, y, n, 0, z,
                  n);
}

/* Sines with signs: T D T with the orthogonal T_ij = sqrt(2 / (n + 1)) sin(pi i j / (n + 1)). */
static void set_orthogonal(uint64_t seed, double *q)
{
    int64_t n = work.n;
    for (int64_t j = 0; j < n; j++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        for (int64_t i = 0; i < n; i++) {
            double t = sqrt(2 / (double)(n + 1)) *
                       sin(3.14159265358979323846 * (double)((i + 1) * (j + 1) % (2 * n + 2)) /
                           (double)(n + 1));
            work.matrix[i + j * n] = t;
            work.a[i + j * n] = seed >> 63 ? -t : t;
        }
    }
    multiply(work.a, work.matrix, q);
}

static void set_system(double condition)
{
    int64_t n = work.n;
    set_orthogonal(1, work.left);
    set_orthogonal(2, work.right);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < n; i++)
            work.left[i + j * n] *= pow(condition, -(double)j / (double)(n - 1));
        work.b[j] = cos((double)j);
    }
    multiply(work.left, work.right, work.a);
}

static void measure(const bench_options *o, bench_table *t, int n)
{
    bench_candidate systems[] = {{.name = "theirs", .before = copy, .run = their_system},
                                 {.name = "ours", .before = copy, .run = our_system}};
    bench_candidate squares[] = {{.name = "theirs", .before = copy, .run = their_squares},
                                 {.name = "ours", .before = copy, .run = our_squares}};
    table_start_point(t, n);
    work.m = work.n = n;
    for (int k = 0; k < N_CONDITIONS; k++) {
        set_system(conditions[k]);
        table_measure_ratios(o, t, k, 2, systems);
    }
    if (n <= MOST_SQUARES) {
        work.m = EQUATIONS * n;
        data_kinds[2].fill((int64_t)work.m * n, work.a, NULL, 1);
        data_kinds[2].fill(work.m, work.b, NULL, 2);
        table_measure_ratios(o, t, N_CONDITIONS, 2, squares);
    }
    t->n_points++;
}

static bool allocate(size_t n)
{
    size_t most = n * n > EQUATIONS * MOST_SQUARES * MOST_SQUARES
                      ? n * n
                      : EQUATIONS * MOST_SQUARES * MOST_SQUARES;
    double **all[] = {&work.a, &work.left, &work.right, &work.matrix, &work.b, &work.x, &work.side};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i] = malloc(most * sizeof(double))))
            return false;
    work.n_space = (int)most;
    work.pivot = malloc(n * sizeof *work.pivot);
    return work.pivot;
}

bool suite_solve(const bench_options *o, bench_table *t)
{
    static const char *const names[] = {"gesv, condition 1e2",  "gesv, condition 1e5",
                                        "gesv, condition 1e8",  "gesv, condition 1e11",
                                        "gesv, condition 1e13", "gels, 10 n equations"};
    void *gesv = bench_openblas(o, "dgesv_"), *gels = bench_openblas(o, "dgels_");
    *t = (bench_table){.suite = "solve",
                       .title = "Correctly rounded solutions, over OpenBLAS's dgesv and dgels",
                       .x_name = "unknowns",
                       .y_name = "time / time of OpenBLAS",
                       .unit = "times the other's time",
                       .show = TABLE_RATIOS,
                       .n_series = N_CONDITIONS + 1,
                       .x_log = true};
    memcpy(t->series, names, sizeof names);
    if (!gesv || !gels)
        return true;
    memcpy(&work.gesv, &gesv, sizeof gesv);
    memcpy(&work.gels, &gels, sizeof gels);
    if (!allocate(o->quick ? 100 : 1000))
        return false;
    for (int n = o->quick ? 30 : 100; n <= (o->quick ? 30 : 1000); n = n == 100 ? 300 : 3 * n + 100)
        measure(o, t, n);
    double *all[] = {work.a, work.left, work.right, work.matrix, work.b, work.x, work.side};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(work.pivot);
    return true;
}
