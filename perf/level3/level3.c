/* Level 3 beside OpenBLAS: n x n matrices, column-major, normal data, one thread. Each routine's
 * factor over OpenBLAS's is printed; doc/gemm.md says how they are computed. gemm has a program of
 * its own. */
#include "data.h"
#include "harness.h"

#include <exblas/exblas.h>
#include <exblas/fortran.h>
#include <stdlib.h>
#include <string.h>

typedef void gemm(const char *, const char *, const int *, const int *, const int *, const void *,
                  const void *, const int *, const void *, const int *, const void *, void *,
                  const int *);
typedef void symm(const char *, const char *, const int *, const int *, const void *, const void *,
                  const int *, const void *, const int *, const void *, void *, const int *);
typedef void syrk(const char *, const char *, const int *, const int *, const void *, const void *,
                  const int *, const void *, void *, const int *);
typedef void trsm(const char *, const char *, const char *, const char *, const int *, const int *,
                  const void *, const void *, const int *, void *, const int *);

/* A call's data; a has a diagonal that keeps solutions of moderate size, c is written, start is
 * what triangular routines find in it. The routine in use: theirs and ours. */
static struct {
    int n;
    size_t bytes;
    double *a, *b, *c, *start;
    void (*routine[2])(void);
} work;

static const double one[2] = {1, 0}, zero[2] = {0, 0};

static void run_gemm(void *f)
{
    const int *n = &work.n;
    gemm *g;
    memcpy(&g, f, sizeof g);
    g("N", "N", n, n, n, one, work.a, n, work.b, n, zero, work.c, n);
}

static void run_symm(void *f)
{
    const int *n = &work.n;
    symm *g;
    memcpy(&g, f, sizeof g);
    g("L", "L", n, n, one, work.a, n, work.b, n, zero, work.c, n);
}

static void run_syrk(void *f)
{
    const int *n = &work.n;
    syrk *g;
    memcpy(&g, f, sizeof g);
    g("L", "N", n, n, one, work.a, n, zero, work.c, n);
}

/* trmm and trsm, from the same numbers every time: n^2 numbers are copied, for n^3 operations. */
static void run_triangle(void *f)
{
    const int *n = &work.n;
    trsm *g;
    memcpy(&g, f, sizeof g);
    memcpy(work.c, work.start, work.bytes);
    g("L", "L", "N", "N", n, n, one, work.a, n, work.c, n);
}

static void (*run)(void *);

static void theirs(void *c)
{
    (void)c;
    run(&work.routine[0]);
}

static void ours(void *c)
{
    (void)c;
    run(&work.routine[1]);
}

static const struct {
    const char *symbol;
    void (*ours)(void);
    void (*run)(void *);
} routines[] = {
    {"dgemm_", (void (*)(void))exdgemm_, run_gemm},
    {"dsyrk_", (void (*)(void))exdsyrk_, run_syrk},
    {"dsymm_", (void (*)(void))exdsymm_, run_symm},
    {"dtrmm_", (void (*)(void))exdtrmm_, run_triangle},
    {"dtrsm_", (void (*)(void))exdtrsm_, run_triangle},
    {"zgemm_", (void (*)(void))exzgemm_, run_gemm},
    {"ztrsm_", (void (*)(void))exztrsm_, run_triangle},
};

static void measure(const bench_options *o, size_t routine)
{
    char label[80];
    const char *symbol = routines[routine].symbol;
    snprintf(label, sizeof label, "%.5s n=%d", symbol, work.n);
    if (!bench_wanted(o, label))
        return;
    void *p = bench_openblas(o, symbol);
    if (!p)
        exit(1);
    memcpy(&work.routine[0], &p, sizeof p);
    work.routine[1] = routines[routine].ours;
    run = routines[routine].run;
    bench_candidate c[2] = {{.name = "OpenBLAS", .run = theirs}, {.name = "exblas", .run = ours}};
    bench_measure(o, c, 2, NULL);
    bench_row(o, label, (double)work.n * work.n * work.n, c, 2);
}

/* As complex or as real matrices. */
static void fill(int parts)
{
    const data_kind *kind = &data_kinds[2];
    int64_t n = work.n;
    work.bytes = (size_t)(parts * n * n) * sizeof(double);
    kind->fill(parts * n * n, work.a, &kind->parameter, 1);
    kind->fill(parts * n * n, work.b, &kind->parameter, 2);
    kind->fill(parts * n * n, work.start, &kind->parameter, 3);
    for (int64_t i = 0; i < n; i++)
        work.a[parts * i * (n + 1)] = 4 * (double)n;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {16, 32, 64, 128, 256, 512, 1024};
    bench_options o = bench_start(argc, argv, "level3: products of matrices beside OpenBLAS");
    int most = o.quick ? 256 : 1024;
    exblas_set_num_threads(1);
    double **all[] = {&work.a, &work.b, &work.c, &work.start};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i] = malloc(2 * (size_t)most * (size_t)most * sizeof(double))))
            return 1;
    bench_header(&o, "Level 3, normal data");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= most; i++)
        for (size_t k = 0; k < sizeof routines / sizeof *routines; k++) {
            work.n = sizes[i];
            fill(routines[k].symbol[0] == 'z' ? 2 : 1);
            measure(&o, k);
        }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(*all[i]);
    return 0;
}
