/* Strong scaling: one sum over more and more threads, the threads' own sums and the reduction
 * of them timed apart. ExBLAS's threads do both inside one call, so it has a total only. */
#include "harness.h"
#include "sums.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 64, N_RUNS = 15 };

typedef enum { PLAIN, FIXED, CARRY_FREE, OURS, N_METHODS } method;

static const char *const method_names[] = {"plain loop", "HP(6,3)", "Hallberg(10,38)", "exblas"};

/* A thread's share and its sum. */
typedef struct {
    method method;
    int64_t n;
    const double *x;
    pthread_barrier_t *start;
    double plain;
    uint64_t fixed[HP_N];
    hallberg carry_free;
} share;

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void *sum_share(void *p)
{
    share *s = p;
    pthread_barrier_wait(s->start);
    if (s->method == PLAIN)
        s->plain = sum_plain(s->n, s->x);
    else if (s->method == FIXED)
        hp_add_all(s->fixed, HP_N, HP_K, s->n, s->x);
    else
        hallberg_add_all(&s->carry_free, s->n, s->x);
    return NULL;
}

static double reduce(share *s, int n_threads)
{
    double x = s[0].plain;
    for (int i = 1; i < n_threads; i++) {
        x += s[i].plain;
        exblas_hp_add(s[0].fixed, s[i].fixed, HP_N);
        hallberg_merge(&s[0].carry_free, &s[i].carry_free);
    }
    if (s[0].method == FIXED)
        exblas_hp_to_double(s[0].fixed, HP_N, HP_K, &x);
    else if (s[0].method == CARRY_FREE)
        x = hallberg_value(&s[0].carry_free);
    return x;
}

/* Microseconds. */
typedef struct {
    double local, reduction;
} times;

static times run_threads(method m, int n_threads, int64_t n, const double *x, double *result)
{
    pthread_t thread[MOST_THREADS];
    share s[MOST_THREADS] = {0};
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, (unsigned)n_threads + 1);
    for (int i = 0; i < n_threads; i++) {
        int64_t begin = n * i / n_threads;
        s[i].method = m;
        s[i].n = n * (i + 1) / n_threads - begin;
        s[i].x = x + begin;
        s[i].start = &start;
        if (pthread_create(&thread[i], NULL, sum_share, &s[i]) != 0)
            exit(1);
    }
    double begin = now_us();
    pthread_barrier_wait(&start);
    for (int i = 0; i < n_threads; i++)
        pthread_join(thread[i], NULL);
    double middle = now_us();
    *result = reduce(s, n_threads);
    double end = now_us();
    pthread_barrier_destroy(&start);
    return (times){middle - begin, end - middle};
}

static times run(method m, int n_threads, int64_t n, const double *x, double *result)
{
    if (m != OURS)
        return run_threads(m, n_threads, n, x, result);
    exblas_set_num_threads(n_threads);
    double begin = now_us();
    *result = excblas_dsum_64(n, x, 1);
    return (times){now_us() - begin, 0};
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(method m, int n_threads, int64_t n, const double *x)
{
    double local[N_RUNS], reduction[N_RUNS], result = 0;
    for (int i = 0; i < N_RUNS; i++) {
        times t = run(m, n_threads, n, x, &result);
        local[i] = t.local;
        reduction[i] = t.reduction;
    }
    qsort(local, N_RUNS, sizeof *local, by_value);
    qsort(reduction, N_RUNS, sizeof *reduction, by_value);
    printf("%-16s %7d %12.1f %12.1f", method_names[m], n_threads, local[0], local[N_RUNS / 2]);
    if (m == OURS)
        printf(" %12s %12s", "inside", "inside");
    else
        printf(" %12.2f %12.2f", reduction[0], reduction[N_RUNS / 2]);
    printf("  %a\n", result);
    fflush(stdout);
}

/* The harness pins to one processor, which the threads would share. */
static void unpin(int n_cpus)
{
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int i = 0; i < n_cpus; i++)
        CPU_SET((size_t)i, &all);
    sched_setaffinity(0, sizeof all, &all);
}

int main(int argc, char **argv)
{
    bench_options o = bench_start(argc, argv, "strong_scaling: one sum over more and more threads");
    int n_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    int64_t n = o.quick ? 1 << 20 : 1 << 24;
    uint64_t state = 1;
    double *x = malloc((size_t)n * sizeof *x);
    if (!x)
        return 1;
    unpin(n_cpus);
    for (int64_t i = 0; i < n; i++)
        x[i] = next_uniform(&state) - 0.5;
    printf("# %lld numbers in [-0.5, 0.5), %d processors; microseconds, minimum and median of %d\n",
           (long long)n, n_cpus, N_RUNS);
    printf("%-16s %7s %12s %12s %12s %12s  %s\n", "method", "threads", "local min", "median",
           "reduce min", "median", "result");
    for (method m = PLAIN; m < N_METHODS; m++)
        for (int n_threads = 1; n_threads <= n_cpus && n_threads <= MOST_THREADS; n_threads *= 2)
            measure(m, n_threads, n, x);
    free(x);
    return 0;
}
