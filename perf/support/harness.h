/* The benchmark harness: everything that is compared runs interleaved in one pinned
 * process, and every figure is a ratio to a baseline of the same run.
 *
 * One sample of a candidate is `calls` calls in a row, at least some 20 us. A round
 * takes n_samples samples of every candidate in turn, fewer of a slow one, and keeps minimum and
 * median of each. Three rounds give three ratios of minima; the best is reported with the
 * largest, as the spread. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

typedef struct {
    const char *name;
    void (*run)(void *ctx);    /* one call */
    void (*before)(void *ctx); /* before each sample, not timed; or NULL */
    void *ctx;                 /* for both, or NULL: that of the measurement */
    double min_ns, median_ns;  /* of one call; best round */
    double cycles;             /* of the time-stamp counter, likewise; 0 where there is none */
    double ratio, worst_ratio; /* of minima to candidate 0's: best and worst round */
} bench_candidate;

enum { BENCH_CANDIDATES = 20, BENCH_LIBRARIES = 4 };

typedef struct {
    bool quick;
    double round_ns; /* that the samples of a candidate may take in a round */
    int cpu;         /* pinned to */
    const char *openblas;
    const char *blas[BENCH_LIBRARIES]; /* further libraries to compare with */
    int n_blas;
} bench_options;

typedef struct {
    char processor[256];
} bench_machine;

/* One thread, pinned, OpenBLAS's best kernels. */
bench_machine bench_prepare(const bench_options *o);

/* Fills in the timings of n_candidates <= BENCH_CANDIDATES; candidate 0 is the baseline. */
void bench_measure(const bench_options *o, bench_candidate *candidate, int n_candidates, void *ctx);

/* The path of a file, named as seen from this program's folder. False if it is not there. */
bool bench_beside(char *path, size_t n_bytes, const char *name);

/* exblas_set_method(ctx), to come before the samples of a method. */
void bench_choose_method(void *ctx);

/* Lets the process run on all n_cpus processors, or on the one of the options. */
void bench_unpin(int n_cpus);
void bench_pin(const bench_options *o);

/* Before the first library is loaded: one thread, and OpenBLAS's best kernels. */
void baseline_prepare(void);

/* A function of the OpenBLAS named on the command line, or of the system's, one thread; NULL
 * if there is none. */
void *bench_openblas(const bench_options *o, const char *symbol);

/* Its version and the processor that its kernels are for. */
void bench_name_openblas(const bench_options *o, char *text, size_t n_bytes);

/* The candidates that call `symbol` of OpenBLAS and of each further library, those that have it;
 * ctx is the function, as dlsym returns it. Returns how many: at most 1 + BENCH_LIBRARIES. */
int bench_libraries(const bench_options *o, const char *symbol, void (*run)(void *),
                    bench_candidate *candidate);
