/* The benchmark harness: everything that is compared runs interleaved in one pinned
 * process, and every figure is a ratio to a baseline of the same run.
 *
 * One sample of a candidate is `calls` calls in a row, at least some 20 us. A round
 * takes n_samples samples of every candidate in turn and keeps minimum and median of
 * each. Three rounds give three ratios of minima; the best is reported with the
 * largest, as the spread. */
#ifndef EXB_PERF_HARNESS_H
#define EXB_PERF_HARNESS_H

#include <stdbool.h>
#include <stdio.h>

typedef struct {
    const char *name;
    void (*run)(void *ctx);    /* one call */
    double min_ns, median_ns;  /* of one call; best round */
    double ratio, worst_ratio; /* of minima to candidate 0's: best and worst round */
} bench_candidate;

typedef struct {
    bool csv, quick;
    int cpu;            /* pinned to */
    const char *filter; /* only suites and rows whose text contains it */
    const char *openblas;
} bench_options;

/* Parses the arguments of a benchmark program, pins the process and prints the
 * machine. Exits for --help and for arguments it does not know. */
bench_options bench_start(int argc, char **argv, const char *what);

enum { BENCH_CANDIDATES = 16 };

typedef struct {
    char processor[256];
} bench_machine;

/* What bench_start does after it has parsed: one thread, pinned, OpenBLAS's best kernels. */
bench_machine bench_prepare(const bench_options *o);

/* Fills in the timings of n_candidates <= BENCH_CANDIDATES; candidate 0 is the baseline. */
void bench_measure(const bench_options *o, bench_candidate *candidate, int n_candidates, void *ctx);

/* Prints a header line, then rows: texts of the case, then the figures. n is the number of
 * elements of one call, for ns per element. */
void bench_header(const bench_options *o, const char *title);
void bench_row(const bench_options *o, const char *label, double n,
               const bench_candidate *candidate, int n_candidates);

/* A function of the OpenBLAS named on the command line, or of the system's, one thread; NULL
 * if there is none. */
void *bench_openblas(const bench_options *o, const char *symbol);

/* True if `label` is wanted. */
bool bench_wanted(const bench_options *o, const char *label);

#endif
