/* Correctly rounded solutions against the number of unknowns n: time over OpenBLAS's dgesv and
 * dgels. Systems have singular values from 1 down to 1 / c at equal ratios between dense orthogonal
 * factors, one right-hand side; least squares have 10 n or 200 n equations, normal numbers times
 * such a matrix. */
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

/* n_equations: for each unknown, or 0: a system with this condition. */
static const struct {
    const char *name;
    double condition;
    int n_equations, most;
} rows[] = {{"dgesv, condition 1e2", 1e2, 0, 1024},
            {"dgesv, condition 1e5", 1e5, 0, 1024},
            {"dgesv, condition 1e8", 1e8, 0, 1024},
            {"dgesv, condition 1e11", 1e11, 0, 1024},
            {"dgesv, condition 1e13", 1e13, 0, 1024},
            {"dgesv, condition 1e18", 1e18, 0, 256},
            {"dgels, 10 n equations, condition 1e6", 1e6, 10, 256},
            {"dgels, 10 n equations, condition 1e12", 1e12, 10, 256},
            {"dgels, 200 n equations, condition 1e6", 1e6, 200, 64},
            {"dgels, 200 n equations, condition 1e12", 1e12, 200, 64}};
enum { N_ROWS = sizeof rows / sizeof *rows };

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

static void multiply(int m, const double *x, const double *y, double *z)
{
    int n = work.n;
    excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, m, n, n, 1, x, m, y, n, 0, z,
                  m);
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
    multiply((int)n, work.a, work.matrix, q);
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
    multiply((int)n, work.left, work.right, work.a);
}

static void set_squares(int m, double condition)
{
    const data_kind *kind = &data_kinds[DATA_NORMAL];
    set_system(condition);
    memcpy(work.right, work.a, (size_t)work.n * (size_t)work.n * sizeof *work.a);
    work.m = m;
    kind->fill((int64_t)m * work.n, work.matrix, NULL, 1);
    kind->fill(m, work.b, NULL, 2);
    multiply(m, work.matrix, work.right, work.a);
}

static void measure(const bench_options *o, bench_table *t, int k)
{
    bench_candidate systems[] = {{.name = "theirs", .before = copy, .run = their_system},
                                 {.name = "ours", .before = copy, .run = our_system}};
    bench_candidate squares[] = {{.name = "theirs", .before = copy, .run = their_squares},
                                 {.name = "ours", .before = copy, .run = our_squares}};
    for (int i = 0; i < t->n_points; i++) {
        int n = work.m = work.n = (int)t->x[i];
        if (n > rows[k].most)
            continue;
        if (rows[k].n_equations)
            set_squares(n * rows[k].n_equations, rows[k].condition);
        else
            set_system(rows[k].condition);
        table_measure_ratios(o, t, i, k, 2, rows[k].n_equations ? squares : systems);
    }
}

static double **const all[] = {&work.a, &work.left, &work.right, &work.matrix,
                               &work.b, &work.x,    &work.side};
enum { N_ARRAYS = sizeof all / sizeof *all };

/* Of the largest matrix each: 1024 x 1024. */
static bool allocate(size_t n)
{
    for (size_t i = 0; i < N_ARRAYS; i++)
        if (!(*all[i] = malloc(n * n * sizeof(double))))
            return false;
    work.n_space = (int)(n * n);
    work.pivot = malloc(n * sizeof *work.pivot);
    return work.pivot;
}

bool suite_solve(const bench_options *o, bench_table *t)
{
    void *gesv = bench_openblas(o, "dgesv_"), *gels = bench_openblas(o, "dgels_");
    *t = (bench_table){.suite = "solve",
                       .title = "Correctly rounded solutions, over OpenBLAS's dgesv and dgels",
                       .x_name = "unknowns",
                       .y_name = "time / time of OpenBLAS",
                       .unit = "times the other's time",
                       .show = TABLE_RATIOS,
                       .n_series = N_ROWS,
                       .x_log = true};
    if (!gesv || !gels)
        return true;
    memcpy(&work.gesv, &gesv, sizeof gesv);
    memcpy(&work.gels, &gels, sizeof gels);
    if (!allocate(1024))
        return false;
    for (int k = 0; k < N_ROWS; k++)
        t->series[k] = rows[k].name;
    table_start_columns(t, 16, o->quick ? 16 : 1024);
    for (int j = 0; j < t->n_series; j++)
        measure(o, t, j);
    for (size_t i = 0; i < N_ARRAYS; i++)
        free(*all[i]);
    free(work.pivot);
    return true;
}
