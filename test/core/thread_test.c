/* The pool: every task once, nested and concurrent calls, forked children, OpenMP
 * regions, settings that change meanwhile, unusual environments of the callers. */
#include "core/partition.h"
#include "core/thread.h"

#include "hostile_env.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_TASKS = 1000, LENGTH = 5000, N_CALLERS = 16 };

static atomic_int times_run[N_TASKS];

static void count(void *ctx, int64_t i)
{
    (void)ctx;
    atomic_fetch_add(&times_run[i], 1);
}

static void each_task_once(NO_STATE)
{
    for (int n_threads = 1; n_threads <= 9; n_threads++) {
        for (int i = 0; i < N_TASKS; i++)
            atomic_store(&times_run[i], 0);
        exb_parallel_for(n_threads, N_TASKS, count, NULL);
        for (int i = 0; i < N_TASKS; i++)
            assert_int_equal(atomic_load(&times_run[i]), 1);
    }
    exb_parallel_for(4, 0, count, NULL);
}

enum { N_TOGETHER = 4 };

typedef struct {
    pthread_barrier_t all_there;
    pthread_t caller;
    atomic_int n_workers, n_unblocked;
} signals;

static void count_unblocked(void *ctx, int64_t i)
{
    signals *s = ctx;
    sigset_t blocked;
    (void)i;
    pthread_barrier_wait(&s->all_there); /* so that no thread takes two tasks */
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (pthread_equal(pthread_self(), s->caller))
        return;
    atomic_fetch_add(&s->n_workers, 1);
    for (int k = 1; k < 32; k++)
        if (k != SIGKILL && k != SIGSTOP && !sigismember(&blocked, k))
            atomic_fetch_add(&s->n_unblocked, 1);
}

/* A program's handlers run in its own threads. */
static void workers_take_no_signals(NO_STATE)
{
    signals s = {.caller = pthread_self()};
    pthread_barrier_init(&s.all_there, NULL, N_TOGETHER);
    exb_parallel_for(N_TOGETHER, N_TOGETHER, count_unblocked, &s);
    pthread_barrier_destroy(&s.all_there);
    assert_int_equal(s.n_workers, N_TOGETHER - 1);
    assert_int_equal(s.n_unblocked, 0);
}

static atomic_int n_inner;

static void inner(void *ctx, int64_t i)
{
    (void)ctx, (void)i;
    atomic_fetch_add(&n_inner, 1);
}

static void outer(void *ctx, int64_t i)
{
    (void)i;
    if (exb_thread_count() != 1)
        *(bool *)ctx = false;
    exb_parallel_for(4, 10, inner, NULL);
}

static void nested_calls_run_alone(NO_STATE)
{
    bool serial_inside = true;
    exblas_set_num_threads(4);
    exb_parallel_for(4, 20, outer, &serial_inside);
    assert_true(serial_inside);
    assert_int_equal(atomic_load(&n_inner), 200);
    assert_int_equal(exb_thread_count(), 4);
}

/* A sum with every difficulty of size, and its bits. */
static double data[LENGTH];
static double expected;

static void prepare(void)
{
    for (int i = 0; i < LENGTH; i++)
        data[i] = (i & 1 ? -1.0 : 1.0) * (1 + i * 0x1p-40) * power_of_two(i % 100 - 50);
    exblas_set_num_threads(1);
    expected = excblas_dsum(LENGTH, data, 1);
    exblas_set_num_threads(4);
    exb_partition_set_grain(1);
}

static void *call_often(void *wrong)
{
    for (int i = 0; i < 300; i++)
        if (!same_bits(excblas_dsum(LENGTH, data, 1), expected))
            atomic_fetch_add((atomic_int *)wrong, 1);
    return NULL;
}

static void many_callers(NO_STATE)
{
    pthread_t caller[N_CALLERS];
    atomic_int wrong = 0;
    prepare();
    for (int i = 0; i < N_CALLERS; i++)
        assert_int_equal(pthread_create(&caller[i], NULL, call_often, &wrong), 0);
    for (int i = 1; i < 200; i++)
        exblas_set_num_threads(i % 9);
    for (int i = 0; i < N_CALLERS; i++)
        pthread_join(caller[i], NULL);
    assert_int_equal(atomic_load(&wrong), 0);
    exblas_set_num_threads(4);
}

/* The child can compute, with threads of its own; 0 if the bits are right. */
static int sum_in_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(20); /* a child that hangs is a failure, not a hanging test */
        bool ok = true;
        for (int i = 0; i < 50; i++)
            ok = ok && same_bits(excblas_dsum(LENGTH, data, 1), expected);
        _exit(ok ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

static void forked_child(NO_STATE)
{
    if (test_is_emulated())
        leave_test("threads of a forked child under emulation");
    prepare();
    assert_same_bits(excblas_dsum(LENGTH, data, 1), expected);
    assert_int_equal(sum_in_child(), 0);
    assert_same_bits(excblas_dsum(LENGTH, data, 1), expected);
}

static void forked_while_others_compute(NO_STATE)
{
    pthread_t caller[4];
    atomic_int wrong = 0;
    if (test_is_emulated())
        leave_test("threads of a forked child under emulation");
    prepare();
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&caller[i], NULL, call_often, &wrong), 0);
    for (int i = 0; i < 20; i++)
        assert_int_equal(sum_in_child(), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(caller[i], NULL);
    assert_int_equal(atomic_load(&wrong), 0);
}

