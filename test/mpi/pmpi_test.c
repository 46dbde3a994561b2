/* The interposer: MPI's own reductions of float and double give the correctly rounded sums,
 * wherever the contributions come from and by whatever function completion is seen. The
 * program calls MPI only; the oracle is excblas_?sum over all contributions. */
#include "mpi_testing.h"

#include <exblas/cblas.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Longer than a piece of the interposer's, which takes several rounds. */
enum { SHORT = 37, LONG = 150000, N_WAYS = 8 };

/* Element i of rank r's contribution: sums of many sizes that cancel. */
static double contribution(int rank, int64_t i)
{
    static const double big[] = {0x1p60, 1, -0x1p60, 0x1p-60, 3, -1, 0x1.8p-53, -3};
    uint64_t h = ((uint64_t)i * 8 + (uint64_t)rank + 1) * 0x9e3779b97f4a7c15u;
    if (i % 100 == 50 && rank == 0)
        return HUGE_VAL;
    if (i % 200 == 50 && rank == 1)
        return -HUGE_VAL;
    return i % 3 == 0 ? big[rank % 8] : (double)(int64_t)h * power_of_two((int)(h % 120) - 120);
}

/* A vector of either type behind one interface. */
typedef struct {
    MPI_Datatype type;
    bool is_float;
} element;

static element both_types(int i)
{
    return i ? (element){MPI_FLOAT, true} : (element){MPI_DOUBLE, false};
}

static size_t size_of(element e, int64_t n)
{
    return (size_t)n * (e.is_float ? sizeof(float) : sizeof(double));
}

static void *new_vector(element e, int64_t n)
{
    void *v = malloc(size_of(e, n) + 1);
    if (!v)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(v, 0x5a, size_of(e, n));
    return v;
}

static void put(element e, void *v, int64_t i, double x)
{
    if (e.is_float)
        ((float *)v)[i] = (float)x;
    else
        ((double *)v)[i] = x;
}

static double get(element e, const void *v, int64_t i)
{
    return e.is_float ? (double)((const float *)v)[i] : ((const double *)v)[i];
}

/* Contributions of rank `rank`, to elements first ... */
static void *contributions(element e, int rank, int64_t n)
{
    void *v = new_vector(e, n);
    for (int64_t i = 0; i < n; i++)
        put(e, v, i, contribution(rank, i));
    return v;
}

/* The exact sum of element i over the ranks begin, begin + step, ... of the world. */
static double exact(element e, int64_t i, int begin, int step)
{
    double x[MOST_PROCESSES];
    float f[MOST_PROCESSES];
    int n = 0;
    for (int rank = begin; rank < world_size(); rank += step, n++) {
        x[n] = contribution(rank, i);
        f[n] = (float)x[n];
    }
    return e.is_float ? (double)excblas_ssum(n, f, 1) : excblas_dsum(n, x, 1);
}

/* v holds n sums from element `first` on. */
static void check_sums(element e, const void *v, int64_t first, int64_t n)
{
    for (int64_t i = 0; i<n; i += n> 1000 ? 1 + i % 7 : 1)
        check_same_bits(get(e, v, i), exact(e, first + i, 0, 1));
}

