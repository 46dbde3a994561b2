/* What the interposer asks of MPI: this program's PMPI functions stand in front of MPI's own, count
 * the collective calls and can leave the data alone, so that vectors may be longer than memory. And
 * what it does without memory. */
#include <dlfcn.h>
#include <exblas/cblas.h>
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static int n_failures;

/* Counts and names a failure on this process. */
#define check(condition) check_at((condition), #condition, __LINE__)

static void check_at(bool ok, const char *what, int line)
{
    if (!ok && ++n_failures <= 5)
        fprintf(stderr, "line %d: not so: %s\n", line, what);
}

static int world_rank(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static int world_size(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

enum { GATHER, IGATHER, REDUCE, IREDUCE, N_CALLS };

static int n_calls[N_CALLS];

/* The vectors' length is followed only, from the first element of the result on. */
static struct {
    bool on;
    int64_t n_sent, n_summed;
    const float *out;
} dry_run;

/* Sets a pointer to the function of that name behind this program. */
static void find_next(const char *name, void *pointer)
{
    void *f = dlsym(RTLD_NEXT, name);
    if (!f)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memcpy(pointer, &f, sizeof f);
}

int PMPI_Gather(const void *in, int n, MPI_Datatype type, void *out, int n_out,
                MPI_Datatype out_type, int root, MPI_Comm comm)
{
    __typeof__(PMPI_Gather) *real;
    find_next("PMPI_Gather", &real);
    n_calls[GATHER]++;
    return real(in, n, type, out, n_out, out_type, root, comm);
}

int PMPI_Igather(const void *in, int n, MPI_Datatype type, void *out, int n_out,
                 MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Request *request)
{
    __typeof__(PMPI_Igather) *real;
    find_next("PMPI_Igather", &real);
    n_calls[IGATHER]++;
    return real(in, n, type, out, n_out, out_type, root, comm, request);
}

int PMPI_Reduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm)
{
    __typeof__(PMPI_Reduce) *real;
    find_next("PMPI_Reduce", &real);
    n_calls[REDUCE]++;
    return real(in, out, n, type, op, root, comm);
}

int PMPI_Ireduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root,
                 MPI_Comm comm, MPI_Request *request)
{
    __typeof__(PMPI_Ireduce) *real;
    find_next("PMPI_Ireduce", &real);
    n_calls[IREDUCE]++;
    return real(in, out, n, type, op, root, comm, request);
}

int PMPI_Alltoallv(const void *in, const int n[], const int at[], MPI_Datatype type, void *out,
                   const int n_out[], const int out_at[], MPI_Datatype out_type, MPI_Comm comm)
{
    __typeof__(PMPI_Alltoallv) *real;
    find_next("PMPI_Alltoallv", &real);
    if (!dry_run.on)
        return real(in, n, at, type, out, n_out, out_at, out_type, comm);
    check(n[0] >= 0 && n[0] == n_out[0]);
    dry_run.n_sent += n[0];
    return MPI_SUCCESS;
}

