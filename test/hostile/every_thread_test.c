/* Every routine from many threads at once, and in forked children.
 *
 * - 64 threads of the program with stacks of 128 KiB make 10^5 calls of everything while another
 * one changes the number of threads, the method and the statistics.
 * - A process whose other threads are in the middle of calls, with statistics switched on, forks:
 * the child calls something, with threads of its own; the children together call everything.
 *
 * Run with a trace and without: each has a lock that the other hides. */
#include "core/partition.h"

#include "every_case.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_CALLERS = 64, ROUNDS = 7, N_FORKS = 100, MOST_NAMES = 4096 };

static uint64_t expected[MOST_NAMES];

static uint64_t hash_of(const routine_name *name)
{
    every_layout q = {.size = 1 + name->routine % 3,
                      .options = name->routine * 2 % EVERY_OPTIONS, /* by columns */
                      .increment = name->routine % EVERY_INCREMENTS};
    return every_hash(name, &q);
}

static int prepare(NO_STATE)
{
    exblas_set_num_threads(1);
    for (int i = 0; routine_names[i].name; i++) {
        if (i == MOST_NAMES)
            abort();
        expected[i] = hash_of(&routine_names[i]);
    }
    exblas_set_num_threads(3);
    exb_partition_set_grain(1);
    return 0;
}

/* Names first, first + step, ...; the number of wrong results. */
static int call_names(int first, int step)
{
    int n_wrong = 0;
    for (int i = 0; routine_names[i].name; i++)
        if (i % step == first)
            n_wrong += hash_of(&routine_names[i]) != expected[i];
    return n_wrong;
}

static void *caller(void *share)
{
    int *n = share, first = *n;
    *n = 0;
    for (int round = 0; round < ROUNDS; round++)
        *n += call_names((first + round) % 4, 4);
    return NULL;
}

static atomic_bool finished;

static void *change_settings(void *unused)
{
    static const char *const methods[] = {"auto", "superacc", "fpe4", "anchor", "general"};
    (void)unused;
    for (int i = 0; !atomic_load(&finished); i++) {
        exblas_stats s;
        exblas_set_num_threads(i % 9);
        exblas_set_method(methods[i % 5]);
        exblas_stats_enable(i & 1);
        exblas_stats_total("dgemm", &s);
        exblas_set_workspace((size_t)(i % 3) << 16);
        usleep(200);
    }
    exblas_set_method(NULL);
    exblas_set_workspace(0);
    exblas_stats_enable(0);
    return NULL;
}

static void many_callers(NO_STATE)
{
    pthread_t thread[N_CALLERS], settings;
    pthread_attr_t attr;
    int share[N_CALLERS];
    pthread_attr_init(&attr);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
    pthread_attr_setstacksize(&attr, 128 << 10);
#endif
    atomic_store(&finished, false);
    assert_int_equal(pthread_create(&settings, NULL, change_settings, NULL), 0);
    for (int i = 0; i < N_CALLERS; i++) {
        share[i] = i;
        assert_int_equal(pthread_create(&thread[i], &attr, caller, &share[i]), 0);
    }
    for (int i = 0; i < N_CALLERS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(share[i], 0);
    }
    pthread_attr_destroy(&attr);
    atomic_store(&finished, true);
    pthread_join(settings, NULL);
}

/* Short calls, so that most of the time goes to what surrounds them: locks. */
static void *call_until_finished(void *unused)
{
    double x[3] = {1, 0x1p-60, -1};
    (void)unused;
    while (!atomic_load(&finished))
        if (!same_bits(excblas_dsum(3, x, 1), 0x1p-60))
            abort();
    return NULL;
}

static int call_in_child(int first)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(60); /* a child that hangs is a failure, not a hanging test */
        exblas_stats s;
        exblas_set_num_threads(2);
        bool ok = call_names(first, N_FORKS) == 0;
        _exit(!ok || exblas_stats_total("dsum", &s) != EXBLAS_OK);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

static void forked_while_others_call(NO_STATE)
{
    enum { N = 4 };
    pthread_t thread[N];
    exblas_stats_enable(1);
    exblas_set_num_threads(3);
    excblas_dsum(0, NULL, 1); /* the first child looks for it */
    atomic_store(&finished, false);
    for (int i = 0; i < N; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, call_until_finished, NULL), 0);
    for (int i = 0; i < N_FORKS; i++)
        assert_int_equal(call_in_child(i), 0);
    atomic_store(&finished, true);
    for (int i = 0; i < N; i++)
        pthread_join(thread[i], NULL);
    exblas_stats_enable(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_callers),
        cmocka_unit_test(forked_while_others_call),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
