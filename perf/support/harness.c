#include "harness.h"

#include <sched.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <exblas/exblas.h>

enum { N_ROUNDS = 3, MAX_SAMPLES = 64 };

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

void bench_pin(const bench_options *o)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)o->cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        fprintf(stderr, "cannot pin to processor %d\n", o->cpu);
}

void bench_unpin(int n_cpus)
{
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int i = 0; i < n_cpus; i++)
        CPU_SET((size_t)i, &all);
    sched_setaffinity(0, sizeof all, &all);
}

static bench_machine find_machine(void)
{
    bench_machine m = {"unknown processor"};
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f)) {
        const char *name = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (name) {
            snprintf(m.processor, sizeof m.processor, "%s", name + strspn(name, ": "));
            m.processor[strcspn(m.processor, "\n")] = 0;
            break;
        }
    }
    if (f)
        fclose(f);
    return m;
}

bench_machine bench_prepare(const bench_options *o)
{
    baseline_prepare();
    exblas_set_num_threads(1);
    bench_pin(o);
    return find_machine();
}

bool bench_beside(char *path, size_t n_bytes, const char *name)
{
    ssize_t n = readlink("/proc/self/exe", path, n_bytes - 1);
    path[n > 0 ? n : 0] = 0;
    char *slash = strrchr(path, '/');
    if (!slash || (size_t)(slash - path) + strlen(name) + 2 > n_bytes)
        return false;
    strcpy(slash + 1, name);
    return access(path, R_OK) == 0;
}

void bench_choose_method(void *ctx)
{
    exblas_set_method(ctx);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Calls per sample: as many as make some 20 us, found by doubling. */
static int calls_per_sample(const bench_candidate *c, void *ctx)
{
    ctx = c->ctx ? c->ctx : ctx;
    if (c->before)
        c->before(ctx);
    for (int calls = 1;; calls *= 2) {
        double least = HUGE_VAL; /* of two: the first call loads code and data */
        for (int attempt = 0; attempt < 2; attempt++) {
            double t = now_ns();
            for (int i = 0; i < calls; i++)
                c->run(ctx);
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

static span sample(const bench_candidate *c, int calls, void *ctx)
{
    ctx = c->ctx ? c->ctx : ctx;
    if (c->before)
        c->before(ctx);
    double cycles = time_stamp(), t = now_ns();
    for (int i = 0; i < calls; i++)
        c->run(ctx);
    t = now_ns() - t;
    return (span){t / calls, (time_stamp() - cycles) / calls};
}

/* At least one. */
static int samples_per_round(const bench_options *o, const bench_candidate *c, int calls, void *ctx)
{
    double most = o->quick ? 9 : 31, n = o->round_ns / (calls * sample(c, calls, ctx).ns);
    return n < 1 ? 1 : n < most ? (int)n : (int)most;
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

void bench_measure(const bench_options *o, bench_candidate *candidate, int n_candidates, void *ctx)
{
    static double times[BENCH_CANDIDATES][MAX_SAMPLES];
    int calls[BENCH_CANDIDATES], n_samples[BENCH_CANDIDATES];
    for (int j = 0; j < n_candidates; j++) {
        calls[j] = calls_per_sample(&candidate[j], ctx); /* also the warm-up */
        n_samples[j] = samples_per_round(o, &candidate[j], calls[j], ctx);
    }
    for (int round = 0; round < N_ROUNDS; round++) {
        double cycles[BENCH_CANDIDATES];
        for (int i = 0; i < MAX_SAMPLES; i++)
            for (int j = 0; j < n_candidates; j++)
                if (i < n_samples[j]) {
                    span s = sample(&candidate[j], calls[j], ctx);
                    times[j][i] = s.ns;
                    cycles[j] = i == 0 || s.cycles < cycles[j] ? s.cycles : cycles[j];
                }
        for (int j = 0; j < n_candidates; j++)
            qsort(times[j], (size_t)n_samples[j], sizeof(double), compare);
        for (int j = 0; j < n_candidates; j++)
            close_round(&candidate[j], round, times[j], n_samples[j], cycles[j], times[0][0]);
    }
}
