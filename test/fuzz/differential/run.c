#include "run.h"

#include "compare.h"
#include "modes.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* --- what ends a case early ----------------------------------------------- */

enum { HANG_SECONDS = 300 };
#if defined(_WIN32) /* has no alarms: there a call that hangs does just that */
enum { SIGBUS = SIGSEGV, SIGALRM = 0 };
static void alarm(int seconds)
{
    (void)seconds;
}
#endif
static volatile uint64_t current_seed, current_case;

static void put_number(uint64_t n)
{
    char digits[24];
    int at = sizeof digits;
    do
        digits[--at] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    (void)!write(STDERR_FILENO, digits + at, sizeof digits - (size_t)at);
}

static void put_text(const char *text)
{
    (void)!write(STDERR_FILENO, text, strlen(text));
}

/* Calls nothing but write. */
static void on_signal(int number)
{
    put_text(number == SIGALRM ? "\nhangs: --seed " : "\ncrashes: --seed ");
    put_number(current_seed);
    put_text(" --first ");
    put_number(current_case);
    put_text(" --cases 1\n");
    _exit(4);
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], on_signal);
}

/* --- the run -------------------------------------------------------------- */

static struct {
    uint64_t calls, elements, fallbacks; /* fallbacks: calls that took a slower path */
} total;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void show_progress(double seconds, int n_found)
{
    static double last;
    if (!isatty(STDERR_FILENO) || seconds - last < 0.5)
        return;
    last = seconds;
    fprintf(stderr, "\r%6.0f s  %llu calls  %llu elements  %d found ", seconds,
            (unsigned long long)total.calls, (unsigned long long)total.elements, n_found);
}

static void report(const fuzz_run *o, const fuzz_case *c, const fuzz_verdict *v, uint64_t index)
{
    printf("\nseed %llu, case %llu differs: ", (unsigned long long)o->seed,
           (unsigned long long)index);
    fuzz_print(stdout, c, v);
    fflush(stdout);
}

/* Whether it differs. */
static bool try_case(const fuzz_run *o, uint64_t index)
{
    fuzz_case c;
    current_case = index;
    if (!fuzz_generate(o->seed, index, &o->choice, &c))
        return false;
    if (o->verbose)
        fuzz_print_case(stderr, &c);
    alarm(HANG_SECONDS);
    fuzz_verdict v = fuzz_try(&c, NULL);
    total.calls++;
    total.elements += (uint64_t)v.n_elements;
    total.fallbacks += v.report.stats.fallbacks > 0;
    if (v.differs)
        report(o, &c, &v, index);
    fuzz_case_free(&c);
    return v.differs;
}

int fuzz_run_all(const fuzz_run *o)
{
    double begin = now();
    uint64_t index = o->first;
    int n_found = 0;
    current_seed = o->seed;
    catch_signals();
    exblas_stats_enable(1);
    while (index - o->first < o->n_cases && now() - begin < o->seconds && n_found < o->most) {
        n_found += try_case(o, index++);
        show_progress(now() - begin, n_found);
    }
    alarm(0);
    exblas_stats_enable(0);
    mode_restore();
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    printf("# seed %llu: %llu calls, %llu elements, %llu calls fell back, %.1f s: %d found\n",
           (unsigned long long)o->seed, (unsigned long long)total.calls,
           (unsigned long long)total.elements, (unsigned long long)total.fallbacks, now() - begin,
           n_found);
    return n_found;
}

int fuzz_some(const char *routines, uint64_t n_cases)
{
    fuzz_run o = {.seed = test_seed(), .n_cases = n_cases, .seconds = HUGE_VAL, .most = 3};
    o.choice.routine = routines;
    return fuzz_run_all(&o);
}
