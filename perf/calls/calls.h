/* Recorded BLAS calls. A record is a file of calls, each the routine's number in the table below,
 * an int32, and its arguments in order: letters and integers as int32, scalars as doubles, arrays
 * as an int64, how many doubles they have, and these. */
#ifndef PERF_CALLS_H
#define PERF_CALLS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_MOST = 13 };

/* kinds: of arguments, all by address: c a letter, i an integer, s a scalar, m a matrix, whose
 * leading dimension comes next, v a vector, whose increment comes next; M and V are written.
 * columns and rows: of each array in turn (calls_extent); columns of a vector: its length. */
typedef struct {
    const char *name, *kinds, *columns, *rows;
} calls_routine;

static const calls_routine calls_routines[] = {
    {"dgemm_", "cciiismimisMi", "pq1", "PQ0"}, {"dsyrk_", "cciismisMi", "t0", "T0"},
    {"dsyr2k_", "cciismimisMi", "tt0", "TT0"}, {"dtrmm_", "cccciismiMi", "s1", "s0"},
    {"dtrsm_", "cccciismiMi", "s1", "s0"},     {"dgemv_", "ciismivisVi", "1xy", "0--"},
    {"dsymv_", "cismivisVi", "000", "0--"},    {"dtrmv_", "cccimiVi", "00", "0-"},
    {"dtrsv_", "cccimiVi", "00", "0-"},        {"dger_", "iisviviMi", "011", "--0"},
};

enum { CALLS_ROUTINES = sizeof calls_routines / sizeof *calls_routines };

/* Letter l and integer k of the arguments. */
static inline int calls_is(const calls_routine *r, void *const *a, int l, char letter)
{
    (void)r;
    return (*(const char *)a[l] & ~0x20) == letter;
}

static inline int64_t calls_integer(const calls_routine *r, void *const *a, int k)
{
    const char *kinds = r->kinds;
    for (int i = 0; kinds[i]; i++)
        if (kinds[i] == 'i' && k-- == 0)
            return *(const int *)a[i];
    return 0;
}

/* A digit is that integer of the call; the others depend on the letters:
 *   p P   columns and rows of gemm's first matrix      q Q   of its second
 *   t T   of a matrix of syrk's                        s     order of trmm's triangle
 *   x y   lengths of gemv's vectors */
static inline int64_t calls_extent(const calls_routine *r, void *const *a, char code)
{
    int64_t m = calls_integer(r, a, 0), n = calls_integer(r, a, 1), k = calls_integer(r, a, 2);
    switch (code) {
    case 'p':
        return calls_is(r, a, 0, 'N') ? k : m;
    case 'P':
        return calls_is(r, a, 0, 'N') ? m : k;
    case 'q':
        return calls_is(r, a, 1, 'N') ? n : k;
    case 'Q':
        return calls_is(r, a, 1, 'N') ? k : n;
    case 't':
        return calls_is(r, a, 1, 'N') ? n : m;
    case 'T':
        return calls_is(r, a, 1, 'N') ? m : n;
    case 's':
        return calls_is(r, a, 0, 'L') ? m : n;
    case 'x':
        return calls_is(r, a, 0, 'N') ? n : m;
    case 'y':
        return calls_is(r, a, 0, 'N') ? m : n;
    default:
        return code == '0' ? m : code == '1' ? n : 0;
    }
}

/* How many doubles argument i has, the array-th array. */
static inline int64_t calls_length(const calls_routine *r, void *const *a, int i, int array)
{
    int64_t step = llabs(*(const int *)a[i + 1]), columns = calls_extent(r, a, r->columns[array]);
    if (columns <= 0)
        return 0;
    if (strchr("vV", r->kinds[i]))
        return (columns - 1) * step + 1;
    int64_t rows = calls_extent(r, a, r->rows[array]);
    return rows <= 0 ? 0 : (columns - 1) * step + rows;
}

#endif
