/* One sum in the four ways that the experiments compare. */
#pragma once

#include "hallberg.h"

#include <exblas/exblas.h>
#include <exblas/fixed.h>

/* The formats of the comparison: 384 bits against 380, which take 2^25 terms. */
enum { HP_N = 6, HP_K = 3 };

/* w += all x. False if one did not fit. */
static inline bool hp_add_all(uint64_t *w, int n_words, int k, int64_t n, const double *x)
{
    int status = EXBLAS_OK;
    for (int64_t i = 0; i < n; i++) {
        uint64_t v[HP_N] = {0};
        status |= exblas_hp_from_double(v, n_words, k, x[i]);
        status |= exblas_hp_add(w, v, n_words);
    }
    return status == EXBLAS_OK;
}

static inline void hallberg_add_all(hallberg *s, int64_t n, const double *x)
{
    for (int64_t i = 0; i < n; i++)
        hallberg_add(s, x[i]);
}

/* xorshift64*, in [0, 1). */
static inline double next_uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)(*state * 2685821657736338717u >> 11) * 0x1p-53;
}
