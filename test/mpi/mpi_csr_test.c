/* Sparse matrices over processes: the bits of the serial product, and the serial solver's history
 * of residuals, in every layout. */
#include "adversarial.h"
#include "mpi_testing.h"

#include <exblas/exblas.h>
#include <exblas/mpi_sparse.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_ROWS = 120, MOST = 1500, SIDE = 12, N = SIDE * SIDE, BLOCK = 4, HISTORY = 120 };

static struct {
    int64_t m, n, row_start[N + 1], column[MOST];
    double value[MOST], x[N], y[N], wanted[N], got[N];
} c;

static void multiply_and_compare(int layout, double alpha, double beta)
{
    int64_t rows[MOST_PROCESSES + 1], columns[MOST_PROCESSES + 1];
    int me = world_rank();
    exblas_mpi_dcsr *a = NULL;
    lay_out(layout, world_size(), c.m, rows);
    lay_out((layout + 2) % N_LAYOUTS, world_size(), c.n, columns);
    int64_t first = rows[me], m = rows[me + 1] - first;
    check(exblas_mpi_dcsr_create(m, columns[me + 1] - columns[me], c.row_start + first, c.column,
                                 c.value, MPI_COMM_WORLD, &a) == MPI_SUCCESS);
    for (int round = 0; round < 2 && a; round++) {
        memcpy(c.got, c.y, sizeof c.y);
        check(exblas_mpi_dcsr_mv(a, alpha, c.x + columns[me], beta, c.got + first) == MPI_SUCCESS);
        for (int64_t i = 0; i < c.m; i++)
            check_same_bits(c.got[i], i >= first && i < first + m ? c.wanted[i] : c.y[i]);
    }
    check(exblas_mpi_dcsr_free(a) == MPI_SUCCESS);
}

static void products(void)
{
    test_random r = test_random_start(test_seed(), "mpi_csr");
    int n_rounds = test_rounds(60);
    for (int i = 0; i < n_rounds; i++) {
        c.m = random_between(&r, 1, MOST_ROWS);
        c.n = random_between(&r, 1, MOST_ROWS);
        factors_fill((size_t)i % factors_kinds(), &r, FORMAT_D, N, c.x, c.y);
        c.row_start[0] = 0;
        for (int64_t k = 0; k < c.m; k++)
            c.row_start[k + 1] = c.row_start[k] + random_between(&r, 0, 12);
        for (int64_t k = 0; k < c.row_start[c.m]; k++) {
            c.column[k] = random_between(&r, 0, c.n - 1);
            c.value[k] = k % 2 ? c.y[random_between(&r, 0, N - 1)] : random_number(&r, FORMAT_D, 0);
        }
        double alpha = i % 3 ? 1 : -0.75, beta = i % 2 ? 0 : 3;
        memcpy(c.wanted, c.y, sizeof c.y);
        check(exblas_dcsrmv_64(EXBLAS_NO_TRANS, c.m, c.n, alpha, c.row_start, c.column, c.value,
                               c.x, beta, c.wanted) == EXBLAS_OK);
        multiply_and_compare(i % N_LAYOUTS, alpha, beta);
    }
}

/* Five-point differences with varying coefficients. */
static void make_system(double wind)
{
    static const int dx[] = {0, -1, 0, 1, 0}, dy[] = {-1, 0, 0, 0, 1};
    int64_t at = 0;
    c.m = c.n = N;
    for (int i = 0; i < N; i++) {
        c.row_start[i] = at;
        for (int k = 0; k < 5; k++) {
            int u = i % SIDE + dx[k], v = i / SIDE + dy[k];
            if (u < 0 || u >= SIDE || v < 0 || v >= SIDE)
                continue;
            int j = v * SIDE + u;
            c.column[at] = j;
            c.value[at++] = k == 2 ? 7.3 : -1 - 0.1 * ((i + j) % 5) + wind * dx[k];
        }
        c.x[i] = sin(i + 1);
    }
    c.row_start[N] = at;
}

typedef enum { CG, BICGSTAB, GMRES, METHODS } method;

static exblas_status run(method m, int64_t n, exblas_dapply_fn *multiply, void *context,
                         const double *b, double *x, const exblas_dsolver_options *o,
                         exblas_solver_result *result)
{
    memset(x, 0, (size_t)n * sizeof *x);
    return (m == CG         ? exblas_dcg_64
            : m == BICGSTAB ? exblas_dbicgstab_64
                            : exblas_dgmres_64)(n, multiply, context, b, x, o, result);
}

static exblas_status multiply_whole(void *context, exblas_int64 n, const double *x, double *y)
{
    (void)context;
    return exblas_dcsrmv_64(EXBLAS_NO_TRANS, n, n, 1, c.row_start, c.column, c.value, x, 0, y);
}

