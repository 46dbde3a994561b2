/* PBLAS with other arguments on one process: an error with the argument's number on all, nothing
 * written, nobody waits. With an argument: the drop-in names, which end the program. */
#include "grid_call.h"

#include <unistd.h>

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

static double a[N * N], b[N * N], c[N * N], result;
static const double one = 1, zero = 0;

typedef struct {
    const grid_routine *routine;
    grid_call call;
} arguments;

static matrix matrix_in(int context, double *local)
{
    return (matrix){.local = (char *)local,
                    .i = 1,
                    .j = 1,
                    .inc = 1,
                    .desc = {1, context, N, N, BLOCK, BLOCK, 0, 0, N}};
}

/* Vectors are columns of b and c; what nrm2 and amax read is one of them. */
static arguments arguments_of(const char *name, int context, int n)
{
    matrix in_a = matrix_in(context, a), in_b = matrix_in(context, b), in_c = matrix_in(context, c);
    grid_call q = {'L',  'L',  'N',     'N',  'N',  n,    n,    n,   0,
                   &one, &one, &result, in_a, in_b, in_c, in_b, in_c};
    return (arguments){find_routine('d', name), q};
}

/* Whether the call with q on the second process and p on the others is refused, with this number.
 */
static void expect(int position, arguments *p, arguments *q)
{
    for (int i = 0; i < N * N; i++)
        a[i] = b[i] = i / N == i % N, c[i] = 2;
    reported = -1;
    p = world_rank() == 1 ? q : p;
    p->routine->run(&p->call);
    check(reported == position);
    for (int i = 0; i < N * N; i++)
        if (c[i] != 2 || b[i] != (i / N == i % N))
            position = -2;
    check(position >= 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

#define EXPECT(position, name, field, value)                                                       \
    do {                                                                                           \
        arguments p_ = arguments_of((name), context, n), q_ = p_;                                  \
        q_.field = (value);                                                                        \
        expect((position), &p_, &q_);                                                              \
    } while (0)

static void on_one_process(int context, int n)
{
    EXPECT(1, "gemm", call.trans, 'T');
    EXPECT(2, "gemm", call.transb, 'C');
    EXPECT(3, "gemm", call.m, n - 1);
    EXPECT(4, "gemm", call.n, n - 1);
    EXPECT(5, "gemm", call.k, n - 1);
    EXPECT(6, "gemm", call.alpha, &zero);
    EXPECT(8, "gemm", call.a.i, 2);
    EXPECT(9, "gemm", call.a.j, 2);
    EXPECT(10, "gemm", call.a.desc[4], BLOCK / 2);
    EXPECT(10, "gemm", call.a.desc[5], BLOCK / 2);
    EXPECT(15, "gemm", call.beta, &zero);
    EXPECT(0, "gemm", routine, find_routine('d', "symm"));
    EXPECT(1, "symm", call.side, 'R');
    EXPECT(2, "symm", call.uplo, 'U');
    EXPECT(1, "syrk", call.uplo, 'U');
    EXPECT(2, "syrk", call.trans, 'T');
    EXPECT(1, "trsm", call.side, 'R');
    EXPECT(3, "trsm", call.trans, 'T');
    EXPECT(4, "trsm", call.diag, 'U');
    EXPECT(7, "trsm", call.alpha, &zero);
    EXPECT(1, "gemv", call.trans, 'T');
    EXPECT(14, "gemv", call.beta, &zero);
    EXPECT(13, "gemv", call.x.inc, N);
    EXPECT(1, "symv", call.uplo, 'U');
    EXPECT(2, "trsv", call.trans, 'T');
}

/* Of one column of the grid. */
static void with_a_result(int context, int n)
{
    EXPECT(1, "nrm2", call.n, n - 1);
    EXPECT(4, "nrm2", call.x.i, 2);
    EXPECT(1, "dot", call.n, n - 1);
    EXPECT(1, "amax", call.n, n - 1);
    EXPECT(6, "amax", call.x.j, 2);
}

static void other_arguments(void)
{
    static const int shapes[][2] = {{2, 2}, {1, 4}, {4, 1}};
    for (int i = 0; i < 3; i++)
        for (int n = 4 * BLOCK; n <= N - BLOCK; n += N - 5 * BLOCK) {
            int context = open_row_major(shapes[i][0], shapes[i][1]).context;
            on_one_process(context, n);
            if (i == 2)
                with_a_result(context, n);
            blacs_gridexit_(&context);
        }
}

/* What may differ does. */
static void arguments_that_may_differ(void)
{
    int context = open_row_major(2, 2).context;
    arguments q = arguments_of("gemm", context, 4 * BLOCK);
    q.call.a.desc[8] = q.call.c.desc[8] = N - world_rank(); /* the leading dimension */
    q.call.trans = world_rank() % 2 ? 'n' : 'N';
    memset(c, 0, sizeof c);
    reported = -1;
    q.routine->run(&q.call);
    check(reported == -1);
    blacs_gridexit_(&context);
}

static int by_the_drop_in_name(void)
{
    MPI_Init(NULL, NULL);
    grid_call q = arguments_of("gemm", open_row_major(1, world_size()).context, N).call;
    const int first = 1, *d = q.a.desc;
    q.trans = world_rank() == 1 ? 'T' : 'N';
    pdgemm_(&q.trans, "N", &q.m, &q.n, &q.k, &one, a, &first, &first, d, b, &first, &first, d, &one,
            c, &first, &first, d);
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
