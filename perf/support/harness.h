/* Time of calls: everything that is compared runs interleaved in one pinned process, and every
 * figure is a ratio to a baseline of the same run.
 *
 * One sample of a candidate is `calls` calls in a row, at least some 20 us. A round
 * takes n_samples samples of every candidate in turn, fewer of a slow one, and keeps minimum and
 * median of each. Three rounds give three ratios of minima; the best is reported with the
 * largest, as the spread. */
#pragma once

#include <stddef.h>

/* One way to compute something, as suites.py makes it. All arguments are addresses, or integers,
 * and those beyond the function's own are not looked at; before: comes before each sample, not
 * timed, with `given` and the first arguments; restored: an operand that would grow or shrink from
 * call to call, copied from start, or NULL. */
typedef struct {
    double (*run)(const void *, const void *, const void *, const void *, const void *,
                  const void *, const void *, const void *, const void *, const void *,
                  const void *, const void *, const void *, const void *, const void *,
                  const void *);
    const void *argument[16];
    void (*before)(const void *given, const void *first, const void *second);
    const void *given;
    void *restored;
    const void *start;
    size_t bytes;
    double min_ns, median_ns;  /* of one call; best round */
    double cycles;             /* of the time-stamp counter, likewise; 0 where there is none */
    double ratio, worst_ratio; /* of minima to candidate 0's: best and worst round */
} bench_candidate;

enum { BENCH_CANDIDATES = 20 };

/* What one call returns, if that is a double. */
double bench_call(const bench_candidate *c);

/* Fills in the timings of n_candidates <= BENCH_CANDIDATES; candidate 0 is the baseline. round_ns:
 * that the samples of a candidate may take in a round; most_samples <= 31. */
void bench_measure(bench_candidate *candidate, int n_candidates, double round_ns, int most_samples);
