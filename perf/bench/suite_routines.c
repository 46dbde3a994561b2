/* Routines of Levels 1 to 3 against n: their time over that of OpenBLAS's, or over a plain loop's
 * where it has none. Vectors of n numbers, matrices of n x n by columns; one thread. */
#include "comparators.h"
#include "data.h"
#include "fortran_call.h"
#include "suites.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* plain: in place of OpenBLAS's routine, or NULL. arguments, a letter each: n the size, i and j
 * increments of 1 and 2, 1 and 0 scalars, p and q an alpha of one bit and of 53; operands are the
 * arrays of `work`, of which r is c from the same numbers every time: n^2 numbers are copied for
 * n^3 operations; others are options. most: the largest n, or 0. */
typedef struct {
    const char *name, *symbol, *ours;
    void (*plain)(void);
    const char *arguments;
    int most;
    const char *data; /* a name of data_kinds, or NULL: uniform */
} routine;

/* Reads a, b and the triangle, writes c; s types have their numbers as floats there. Ours of 16
 * bits have the numbers of a and b in start and triangle. */
static struct {
    const routine *listed;
    int n;
    size_t bytes; /* of a matrix */
    bool has_halves;
    const void *one, *zero;
    double *a, *b, *c, *triangle, *start;
} work;

static const double one_d[2] = {1, 0}, zero_d[2] = {0, 0}, alpha_p = 0x1p-40,
                    alpha_q = 0x1.23456789abcdfp-40;
static const float one_s = 1, zero_s = 0;
static const uint16_t one_b = 0x3f80; /* bfloat16 */

/* --- what is measured --------------------------------------------------------------- */

static double plain_sum(const int *n, const double *x, const int *increment)
{
    double sum = 0;
    if (*increment == 1)
        return plain_best()->sum(*n, x);
    for (int64_t i = 0; i < *n; i++)
        sum += x[i * *increment];
    return sum;
}

static double plain_asum(const int *n, const double *x)
{
    return plain_best()->asum(*n, x);
}

static double plain_norm(const int *n, const double *x)
{
    return sqrt(plain_best()->sumsq(*n, x));
}

#define SUM NULL, "exdsum_", (void (*)(void))plain_sum

static const routine level1[] = {
    {"dsum", SUM, "nai", 0, NULL},
    {"dasum", NULL, "exdasum_", (void (*)(void))plain_asum, "nai", 0, NULL},
    {"dnrm2", NULL, "exdnrm2_", (void (*)(void))plain_norm, "nai", 0, NULL},
    {"ddot", "ddot_", "exddot_", NULL, "naibi", 0, NULL},
    {"zdotu", "zdotu_", "exzdotu_", NULL, "naibi", 0, NULL},
    {"dsum, stride 2", SUM, "naj", 0, NULL},
    {"ddot, stride 2", "ddot_", "exddot_", NULL, "najbj", 0, NULL},
    {"dsum of integers", SUM, "nai", 0, "integers of 11 bits"},
    {"dsum over 10^60", SUM, "nai", 0, "10^60"},
    {"dsum that cancels", SUM, "nai", 0, "cancelling"},
    {"ddot over 10^60", "ddot_", "exddot_", NULL, "naibi", 0, "10^60"},
    {"ddot that cancels", "ddot_", "exddot_", NULL, "naibi", 0, "condition 2^60"},
};

static const routine level2[] = {
    {"dgemv N", "dgemv_", "exdgemv_", NULL, "Nnn1anbi0ci", 0, NULL},
    {"dgemv T", "dgemv_", "exdgemv_", NULL, "Tnn1anbi0ci", 0, NULL},
    {"sgemv N", "sgemv_", "exsgemv_", NULL, "Nnn1anbi0ci", 0, NULL},
    {"sgemv T", "sgemv_", "exsgemv_", NULL, "Tnn1anbi0ci", 0, NULL},
    {"sbgemv N by sgemv", "sgemv_", "exsbgemv_", NULL, "Nnn1anbi0ci", 0, NULL},
    {"sbgemv T by sgemv", "sgemv_", "exsbgemv_", NULL, "Tnn1anbi0ci", 0, NULL},
    {"shgemv N by sgemv", "sgemv_", "exshgemv_", NULL, "Nnn1anbi0ci", 0, NULL},
    {"shgemv T by sgemv", "sgemv_", "exshgemv_", NULL, "Tnn1anbi0ci", 0, NULL},
    {"zgemv N", "zgemv_", "exzgemv_", NULL, "Nnn1anbi0ci", 0, NULL},
    {"zgemv T", "zgemv_", "exzgemv_", NULL, "Tnn1anbi0ci", 0, NULL},
    {"dsymv L", "dsymv_", "exdsymv_", NULL, "Ln1anbi0ci", 0, NULL},
    {"dsymv U", "dsymv_", "exdsymv_", NULL, "Un1anbi0ci", 0, NULL},
    {"dtrmv N", "dtrmv_", "exdtrmv_", NULL, "LNNntnvi", 0, NULL},
    {"dtrmv T", "dtrmv_", "exdtrmv_", NULL, "LTNntnvi", 0, NULL},
    {"dtrsv N", "dtrsv_", "exdtrsv_", NULL, "LNNntnvi", 0, NULL},
    {"dtrsv T", "dtrsv_", "exdtrsv_", NULL, "LTNntnvi", 0, NULL},
    {"dger, alpha 2^-40", "dger_", "exdger_", NULL, "nnpaibicn", 0, NULL},
    {"dger, alpha of 53 bits", "dger_", "exdger_", NULL, "nnqaibicn", 0, NULL},
};

