/* One accumulator, many threads: the bytes of the serial sum. */
#include "acc_support.h"
#include "test_random.h"
#include "testing.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { LENGTH = 24000, MOST_THREADS = 8 };

static double data[LENGTH];

typedef struct {
    exblas_acc *a;
    int begin, end, step;
} share;

static void *add_share(void *ctx)
{
    const share *s = ctx;
    for (int i = s->begin; i < s->end; i += s->step)
        exblas_acc_add_atomic(s->a, data[i]);
    return NULL;
}

static void add_all(exblas_acc *a, int n_threads)
{
    pthread_t thread[MOST_THREADS];
    share s[MOST_THREADS];
    for (int i = 0; i < n_threads; i++) {
        s[i] = (share){a, i, LENGTH, n_threads};
        assert_int_equal(pthread_create(&thread[i], NULL, add_share, &s[i]), 0);
    }
    for (int i = 0; i < n_threads; i++)
        pthread_join(thread[i], NULL);
}

static void check_all_counts(void)
{
    static const int n_threads[] = {1, 2, 3, 8};
    exblas_acc serial;
    exblas_acc_init(&serial);
    exblas_acc_add_vector(&serial, LENGTH, data, 1);
    exblas_acc twice = serial;
    exblas_acc_merge(&twice, &serial);
    for (int i = 0; i < 4; i++) {
        exblas_acc a;
        exblas_acc_init(&a);
        add_all(&a, n_threads[i]);
        assert_same_sum(&a, &serial);
        /* Other verbs go on from there, and atomic ones again. */
        exblas_acc_add(&a, 1);
        add_all(&a, n_threads[3 - i]);
        exblas_acc_sub(&a, 1);
        assert_same_sum(&a, &twice);
    }
}

/* All threads on the same two words, of both signs: carries up and down all the time. */
static void contended(NO_STATE)
{
    for (int i = 0; i < LENGTH; i++)
        data[i] = (i % 5 == 0 ? -3 : 1) * 0x1.fffffffffffffp30;
    check_all_counts();
    for (int i = 0; i < LENGTH; i++)
        data[i] = -0x1.fffffffffffffp-1022;
    check_all_counts();
}

static void everywhere(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "atomic");
    for (int i = 0; i < LENGTH; i++)
        data[i] = random_number(&r, FORMAT_D, (int)random_between(&r, -1074, 1023));
    data[0] = DBL_MAX;
    data[1] = -0x1p-1074;
    data[2] = -0.0;
    check_all_counts();
    data[LENGTH / 2] = HUGE_VAL;
    check_all_counts();
    data[LENGTH / 3] = -HUGE_VAL;
    check_all_counts();
}

/* More deposits than a word holds between carries, after as many of the other kind. */
static void after_plain_deposits(NO_STATE)
{
    exblas_acc a, wanted;
    exblas_acc_init(&a);
    exblas_acc_init(&wanted);
    for (int i = 0; i < 3500; i++) {
        double x = 0x1.fffffffffffffp52;
        exblas_acc_add(&wanted, x);
        if (i % 1500 < 999)
            exblas_acc_add(&a, x);
        else
            exblas_acc_add_atomic(&a, x);
    }
    assert_same_sum(&a, &wanted);
}

/* 510 atomic deposits of a full word stay just below the word's first carry; as many more as are
 * allowed between carries otherwise would pass 2^63. A full word needs the right power of two. */
static void before_plain_deposits(NO_STATE)
{
    for (int e = 0; e < 53; e++) {
        double x = 0x1.fffffffffffffp52 * power_of_two(e);
        exblas_acc a, wanted;
        exblas_acc_init(&a);
        exblas_acc_init(&wanted);
        for (int i = 0; i < 1500; i++) {
            if (i < 510)
                exblas_acc_add_atomic(&a, x);
            else
                exblas_acc_add(&a, x);
            exblas_acc_add(&wanted, x);
            exblas_acc_normalize(&wanted);
        }
        assert_same_sum(&a, &wanted);
    }
}

enum { N_RACERS = 2, N_RACES = 20, RACE_LENGTH = 100000 };

typedef struct {
    exblas_acc *a;
    atomic_int *n_ready;
    int cpu; /* -1: any */
} racer;

/* The n-th processor that this process may use, or -1. */
static int nth_cpu(int n)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return -1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && n-- == 0)
            return cpu;
    return -1;
}

/* Both start together, each on a processor of its own. */
static void *add_in_a_race(void *ctx)
{
    const racer *r = ctx;
    cpu_set_t own;
    CPU_ZERO(&own);
    if (r->cpu >= 0) {
        CPU_SET(r->cpu, &own);
        sched_setaffinity(0, sizeof own, &own);
    }
    atomic_fetch_add(r->n_ready, 1);
    while (atomic_load(r->n_ready) < N_RACERS)
        ;
    for (int i = 0; i < RACE_LENGTH; i++)
        exblas_acc_add_atomic(r->a, 0x1.8p60);
    return NULL;
}

static void no_update_is_lost(NO_STATE)
{
    for (int race = 0; race < N_RACES; race++) {
        pthread_t thread[N_RACERS];
        atomic_int n_ready = 0;
        exblas_acc a, wanted;
        exblas_acc_init(&a);
        exblas_acc_init(&wanted);
        exblas_acc_add_product(&wanted, N_RACERS * RACE_LENGTH, 0x1.8p60);
        racer r[N_RACERS];
        for (int i = 0; i < N_RACERS; i++) {
            r[i] = (racer){&a, &n_ready, nth_cpu(i)};
            assert_int_equal(pthread_create(&thread[i], NULL, add_in_a_race, &r[i]), 0);
        }
        for (int i = 0; i < N_RACERS; i++)
            pthread_join(thread[i], NULL);
        assert_same_sum(&a, &wanted);
    }
}

TESTS(contended, everywhere, after_plain_deposits, before_plain_deposits, no_update_is_lost)