/* Many parts of a few terms, each with a long accumulator to merge: those of two processors meet,
 * and words that one of them loses are missing. The job lasts longer than workers take to wake up.
 */
static void exact_parts_meet(NO_STATE)
{
    enum { PARTS = 48, SHORT = 20 * PARTS };
    prepare();
    exblas_set_method("superacc");
    exblas_set_num_threads(1);
    double wanted = excblas_dsum(SHORT, data, 1);
    exblas_set_num_threads(PARTS);
    for (int i = 0; i < 6000; i++)
        assert_same_bits(excblas_dsum(SHORT, data, 1), wanted);
    exblas_set_method(NULL);
    exblas_set_num_threads(4);
}

/* Two tasks that end when both have begun: 1 if two threads take them. */
static atomic_int n_begun;

static void wait_for_the_other(void *met, int64_t i)
{
    (void)i;
    atomic_fetch_add(&n_begun, 1);
    for (int ms = 0; ms < 5000 && atomic_load(&n_begun) < 2; ms++)
        usleep(1000);
    if (atomic_load(&n_begun) == 2)
        atomic_store((atomic_int *)met, 1);
}

static bool two_threads_take_part(void)
{
    atomic_int met = 0;
    atomic_store(&n_begun, 0);
    exb_parallel_for(2, 2, wait_for_the_other, &met);
    return atomic_load(&met) && atomic_load(&n_begun) == 2;
}

/* A call whose last task a worker holds back while the caller, who waits for it, is cancelled. */
static struct {
    pthread_t caller;
    atomic_bool held, released, ended;
} cancelled;

static void hold_in_worker(void *ctx, int64_t i)
{
    (void)ctx, (void)i;
    bool in_worker = !pthread_equal(pthread_self(), cancelled.caller);
    if (in_worker)
        atomic_store(&cancelled.held, true);
    atomic_bool *awaited = in_worker ? &cancelled.released : &cancelled.held;
    for (int ms = 0; ms < 10000 && !atomic_load(awaited); ms++)
        usleep(1000); /* cancellation is off in a call of the library's */
}

static void *call_and_be_cancelled(void *unused)
{
    (void)unused;
    cancelled.caller = pthread_self();
    exb_parallel_for(2, 2, hold_in_worker, NULL);
    atomic_store(&cancelled.ended, true);
    pthread_testcancel();
    return NULL;
}

static void cancelled_caller(NO_STATE)
{
    pthread_t caller;
    void *result = NULL;
    prepare();
    assert_true(two_threads_take_part());
    assert_int_equal(pthread_create(&caller, NULL, call_and_be_cancelled, NULL), 0);
    for (int ms = 0; ms < 10000 && !atomic_load(&cancelled.held); ms++)
        usleep(1000);
    usleep(20000); /* the caller has nothing left to do but to wait */
    assert_int_equal(pthread_cancel(caller), 0);
    usleep(20000);
    atomic_store(&cancelled.released, true);
    pthread_join(caller, &result);
    assert_true(result == PTHREAD_CANCELED);
    assert_true(atomic_load(&cancelled.ended));
    assert_true(two_threads_take_part());
    assert_same_bits(excblas_dsum(LENGTH, data, 1), expected);
}

/* A stand-in for an OpenMP runtime in the program: only its question counts. */
static int in_region;
__attribute__((visibility("default"), used)) int omp_in_parallel(void);
int omp_in_parallel(void)
{
    return in_region;
}

static void alone_in_openmp_region(NO_STATE)
{
    exblas_set_num_threads(4);
    in_region = 1;
    assert_int_equal(exb_thread_count(), 1);
    in_region = 0;
    assert_int_equal(exb_thread_count(), 4);
}

/* Workers start under the caller's settings and must not compute with them. */
static void *first_call_in_hostile_thread(void *environment)
{
    double *result = malloc(sizeof *result);
    hostile_env_enter(*(int *)environment);
    double r = excblas_dsum(LENGTH, data, 1);
    bool kept = hostile_env_leave();
    *result = kept ? r : (double)NAN;
    return result;
}

static void workers_started_in_hostile_environments(NO_STATE)
{
    if (test_is_emulated())
        leave_test("threads of a forked child under emulation");
    prepare();
    for (int e = 0; e < hostile_env_count(); e++) {
        pid_t child = fork(); /* an empty pool: the hostile thread starts the workers */
        if (child == 0) {
            pthread_t t;
            void *result;
            alarm(20);
            pthread_create(&t, NULL, first_call_in_hostile_thread, &e);
            pthread_join(t, &result);
            _exit(same_bits(*(double *)result, expected) ? 0 : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
    }
}

TESTS(each_task_once, workers_take_no_signals, nested_calls_run_alone, many_callers,
      exact_parts_meet, cancelled_caller, forked_child, forked_while_others_compute,
      alone_in_openmp_region, workers_started_in_hostile_environments)
