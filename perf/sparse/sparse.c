/* csrmv beside the plain loop over the rows, and conjugate gradients beside the same method with
 * plain loops: differences on a grid (7 and 27 points), random rows, rows whose lengths follow a
 * power law. One thread; small matrices stay in the second-level cache. */
#include "harness.h"

#include <exblas/exblas.h>
#include <exblas/sparse.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 20, VECTORS = 6 };

static struct {
    int m, *row_start, *column;
    double *value, *vector[VECTORS]; /* x, y, and four of the solver */
} a;

static uint64_t state = 88172645463325252u;

static uint64_t random_number(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static double uniform(void)
{
    return (double)(random_number() >> 11) * 0x1p-53;
}

static void *room(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p)
        abort();
    return p;
}

static void free_all(void)
{
    free(a.row_start);
    free(a.column);
    free(a.value);
    for (int i = 0; i < VECTORS; i++)
        free(a.vector[i]);
}

static void allocate(int m, size_t n_entries)
{
    a.m = m;
    a.row_start = room((size_t)m + 1, sizeof *a.row_start);
    a.column = room(n_entries, sizeof *a.column);
    a.value = room(n_entries, sizeof *a.value);
    for (int i = 0; i < VECTORS; i++) {
        a.vector[i] = room((size_t)m, sizeof(double));
        for (int k = 0; k < m; k++)
            a.vector[i][k] = uniform() - 0.3;
    }
}

static int neighbour(int side, int at, int d, int n_points)
{
    int dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
    int x = at % side + dx, y = at / side % side + dy, z = at / side / side + dz;
    bool is_near = n_points == 27 || abs(dx) + abs(dy) + abs(dz) <= 1;
    bool is_inside = x >= 0 && x < side && y >= 0 && y < side && z >= 0 && z < side;
    return is_near && is_inside ? (z * side + y) * side + x : -1;
}

static void make_grid(int side, int n_points)
{
    int m = side * side * side, at = 0;
    allocate(m, (size_t)m * (size_t)n_points);
    for (int i = 0; i < m; i++) {
        for (int d = 0; d < 27; d++) {
            int j = neighbour(side, i, d, n_points);
            if (j < 0)
                continue;
            a.column[at] = j;
            a.value[at++] = j == i ? n_points - 1 : -1;
        }
        a.row_start[i + 1] = at;
    }
}

/* Rows of `length` entries, or 2 / sqrt(u) of them. */
static void make_random(int m, int length)
{
    int *start = room((size_t)m + 1, sizeof *start);
    for (int i = 0; i < m; i++)
        start[i + 1] = start[i] + (length ? length : (int)(2 / sqrt(uniform() + 1e-8)));
    allocate(m, (size_t)start[m]);
    free(a.row_start);
    a.row_start = start;
    for (int k = 0; k < start[m]; k++) {
        a.column[k] = (int)(random_number() % (uint64_t)m);
        a.value[k] = uniform() - 0.5;
    }
}

static void plain_product(const double *x, double *y)
{
    for (int i = 0; i < a.m; i++) {
        double sum = 0;
        for (int k = a.row_start[i]; k < a.row_start[i + 1]; k++)
            sum += a.value[k] * x[a.column[k]];
        y[i] = sum;
    }
}

static void run_plain(void *ctx)
{
    (void)ctx;
    plain_product(a.vector[0], a.vector[1]);
}

static void run_ours(void *ctx)
{
    (void)ctx;
    exblas_dcsrmv(EXBLAS_NO_TRANS, a.m, a.m, 1, a.row_start, a.column, a.value, a.vector[0], 0,
                  a.vector[1]);
}

static double plain_dot(const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < a.m; i++)
        sum += x[i] * y[i];
    return sum;
}

/* y = x + b y */
static void plain_update(const double *x, double b, double *y)
{
    for (int i = 0; i < a.m; i++)
        y[i] = x[i] + b * y[i];
}

/* y += b x */
static void plain_add(double b, const double *x, double *y)
{
    for (int i = 0; i < a.m; i++)
        y[i] += b * x[i];
}

static void run_plain_cg(void *ctx)
{
    double *b = a.vector[0], *x = a.vector[1], *r = a.vector[2], *p = a.vector[3], *q = a.vector[4];
    size_t bytes = (size_t)a.m * sizeof *x;
    (void)ctx;
    memset(x, 0, bytes);
    memcpy(r, b, bytes);
    memcpy(p, b, bytes);
    double rr = plain_dot(r, r);
    for (int step = 0; step < STEPS; step++) {
        plain_product(p, q);
        double alpha = rr / plain_dot(p, q), before = rr;
        plain_add(alpha, p, x);
        plain_add(-alpha, q, r);
        rr = plain_dot(r, r);
        plain_update(r, rr / before, p);
    }
}

static void run_our_cg(void *ctx)
{
    exblas_dcsr matrix = {a.m, a.row_start, a.column, a.value};
    exblas_dsolver_options o = {.tolerance = 1e-300, .most_steps = STEPS};
    (void)ctx;
    memset(a.vector[1], 0, (size_t)a.m * sizeof(double));
    exblas_dcg(a.m, exblas_dcsr_apply, &matrix, a.vector[0], a.vector[1], &o, NULL);
}

static void measure(const bench_options *o, const char *name, bool with_cg)
{
    bench_candidate product[] = {{.name = "plain", .run = run_plain},
                                 {.name = "csrmv", .run = run_ours}};
    bench_candidate cg[] = {{.name = "plain", .run = run_plain_cg},
                            {.name = "cg", .run = run_our_cg}};
    bench_measure(o, product, 2, NULL);
    bench_row(o, name, a.row_start[a.m], product, 2);
    if (with_cg) {
        char label[60];
        snprintf(label, sizeof label, "%s cg", name);
        bench_measure(o, cg, 2, NULL);
        bench_row(o, label, (double)STEPS * a.row_start[a.m], cg, 2);
    }
    free_all();
}

static void measure_size(const bench_options *o, const char *where, int side, int rows)
{
    const char *shape[] = {"7 points", "27 points", "random", "power law"};
    for (int i = 0; i < 4; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s, %s", shape[i], where);
        if (!bench_wanted(o, name))
            continue;
        if (i < 2)
            make_grid(i == 1 && rows < 100000 ? side * 7 / 10 : side, i == 0 ? 7 : 27);
        else
            make_random(rows, i == 2 ? 8 : 0);
        measure(o, name, i == 0);
    }
}

int main(int argc, char **argv)
{
    bench_options o = bench_start(argc, argv, "sparse products and conjugate gradients");
    bench_header(&o, "ns per entry");
    measure_size(&o, "in L2", 20, 6000);
    measure_size(&o, "in memory", o.quick ? 60 : 100, o.quick ? 200000 : 1000000);
}
