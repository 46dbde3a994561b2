#include "rivals.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

const bool rivals_have_mpfr = true;

static struct {
    int n;
    mpfr_t *number;
    mpfr_ptr *pointer;
} kept;

void rivals_mpfr_free(void)
{
    for (int i = 0; i < kept.n; i++)
        mpfr_clear(kept.number[i]);
    free(kept.number);
    free(kept.pointer);
    kept.n = 0;
    kept.number = NULL;
    kept.pointer = NULL;
    mpfr_free_cache();
}

static bool allocate(int n)
{
    rivals_mpfr_free();
    kept.number = malloc((size_t)n * sizeof *kept.number);
    kept.pointer = malloc((size_t)n * sizeof *kept.pointer);
    for (; kept.number && kept.pointer && kept.n < n; kept.n++) {
        mpfr_init2(kept.number[kept.n], 53);
        kept.pointer[kept.n] = kept.number[kept.n];
    }
    return kept.n == n;
}

void rivals_mpfr_set(const void *unused, const int *n, const double *x)
{
    (void)unused;
    if (*n > kept.n && !allocate(*n))
        return;
    for (int i = 0; i < *n; i++)
        mpfr_set_d(kept.number[i], x[i], MPFR_RNDN);
}

double rivals_mpfr(const int *n)
{
    mpfr_t sum;
    if (*n > kept.n)
        return NAN;
    mpfr_init2(sum, 53);
    mpfr_sum(sum, kept.pointer, (unsigned long)*n, MPFR_RNDN);
    double s = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_clear(sum);
    return s;
}