static void allreduce_and_reduce(void)
{
    for (int k = 0; k < 4; k++) {
        element e = both_types(k % 2);
        int n = k < 2 ? SHORT : LONG, root = world_size() - 1;
        void *in = contributions(e, world_rank(), n), *out = new_vector(e, n);
        bool is_root = world_rank() == root;
        check(MPI_Allreduce(in, out, n, e.type, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
        check_sums(e, out, 0, n);
        check(MPI_Reduce(in, is_root ? out : NULL, n, e.type, MPI_SUM, root, MPI_COMM_WORLD) ==
              MPI_SUCCESS);
        if (is_root)
            check_sums(e, out, 0, n);
        MPI_Reduce(is_root ? MPI_IN_PLACE : in, in, n, e.type, MPI_SUM, root, MPI_COMM_WORLD);
        if (is_root)
            check_sums(e, in, 0, n);
        free(in);
        in = contributions(e, world_rank(), n);
        MPI_Allreduce(MPI_IN_PLACE, in, n, e.type, MPI_SUM, MPI_COMM_WORLD);
        check_sums(e, in, 0, n);
        free(in);
        free(out);
    }
}

/* Uneven blocks, some empty. */
static int64_t blocks(int layout, int n, int counts[MOST_PROCESSES])
{
    int64_t begin[MOST_PROCESSES + 1];
    lay_out(layout, world_size(), n, begin);
    for (int i = 0; i < world_size(); i++)
        counts[i] = (int)(begin[i + 1] - begin[i]);
    return begin[world_rank()];
}

static void reduce_scatter(void)
{
    int counts[MOST_PROCESSES];
    for (int k = 0; k < 2 * N_LAYOUTS; k++) {
        element e = both_types(k % 2);
        int n = k == 4 || k == 9 ? LONG : SHORT;
        int64_t first = blocks(k / 2, n, counts);
        int mine = counts[world_rank()];
        void *in = contributions(e, world_rank(), n), *out = new_vector(e, mine);
        check(MPI_Reduce_scatter(in, out, counts, e.type, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
        check_sums(e, out, first, mine);
        MPI_Reduce_scatter(MPI_IN_PLACE, in, counts, e.type, MPI_SUM, MPI_COMM_WORLD);
        check_sums(e, in, first, mine);
        free(in);
        free(out);
    }
}

static void reduce_scatter_block(void)
{
    for (int k = 0; k < 4; k++) {
        element e = both_types(k % 2);
        int n = k < 2 ? SHORT : LONG / world_size();
        int64_t first = (int64_t)n * world_rank();
        void *in = contributions(e, world_rank(), (int64_t)n * world_size());
        void *out = new_vector(e, n);
        MPI_Reduce_scatter_block(in, out, n, e.type, MPI_SUM, MPI_COMM_WORLD);
        check_sums(e, out, first, n);
        MPI_Reduce_scatter_block(MPI_IN_PLACE, in, n, e.type, MPI_SUM, MPI_COMM_WORLD);
        check_sums(e, in, first, n);
        free(in);
        free(out);
    }
}

/* Completes n requests by one of MPI's functions. */
static void complete(int way, int n, MPI_Request *requests)
{
    int index, flag = 0, n_done, indices[16];
    MPI_Status statuses[16];
    int left = n;
    while (way == 0 && left > 0)
        MPI_Wait(&requests[--left], MPI_STATUS_IGNORE);
    if (way == 1)
        MPI_Waitall(n, requests, statuses);
    while (way == 2 && left-- > 0)
        MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE);
    for (; way == 3 && left > 0; left -= n_done)
        MPI_Waitsome(n, requests, &n_done, indices, statuses);
    for (; way == 4 && left > 0; left -= flag)
        MPI_Test(&requests[left - 1], &flag, MPI_STATUS_IGNORE);
    while (way == 5 && !flag)
        MPI_Testall(n, requests, &flag, statuses);
    while (way == 6 && left > 0) {
        MPI_Testany(n, requests, &index, &flag, MPI_STATUS_IGNORE);
        left -= flag && index != MPI_UNDEFINED;
    }
    for (; way == 7 && left > 0; left -= n_done)
        MPI_Testsome(n, requests, &n_done, indices, statuses);
    for (int i = 0; i < n; i++)
        check(requests[i] == MPI_REQUEST_NULL);
}

/* Several reductions at once, among other requests, completed in every way. */
static void non_blocking(int way)
{
    enum { N = 8, COUNT = 300 };
    MPI_Request q[N];
    int counts[MOST_PROCESSES], size = world_size(), rank = world_rank(), token = -1;
    element d = both_types(0), f = both_types(1);
    int64_t first = blocks(way % N_LAYOUTS, COUNT, counts);
    void *in = contributions(d, rank, COUNT * size), *fin = contributions(f, rank, COUNT);
    void *out = new_vector(d, COUNT), *fout = new_vector(f, COUNT), *at_root = new_vector(d, COUNT);
    void *part = new_vector(d, counts[rank]), *block = new_vector(d, COUNT);
    void *in_place = contributions(f, rank, COUNT);
    MPI_Irecv(&token, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &q[0]);
    MPI_Iallreduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q[1]);
    MPI_Iallreduce(fin, fout, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &q[2]);
    MPI_Ireduce(in, at_root, COUNT, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, &q[3]);
    MPI_Ireduce_scatter(in, part, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q[4]);
    MPI_Ireduce_scatter_block(in, block, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q[5]);
    MPI_Iallreduce(MPI_IN_PLACE, in_place, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &q[6]);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &q[7]);
    complete(way, N, q);
    check(token == (rank + size - 1) % size);
    check_sums(d, out, 0, COUNT);
    check_sums(f, fout, 0, COUNT);
    if (rank == 0)
        check_sums(d, at_root, 0, COUNT);
    check_sums(d, part, first, counts[rank]);
    check_sums(d, block, (int64_t)COUNT * rank, COUNT);
    check_sums(f, in_place, 0, COUNT);
    void *all[] = {in, fin, out, fout, at_root, part, block, in_place};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void non_blocking_in_every_way(void)
{
    for (int way = 0; way < N_WAYS; way++)
        non_blocking(way);
}

/* A process that waits for its neighbour's message, which that sends after its reduction is
 * complete: MPI has to progress the reduction meanwhile. */
static void progress_elsewhere(void)
{
    double x = contribution(world_rank(), 1), sum = 0;
    int token = 0;
    MPI_Request request;
    MPI_Iallreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    if (world_rank() > 0)
        MPI_Recv(&token, 1, MPI_INT, world_rank() - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (world_rank() + 1 < world_size())
        MPI_Send(&token, 1, MPI_INT, world_rank() + 1, 2, MPI_COMM_WORLD);
    check_same_bits(sum, exact(both_types(0), 1, 0, 1));
}

/* Seen complete by a call that leaves the request alone. */
static void status_first(void)
{
    double x = contribution(world_rank(), 2), sum = 0;
    int flag = 0;
    MPI_Request request;
    MPI_Iallreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    check_same_bits(sum, exact(both_types(0), 2, 0, 1));
    sum = -7; /* the program's again */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_same_bits(sum, -7);
}

/* The same set of contributions on other ranks, and other communicators. */
static void other_communicators(void)
{
    MPI_Comm reversed, half;
    element e = both_types(0);
    void *in = contributions(e, world_rank(), SHORT), *out = new_vector(e, SHORT);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank(), &reversed);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 2, 0, &half);
    MPI_Allreduce(in, out, SHORT, MPI_DOUBLE, MPI_SUM, reversed);
    check_sums(e, out, 0, SHORT);
    MPI_Allreduce(in, out, SHORT, MPI_DOUBLE_PRECISION, MPI_SUM, half);
    for (int i = 0; i < SHORT; i++)
        check_same_bits(get(e, out, i), exact(e, i, world_rank() % 2, 2));
    MPI_Allreduce(in, out, SHORT, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    for (int i = 0; i < SHORT; i++)
        check_same_bits(get(e, out, i), contribution(world_rank(), i));
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&half);
    free(in);
    free(out);
}

/* Each group gets the other's sums. */
static void intercommunicator(void)
{
    if (world_size() < 2)
        return;
    MPI_Comm group, both;
    element e = both_types(0);
    int side = world_rank() % 2, here, there, rank;
    MPI_Comm_split(MPI_COMM_WORLD, side, 0, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, 1 - side, 5, &both);
    MPI_Comm_size(both, &here);
    MPI_Comm_remote_size(both, &there);
    MPI_Comm_rank(both, &rank);
    int n = 2 * here * there;
    void *in = contributions(e, world_rank(), n), *out = new_vector(e, n);
    MPI_Request request;
    for (int way = 0; way < 2; way++) {
        if (way == 0)
            MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, both);
        else
            MPI_Iallreduce(in, out, n, MPI_DOUBLE, MPI_SUM, both, &request);
        if (way == 1)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++)
            check_same_bits(get(e, out, i), exact(e, i, 1 - side, 2));
        memset(out, 0, size_of(e, n));
        int mine = n / here;
        if (way == 0)
            MPI_Reduce_scatter_block(in, out, mine, MPI_DOUBLE, MPI_SUM, both);
        else
            MPI_Ireduce_scatter_block(in, out, mine, MPI_DOUBLE, MPI_SUM, both, &request);
        if (way == 1)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < mine; i++)
            check_same_bits(get(e, out, i), exact(e, rank * mine + i, 1 - side, 2));
        int root = side == 1 ? 0 : world_rank() == 0 ? MPI_ROOT : MPI_PROC_NULL;
        if (way == 0)
            MPI_Reduce(in, out, n, MPI_DOUBLE, MPI_SUM, root, both);
        else
            MPI_Ireduce(in, out, n, MPI_DOUBLE, MPI_SUM, root, both, &request);
        if (way == 1)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < n && world_rank() == 0; i++)
            check_same_bits(get(e, out, i), exact(e, i, 1, 2));
    }
    MPI_Comm_free(&both);
    MPI_Comm_free(&group);
    free(in);
    free(out);
}

