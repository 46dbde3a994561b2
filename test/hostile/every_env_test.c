/* The caller's floating-point environment, for every public name of every routine: right bits,
 * no trap, and the environment as it was. On x86-64 all rounding modes x FTZ x DAZ x traps masked
 * or not x flags raised or not; elsewhere the environments of hostile_env.h.
 *
 * Compiled twice: every_fast_math_env is linked with the start-up code of -ffast-math, which
 * leaves FTZ and DAZ on in every thread. */
#include "core/partition.h"

#include "control_register.h"
#include "every_case.h"
#include "hostile_env.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <fenv.h>
#include <pthread.h>

#if defined(__x86_64__)

static int n_environments(void)
{
    return N_REGISTER_SETTINGS;
}

static bool call_in(int environment, every_case *c, const routine_name *name)
{
    unsigned outside = register_get(), setting = register_setting(environment);
    register_set(setting);
    every_case_call(c, name);
    unsigned found = register_get();
    register_set(outside);
    return found == setting;
}

#else

static int n_environments(void)
{
    return 2 * hostile_env_count();
}

static bool call_in(int environment, every_case *c, const routine_name *name)
{
    hostile_env_enter(environment / 2);
    if (environment % 2)
        hostile_env_unmask_traps();
    every_case_call(c, name);
    return hostile_env_leave();
}

#endif

static every_layout layout_of(int i)
{
    return (every_layout){.size = i % 8 ? i % 3 : i / 8 % EVERY_SIZES,
                          .options = i * 7 % EVERY_OPTIONS,
                          .increment = i * 3 % EVERY_INCREMENTS,
                          .data = i % 2};
}

/* The calls of one routine in environments first, first + step, ... */
static int try_routine(int routine, int first, int step)
{
    int n_wrong = 0;
    for (int i = first; i < n_environments(); i += step) {
        every_layout q = layout_of(routine + i);
        every_case c;
        every_case_init(&c, exb_routines[routine], &q);
        uint64_t expected = 0;
        for (const routine_name *name = routine_names; name->name; name++) {
            if (name->routine != routine || !every_case_has(&c, name))
                continue;
            if (!expected) { /* the first name, in the default environment */
                fenv_t outside;
                feholdexcept(&outside);
                fesetenv(FE_DFL_ENV);
                every_case_call(&c, name);
                fesetenv(&outside);
                expected = every_case_hash(&c);
            }
            every_case_fill(&c, &q);
            bool kept = call_in(i, &c, name);
            if (kept && every_case_hash(&c) == expected)
                continue;
            print_error("%s, environment %d: %s\n", name->name, i,
                        kept ? "other bits" : "not kept");
            n_wrong++;
        }
        every_case_clear(&c);
    }
    return n_wrong;
}

static int try_all(int first, int step)
{
    int n_wrong = 0;
    for (int r = 0; exb_routines[r]; r++)
        n_wrong += try_routine(r, first, step);
    return n_wrong;
}

static void one_thread(NO_STATE)
{
    exblas_set_num_threads(1);
    assert_int_equal(try_all(0, 1), 0);
}

static void split_over_threads(NO_STATE)
{
    exblas_set_num_threads(3);
    exb_partition_set_grain(1);
    assert_int_equal(try_all(1, 3), 0);
}

enum { N_CALLERS = 6 };

/* A thread of the program with its own share of the environments. */
static void *caller(void *share)
{
    int *n_wrong = share;
    *n_wrong = try_all(*n_wrong, N_CALLERS);
    return NULL;
}

static void callers_in_different_environments(NO_STATE)
{
    pthread_t thread[N_CALLERS];
    int share[N_CALLERS];
    exblas_set_num_threads(2);
    exb_partition_set_grain(1);
    for (int i = 0; i < N_CALLERS; i++) {
        share[i] = i;
        assert_int_equal(pthread_create(&thread[i], NULL, caller, &share[i]), 0);
    }
    for (int i = 0; i < N_CALLERS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(share[i], 0);
    }
}

/* Whether the program starts with subnormal numbers taken for zero: as it was linked. */
static void start_up_code(NO_STATE)
{
    volatile double tiny = 0x1p-1070;
    volatile bool flushes = tiny * 0.5 == 0;
    assert_int_equal(flushes, EVERY_FLUSHES);
}

int main(void)
{
#if defined(__x86_64__)
    unsigned outside = register_get();
    bool real = register_is_real();
    register_set(outside);
    if (!real) {
        printf("1..0 # SKIP the control register does not keep its bits\n");
        return 0;
    }
#endif
    return run_each(start_up_code, one_thread, split_over_threads,
                    callers_in_different_environments);
}
