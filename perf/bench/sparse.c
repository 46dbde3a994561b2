/* For suites.py: csrmv beside the plain loop over the rows: differences on a grid (7 and 27
 * points), random rows, rows whose lengths follow a power law. Small matrices stay in the
 * second-level cache. */
#include "data.h"

#include <exblas/exblas.h>
#include <exblas/sparse.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 16 };

/* A square matrix, and the vectors. */
static struct {
    int m, *row_start, *column, n_threads;
    double *value, *x, *y;
    exblas_dcsr_handle *handle;
} a;

static uint64_t state = 1;

void sparse_free(void)
{
    free(a.row_start);
    free(a.column);
    free(a.value);
    free(a.x);
    free(a.y);
    exblas_dcsr_free(a.handle);
    memset(&a, 0, sizeof a);
}

static bool allocate_rows(int m)
{
    size_t n = (size_t)m + 1;
    a.m = m;
    a.row_start = calloc(n, sizeof *a.row_start);
    a.x = calloc(n, sizeof *a.x);
    a.y = calloc(n, sizeof *a.y);
    for (int k = 0; k < m && a.x; k++)
        a.x[k] = data_uniform(&state) - 0.3;
    return a.row_start && a.x && a.y;
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

/* Equal numbers of rows for each thread. */
static void *plain_part(void *part)
{
    int64_t t = (int64_t)(intptr_t)part, m = a.m;
    int end = (int)((t + 1) * m / a.n_threads);
    for (int i = (int)(t * m / a.n_threads); i < end; i++) {
        double sum = 0;
        for (int k = a.row_start[i]; k < a.row_start[i + 1]; k++)
            sum += a.value[k] * a.x[a.column[k]];
        a.y[i] = sum;
    }
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

/* --- ours ------------------------------------------------------------------------ */

void sparse_csrmv(void)
{
    exblas_dcsrmv(EXBLAS_NO_TRANS, a.m, a.m, 1, a.row_start, a.column, a.value, a.x, 0, a.y);
}

void sparse_handle(void)
{
    exblas_dcsr_mv(a.handle, 1, a.x, 0, a.y);
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
