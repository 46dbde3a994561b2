/* Correctly rounded least squares beside OpenBLAS's dgels: m x n elements and one right-hand side,
 * normal numbers, one thread, processor time. */
#include "harness.h"

#include <exblas/exblas.h>
#include <exblas/lapack.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void dgels(const char *, const int *, const int *, const int *, double *, const int *,
                   double *, const int *, double *, const int *, int *);

typedef struct {
    int m, n, n_work;
    double *a, *b, *x, *matrix, *side, *space;
    dgels *theirs;
} problem;

static void solve_theirs(problem *p)
{
    int one = 1, failed;
    p->theirs("N", &p->m, &p->n, &one, p->matrix, &p->m, p->side, &p->m, p->space, &p->n_work,
              &failed);
}

static void solve_ours(problem *p)
{
    exblas_dgels(p->m, p->n, 1, p->a, p->m, p->b, p->m, p->x, p->n, NULL);
}

/* Box and Muller. */
static double normal(uint64_t *seed)
{
    double u[2];
    for (int i = 0; i < 2; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        u[i] = ((double)(*seed >> 12) + 0.5) * 0x1p-52;
    }
    return sqrt(-2 * log(u[0])) * cos(6.28318530717958647692 * u[1]);
}

static double seconds(void (*solve)(problem *), problem *p)
{
    struct timespec begin, end;
    size_t m = (size_t)p->m, n = (size_t)p->n;
    memcpy(p->matrix, p->a, m * n * sizeof *p->a); /* which OpenBLAS overwrites */
    memcpy(p->side, p->b, m * sizeof *p->b);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    solve(p);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

/* In turn, as often as fits into some seconds: the fastest of each. */
static void measure(const bench_options *o, problem *p)
{
    double theirs = INFINITY, ours = INFINITY, spent = 0;
    uint64_t seed = 1;
    char label[80];
    snprintf(label, sizeof label, "%d x %d", p->m, p->n);
    if (!bench_wanted(o, label))
        return;
    for (int64_t i = 0; i < (int64_t)p->m * p->n; i++)
        p->a[i] = normal(&seed);
    for (int64_t i = 0; i < p->m; i++)
        p->b[i] = normal(&seed);
    for (int k = 0; k < 11 && (k < 3 || spent < 3); k++) {
        double once[2] = {seconds(solve_theirs, p), seconds(solve_ours, p)};
        theirs = fmin(theirs, once[0]);
        ours = fmin(ours, once[1]);
        spent += once[1];
    }
    printf("%s: %.4f s, OpenBLAS %.5f s, ratio %.1f\n", label, ours, theirs, ours / theirs);
    fflush(stdout);
}

static void allocate(problem *p, size_t m, size_t n)
{
    double **all[] = {&p->a, &p->matrix, &p->b, &p->side, &p->x, &p->space};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i] = malloc(m * n * sizeof(double))))
            exit(1);
    p->n_work = (int)(m * n);
}

int main(int argc, char **argv)
{
    static const int shapes[][2] = {{500, 50}, {2000, 200}, {5000, 50}};
    bench_options o = bench_start(argc, argv, "least_squares: correctly rounded, beside OpenBLAS");
    int n_shapes = o.quick ? 1 : 3;
    problem p = {0};
    void *theirs = bench_openblas(&o, "dgels_");
    if (!theirs)
        return 1;
    memcpy(&p.theirs, &theirs, sizeof theirs);
    exblas_set_num_threads(1);
    allocate(&p, 2000, 200);
    for (int i = 0; i < n_shapes; i++) {
        p.m = shapes[i][0];
        p.n = shapes[i][1];
        measure(&o, &p);
    }
    double *all[] = {p.a, p.matrix, p.b, p.side, p.x, p.space};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    return 0;
}
