/* PBLAS with other arguments on one process: an error with the argument's number on all, nothing
 * written, nobody waits. With an argument: the drop-in names, which end the program. */
#include "mpi_testing.h"

#include <exblas/pblas.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void blacs_get_(const int *, const int *, int *);
void blacs_gridinit_(int *, const char *, const int *, const int *);
void blacs_gridexit_(const int *);
void pxerbla_(const int *, const char *, const int *, size_t);
void pdgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
             const double *, const int *, const int *, const int *, const double *, const int *,
             const int *, const int *, const double *, double *, const int *, const int *,
             const int *);

enum { N = 256, BLOCK = 16, SECONDS = 60 };
static int reported;

void pxerbla_(const int *context, const char *routine, const int *info, size_t length)
{
    (void)context, (void)routine, (void)length;
    reported = *info;
}

typedef enum { GEMM, SYMM, SYRK, TRSM, GEMV, SYMV, TRSV, NRM2, DOT, AMAX } routine;

typedef struct {
    routine routine;
    char side, uplo, trans, transb, diag;
    int m, n, k, i, j, inc, desc[9];
    double alpha, beta;
} arguments;

static double a[N * N], b[N * N], c[N * N], result;

static void call(const arguments *q)
{
    const int *d = q->desc;
    int one = 1, index;
    const double *alpha = &q->alpha, *beta = &q->beta;
    switch (q->routine) {
    case GEMM:
        expdgemm_(&q->trans, &q->transb, &q->m, &q->n, &q->k, alpha, a, &q->i, &q->j, d, b, &one,
                  &one, d, beta, c, &one, &one, d);
        break;
    case SYMM:
        expdsymm_(&q->side, &q->uplo, &q->m, &q->n, alpha, a, &q->i, &q->j, d, b, &one, &one, d,
                  beta, c, &one, &one, d);
        break;
    case SYRK:
        expdsyrk_(&q->uplo, &q->trans, &q->n, &q->k, alpha, a, &q->i, &q->j, d, beta, c, &one, &one,
                  d);
        break;
    case TRSM:
        expdtrsm_(&q->side, &q->uplo, &q->trans, &q->diag, &q->m, &q->n, alpha, a, &q->i, &q->j, d,
                  c, &one, &one, d);
        break;
    case GEMV:
        expdgemv_(&q->trans, &q->m, &q->n, alpha, a, &q->i, &q->j, d, b, &one, &one, d, &q->inc,
                  beta, c, &one, &one, d, &one);
        break;
    case SYMV:
        expdsymv_(&q->uplo, &q->n, alpha, a, &q->i, &q->j, d, b, &one, &one, d, &q->inc, beta, c,
                  &one, &one, d, &one);
        break;
    case TRSV:
        expdtrsv_(&q->uplo, &q->trans, &q->diag, &q->n, a, &q->i, &q->j, d, c, &one, &one, d,
                  &q->inc);
        break;
    case NRM2:
        expdnrm2_(&q->n, &result, a, &q->i, &q->j, d, &q->inc);
        break;
    case DOT:
        expddot_(&q->n, &result, a, &q->i, &q->j, d, &q->inc, b, &one, &one, d, &q->inc);
        break;
    case AMAX:
        expdamax_(&q->n, &result, &index, a, &q->i, &q->j, d, &q->inc);
    }
}

static arguments arguments_of(routine r, int context, int n)
{
    return (arguments){.routine = r,
                       .side = 'L',
                       .uplo = 'L',
                       .trans = 'N',
                       .transb = 'N',
                       .diag = 'N',
                       .m = n,
                       .n = n,
                       .k = n,
                       .i = 1,
                       .j = 1,
                       .inc = 1,
                       .desc = {1, context, N, N, BLOCK, BLOCK, 0, 0, N},
                       .alpha = 1,
                       .beta = 1};
}

/* Whether the call with q on the second process and p on the others is refused, with this number.
 */
