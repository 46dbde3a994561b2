/* The widening fixed-point number: exblas_hp in an array with room for all that sums of
 * doubles can need. */
#include "exblas/fixed.h"

#include <stdbool.h>
#include <stdlib.h>

/* 17 words behind the point hold 2^-1074; 17 before it hold 2^1024 and the sign, two more
 * the sum of 2^128 of those: only a sum merged with itself again and again gets beyond. */
enum { MAX_FRACTION = 17, MAX_INTEGER = 19, MAX_WORDS = MAX_FRACTION + MAX_INTEGER };

struct exblas_hpw {
    int n, k;
    uint64_t w[MAX_WORDS];
};

exblas_hpw *exblas_hpw_create(int n, int k)
{
    if (n < 1 || k < 0 || k > n || k > MAX_FRACTION || n - k > MAX_INTEGER)
        return NULL;
    exblas_hpw *a = calloc(1, sizeof *a);
    if (a) {
        a->n = n;
        a->k = k;
    }
    return a;
}

void exblas_hpw_free(exblas_hpw *a)
{
    free(a);
}

static bool is_negative(const exblas_hpw *a)
{
    return a->w[a->n - 1] >> 63;
}

/* One more word before the point, with the given sign. False if there is no room. */
static bool widen_top(exblas_hpw *a, bool negative)
{
    if (a->n - a->k == MAX_INTEGER)
        return false;
    a->w[a->n++] = negative ? UINT64_MAX : 0;
    return true;
}

/* One more word behind the point: k is less than MAX_FRACTION. */
static void widen_fraction(exblas_hpw *a)
{
    memmove(a->w + 1, a->w, (size_t)a->n * sizeof *a->w);
    a->w[0] = 0;
    a->n++;
    a->k++;
}

/* a += v, of a's n words. After an overflow the words are right but for the sign, which is
 * the opposite of what the top bit says. */
static exblas_status add_words(exblas_hpw *a, const uint64_t *v)
{
    if (exblas_hp_add(a->w, v, a->n) == EXBLAS_OK)
        return EXBLAS_OK;
    return widen_top(a, !is_negative(a)) ? EXBLAS_OK : EXBLAS_ERANGE;
}

exblas_status exblas_hpw_add(exblas_hpw *a, double x)
{
    uint64_t v[MAX_WORDS];
    exblas_hpw sum = *a;
    exblas_status status;
    if ((exblas_hp_bits(x) >> 52 & 0x7ff) == 0x7ff)
        return EXBLAS_ERANGE;
    while ((status = exblas_hp_from_double(v, sum.n, sum.k, x)) != EXBLAS_OK) {
        if (status == EXBLAS_EUNDERFLOW)
            widen_fraction(&sum);
        else
            widen_top(&sum, is_negative(&sum)); /* x fits in 17 words */
    }
    status = add_words(&sum, v);
    if (status == EXBLAS_OK)
        *a = sum;
    return status;
}

exblas_status exblas_hpw_merge(exblas_hpw *a, const exblas_hpw *b)
{
    exblas_hpw sum = *a, v = *b;
    while (sum.k < v.k)
        widen_fraction(&sum);
    while (v.k < sum.k)
        widen_fraction(&v);
    while (sum.n < v.n)
        widen_top(&sum, is_negative(&sum));
    while (v.n < sum.n)
        widen_top(&v, is_negative(&v));
    exblas_status status = add_words(&sum, v.w);
    if (status == EXBLAS_OK)
        *a = sum;
    return status;
}

exblas_status exblas_hpw_to_double(const exblas_hpw *a, double *x)
{
    return exblas_hp_to_double(a->w, a->n, a->k, x);
}

const exblas_hp_word *exblas_hpw_words(const exblas_hpw *a, int *n, int *k)
{
    *n = a->n;
    *k = a->k;
    return a->w;
}
