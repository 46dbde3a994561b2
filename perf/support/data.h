/* The kinds of data that figures are reported for. */
#pragma once

#include <stdint.h>

/* The next number of a sequence, in [0, 1). */
double data_uniform(uint64_t *state);

/* x: n numbers of the kind of that name, as floats if `narrow`. */
void data_fill(const char *kind, int64_t n, double *x, uint64_t seed, int narrow);

/* n floats to bfloat16 or half, towards zero: as floats in place, and in 16 bits. */
void data_cut(int bf16, int64_t n, double *x, void *bits);