static struct {
    int64_t row_start[N + 1], column[N * BLOCK];
    double value[N * BLOCK];
} inverse;

static exblas_status precondition_whole(void *context, exblas_int64 n, const double *x, double *y)
{
    (void)context;
    return exblas_dcsrmv_64(EXBLAS_NO_TRANS, n, n, 1, inverse.row_start, inverse.column,
                            inverse.value, x, 0, y);
}

/* Layouts whose processes begin at whole blocks. */
static void lay_out_blocks(int layout, int64_t *begin)
{
    lay_out(layout, world_size(), N / BLOCK, begin);
    for (int p = 0; p <= world_size(); p++)
        begin[p] *= BLOCK;
}

static void solve_and_compare(method m, int block, int layout)
{
    static double wanted[HISTORY], got[HISTORY];
    int64_t begin[MOST_PROCESSES + 1];
    exblas_mpi_dcsr *a = NULL, *p = NULL;
    MPI_Comm comm = MPI_COMM_WORLD;
    exblas_solver_result first, other;
    exblas_dsolver_options o = {.history = wanted, .history_size = HISTORY, .restart = 11};
    memset(wanted, 0, sizeof wanted);
    memset(got, 0, sizeof got);
    if (block > 0)
        check(exblas_dcsr_block_inverse_64(N, block, c.row_start, c.column, c.value,
                                           inverse.row_start, inverse.column,
                                           inverse.value) == EXBLAS_OK);
    o.precondition = block ? precondition_whole : NULL;
    check(run(m, N, multiply_whole, NULL, c.x, c.wanted, &o, &first) == EXBLAS_OK);
    check(first.reason == EXBLAS_CONVERGED && first.steps > 3 && first.steps < HISTORY);
    lay_out_blocks(layout, begin);
    int64_t at = begin[world_rank()], n = begin[world_rank() + 1] - at;
    check(exblas_mpi_dcsr_create(n, n, c.row_start + at, c.column, c.value, comm, &a) ==
          MPI_SUCCESS);
    if (block)
        check(exblas_mpi_dcsr_block_inverse(a, block, &p) == MPI_SUCCESS);
    o.history = got;
    o.precondition = block ? exblas_mpi_dcsr_apply : NULL;
    o.precondition_context = p;
    o.dot = exblas_mpi_dproduct;
    o.dot_context = &comm;
    check(run(m, n, exblas_mpi_dcsr_apply, a, c.x + at, c.got + at, &o, &other) == EXBLAS_OK);
    check(other.steps == first.steps && other.reason == first.reason);
    for (int i = 0; i < HISTORY; i++)
        check_same_bits(got[i], wanted[i]);
    for (int64_t i = at; i < at + n; i++)
        check_same_bits(c.got[i], c.wanted[i]);
    exblas_mpi_dcsr_free(a);
    exblas_mpi_dcsr_free(p);
}

static void solvers(void)
{
    for (int m = 0; m < METHODS; m++)
        for (int i = 0; i < 3; i++) {
            make_system(m == CG ? 0 : 0.2);
            solve_and_compare((method)m, (int[]){0, 1, BLOCK}[i], (m + i) % N_LAYOUTS);
        }
}

/* Wrong on one process: refused on all. */
static void bad_arguments(void)
{
    int64_t start[] = {0, 1, 2}, down[] = {1, 0, 2}, column[] = {0, 1},
            far[] = {0, 2 * world_size()};
    double value[] = {1, 2};
    bool last = world_rank() == world_size() - 1;
    exblas_mpi_dcsr *a = NULL, *p = NULL;
    MPI_Comm comm = MPI_COMM_WORLD;
    check(exblas_mpi_dcsr_create(2, 2, last ? down : start, column, value, comm, &a) ==
          MPI_ERR_ARG);
    check(exblas_mpi_dcsr_create(2, 2, start, last ? far : column, value, comm, &a) == MPI_ERR_ARG);
    check(exblas_mpi_dcsr_create(last ? -1 : 2, 2, start, column, value, comm, &a) == MPI_ERR_ARG);
    check(a == NULL);
    check(exblas_mpi_dcsr_create(2, 2, start, column, value, comm, &a) == MPI_SUCCESS);
    check(exblas_mpi_dcsr_block_inverse(a, 0, &p) == MPI_ERR_ARG);
    check(world_size() == 1 || exblas_mpi_dcsr_block_inverse(a, 4, &p) == MPI_ERR_ARG);
    check(exblas_mpi_dcsr_apply(a, 1, value, value) == EXBLAS_EINVAL);
    check(p == NULL);
    exblas_mpi_dcsr_free(a);
    check(exblas_mpi_dcsr_free(NULL) == MPI_SUCCESS);
}

MPI_TESTS(products, solvers, bad_arguments)
