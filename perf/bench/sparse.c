/* For suites.py: csrmv beside the plain loop over the rows, and conjugate gradients beside the same
 * method with plain loops: differences on a grid (7 and 27 points), random rows, rows whose lengths
 * follow a power law. Small matrices stay in the second-level cache. */
#include "data.h"

#include <exblas/exblas.h>
#include <exblas/sparse.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 20, VECTORS = 8, MOST_THREADS = 16 };

/* Rows of a matrix. inverse: of the diagonal, as a matrix. */
static struct {
    int m, *row_start, *column, *inverse_start, *inverse_column, n_threads;
    double *value, *vector[VECTORS]; /* x, y, four of the solver, the inverse's values, one more */
    exblas_dcsr_handle *handle, *jacobi;
} a;

static uint64_t state = 1;

void sparse_free(void)
{
    free(a.row_start);
    free(a.column);
    free(a.inverse_start);
    free(a.inverse_column);
    free(a.value);
    exblas_dcsr_free(a.handle);
    exblas_dcsr_free(a.jacobi);
    for (int i = 0; i < VECTORS; i++)
        free(a.vector[i]);
    memset(&a, 0, sizeof a);
}

static bool allocate_rows(int m)
{
    size_t n = (size_t)m + 1;
    a.m = m;
    a.row_start = calloc(n, sizeof *a.row_start);
    a.inverse_start = calloc(n, sizeof *a.row_start);
    a.inverse_column = calloc(n, sizeof *a.column);
    bool done = a.row_start && a.inverse_start && a.inverse_column;
    for (int i = 0; i < VECTORS && done; i++) {
        a.vector[i] = calloc(n, sizeof(double));
        done = a.vector[i] != NULL;
        for (int k = 0; k < m && done; k++)
            a.vector[i][k] = data_uniform(&state) - 0.3;
    }
    return done;
}

static bool allocate_entries(size_t n)
{
    a.column = calloc(n, sizeof *a.column);
    a.value = calloc(n, sizeof *a.value);
    return a.column && a.value;
}

static int neighbour(int side, int at, int d, int n_points)
{
    int dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
    int x = at % side + dx, y = at / side % side + dy, z = at / side / side + dz;
    bool is_near = n_points == 27 || abs(dx) + abs(dy) + abs(dz) <= 1;
    bool is_inside = x >= 0 && x < side && y >= 0 && y < side && z >= 0 && z < side;
    return is_near && is_inside ? (z * side + y) * side + x : -1;
}

static bool make_grid(int side, int n_points)
{
    int m = side * side * side, at = 0;
    if (!allocate_rows(m) || !allocate_entries((size_t)m * (size_t)n_points))
        return false;
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
    return true;
}

/* Rows of `length` entries, or 2 / sqrt(u) of them. */
static bool make_random(int m, int length)
{
    if (!allocate_rows(m))
        return false;
    for (int i = 0; i < m; i++)
        a.row_start[i + 1] =
            a.row_start[i] + (length ? length : (int)(2 / sqrt(data_uniform(&state) + 1e-8)));
    if (!allocate_entries((size_t)a.row_start[m]))
        return false;
    for (int k = 0; k < a.row_start[m]; k++) {
        a.column[k] = (int)(data_uniform(&state) * m);
        a.value[k] = data_uniform(&state) - 0.5;
    }
    return true;
}

/* --- plain loops ---------------------------------------------------------------- */

static void plain_rows(int begin, int end, const double *x, double *y)
{
    for (int i = begin; i < end; i++) {
        double sum = 0;
        for (int k = a.row_start[i]; k < a.row_start[i + 1]; k++)
            sum += a.value[k] * x[a.column[k]];
        y[i] = sum;
    }
}

/* Equal numbers of rows for each thread. */
static void *plain_part(void *part)
{
    int64_t i = (int64_t)(intptr_t)part, m = a.m;
    plain_rows((int)(i * m / a.n_threads), (int)((i + 1) * m / a.n_threads), a.vector[0],
               a.vector[1]);
    return NULL;
}

void sparse_plain(void)
{
    pthread_t thread[MOST_THREADS];
    bool started[MOST_THREADS];
    for (int i = 1; i < a.n_threads; i++)
        started[i] = pthread_create(&thread[i], NULL, plain_part, (void *)(intptr_t)i) == 0;
    plain_part(NULL);
    for (int i = 1; i < a.n_threads; i++)
        if (!started[i])
            plain_part((void *)(intptr_t)i);
        else
            pthread_join(thread[i], NULL);
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

/* y = x / diagonal */
static void plain_divide(const double *x, double *y)
{
    for (int i = 0; i < a.m; i++)
        y[i] = a.vector[6][i] * x[i];
}

void sparse_plain_cg(void)
{
    double *b = a.vector[0], *x = a.vector[1], *r = a.vector[2], *p = a.vector[3], *q = a.vector[4];
    double *z = a.vector[5];
    size_t bytes = (size_t)a.m * sizeof *x;
    memset(x, 0, bytes);
    memcpy(r, b, bytes);
    plain_divide(r, p);
    double rz = plain_dot(r, p), rr = 0;
    for (int step = 0; step < STEPS; step++) {
        plain_rows(0, a.m, p, q);
        double alpha = rz / plain_dot(p, q), before = rz;
        plain_add(alpha, p, x);
        plain_add(-alpha, q, r);
        rr += plain_dot(r, r);
        plain_divide(r, z);
        rz = plain_dot(r, z);
        plain_update(z, rz / before, p);
    }
    a.vector[7][0] = rr;
}

/* --- ours ------------------------------------------------------------------------ */

void sparse_csrmv(void)
{
    exblas_dcsrmv(EXBLAS_NO_TRANS, a.m, a.m, 1, a.row_start, a.column, a.value, a.vector[0], 0,
                  a.vector[1]);
}

void sparse_handle(void)
{
    exblas_dcsr_mv(a.handle, 1, a.vector[0], 0, a.vector[1]);
}

void sparse_cg(void)
{
    exblas_dsolver_options o = {.tolerance = 1e-300,
                                .most_steps = STEPS,
                                .precondition = exblas_dcsr_handle_apply,
                                .precondition_context = a.jacobi};
    memset(a.vector[1], 0, (size_t)a.m * sizeof(double));
    exblas_dcg(a.m, exblas_dcsr_handle_apply, a.handle, a.vector[0], a.vector[1], &o, NULL);
}

/* Whether it could be made. */
bool sparse_make_jacobi(void)
{
    return exblas_dcsr_block_inverse(a.m, 1, a.row_start, a.column, a.value, a.inverse_start,
                                     a.inverse_column, a.vector[6]) == EXBLAS_OK &&
           exblas_dcsr_create(a.m, a.m, a.inverse_start, a.inverse_column, a.vector[6],
                              &a.jacobi) == EXBLAS_OK;
}

/* A matrix of shape 0 to 3; false: out of memory. */
bool sparse_make(int shape, int side, int rows)
{
    bool done = shape < 2 ? make_grid(shape == 1 && rows < 100000 ? side * 7 / 10 : side,
                                      shape == 0 ? 7 : 27)
                          : make_random(rows, shape == 2 ? 8 : 0);
    a.n_threads = 1;
    return done &&
           exblas_dcsr_create(a.m, a.m, a.row_start, a.column, a.value, &a.handle) == EXBLAS_OK;
}

void sparse_use_threads(int n_threads)
{
    a.n_threads = n_threads;
    exblas_set_num_threads(n_threads);
}
