/* Calls from inside a real OpenMP parallel region use one thread, those after it all of
 * them again; a child forked after a region can compute. Compiled with -fopenmp. */
#include "core/partition.h"
#include "core/thread.h"

#include "testing.h"

#include <exblas/exblas.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LENGTH = 4000, N_CALLS = 200 };

static double x[LENGTH];

static int prepare(NO_STATE)
{
    for (int i = 0; i < LENGTH; i++)
        x[i] = (i % 4 ? 1 : -1) * (1 + i * 0x1p-40) * power_of_two(i % 90 - 45);
    exblas_set_num_threads(4);
    exb_partition_set_grain(1);
    return 0;
}

static void alone_inside_a_region(NO_STATE)
{
    int n_serial = 0, n_right = 0, n_threads = 0;
    double expected = excblas_dsum(LENGTH, x, 1);
    assert_int_equal(exb_thread_count(), 4);
#pragma omp parallel num_threads(4) reduction(+ : n_serial, n_right, n_threads)
    {
        n_threads++;
        for (int i = 0; i < N_CALLS; i++) {
            n_serial += exb_thread_count() == 1;
            n_right += same_bits(excblas_dsum(LENGTH, x, 1), expected);
        }
    }
    assert_true(n_threads > 1);
    assert_int_equal(n_serial, N_CALLS * n_threads);
    assert_int_equal(n_right, N_CALLS * n_threads);
    assert_int_equal(exb_thread_count(), 4);
    assert_int_equal(exblas_get_num_threads(), 4);
}

/* Teams inside teams, and a call between an inner region and the next. */
static void alone_inside_nested_regions(NO_STATE)
{
    int n_serial = 0, n_right = 0, n_threads = 0;
    double expected = excblas_dsum(LENGTH, x, 1);
    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(3) reduction(+ : n_serial, n_right, n_threads)
    {
#pragma omp parallel num_threads(2) reduction(+ : n_serial, n_right, n_threads)
        {
            n_threads++;
            n_serial += exb_thread_count() == 1;
            for (int i = 0; i < N_CALLS; i++)
                n_right += same_bits(excblas_dsum(LENGTH, x, 1), expected);
        }
        n_serial += exb_thread_count() == 1;
    }
    assert_true(n_threads > 3);
    assert_int_equal(n_serial, n_threads + 3);
    assert_int_equal(n_right, N_CALLS * n_threads);
    assert_int_equal(exb_thread_count(), 4);
}

static void forked_after_a_region(NO_STATE)
{
    double expected = excblas_dsum(LENGTH, x, 1);
    if (test_is_emulated())
        leave_test("threads of a forked child under emulation");
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(same_bits(excblas_dsum(LENGTH, x, 1), expected) ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

int main(void)
{
    return run_each_between(prepare, NULL, alone_inside_a_region, alone_inside_nested_regions,
                            forked_after_a_region);
}