/* MPI 4's forms, where the MPI has them. */
static void large_counts(void)
{
#if MPI_VERSION >= 4
    element e = both_types(0);
    int size = world_size(), rank = world_rank();
    MPI_Count counts[MOST_PROCESSES];
    MPI_Request q[4];
    void *in = contributions(e, rank, SHORT * size), *out[8];
    for (int i = 0; i < 8; i++)
        out[i] = new_vector(e, SHORT);
    for (int i = 0; i < size; i++)
        counts[i] = SHORT;
    MPI_Comm w = MPI_COMM_WORLD;
    MPI_Allreduce_c(in, out[0], SHORT, e.type, MPI_SUM, w);
    MPI_Reduce_c(in, rank == 0 ? out[1] : NULL, SHORT, e.type, MPI_SUM, 0, w);
    MPI_Reduce_scatter_c(in, out[2], counts, e.type, MPI_SUM, w);
    MPI_Reduce_scatter_block_c(in, out[3], SHORT, e.type, MPI_SUM, w);
    MPI_Iallreduce_c(in, out[4], SHORT, e.type, MPI_SUM, w, &q[0]);
    MPI_Ireduce_c(in, out[5], SHORT, e.type, MPI_SUM, 0, w, &q[1]);
    MPI_Ireduce_scatter_c(in, out[6], counts, e.type, MPI_SUM, w, &q[2]);
    MPI_Ireduce_scatter_block_c(in, out[7], SHORT, e.type, MPI_SUM, w, &q[3]);
    complete(1, 4, q);
    for (int i = 0; i < 8; i++) {
        if (i % 4 != 1 || rank == 0)
            check_sums(e, out[i], i % 4 < 2 ? 0 : SHORT * rank, SHORT);
        free(out[i]);
    }
    free(in);
#endif
}

