/* gemv over processes: the bits of the serial gemv, in y on every rank and nowhere else. */
#include "adversarial.h"
#include "mpi_testing.h"

#include <exblas/exblas.h>
#include <exblas/mpi.h>
#include <math.h>

enum { MOST_SIDE = 150, PAD = 3, MOST_VECTOR = 3 * MOST_SIDE };

static double a[MOST_SIDE * (MOST_SIDE + PAD)], x[MOST_VECTOR], y[MOST_VECTOR], wanted[MOST_VECTOR],
    got[MOST_VECTOR];
static float fa[MOST_SIDE * (MOST_SIDE + PAD)], fx[MOST_VECTOR], fwanted[MOST_VECTOR],
    fgot[MOST_VECTOR];

typedef struct {
    int m, n, lda, split, trans, incx, incy;
    double alpha, beta;
    int64_t begin[MOST_PROCESSES + 1];
} problem;

static void narrow(int n, const double *from, float *to)
{
    for (int i = 0; i < n; i++)
        to[i] = (float)from[i];
}

static problem random_problem(int i, test_random *r)
{
    static const double scalar[] = {1, 0, -0.75, 0x1p-1074, 0x1p900};
    problem p = {.m = (int)random_between(r, i % 7 ? 1 : 0, MOST_SIDE),
                 .n = (int)random_between(r, i % 11 ? 1 : 0, MOST_SIDE),
                 .split = i % 2 ? EXBLAS_SPLIT_ROWS : EXBLAS_SPLIT_COLS,
                 .trans = i / 2 % 2 ? EXBLAS_NO_TRANS : EXBLAS_TRANS,
                 .alpha = scalar[random_between(r, 0, 4)],
                 .beta = scalar[random_between(r, 0, 4)]};
    p.lda = p.m + (int)random_between(r, 1, PAD);
    p.incx = (int)random_between(r, 0, 1) ? 1 : -2;
    p.incy = (int)random_between(r, 0, 1) ? 1 : -3;
    lay_out(i % N_LAYOUTS, world_size(), p.split == EXBLAS_SPLIT_ROWS ? p.m : p.n, p.begin);
    return p;
}

static void fill(int i, test_random *r)
{
    factors_fill((size_t)i % factors_kinds(), r, i % 3 ? FORMAT_D : FORMAT_S, MOST_VECTOR, x, y);
    for (int k = 0; k < MOST_SIDE * (MOST_SIDE + PAD); k++)
        a[k] = k % 5 ? y[k % MOST_VECTOR]
                     : random_number(r, FORMAT_S, (int)random_between(r, -30, 30));
    if (i % 10 == 3)
        a[7] = NAN, a[90] = HUGE_VAL;
}

/* Where this process's part of a vector along the split axis starts: BLAS's pointer, which is the
 * far end's for a negative increment. */
static int64_t part_at(const problem *p, int64_t n, int inc)
{
    int64_t i0 = p->begin[world_rank()], i1 = p->begin[world_rank() + 1];
    return inc > 0 ? i0 * inc : (n - i1) * -inc;
}

static void check_problem(const problem *p)
{
    int64_t i0 = p->begin[world_rank()], i1 = p->begin[world_rank() + 1];
    bool rows = p->split == EXBLAS_SPLIT_ROWS, transposed = p->trans != EXBLAS_NO_TRANS;
    int m = rows ? (int)(i1 - i0) : p->m, n = rows ? p->n : (int)(i1 - i0);
    int64_t at = rows ? i0 : i0 * p->lda;
    int64_t x_at = rows == transposed ? part_at(p, transposed ? p->m : p->n, p->incx) : 0;
    memcpy(wanted, y, sizeof y);
    memcpy(got, y, sizeof y);
    excblas_dgemv(EXBLAS_COL_MAJOR, p->trans, p->m, p->n, p->alpha, a, p->lda, x, p->incx, p->beta,
                  wanted, p->incy);
    check(exblas_mpi_dgemv(p->split, p->trans, m, n, p->alpha, a + at, p->lda, x + x_at, p->incx,
                           p->beta, got, p->incy, MPI_COMM_WORLD) == MPI_SUCCESS);
    check(memcmp(wanted, got, sizeof got) == 0);
    narrow(MOST_SIDE * (MOST_SIDE + PAD), a, fa);
    narrow(MOST_VECTOR, x, fx);
    narrow(MOST_VECTOR, y, fwanted);
    memcpy(fgot, fwanted, sizeof fgot);
    float alpha = (float)p->alpha, beta = (float)p->beta;
    excblas_sgemv(EXBLAS_COL_MAJOR, p->trans, p->m, p->n, alpha, fa, p->lda, fx, p->incx, beta,
                  fwanted, p->incy);
    check(exblas_mpi_sgemv(p->split, p->trans, m, n, alpha, fa + at, p->lda, fx + x_at, p->incx,
                           beta, fgot, p->incy, MPI_COMM_WORLD) == MPI_SUCCESS);
    check(memcmp(fwanted, fgot, sizeof fgot) == 0);
}

static void blocks(void)
{
    test_random r = test_random_start(test_seed(), "gemv");
    for (int i = 0; i < test_rounds(60); i++) {
        fill(i, &r);
        problem p = random_problem(i, &r);
        check_problem(&p);
    }
}

/* Illegal on one process: an error on all, nothing written, and the next call works. */
static void illegal_arguments(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    bool last = world_rank() == world_size() - 1;
    memcpy(got, y, sizeof y);
    struct {
        int split, trans, m, n, lda, incx, incy;
    } c[] = {{3, 111, 2, 2, 2, 1, 1},  {1, 114, 2, 2, 2, 1, 1}, {1, 111, -1, 2, 2, 1, 1},
             {1, 111, 2, -2, 2, 1, 1}, {1, 111, 4, 2, 3, 1, 1}, {2, 112, 2, 2, 2, 0, 1},
             {2, 111, 2, 2, 2, 1, 0}};
    for (int i = 0; i < (int)(sizeof c / sizeof *c); i++)
        check(exblas_mpi_dgemv(last ? c[i].split : 1, last ? c[i].trans : 111, last ? c[i].m : 2,
                               last ? c[i].n : 2, 1, a, last ? c[i].lda : 2, x,
                               last ? c[i].incx : 1, 1, got, last ? c[i].incy : 1,
                               comm) == MPI_ERR_ARG);
    if (world_size() > 1) /* blocks of different widths, cut differently, not all transposed */
        for (int i = 0; i < 3; i++)
            check(exblas_mpi_dgemv(last && i == 1 ? 2 : 1, last && i == 2 ? 112 : 111, 2,
                                   last && i == 0 ? 3 : 2, 1, a, 2, x, 1, 1, got, 1,
                                   comm) == MPI_ERR_ARG);
    check(memcmp(got, y, sizeof y) == 0);
    check(exblas_mpi_dgemv(1, 111, 0, 2, 1, a, 1, x, 1, 1, got, 1, comm) == MPI_SUCCESS);
    MPI_Comm_free(&comm);
}

int main(void)
{
    static const mpi_test tests[] = {
        {"gemv by rows and columns", blocks},
        {"illegal arguments", illegal_arguments},
    };
    return run_mpi_tests(sizeof tests / sizeof *tests, tests);
}
