/* Correctly rounded solutions beside OpenBLAS's dgesv: n unknowns, singular values from 1 down to
 * 1 / c at equal ratios between dense orthogonal factors, one right-hand side, one thread. Prints
 * the condition that exblas_dgesv finds, in the norm of row sums, and processor time. */
#include "harness.h"

#include <exblas/cblas.h>
#include <exblas/exblas.h>
#include <exblas/lapack.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void dgesv(const int *, const int *, double *, const int *, int *, double *, const int *,
                   int *);

static struct {
    int n;
    double *a, *b, *x, *left, *right, *matrix;
    int *pivot;
    dgesv *theirs;
} work;

static void solve_theirs(void *unused)
{
    int n = work.n, one = 1, failed;
    (void)unused;
    work.theirs(&n, &one, work.matrix, &n, work.pivot, work.x, &n, &failed);
}

static void solve_ours(void *info)
{
    int n = work.n;
    exblas_dgesv(n, 1, work.a, n, work.b, n, work.x, n, info);
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
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            work.matrix[i + j * n] =
                sqrt(2 / (double)(n + 1)) *
                sin(3.14159265358979323846 * (double)((i + 1) * (j + 1) % (2 * n + 2)) /
                    (double)(n + 1));
    for (int64_t j = 0; j < n; j++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        for (int64_t i = 0; i < n; i++)
            work.a[i + j * n] = seed >> 63 ? -work.matrix[i + j * n] : work.matrix[i + j * n];
    }
    multiply(work.a, work.matrix, q);
}

static void set_system(double condition)
{
    int64_t n = work.n;
    set_orthogonal(1, work.left);
    set_orthogonal(2, work.right);
    for (int64_t j = 0; j < n; j++) {
        double s = pow(condition, -(double)j / (double)(n - 1));
        for (int64_t i = 0; i < n; i++)
            work.left[i + j * n] *= s;
        work.b[j] = cos((double)j);
    }
    multiply(work.left, work.right, work.a);
}

static double seconds(void (*solve)(void *), void *context)
{
    struct timespec begin, end;
    size_t n = (size_t)work.n;
    memcpy(work.matrix, work.a, n * n * sizeof *work.a); /* which OpenBLAS overwrites */
    memcpy(work.x, work.b, n * sizeof *work.x);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    solve(context);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Processor time, in turn: minima, their ratio, and the ratio of medians. */
static void measure(const bench_options *o, double condition)
{
    enum { ROUNDS = 11 };
    double theirs[ROUNDS], ours[ROUNDS];
    exblas_solution info = {.condition = 0};
    char label[80];
    snprintf(label, sizeof label, "n=%d %g", work.n, condition);
    if (!bench_wanted(o, label))
        return;
    set_system(condition);
    solve_ours(&info);
    for (int k = 0; k < ROUNDS; k++) {
        theirs[k] = seconds(solve_theirs, NULL);
        ours[k] = seconds(solve_ours, NULL);
    }
    qsort(theirs, ROUNDS, sizeof *theirs, by_size);
    qsort(ours, ROUNDS, sizeof *ours, by_size);
    printf("n=%d condition %.0e: %.4f s, OpenBLAS %.4f s, ratio %.2f, of medians %.2f; %d terms, "
           "%d components exact\n",
           work.n, info.condition, ours[0], theirs[0], ours[0] / theirs[0],
           ours[ROUNDS / 2] / theirs[ROUNDS / 2], (int)info.n_terms, (int)info.n_exact);
    fflush(stdout);
}

static void allocate(size_t n)
{
    double **all[] = {&work.a, &work.left, &work.right, &work.matrix, &work.b, &work.x};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i] = malloc((i < 4 ? n : 1) * n * sizeof(double))))
            exit(1);
    if (!(work.pivot = malloc(n * sizeof *work.pivot)))
        exit(1);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {100, 300, 1000};
    static const double conditions[] = {1e2, 1e5, 1e8, 1e11, 1e13};
    bench_options o = bench_start(argc, argv, "solve: correctly rounded solutions beside OpenBLAS");
    int n_sizes = o.quick ? 2 : 3;
    void *p = bench_openblas(&o, "dgesv_");
    if (!p)
        return 1;
    memcpy(&work.theirs, &p, sizeof p);
    exblas_set_num_threads(1);
    allocate((size_t)sizes[n_sizes - 1]);
    for (int i = 0; i < n_sizes; i++)
        for (size_t k = 0; k < sizeof conditions / sizeof *conditions; k++) {
            work.n = sizes[i];
            measure(&o, conditions[k]);
        }
    double *all[] = {work.a, work.left, work.right, work.matrix, work.b, work.x};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(work.pivot);
    return 0;
}