/* What is none of the interposer's business. */
static void other_operations(void)
{
    double x = world_rank() + 1.0, largest = 0, nothing = 5;
    int n = world_rank(), sum = -1;
    long double l = 1, total = 0;
    MPI_Allreduce(&x, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    check_same_bits(largest, world_size());
    MPI_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(sum == world_size() * (world_size() - 1) / 2);
    MPI_Allreduce(&l, &total, 1, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check(total == (long double)world_size());
    check(MPI_Allreduce(&x, &nothing, 0, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
    check_same_bits(nothing, 5);
}

/* Errors come from MPI through the communicator's handler. Not every MPICH checks arguments:
 * Debian's reads through a null datatype. */
static void errors(void)
{
#ifdef OPEN_MPI
    MPI_Comm comm;
    double x = 1, sum = 0;
    int counts[MOST_PROCESSES] = {0};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    counts[0] = -1;
    check(MPI_Allreduce(&x, &sum, -1, MPI_DOUBLE, MPI_SUM, comm) != MPI_SUCCESS);
    check(MPI_Reduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, world_size(), comm) != MPI_SUCCESS);
    check(MPI_Reduce_scatter(&x, &sum, counts, MPI_DOUBLE, MPI_SUM, comm) != MPI_SUCCESS);
    check(MPI_Allreduce(&x, &sum, 1, MPI_DATATYPE_NULL, MPI_SUM, comm) != MPI_SUCCESS);
    /* Displacements that are no int on the first process only: all of them see it. */
    MPI_Request request;
    counts[0] = world_size() > 1 ? INT_MAX / world_size() + 1 : -1;
    check(MPI_Ireduce_scatter(&x, &sum, counts, MPI_DOUBLE, MPI_SUM, comm, &request) !=
          MPI_SUCCESS);
    check_same_bits(sum, 0);
    MPI_Comm_free(&comm);
#endif
}

MPI_TESTS(allreduce_and_reduce, reduce_scatter, reduce_scatter_block, non_blocking_in_every_way,
          progress_elsewhere, status_first, other_communicators, intercommunicator, large_counts,
          other_operations, errors)
