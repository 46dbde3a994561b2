/* The price list: every routine of the BLAS, in all types, over OpenBLAS; one thread. A point is a
 * routine, a series a type and a size: of matrices of n x n by columns, and of vectors of n^2 / 4
 * numbers. Uniform data, scalars of all bits, complex ones of complex types; triangles are
 * dominated by their diagonals. */
#include "data.h"
#include "fortran_call.h"
#include "suites.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In s, d, c and z, and a letter for each argument: L, N, T, C, D (an N): options; n: the size; b:
 * of a band; l: a leading dimension; i: an increment; s: a scalar; x: read, w: written. */
typedef struct {
    const char *title, *name[4], *arguments;
} priced;

static const priced routines[] = {
#include "prices.inc"
};

enum { N_ROUTINES = sizeof routines / sizeof *routines, N_SIZES = 4, N_TYPES = 4 };
static const int sizes[N_SIZES] = {4, 16, 64, 256};

static double *operand[4], *start;

static void run_fortran_call(void *call)
{
    const fortran_call *c = call;
    const void *const *a = c->argument;
    if (c->restored)
        memcpy(c->restored, c->start, c->bytes);
    c->f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
         a[14], a[15]);
}

void measure_fortran_calls(const bench_options *o, bench_table *t, int i, int series,
                           fortran_call *theirs, const char *their_name, void (*plain)(void),
                           fortran_call *ours, const char *our_name)
{
    bench_candidate c[2] = {{.name = "theirs", .run = run_fortran_call, .ctx = theirs},
                            {.name = "ours", .run = run_fortran_call, .ctx = ours}};
    void *f = plain ? NULL : bench_openblas(o, their_name), *g = dlsym(RTLD_DEFAULT, our_name);
    memcpy(&theirs->f, plain ? (const void *)&plain : &f, sizeof f);
    memcpy(&ours->f, &g, sizeof g);
    if (theirs->f && ours->f)
        table_measure_ratios(o, t, i, series, 2, c);
}

static bool has_matrix(const priced *r)
{
    return strpbrk(r->arguments, "L") || strstr(r->arguments, "nn");
}

static void fill(int64_t n, bool is_float, double *x, uint64_t seed)
{
    data_kinds[0].fill(n, x, &data_kinds[0].parameter, seed);
    if (is_float)
        data_narrow(n, x);
}

/* The diagonal of the triangle in the first operand: in full storage, as a band or packed. */
static void strengthen(const priced *r, int n, int type)
{
    int parts = type >= 2 ? 2 : 1;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = parts * (i * n + (r->title[1] == 'b'   ? 0
                                       : r->title[1] == 'p' ? -(i * (i - 1) / 2)
                                                            : i));
        if (type % 2 == 0)
            ((float *)operand[0])[at] = 4 * (float)n;
        else
            operand[0][at] = 4.0 * n;
    }
}

static void prepare(const priced *r, int type, int n, fortran_call *c)
{
    static const int one = 1;
    static int size, band;
    static const double scalar[2][2] = {{0.99999, 0.00223}, {0.00447, 0.00141}};
    static const float scalar_s[2][2] = {{0.99999f, 0.00223f}, {0.00447f, 0.00141f}};
    bool is_float = type % 2 == 0, is_triangle = strchr(r->arguments, 'D') != NULL;
    int64_t numbers = (type >= 2 ? 2 : 1) * (int64_t)n * n;
    int n_operands = 0, n_scalars = 0;
    size = has_matrix(r) ? n : n * n / 4;
    band = n / 4;
    *c = (fortran_call){0};
    for (int k = 0; r->arguments[k]; k++) {
        const char letter = r->arguments[k];
        bool is_operand = letter == 'x' || letter == 'w';
        int scalar_number = letter == 's' ? n_scalars++ : 0;
        c->argument[k] = letter == 'b'          ? (const void *)&band
                         : letter == 'i'        ? (const void *)&one
                         : letter == 's'        ? (is_float ? (const void *)scalar_s[scalar_number]
                                                            : scalar[scalar_number])
                         : is_operand           ? (const void *)operand[n_operands]
                         : strchr("nl", letter) ? (const void *)&size
                         : letter == 'D'        ? "N"
                                                : (const void *)&r->arguments[k];
        if (is_operand)
            fill(numbers, is_float, operand[n_operands++], (uint64_t)k + 1);
    }
    if (is_triangle)
        strengthen(r, n, type);
    if (is_triangle || strncmp(r->title, "scal", 4) == 0) {
        c->restored = operand[n_operands - 1];
        c->bytes = (size_t)numbers * (is_float ? sizeof(float) : sizeof(double));
        if (is_triangle && strchr(r->arguments, 'w')[1] == 'i')
            c->bytes /= (size_t)n; /* a vector */
        c->start = start;
        memcpy(start, c->restored, c->bytes);
    }
}

static void measure(const bench_options *o, bench_table *t, int row, int type, int size)
{
    const priced *r = &routines[row];
    const char *name = r->name[type];
    char ours[32];
    fortran_call c[2];
    if (!name)
        return;
    snprintf(ours, sizeof ours, "ex%s", name);
    prepare(r, type, sizes[size], &c[0]);
    c[1] = c[0];
    measure_fortran_calls(o, t, row, type * N_SIZES + size, &c[0], name, NULL, &c[1], ours);
}

bool suite_prices(const bench_options *all, bench_table *t)
{
    static const char *const series[] = {"s, 4",  "s, 16",  "s, 64", "s, 256", "d, 4",  "d, 16",
                                         "d, 64", "d, 256", "c, 4",  "c, 16",  "c, 64", "c, 256",
                                         "z, 4",  "z, 16",  "z, 64", "z, 256"};
    bench_options o = *all;
    int n_sizes = o.quick ? 2 : N_SIZES;
    size_t numbers = 2 * (size_t)sizes[n_sizes - 1] * (size_t)sizes[n_sizes - 1];
    double **arrays[] = {&operand[0], &operand[1], &operand[2], &operand[3], &start};
    o.round_ns = fmin(o.round_ns, 5e6); /* there are 800 of them */
    *t = (bench_table){.suite = "prices",
                       .title = "Every routine of the BLAS, over OpenBLAS",
                       .x_name = "routine",
                       .y_name = "type, n",
                       .unit = "times the other's time",
                       .show = TABLE_RATIOS,
                       .n_series = N_TYPES * N_SIZES};
    memcpy(t->series, series, sizeof series);
    for (int i = 0; i < 5; i++)
        if (!(*arrays[i] = malloc(numbers * sizeof(double))))
            return false;
    for (int row = 0; row < N_ROUTINES; row++) {
        table_start_point(t, row);
        t->label[row] = routines[row].title;
        for (int k = 0; k < N_TYPES * n_sizes; k++)
            measure(&o, t, row, k / n_sizes, k % n_sizes);
    }
    for (int i = 0; i < 5; i++)
        free(*arrays[i]);
    return true;
}