static void expect(int position, const arguments *p, const arguments *q)
{
    for (int i = 0; i < N * N; i++)
        a[i] = b[i] = i / N == i % N, c[i] = 2;
    reported = -1;
    call(world_rank() == 1 ? q : p);
    check(reported == position);
    for (int i = 0; i < N * N; i++)
        if (c[i] != 2)
            position = -2;
    check(position >= 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

#define EXPECT(position, r, field, value)                                                          \
    do {                                                                                           \
        arguments p_ = arguments_of((r), context, n), q_ = p_;                                     \
        q_.field = (value);                                                                        \
        expect((position), &p_, &q_);                                                              \
    } while (0)

static void on_one_process(int context, int n)
{
    EXPECT(1, GEMM, trans, 'T');
    EXPECT(2, GEMM, transb, 'C');
    EXPECT(3, GEMM, m, n - 1);
    EXPECT(4, GEMM, n, n - 1);
    EXPECT(5, GEMM, k, n - 1);
    EXPECT(6, GEMM, alpha, 0);
    EXPECT(8, GEMM, i, 2);
    EXPECT(9, GEMM, j, 2);
    EXPECT(10, GEMM, desc[4], BLOCK / 2);
    EXPECT(10, GEMM, desc[5], BLOCK / 2);
    EXPECT(15, GEMM, beta, 0);
    EXPECT(0, GEMM, routine, SYMM);
    EXPECT(1, SYMM, side, 'R');
    EXPECT(2, SYMM, uplo, 'U');
    EXPECT(1, SYRK, uplo, 'U');
    EXPECT(2, SYRK, trans, 'T');
    EXPECT(1, TRSM, side, 'R');
    EXPECT(3, TRSM, trans, 'T');
    EXPECT(4, TRSM, diag, 'U');
    EXPECT(7, TRSM, alpha, 0);
    EXPECT(1, GEMV, trans, 'T');
    EXPECT(14, GEMV, beta, 0);
    EXPECT(13, GEMV, inc, N);
    EXPECT(1, SYMV, uplo, 'U');
    EXPECT(2, TRSV, trans, 'T');
}

/* Of one column of the grid. */
static void with_a_result(int context, int n)
{
    EXPECT(1, NRM2, n, n - 1);
    EXPECT(4, NRM2, i, 2);
    EXPECT(1, DOT, n, n - 1);
    EXPECT(1, AMAX, n, n - 1);
    EXPECT(6, AMAX, j, 2);
}

static int open_grid(int n_rows, int n_cols)
{
    int any = -1, what = 0, context;
    blacs_get_(&any, &what, &context);
    blacs_gridinit_(&context, "Row-major", &n_rows, &n_cols);
    return context;
}

static void other_arguments(void)
{
    static const int shapes[][2] = {{2, 2}, {1, 4}, {4, 1}};
    for (int i = 0; i < 3; i++)
        for (int n = 4 * BLOCK; n <= N - BLOCK; n += N - 5 * BLOCK) {
            int context = open_grid(shapes[i][0], shapes[i][1]);
            on_one_process(context, n);
            if (i == 2)
                with_a_result(context, n);
            blacs_gridexit_(&context);
        }
}

/* What may differ does. */
static void arguments_that_may_differ(void)
{
    int context = open_grid(2, 2), n = 4 * BLOCK;
    arguments q = arguments_of(GEMM, context, n);
    q.desc[8] = N - world_rank(); /* the leading dimension */
    q.trans = world_rank() % 2 ? 'n' : 'N';
    memset(c, 0, sizeof c);
    reported = -1;
    call(&q);
    check(reported == -1);
    blacs_gridexit_(&context);
}

static int by_the_drop_in_name(void)
{
    MPI_Init(NULL, NULL);
    arguments q = arguments_of(GEMM, open_grid(1, world_size()), N);
    int one = 1;
    q.trans = world_rank() == 1 ? 'T' : 'N';
    pdgemm_(&q.trans, "N", &q.m, &q.n, &q.k, &q.alpha, a, &one, &one, q.desc, b, &one, &one, q.desc,
            &q.beta, c, &one, &one, q.desc);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    (void)argv;
    alarm(SECONDS);
    return argc > 1 ? by_the_drop_in_name()
                    : run_mpi_tests(other_arguments, arguments_that_may_differ);
}
