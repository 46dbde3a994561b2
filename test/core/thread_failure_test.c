/* A system that grants no thread, or not all of them: the caller does the work, results
 * are the same. This program is linked with --wrap=pthread_create. */
#include "core/partition.h"
#include "core/thread.h"

#include "testing.h"

#include <errno.h>
#include <exblas/exblas.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_TASKS = 500, LENGTH = 3000 };

static int n_granted, n_asked;

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*f)(void *),
                          void *arg)
{
    n_asked++;
    if (n_granted == 0)
        return EAGAIN;
    n_granted--;
    return __real_pthread_create(thread, attr, f, arg);
}

static atomic_int times_run[N_TASKS];

static void count(void *ctx, int64_t i)
{
    (void)ctx;
    atomic_fetch_add(&times_run[i], 1);
}

static bool each_task_once(int n_threads)
{
    bool once = true;
    for (int i = 0; i < N_TASKS; i++)
        atomic_store(&times_run[i], 0);
    exb_parallel_for(n_threads, N_TASKS, count, NULL);
    for (int i = 0; i < N_TASKS; i++)
        once = once && atomic_load(&times_run[i]) == 1;
    return once;
}

static double x[LENGTH];

static bool results_are_right(void)
{
    static const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
    double c[4] = {0};
    excblas_dgemm(102, 111, 111, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2);
    return same_bits(excblas_dsum(LENGTH, x, 1), LENGTH / 2) && c[0] == 23 && c[3] == 46;
}

/* In a child, whose pool is empty: first with `first` threads granted, then with more. */
static bool try_in_child(int first, int then)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        bool ok = true;
        alarm(20);
        n_granted = first;
        for (int k = 0; k < 20; k++)
            ok = ok && each_task_once(6) && results_are_right();
        ok = ok && n_asked > 0; /* it did try */
        n_granted = then;
        for (int k = 0; k < 20; k++)
            ok = ok && each_task_once(6) && results_are_right();
        exit(ok ? 0 : 1); /* joins the workers that there are */
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0;
}

static void refused_threads(void **state)
{
    (void)state;
    for (int i = 0; i < LENGTH; i++) /* plain summation loses every 1.5 */
        x[i] = i % 3 == 0 ? 0x1p70 : i % 3 == 1 ? 1.5 : -0x1p70;
    exblas_set_num_threads(6);
    exb_partition_set_grain(1);
    static const int granted[][2] = {{0, 0}, {0, 3}, {1, 0}, {2, 100}, {5, 0}, {100, 100}};
    for (size_t i = 0; i < sizeof granted / sizeof *granted; i++)
        assert_true(try_in_child(granted[i][0], granted[i][1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
