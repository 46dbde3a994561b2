/* Level 2 beside OpenBLAS: n x n matrices, column-major, uniform data, one thread. */
#include "data.h"
#include "harness.h"

#include <exblas/exblas.h>
#include <exblas/fortran.h>
#include <stdlib.h>
#include <string.h>

typedef void gemv(const char *, const int *, const int *, const void *, const void *, const int *,
                  const void *, const int *, const void *, void *, const int *);
typedef void symv(const char *, const int *, const void *, const void *, const int *, const void *,
                  const int *, const void *, void *, const int *);
typedef void trsv(const char *, const char *, const char *, const int *, const void *, const int *,
                  void *, const int *);
typedef void ger(const int *, const int *, const void *, const void *, const int *, const void *,
                 const int *, void *, const int *);

/* One routine of both libraries, and one call's data. */
static struct {
    int n;
    char trans;
    bool is_float;
    double *a, *b, *x, *y;
    gemv *gemv[2];
    symv *symv[2];
    trsv *trsv[2];
    ger *ger[2];
    const double *alpha; /* of ger */
} work;

static const double one[2] = {1, 0}, zero[2] = {0, 0}, tiny[2] = {0x1p-40, 0},
                    odd[2] = {0x1.23456789abcdfp-40, 0};
static const float one_s = 1, zero_s = 0;
static const int unit = 1;

static void run_gemv(int which)
{
    const int *n = &work.n;
    const void *alpha = work.is_float ? (const void *)&one_s : one;
    const void *beta = work.is_float ? (const void *)&zero_s : zero;
    work.gemv[which](&work.trans, n, n, alpha, work.a, n, work.x, &unit, beta, work.y, &unit);
}

static void run_symv(int which)
{
    const int *n = &work.n;
    work.symv[which](&work.trans, n, one, work.a, n, work.x, &unit, zero, work.y, &unit);
}

static void run_trsv(int which)
{
    const int *n = &work.n;
    memcpy(work.y, work.x, (size_t)work.n * sizeof(double));
    work.trsv[which]("L", &work.trans, "N", n, work.b, n, work.y, &unit);
}

static void run_ger(int which)
{
    const int *n = &work.n;
    work.ger[which](n, n, work.alpha, work.x, &unit, work.y, &unit, work.b, n);
}

#define PAIR(f)                                                                                    \
    static void theirs_##f(void *c)                                                                \
    {                                                                                              \
        (void)c;                                                                                   \
        run_##f(0);                                                                                \
    }                                                                                              \
    static void ours_##f(void *c)                                                                  \
    {                                                                                              \
        (void)c;                                                                                   \
        run_##f(1);                                                                                \
    }
PAIR(gemv)
PAIR(symv)
PAIR(trsv)
PAIR(ger)

static void measure(const bench_options *o, const char *name, char trans, void (*theirs)(void *),
                    void (*ours)(void *))
{
    char label[80];
    work.trans = trans;
    snprintf(label, sizeof label, "%s %c n=%d", name, trans, work.n);
    if (!bench_wanted(o, label))
        return;
    bench_candidate c[2] = {{.name = "OpenBLAS", .run = theirs}, {.name = "exblas", .run = ours}};
    bench_measure(o, c, 2, NULL);
    bench_row(o, label, (double)work.n * work.n, c, 2);
}

/* In place, for the float routine. */
static void narrow(int64_t n, double *x)
{
    for (int64_t i = 0; work.is_float && i < n; i++) {
        float f = (float)x[i];
        memcpy((char *)x + (size_t)i * sizeof f, &f, sizeof f);
    }
}

/* a is uniform; b as well, with a diagonal that keeps solutions of moderate size. */
static void fill(void)
{
    const data_kind *kind = &data_kinds[0];
    int64_t n = work.n;
    kind->fill(2 * n * n, work.a, &kind->parameter, 1);
    kind->fill(2 * n * n, work.b, &kind->parameter, 2);
    kind->fill(2 * n, work.x, &kind->parameter, 3);
    kind->fill(2 * n, work.y, &kind->parameter, 4);
    narrow(2 * n * n, work.a);
    narrow(2 * n, work.x);
    for (int64_t i = 0; i < n; i++)
        work.b[i * (n + 1)] = (double)n;
}

static void find(const bench_options *o, const char *symbol, void *to)
{
    void *p = bench_openblas(o, symbol);
    if (!p)
        exit(1);
    memcpy(to, &p, sizeof p);
}

#define OURS(member, f)                                                                            \
    do {                                                                                           \
        void (*p)() = (void (*)())f;                                                               \
        memcpy(&work.member[1], &p, sizeof p);                                                     \
    } while (0)

static void measure_all(const bench_options *o)
{
    find(o, "dgemv_", &work.gemv[0]);
    OURS(gemv, exdgemv_);
    measure(o, "dgemv", 'N', theirs_gemv, ours_gemv);
    measure(o, "dgemv", 'T', theirs_gemv, ours_gemv);
    find(o, "sgemv_", &work.gemv[0]);
    OURS(gemv, exsgemv_);
    work.is_float = true;
    fill();
    measure(o, "sgemv", 'N', theirs_gemv, ours_gemv);
    measure(o, "sgemv", 'T', theirs_gemv, ours_gemv);
    work.is_float = false;
    fill();
    find(o, "zgemv_", &work.gemv[0]);
    OURS(gemv, exzgemv_);
    measure(o, "zgemv", 'N', theirs_gemv, ours_gemv);
    measure(o, "zgemv", 'T', theirs_gemv, ours_gemv);
    find(o, "dsymv_", &work.symv[0]);
    OURS(symv, exdsymv_);
    measure(o, "dsymv", 'L', theirs_symv, ours_symv);
    measure(o, "dsymv", 'U', theirs_symv, ours_symv);
    find(o, "dtrmv_", &work.trsv[0]);
    OURS(trsv, exdtrmv_);
    measure(o, "dtrmv", 'N', theirs_trsv, ours_trsv);
    measure(o, "dtrmv", 'T', theirs_trsv, ours_trsv);
    find(o, "dtrsv_", &work.trsv[0]);
    OURS(trsv, exdtrsv_);
    measure(o, "dtrsv", 'N', theirs_trsv, ours_trsv);
    measure(o, "dtrsv", 'T', theirs_trsv, ours_trsv);
    find(o, "dger_", &work.ger[0]);
    OURS(ger, exdger_);
    work.alpha = tiny; /* a power of two: the coefficients are numbers */
    measure(o, "dger", '2', theirs_ger, ours_ger);
    work.alpha = odd;
    measure(o, "dger", '-', theirs_ger, ours_ger);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
    bench_options o = bench_start(argc, argv, "level2: matrices and vectors beside OpenBLAS");
    int most = o.quick ? 1024 : 4096;
    exblas_set_num_threads(1);
    size_t n_numbers = 2 * (size_t)most * (size_t)most;
    work.a = malloc(n_numbers * sizeof(double));
    work.b = malloc(n_numbers * sizeof(double));
    work.x = malloc(2 * (size_t)most * sizeof(double));
    work.y = malloc(2 * (size_t)most * sizeof(double));
    if (!work.a || !work.b || !work.x || !work.y)
        return 1;
    bench_header(&o, "Level 2, uniform data");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= most; i++) {
        work.n = sizes[i];
        fill();
        measure_all(&o);
    }
    free(work.a);
    free(work.b);
    free(work.x);
    free(work.y);
    return 0;
}
