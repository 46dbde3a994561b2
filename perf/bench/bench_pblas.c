#include "bench_pblas.h"

#include <dlfcn.h>
#include <exblas/pblas.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 64, ROUNDS = 5 };

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

/* The routines that are compared, of ScaLAPACK or ours. */
typedef struct {
    __typeof__(expdgemm_) *gemm;
    __typeof__(expdsyrk_) *syrk;
    __typeof__(expdtrsm_) *trsm;
} routines;

typedef struct {
    int n;
    const double *a;
    double *c;
    size_t size;
    const int *desc;
} problem;

/* What is solved for begins as A, which is no triangle's inverse: unknowns do not grow. */
static void call_one(const routines *r, const problem *p)
{
    const double one = 1, zero = 0;
    const int first = 1, *n = &p->n, *desc = p->desc;
    if (r->gemm)
        r->gemm("N", "N", n, n, n, &one, p->a, &first, &first, desc, p->a, &first, &first, desc,
                &zero, p->c, &first, &first, desc);
    if (r->syrk)
        r->syrk("L", "N", n, n, &one, p->a, &first, &first, desc, &zero, p->c, &first, &first,
                desc);
    if (r->trsm)
        r->trsm("L", "L", "N", "N", n, n, &one, p->a, &first, &first, desc, p->c, &first, &first,
                desc);
}

static seconds measure(const routines *r, const problem *p)
{
    seconds best = {1e9, 1e9};
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(p->c, p->a, p->size * sizeof *p->c);
        MPI_Barrier(MPI_COMM_WORLD);
        double start[] = {MPI_Wtime(), processor_time()}, most[2];
        call_one(r, p);
        double mine[] = {MPI_Wtime() - start[0], processor_time() - start[1]};
        MPI_Allreduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        best.passed = most[0] < best.passed ? most[0] : best.passed;
        best.processor = most[1] < best.processor ? most[1] : best.processor;
    }
    return best;
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

/* Of this process: large on the diagonal, small beside it. */
static void fill(double *a, int rows, int cols, const int shape[2], const int at[2])
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) {
            size_t k = (size_t)i + (size_t)j * (size_t)rows;
            int row = (i / BLOCK * shape[0] + at[0]) * BLOCK + i % BLOCK;
            int col = (j / BLOCK * shape[1] + at[1]) * BLOCK + j % BLOCK;
            a[k] = (double)((k * 2654435761u + (size_t)at[0]) % 1000003) / 1000003 - 0.5;
            a[k] += row == col ? 100 : 0;
        }
}

/* False if there is no routine of this name. */
static bool choose(void *library, const char *routine, routines *exact, routines *stock)
{
    *exact = *stock = (routines){NULL, NULL, NULL};
    if (strcmp(routine, "gemm") == 0) {
        exact->gemm = expdgemm_;
        find(library, "pdgemm_", &stock->gemm);
    } else if (strcmp(routine, "syrk") == 0) {
        exact->syrk = expdsyrk_;
        find(library, "pdsyrk_", &stock->syrk);
    } else if (strcmp(routine, "trsm") == 0) {
        exact->trsm = expdtrsm_;
        find(library, "pdtrsm_", &stock->trsm);
    }
    return stock->gemm || stock->syrk || stock->trsm;
}

bool bench_pblas(const char *routine, int n)
{
    void *library = load();
    routines stock, ours;
    int context, shape[2], at[2];
    if (!library || !choose(library, routine, &ours, &stock))
        return false;
    open_grid(library, &context, shape, at);
    int rows = local_size(n, at[0], shape[0]), cols = local_size(n, at[1], shape[1]);
    int desc[9] = {1, context, n, n, BLOCK, BLOCK, 0, 0, rows > 0 ? rows : 1};
    size_t size = (size_t)rows * (size_t)cols;
    double *a = malloc((size + 1) * sizeof *a), *c = malloc((size + 1) * sizeof *c);
    if (!a || !c)
        MPI_Abort(MPI_COMM_WORLD, 1);
    fill(a, rows, cols, shape, at);
    memcpy(c, a, size * sizeof *c); /* pages that are there */
    problem p = {n, a, c, size, desc};
    seconds exact = measure(&ours, &p), plain = measure(&stock, &p);
    if (at[0] == 0 && at[1] == 0)
        printf("   grid      n    pd%s s  expd%s s  ratio  processor s   ratio\n"
               "%3d x %d %6d %9.4f %11.4f %6.2f %12.4f %7.2f\n",
               routine, routine, shape[0], shape[1], n, plain.passed, exact.passed,
               exact.passed / plain.passed, exact.processor, exact.processor / plain.processor);
    free(a);
    free(c);
    return true;
}
