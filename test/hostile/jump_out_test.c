/* A signal's handler jumps out of calls on one thread, at any place: later calls are right. What
 * takes no memory is called, at most 256 rows: a handler may not jump out of malloc. */
#include "testing.h"

#include "exblas/exblas.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

enum { N = 250, N_JUMPS = 400, ROW_MAJOR = 101, NO_TRANS = 111 };

static sigjmp_buf before_calls;
static double a[N * N], x[N], y[N], wanted[N];

static void jump(int signal)
{
    (void)signal;
    siglongjmp(before_calls, 1);
}

static void multiply(double *result)
{
    excblas_dgemv(ROW_MAJOR, NO_TRANS, N, N, 1, a, N, x, 1, 0, result, 1);
}

static void call_until_signal(int microseconds)
{
    struct itimerval soon = {.it_value.tv_usec = microseconds};
    setitimer(ITIMER_REAL, &soon, NULL);
    for (;;)
        multiply(y);
}

static void later_calls_are_right(void **unused)
{
    (void)unused;
    volatile int jumped = 0;
    for (int i = 0; i < N * N; i++)
        a[i] = i % 7 - 3 + 0x1p-30 * i;
    for (int i = 0; i < N; i++)
        x[i] = i % 11 - 5 + 0x1p-25 * i;
    multiply(wanted);
    signal(SIGALRM, jump);
    if (sigsetjmp(before_calls, 1))
        jumped++;
    while (jumped < N_JUMPS)
        call_until_signal(50 + jumped * 37 % 1000);
    signal(SIGALRM, SIG_DFL);
    multiply(y);
    assert_memory_equal(y, wanted, sizeof y);
}

int main(void)
{
    exblas_set_num_threads(1);
    return run_each(later_calls_are_right);
}