void excblas_sgemv_64(int layout, int trans, exblas_int64 m, exblas_int64 n, float alpha,
                      const float *a, exblas_int64 lda, const float *x, exblas_int64 incx,
                      float beta, float *y, exblas_int64 incy)
{
    __typeof__(excblas_sgemv_64) *real;
    find_next("excblas_sgemv_64", &real);
    if (!dry_run.on) {
        real(layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
        return;
    }
    check(y == dry_run.out + dry_run.n_summed);
    dry_run.n_summed += m;
}

/* Did all processes make the same calls? */
static void check_calls(void)
{
    int most[2 * N_CALLS];
    for (int i = 0; i < N_CALLS; i++) {
        most[i] = n_calls[i];
        most[N_CALLS + i] = -n_calls[i];
    }
    MPI_Allreduce(MPI_IN_PLACE, most, 2 * N_CALLS, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < N_CALLS; i++)
        check(most[i] == -most[N_CALLS + i]);
}

/* Several pieces long. The root is in the first group, whose other processes have nothing to do. */
static void nothing_to_reduce(void)
{
    enum { N = 300000 };
    static double in[N], out[N];
    if (world_size() < 2)
        return;
    MPI_Comm group, both;
    MPI_Request request;
    int side = world_rank() % 2;
    MPI_Comm_split(MPI_COMM_WORLD, side, 0, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, 1 - side, 5, &both);
    int root = side == 1 ? 0 : world_rank() == 0 ? MPI_ROOT : MPI_PROC_NULL;
    for (int i = 0; i < N; i++)
        in[i] = 1;
    MPI_Reduce(in, out, N, MPI_DOUBLE, MPI_SUM, root, both);
    check(n_calls[GATHER] > 1 || n_calls[REDUCE] > 0);
    for (int i = 0; i < N && world_rank() == 0; i++)
        check(out[i] == world_size() / 2);
    MPI_Ireduce(in, out, N, MPI_DOUBLE, MPI_SUM, root, both, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4
    MPI_Reduce_c(in, out, N, MPI_DOUBLE, MPI_SUM, root, both);
    MPI_Ireduce_c(in, out, N, MPI_DOUBLE, MPI_SUM, root, both, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    check_calls();
    MPI_Comm_free(&both);
    MPI_Comm_free(&group);
}

/* Positions in a block of INT_MAX elements and a piece behind it are no int. The vector is one page
 * of zeros over and over, the result's place is never touched. */
static void longest_block(void)
{
    size_t n_bytes = (size_t)INT_MAX * sizeof(float);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *in = mmap(NULL, n_bytes, PROT_READ, flags, -1, 0);
    void *out = mmap(NULL, n_bytes, PROT_NONE, flags, -1, 0);
    check(in != MAP_FAILED && out != MAP_FAILED);
    if (in == MAP_FAILED || out == MAP_FAILED || world_rank() != 0)
        return;
    madvise(in, n_bytes, MADV_HUGEPAGE);
    dry_run.on = true;
    dry_run.out = out;
    check(MPI_Reduce_scatter_block(in, out, INT_MAX, MPI_FLOAT, MPI_SUM, MPI_COMM_SELF) ==
          MPI_SUCCESS);
    check(dry_run.n_sent == INT_MAX && dry_run.n_summed == INT_MAX);
    dry_run.on = false;
    munmap(in, n_bytes);
    munmap(out, n_bytes);
}

static int until_refused; /* requests of the interposer; 0: none is refused */

#if defined(__GLIBC__) && defined(OWN_MALLOC)
void *__libc_malloc(size_t);

void *malloc(size_t n_bytes)
{
    Dl_info from;
    bool counts = until_refused > 0 && dladdr(__builtin_return_address(0), &from) &&
                  strstr(from.dli_fname, "exblas_pmpi");
    return counts && --until_refused == 0 ? NULL : __libc_malloc(n_bytes);
}
#endif

static int sum_by(int call, const double *in, double *out, MPI_Request *request)
{
#define OF_TWO 2, MPI_DOUBLE, MPI_SUM
    return call == 0   ? MPI_Reduce(in, out, OF_TWO, 0, MPI_COMM_SELF)
           : call == 1 ? MPI_Allreduce(in, out, OF_TWO, MPI_COMM_SELF)
           : call == 2 ? MPI_Reduce_scatter_block(in, out, OF_TWO, MPI_COMM_SELF)
           : call == 3 ? MPI_Ireduce(in, out, OF_TWO, 0, MPI_COMM_SELF, request)
           : call == 4 ? MPI_Iallreduce(in, out, OF_TWO, MPI_COMM_SELF, request)
                       : MPI_Ireduce_scatter_block(in, out, OF_TWO, MPI_COMM_SELF, request);
#undef OF_TWO
}

/* Each request for memory is refused in turn. */
static void no_memory(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int call = 0, refused = 0; call < 6; refused = until_refused == 0 ? refused + 1 : 0) {
        double in[] = {1, 2}, out[] = {42, 42};
        MPI_Request request = MPI_REQUEST_NULL;
        until_refused = refused + 1;
        int wrong = sum_by(call, in, out, &request);
        check((wrong != MPI_SUCCESS) == (until_refused == 0));
        if (!wrong)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(out[1] == (wrong ? 42 : 2));
        call += !wrong;
    }
    until_refused = 0;
}

int main(void)
{
    static void (*const tests[])(void) = {nothing_to_reduce, longest_block, no_memory};
    static const char *const names[] = {"nothing_to_reduce", "longest_block", "no_memory"};
    int any_failed = 0;
    MPI_Init(NULL, NULL);
    if (world_rank() == 0)
        printf("1..3\n");
    for (int i = 0; i < 3; i++) {
        int total;
        tests[i]();
        MPI_Allreduce(&n_failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        any_failed |= total;
        n_failures = 0;
        if (world_rank() == 0)
            printf("%s %d - %s\n", total ? "not ok" : "ok", i + 1, names[i]);
    }
    fflush(stdout);
    MPI_Finalize();
    return any_failed != 0;
}
