/* Sums and dot products by every method, as candidates: of sums.n numbers, the result to
 * sums.result. */
#pragma once

#include "comparators.h"
#include "harness.h"

#include <stdint.h>

typedef struct {
    int64_t n;
    double *x, *y; /* y: of dot products */
    const comparators *c;
    volatile double result;
} sums_work;

extern sums_work sums;

/* is_short: without what has a range of its own, or takes its time. The last one is our default.
 * Both return how many. */
int sums_candidates(bool is_short, bench_candidate *c);
int sums_dot_candidates(const bench_options *o, bench_candidate *c);
