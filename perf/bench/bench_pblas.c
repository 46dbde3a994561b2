#include "bench_pblas.h"

#include <dlfcn.h>
#include <exblas/pblas.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 64, ROUNDS = 5 };

typedef void gemm_fn(const char *, const char *, const int *, const int *, const int *,
                     const double *, const double *, const int *, const int *, const int *,
                     const double *, const int *, const int *, const int *, const double *,
                     double *, const int *, const int *, const int *);
typedef void get_fn(const int *, const int *, int *);
typedef void init_fn(int *, const char *, const int *, const int *);
typedef void info_fn(const int *, int *, int *, int *, int *);

/* ScaLAPACK is loaded, not linked: the program needs none for its sums. */
static void *load(void)
{
    static const char *const name[] = {"libscalapack-openmpi.so.2.2", "libscalapack-mpich.so.2.2",
                                       "libscalapack.so"};
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    void *library =
        dlopen(name[strncmp(version, "Open MPI", 8) == 0 ? 0 : 1], RTLD_NOW | RTLD_GLOBAL);
    return library ? library : dlopen(name[2], RTLD_NOW | RTLD_GLOBAL);
}

static void find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
}

/* Rows or columns of n that part `part` of `parts` has. */
static int local_size(int n, int part, int parts)
{
    int size = 0;
    for (int i = part * BLOCK; i < n; i += parts * BLOCK)
        size += n - i < BLOCK ? n - i : BLOCK;
    return size;
}

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The least of several rounds: until the last process is done, and of processor time of the process
 * that took most, waiting in MPI included. */
typedef struct {
    double passed, processor;
} seconds;

static seconds measure(gemm_fn *gemm, int n, const double *a, double *c, const int *desc)
{
    const double one = 1, zero = 0;
    const int first = 1;
    seconds best = {1e9, 1e9};
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start[] = {MPI_Wtime(), processor_time()}, most[2];
        gemm("N", "N", &n, &n, &n, &one, a, &first, &first, desc, a, &first, &first, desc, &zero, c,
             &first, &first, desc);
        double mine[] = {MPI_Wtime() - start[0], processor_time() - start[1]};
        MPI_Allreduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        best.passed = most[0] < best.passed ? most[0] : best.passed;
        best.processor = most[1] < best.processor ? most[1] : best.processor;
    }
    return best;
}

/* The most memory that the process had since reset_peak, in MiB; 0 if the system does not say. */
static double peak(void)
{
    char line[128];
    double kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %lf", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib / 1024;
}

static double reset_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) {
        fputs("5", f);
        fclose(f);
    }
    return peak();
}

/* The grid of all processes. */
static void open_grid(void *library, int *context, int shape[2], int at[2])
{
    get_fn *get;
    init_fn *init;
    info_fn *info;
    int any = -1, what = 0, n_processes;
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    shape[0] = shape[1] = 0;
    MPI_Dims_create(n_processes, 2, shape);
    find(library, "blacs_get_", &get);
    find(library, "blacs_gridinit_", &init);
    find(library, "blacs_gridinfo_", &info);
    get(&any, &what, context);
    init(context, "Row-major", &shape[1], &shape[0]);
    info(context, &shape[0], &shape[1], &at[0], &at[1]);
}

bool bench_pblas(int n)
{
    void *library = load();
    gemm_fn *stock;
    int context, shape[2], at[2];
    if (!library)
        return false;
    find(library, "pdgemm_", &stock);
    open_grid(library, &context, shape, at);
    int rows = local_size(n, at[0], shape[0]), cols = local_size(n, at[1], shape[1]);
    int desc[9] = {1, context, n, n, BLOCK, BLOCK, 0, 0, rows > 0 ? rows : 1};
    size_t size = (size_t)rows * (size_t)cols;
    double *a = malloc((size + 1) * sizeof *a), *c = malloc((size + 1) * sizeof *c);
    if (!a || !c)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < size; i++)
        a[i] = (double)((i * 2654435761u + (size_t)at[0]) % 1000003) / 1000003 - 0.5;
    double before = reset_peak();
    seconds exact = measure(expdgemm_, n, a, c, desc);
    double exact_more = peak() - before;
    before = reset_peak();
    seconds plain = measure(stock, n, a, c, desc);
    double plain_more = peak() - before;
    double share = 3 * (double)size * sizeof *a / (1 << 20);
    if (at[0] == 0 && at[1] == 0)
        printf("   grid      n  pdgemm s  expdgemm s  ratio  processor s   ratio  operands MiB  "
               "pdgemm's more  expdgemm's more\n"
               "%3d x %d %6d %9.4f %11.4f %6.2f %12.4f %7.2f %13.0f %14.0f %16.0f\n",
               shape[0], shape[1], n, plain.passed, exact.passed, exact.passed / plain.passed,
               exact.processor, exact.processor / plain.processor, share, plain_more, exact_more);
    free(a);
    free(c);
    return true;
}