#define GEMM NULL, "NNnnn1anbn0cn"

static const routine level3[] = {
    {"dgemm", "dgemm_", "exdgemm_", GEMM, 0, "normal"},
    {"dgemm T", "dgemm_", "exdgemm_", NULL, "TNnnn1anbn0cn", 0, "normal"},
    {"sgemm", "sgemm_", "exsgemm_", GEMM, 0, "normal"},
    {"sbgemm by sgemm", "sgemm_", "exsbgemm_", GEMM, 0, "normal"},
    {"shgemm by sgemm", "sgemm_", "exshgemm_", GEMM, 0, "normal"},
    {"bgemm by sgemm", "sgemm_", "exbgemm_", GEMM, 0, "normal"},
    {"zgemm", "zgemm_", "exzgemm_", GEMM, 0, "normal"},
    {"dsyrk", "dsyrk_", "exdsyrk_", NULL, "LNnn1an0cn", 0, "normal"},
    {"dsymm", "dsymm_", "exdsymm_", NULL, "LLnn1anbn0cn", 0, "normal"},
    {"dtrmm", "dtrmm_", "exdtrmm_", NULL, "LLNNnn1tnrn", 0, "normal"},
    {"dtrsm", "dtrsm_", "exdtrsm_", NULL, "LLNNnn1tnrn", 0, "normal"},
    {"ztrsm", "ztrsm_", "exztrsm_", NULL, "LLNNnn1tnrn", 0, "normal"},
    {"dgemm of integers", "dgemm_", "exdgemm_", GEMM, 0, "integers of 11 bits"},
    {"dgemm, exp(2 normal)", "dgemm_", "exdgemm_", GEMM, 0, "exp(2 normal)"},
    {"dgemm over 10^60", "dgemm_", "exdgemm_", GEMM, 256, "10^60"},
    {"dgemm, every exponent", "dgemm_", "exdgemm_", GEMM, 256, "full range"},
};

/* --- the tables --------------------------------------------------------------------- */

static const void *argument_of(const char *letter, bool of_halves)
{
    static const int one = 1, two = 2;
    switch (*letter) {
    case 'n':
        return &work.n;
    case 'i':
        return &one;
    case 'j':
        return &two;
    case '1':
        return work.one;
    case '0':
        return work.zero;
    case 'p':
        return &alpha_p;
    case 'q':
        return &alpha_q;
    case 'a':
        return of_halves ? work.start : work.a;
    case 'b':
        return of_halves ? work.triangle : work.b;
    case 't':
        return work.triangle;
    case 'c':
    case 'r': /* a matrix */
    case 'v': /* a vector */
        return work.c;
    default:
        return letter;
    }
}

/* ours, or what it is compared with. */
static fortran_call call_of(const routine *r, bool ours)
{
    fortran_call c = {.start = work.start, .bytes = work.bytes};
    bool of_halves = work.has_halves && ours;
    if (strpbrk(r->arguments, "rv"))
        c.restored = work.c;
    if (strchr(r->arguments, 'v'))
        c.bytes = (size_t)work.n * sizeof *work.c;
    for (int k = 0; r->arguments[k]; k++)
        c.argument[k] = argument_of(&r->arguments[k], of_halves);
    if (of_halves && strcmp(r->ours, "exbgemm_") == 0)
        c.argument[5] = &one_b;
    return c;
}

/* n floats to bfloat16 or half, towards zero: as floats in place, and in 16 bits. */
static void cut_to_halves(bool bf16, int64_t n, double *x, double *bits)
{
    for (int64_t i = 0; i < n; i++) {
        char *at = (char *)x + (size_t)i * sizeof(float);
        uint32_t b;
        memcpy(&b, at, sizeof b);
        b &= bf16 ? 0xffff0000 : (b & 0x7fffffff) < 0x38800000 ? 0x80000000 : 0xffffe000;
        uint32_t magnitude = (b & 0x7fffffff) >> (bf16 ? 16 : 13), rebias = bf16 ? 0 : 112 << 10;
        uint16_t half =
            (uint16_t)(b >> 16 & 0x8000) | (uint16_t)(magnitude ? magnitude - rebias : 0);
        memcpy(at, &b, sizeof b);
        memcpy((char *)bits + (size_t)i * sizeof half, &half, sizeof half);
    }
}

