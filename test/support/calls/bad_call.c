#include "bad_call.h"

#include <stddef.h>

enum { ROW = 101, COL = 102, NO_TRANS = 111 };

/* What each routine takes: kinds of its options after the layout (t, u, d), how many
 * dimensions and strides, and the CBLAS positions of all of them. */
typedef struct {
    const char *name, *options;
    int n_dims, n_lds;
    int dim_position[3], ld_position[3];
} signature;

static const signature signatures[N_BAD_ROUTINES] = {
    {"gemm", "tt", 3, 3, {4, 5, 6}, {9, 11, 14}},
    {"gemv", "t", 2, 3, {3, 4}, {7, 9, 12}},
    {"trsv", "utd", 1, 2, {5}, {7, 9}},
    {"syrk", "ut", 2, 2, {4, 5}, {8, 11}},
};

const char *bad_routine_name(bad_routine r)
{
    return signatures[r].name;
}

static bool is_legal(char kind, int option)
{
    int first = kind == 't' ? 111 : kind == 'u' ? 121 : 131, n = kind == 't' ? 3 : 2;
    return option >= first && option < first + n;
}

static int64_t at_least_one(int64_t n)
{
    return n > 1 ? n : 1;
}

/* A leading dimension spans the rows of the stored matrix, or its columns in row-major. */
static int64_t span(const bad_arguments *p, int64_t rows, int64_t cols, int trans)
{
    int64_t stored_rows = trans == NO_TRANS ? rows : cols,
            stored_cols = trans == NO_TRANS ? cols : rows;
    return at_least_one(p->option[0] == COL ? stored_rows : stored_cols);
}

static bool stride_is_legal(const bad_arguments *p, int i)
{
    int64_t ld = p->ld[i];
    const int64_t *d = p->dim;
    switch (p->routine) {
    case BAD_GEMM: /* A is m x k, B k x n, C m x n */
        return ld >= (i == 0   ? span(p, d[0], d[2], p->option[1])
                      : i == 1 ? span(p, d[2], d[1], p->option[2])
                               : span(p, d[0], d[1], NO_TRANS));
    case BAD_GEMV: /* A is m x n as stored, whatever trans says */
        return i == 0 ? ld >= span(p, d[0], d[1], NO_TRANS) : ld != 0;
    case BAD_TRSV:
        return i == 0 ? ld >= at_least_one(d[0]) : ld != 0;
    default: /* A is n x k, C n x n */
        return ld >= (i == 0 ? span(p, d[0], d[1], p->option[2]) : at_least_one(d[0]));
    }
}

int bad_position(const bad_arguments *p)
{
    const signature *s = &signatures[p->routine];
    if (p->option[0] != ROW && p->option[0] != COL)
        return 1;
    for (int i = 0; s->options[i]; i++)
        if (!is_legal(s->options[i], p->option[1 + i]))
            return 2 + i;
    for (int i = 0; i < s->n_dims; i++)
        if (p->dim[i] < 0)
            return s->dim_position[i];
    for (int i = 0; i < s->n_lds; i++)
        if (!stride_is_legal(p, i))
            return s->ld_position[i];
    return 0;
}

/* Takes a digit to the given base off *i. */
static int digit(int64_t *i, int base)
{
    int d = (int)(*i % base);
    *i /= base;
    return d;
}

static int option_value(char kind, int64_t *i)
{
    static const int trans[] = {111, 112, 113, 114, 78}, uplo[] = {121, 122, 120},
                     diag[] = {131, 132, 133};
    return kind == 't' ? trans[digit(i, 5)] : kind == 'u' ? uplo[digit(i, 3)] : diag[digit(i, 3)];
}

bool bad_combination(bad_routine r, int64_t i, bad_arguments *p)
{
    static const int layouts[] = {ROW, COL, 100};
    static const int64_t dims[] = {0, 1, 3, -1}, strides[] = {0, 1, 2, 3, -2};
    const signature *s = &signatures[r];
    *p = (bad_arguments){.routine = r, .option = {layouts[digit(&i, 3)]}};
    for (int j = 0; s->options[j]; j++)
        p->option[1 + j] = option_value(s->options[j], &i);
    for (int j = 0; j < s->n_dims; j++)
        p->dim[j] = dims[digit(&i, 4)];
    for (int j = 0; j < s->n_lds; j++)
        p->ld[j] = strides[digit(&i, 5)];
    return i == 0;
}

char bad_letter(int option)
{
    static const char letters[] = "NtCuLnU"; /* 111 112 113 121 122 131 132 */
    static const int options[] = {111, 112, 113, 121, 122, 131, 132};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i] == option)
            return letters[i];
    return '?';
}
