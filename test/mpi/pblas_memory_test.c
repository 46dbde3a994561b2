/* Memory of Level 3 of PBLAS: what a process allocates during a call, MPI included, is at most half
 * of its operands' share (1.5 times with them) and workspaces, which are set to little here. A
 * whole operand on a process would be more. Prints what was measured. */
#include "grid_call.h"

#include "mpi/pblas/pblas_operands.h"

#include <exblas/exblas.h>
#include <malloc.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* Elements of the workspace of PBLAS, bytes of that of the serial routines. */
enum { ELEMENTS = 6 << 10, SERIAL_BYTES = 64 << 10, ORDER = 384, BLOCK = 16 };

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

static void count_start(void)
{
    exblas_set_workspace(SERIAL_BYTES); /* frees what is kept */
    before = now;
    most = now;
}

static double count_end(void)
{
    return (double)(most - before);
}

/* --- checking ----------------------------------------------------------------- */

/* What one routine with operands of `share` bytes kept on the process that kept most. Factors and
 * what is under way take no more than five workspaces, the serial routines no more than
 * three of theirs. */
static void check_memory(const char *routine, double share, size_t element, double kept)
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

/* Floats take the same ways: those that differ most are measured. */
static const struct {
    const char *name, *letters; /* side, uplo, trans, transb, diag */
    bool for_floats, with_inf;
} measured[] = {
    {"gemm", "--NN-", true, false},  {"gemm", "--TT-", false, false},
    {"symm", "LU---", false, false}, {"symm", "RL---", false, false},
    {"syrk", "-LN--", true, false},  {"syr2k", "-UT--", false, false},
    {"trmm", "LLN-N", true, false},  {"trmm", "RUN-U", false, false},
    {"trsm", "LLN-U", true, false},  {"trsm", "RUT-U", false, false},
    {"hemm", "LU---", false, false}, {"hemm", "RL---", true, true},
    {"herk", "-LN--", true, false},  {"her2k", "-UC--", false, false},
};

static size_t bytes_of(const matrix *v)
{
    return (size_t)(v->local_rows * v->local_cols) * v->size;
}

static void fill(test_random *r, const matrix *v, bool is_float)
{
    size_t n = bytes_of(v) / (is_float ? sizeof(float) : sizeof(double));
    for (size_t i = 0; i < n; i++)
        set_number(v->local, i, is_float, random_number(r, FORMAT_S, -9));
}

/* Row i of the table in one type; nothing where the type does not have it. */
static void measure_routine(char type, int i, grid_call *q)
{
    const grid_routine *routine = find_routine(type, measured[i].name);
    const char *letters = measured[i].letters;
    bool is_float = type == 's' || type == 'c';
    char name[32];
    test_random r = test_random_start(test_seed() + (uint64_t)world_rank(), "pblas memory");
    if (!routine || (is_float && !measured[i].for_floats))
        return;
    fill(&r, &q->a, is_float);
    fill(&r, &q->b, is_float);
    fill(&r, &q->c, is_float);
    if (measured[i].with_inf)
        set_number(q->b.local, 0, is_float, INFINITY);
    q->side = letters[0], q->uplo = letters[1], q->trans = letters[2];
    q->transb = letters[3], q->diag = letters[4];
    count_start();
    routine->run(q);
    double kept = count_end();
    snprintf(name, sizeof name, "%s %s", routine->name, letters);
    check_memory(name, (double)(strlen(routine->operands) * bytes_of(&q->a)), q->a.size, kept);
}

static matrix matrix_on(const grid *g, size_t size)
{
    matrix v = {.size = size, .i = 1, .j = 1};
    v.local_rows = local_size(g->row, g->n_rows);
    v.local_cols = local_size(g->col, g->n_cols);
    const int desc[9] = {1, g->context, ORDER, ORDER, BLOCK, BLOCK, 0, 0, v.local_rows};
    memcpy(v.desc, desc, sizeof desc);
    v.local = malloc(bytes_of(&v));
    return v;
}

static void measure(char type)
{
    int n_rows = world_size() == 4 ? 2 : 1;
    bool is_float = type == 's' || type == 'c';
    size_t size =
        (is_float ? sizeof(float) : sizeof(double)) * (type == 's' || type == 'd' ? 1 : 2);
    double alpha[2] = {0, 0}, beta[2] = {0, 0};
    grid g = open_row_major(n_rows, world_size() / n_rows);
    set_number(alpha, 0, is_float, 1);
    set_number(beta, 0, is_float, -1);
    exb_pblas_set_workspace(ELEMENTS);
    grid_call q = {.m = ORDER, .n = ORDER, .k = ORDER, .alpha = alpha, .beta = beta};
    q.a = matrix_on(&g, size);
    q.b = matrix_on(&g, size);
    q.c = matrix_on(&g, size);
    for (int i = 0; i < (int)(sizeof measured / sizeof *measured); i++)
        measure_routine(type, i, &q);
    free(q.a.local);
    free(q.b.local);
    free(q.c.local);
    exb_pblas_set_workspace(0);
    blacs_gridexit_(&g.context);
}

static void all_types(void)
{
    for (const char *type = "sdcz"; *type; type++)
        measure(*type);
}

MPI_TESTS(all_types)