static const data_kind *kind_of(const routine *r)
{
    int k = 0;
    while (r->data && k < n_data_kinds - 1 && strcmp(data_kinds[k].name, r->data) != 0)
        k++;
    return &data_kinds[k];
}

/* s, d or z */
static char type_of(const routine *r)
{
    return r->symbol ? r->symbol[0] : 'd';
}

/* The triangle's diagonal keeps solutions of moderate size. */
static void fill(const routine *r, int64_t n_numbers)
{
    const data_kind *kind = kind_of(r);
    bool is_float = type_of(r) == 's';
    int parts = type_of(r) == 'z' ? 2 : 1;
    double *all[] = {work.a, work.b, work.start, work.triangle};
    int64_t n = parts * n_numbers;
    work.bytes = (size_t)n * sizeof(double);
    work.one = is_float ? (const void *)&one_s : one_d;
    work.zero = is_float ? (const void *)&zero_s : zero_d;
    for (int i = 0; i < 4 && all[i]; i++) {
        kind->fill(n, all[i], &kind->parameter, (uint64_t)i + 1);
        if (is_float)
            data_narrow(n, all[i]);
    }
    for (int64_t i = 0; work.triangle && i < work.n; i++)
        work.triangle[parts * i * (work.n + 1)] = 4.0 * work.n;
    work.has_halves = strstr(r->name, "by sgem");
    if (work.has_halves) {
        cut_to_halves(strstr(r->name, "bgem"), n, work.a, work.start);
        cut_to_halves(strstr(r->name, "bgem"), n, work.b, work.triangle);
    }
}

static void measure(const bench_options *o, bench_table *t, int i, int series)
{
    const routine *r = &work.listed[series];
    fortran_call theirs = call_of(r, false), ours = call_of(r, true);
    measure_fortran_calls(o, t, i, series, &theirs, r->symbol, r->plain, &ours, r->ours);
}

static void measure_row(const bench_options *o, bench_table *t, int series)
{
    const routine *r = &work.listed[series];
    for (int i = 0; i < t->n_points; i++) {
        int64_t n = work.n = (int)t->x[i];
        if (r->most != 0 && n > r->most)
            continue;
        fill(r, work.triangle ? n * n : 2 * n);
        measure(o, t, i, series);
    }
}

/* Three matrices and two more, or three vectors: of complex numbers, or with a stride of 2. */
static bool allocate(size_t n_numbers, bool matrices)
{
    double **all[] = {&work.a, &work.b, &work.c, &work.start, &work.triangle};
    for (int i = 0; i < (matrices ? 5 : 3); i++)
        if (!(*all[i] = calloc(2 * n_numbers, sizeof(double))))
            return false;
    return true;
}

static bool measure_all(const bench_options *o, bench_table *t, const routine *r, int most,
                        bool matrices)
{
    size_t n = (size_t)most;
    memset(&work, 0, sizeof work);
    work.listed = r;
    if (!allocate(matrices ? n * n : 2 * n, matrices))
        return false;
    table_start_columns(t, 1, most);
    for (int j = 0; j < t->n_series; j++)
        measure_row(o, t, j);
    free(work.a);
    free(work.b);
    free(work.c);
    free(work.start);
    free(work.triangle);
    return true;
}

static void name(bench_table *t, const char *suite, const char *title, const routine *r, int n)
{
    *t = (bench_table){.suite = suite,
                       .title = title,
                       .x_name = "n",
                       .y_name = "time / time of OpenBLAS",
                       .unit = "times the other's time",
                       .show = TABLE_RATIOS,
                       .n_series = n,
                       .x_log = true,
                       .y_log = true};
    for (int k = 0; k < n; k++)
        t->series[k] = r[k].name;
}

enum {
    N_LEVEL1 = sizeof level1 / sizeof *level1,
    N_LEVEL2 = sizeof level2 / sizeof *level2,
    N_LEVEL3 = sizeof level3 / sizeof *level3
};

bool suite_level1(const bench_options *o, bench_table *t)
{
    name(t, "level1", "Level 1, over OpenBLAS (sum, asum, nrm2: over plain loops)", level1,
         N_LEVEL1);
    return measure_all(o, t, level1, o->quick ? 1 << 10 : 1 << 20, false);
}

bool suite_level2(const bench_options *o, bench_table *t)
{
    name(t, "level2", "Level 2, over OpenBLAS, uniform data", level2, N_LEVEL2);
    return measure_all(o, t, level2, o->quick ? 64 : 1024, true);
}

bool suite_level3(const bench_options *o, bench_table *t)
{
    name(t, "level3", "Level 3, over OpenBLAS, normal data", level3, N_LEVEL3);
    return measure_all(o, t, level3, o->quick ? 64 : 1024, true);
}
