#include "bad_call.h"

#include <stddef.h>

enum { ROW = 101, COL = 102 };

/* What each routine takes: kinds of its options after the layout (t, u, d), how many
 * dimensions and strides. */
typedef struct {
    const char *name, *options;
    int n_dims, n_lds;
} signature;

static const signature signatures[N_BAD_ROUTINES] = {
    {"gemm", "tt", 3, 3}, {"gemv", "t", 2, 3}, {"trsv", "utd", 1, 2}, {"syrk", "ut", 2, 2}};

const char *bad_routine_name(bad_routine r)
{
    return signatures[r].name;
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
