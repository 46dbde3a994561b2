/* The kinds of data that figures are reported for. */
#pragma once

#include <stdint.h>

typedef struct {
    const char *name;
    void (*fill)(int64_t n, double *x, const double *parameter, uint64_t seed);
    double parameter;
} data_kind;

enum { DATA_UNIFORM, DATA_NORMAL }; /* the first ones */
extern const data_kind data_kinds[];
extern const int n_data_kinds;

/* The next number of a sequence, in [0, 1). */
double data_uniform(uint64_t *state);

/* To floats, in place. */
void data_narrow(int64_t n, double *x);
