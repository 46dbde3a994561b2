#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N_ROUNDS = 3, MAX_SAMPLES = 31 };

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

double bench_call(const bench_candidate *c)
{
    const void *const *a = c->argument;
    if (c->restored)
        memcpy(c->restored, c->start, c->bytes);
    return c->run(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12],
                  a[13], a[14], a[15]);
}

static void prepare(const bench_candidate *c)
{
    if (c->before)
        c->before(c->given, c->argument[0], c->argument[1]);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Calls per sample: as many as make some 20 us, found by doubling. */
static int calls_per_sample(const bench_candidate *c)
{
    prepare(c);
    for (int calls = 1;; calls *= 2) {
        double least = HUGE_VAL; /* of two: the first call loads code and data */
        for (int attempt = 0; attempt < 2; attempt++) {
            double t = now_ns();
            for (int i = 0; i < calls; i++)
                bench_call(c);
            least = fmin(least, now_ns() - t);
        }
        if (least > 2e4 || calls >= 1 << 16)
            return calls;
    }
}

static double time_stamp(void)
{
#if defined(__x86_64__)
    return (double)__builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

/* Of one call. */
typedef struct {
    double ns, cycles;
} span;

static span sample(const bench_candidate *c, int calls)
{
    prepare(c);
    double cycles = time_stamp(), t = now_ns();
    for (int i = 0; i < calls; i++)
        bench_call(c);
    t = now_ns() - t;
    return (span){t / calls, (time_stamp() - cycles) / calls};
}

/* At least one. */
static int samples_per_round(const bench_candidate *c, int calls, double round_ns, int most)
{
    double n = round_ns / (calls * sample(c, calls).ns);
    return n < 1 ? 1 : n < most ? (int)n : most;
}

/* times: of the round, sorted. The ratio of a round is that of the two minima. */
static void close_round(bench_candidate *c, int round, const double *times, int n, double cycles,
                        double baseline_ns)
{
    double ratio = times[0] / baseline_ns;
    if (round == 0 || times[0] < c->min_ns) {
        c->min_ns = times[0];
        c->median_ns = times[n / 2];
        c->cycles = cycles;
    }
    c->ratio = round == 0 || ratio < c->ratio ? ratio : c->ratio;
    c->worst_ratio = round == 0 || ratio > c->worst_ratio ? ratio : c->worst_ratio;
}

void bench_measure(bench_candidate *candidate, int n_candidates, double round_ns, int most_samples)
{
    static double times[BENCH_CANDIDATES][MAX_SAMPLES];
    int calls[BENCH_CANDIDATES], n_samples[BENCH_CANDIDATES];
    for (int j = 0; j < n_candidates; j++) {
        calls[j] = calls_per_sample(&candidate[j]); /* also the warm-up */
        n_samples[j] = samples_per_round(&candidate[j], calls[j], round_ns, most_samples);
    }
    for (int round = 0; round < N_ROUNDS; round++) {
        double cycles[BENCH_CANDIDATES];
        for (int i = 0; i < MAX_SAMPLES; i++)
            for (int j = 0; j < n_candidates; j++)
                if (i < n_samples[j]) {
                    span s = sample(&candidate[j], calls[j]);
                    times[j][i] = s.ns;
                    cycles[j] = i == 0 || s.cycles < cycles[j] ? s.cycles : cycles[j];
                }
        for (int j = 0; j < n_candidates; j++)
            qsort(times[j], (size_t)n_samples[j], sizeof(double), compare);
        for (int j = 0; j < n_candidates; j++)
            close_round(&candidate[j], round, times[j], n_samples[j], cycles[j], times[0][0]);
    }
}
