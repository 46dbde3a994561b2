/* Memory of Level 3 of PBLAS: what a process allocates during a call, MPI included, is at most half
 * of its operands' share (1.5 times with them) and workspaces, which are set to little here. A
 * whole operand on a process would be more. Prints what was measured. */
#include "pblas_memory.h"

#include "mpi/pblas/pblas_operands.h"

#include <exblas/exblas.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

void blacs_get_(const int *, const int *, int *);
void blacs_gridinit_(int *, const char *, const int *, const int *);
void blacs_gridinfo_(const int *, int *, int *, int *, int *);
void blacs_gridexit_(const int *);

/* Elements of the workspace of PBLAS, bytes of that of the serial routines. */
enum { ELEMENTS = 6 << 10, SERIAL_BYTES = 64 << 10 };

/* --- counting ----------------------------------------------------------------- */

/* The C library's own, behind the names that it calls itself by. */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static _Atomic int64_t now, most;

static void *count_in(void *p)
{
    int64_t bytes = p ? (int64_t)malloc_usable_size(p) : 0;
    int64_t sum = atomic_fetch_add(&now, bytes) + bytes;
    if (sum > most) /* other threads of MPI allocate next to nothing */
        most = sum;
    return p;
}

static void count_out(void *p)
{
    now -= p ? (int64_t)malloc_usable_size(p) : 0;
}

void *malloc(size_t size)
{
    return count_in(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return count_in(__libc_calloc(n, size));
}

void *realloc(void *p, size_t size)
{
    count_out(p);
    return count_in(__libc_realloc(p, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return count_in(__libc_memalign(alignment, size));
}

void *memalign(size_t alignment, size_t size)
{
    return count_in(__libc_memalign(alignment, size));
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
    *p = count_in(__libc_memalign(alignment, size));
    return *p ? 0 : 12; /* ENOMEM */
}

void free(void *p)
{
    count_out(p);
    __libc_free(p);
}

static int64_t before;

void count_start(void)
{
    exblas_set_workspace(SERIAL_BYTES); /* frees what is kept */
    before = now;
    most = now;
}

double count_end(void)
{
    return (double)(most - before);
}

/* --- checking ----------------------------------------------------------------- */

/* Factors and what is under way take no more than five workspaces, the serial routines no more than
 * three of theirs. */
void check_memory(const char *routine, double share, size_t element, double kept)
{
    const double mib = 1 << 20;
    double workspaces = 5.0 * ELEMENTS * (double)element + 3.0 * SERIAL_BYTES, worst;
    double allowed = share / 2 + workspaces;
    MPI_Allreduce(&kept, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (world_rank() == 0)
        printf("# %-12s %d processes: operands %6.2f MiB, more %5.2f, at most %5.2f\n", routine,
               world_size(), share / mib, worst / mib, allowed / mib);
    check(worst <= allowed);
    check(worst > 0 || world_size() == 1); /* one process works in place */
}

/* Rows or columns of a process. */
static int local_size(int part, int n_parts)
{
    int size = 0;
    for (int i = part * BLOCK; i < ORDER; i += n_parts * BLOCK)
        size += ORDER - i < BLOCK ? ORDER - i : BLOCK;
    return size;
}

static void measure(void (*routines)(const grid *, int, int))
{
    int any = -1, what = 0, n_rows = world_size() == 4 ? 2 : 1, n_cols = world_size() / n_rows;
    grid g;
    blacs_get_(&any, &what, &g.context);
    blacs_gridinit_(&g.context, "Row-major", &n_rows, &n_cols);
    blacs_gridinfo_(&g.context, &g.n_rows, &g.n_cols, &g.row, &g.col);
    exb_pblas_set_workspace(ELEMENTS);
    routines(&g, local_size(g.row, g.n_rows), local_size(g.col, g.n_cols));
    exb_pblas_set_workspace(0);
    blacs_gridexit_(&g.context);
}

static void single(void)
{
    measure(measure_routines_s);
}

static void real_double(void)
{
    measure(measure_routines_d);
}

static void complex_single(void)
{
    measure(measure_routines_c);
}

static void complex_double(void)
{
    measure(measure_routines_z);
}

int main(void)
{
    static const mpi_test tests[] = {
        {"single", single},
        {"double", real_double},
        {"complex single", complex_single},
        {"complex double", complex_double},
    };
    return run_mpi_tests(sizeof tests / sizeof *tests, tests);
}
