/* What exblas-grade needs in C: numbers of the fuzzer's kinds, the floating-point environment
 * around a call, and the error handlers that a library calls, which are loaded before it and so
 * take the place of its own. */
#include "hostile_env.h"
#include "numbers.h"

#include <fenv.h>
#include <float.h>
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int grade_styles(void)
{
    return N_STYLES;
}

/* n numbers of one source; style N_STYLES: of magnitudes in [1, 2). */
EXPORT void grade_fill(double *v, int64_t n, uint64_t seed, int style, int format)
{
    number_format f = (number_format)format;
    test_random r = test_random_start(seed, "grade");
    fuzz_source s = fuzz_source_of(&r, f);
    s.style = (fuzz_style)style;
    for (int64_t i = 0; i < n; i++)
        v[i] = style < N_STYLES ? fuzz_number(&r, &s, i) : random_number(&r, f, 0);
}

EXPORT double grade_scalar(uint64_t seed, int format)
{
    test_random r = test_random_start(seed, "scalar");
    return fuzz_scalar(&r, (number_format)format, false);
}

EXPORT int grade_environments(void)
{
    return hostile_env_count();
}

EXPORT const char *grade_environment(int k)
{
    return hostile_env_name(k);
}

typedef struct {
    int rounding, flags;
    bool flushes;
} state;

static state now(void)
{
    int flags = fetestexcept(FE_ALL_EXCEPT);
    volatile double least = DBL_MIN;
    least /= 2; /* here, not where the environment is another */
    return (state){fegetround(), flags, !(least * 0x1p60 > 0)};
}

static _Thread_local state entered;

EXPORT void grade_enter(int k)
{
    hostile_env_enter(k);
    entered = now();
    hostile_env_enter(k);
}

/* 1: another rounding mode or flushing than at grade_enter, 2: a flag that was raised is not, 4:
 * one is. */
EXPORT int grade_leave(void)
{
    state s = now();
    int cleared = entered.flags & ~s.flags, raised = s.flags & ~entered.flags;
    hostile_env_leave();
    return (s.rounding != entered.rounding || s.flushes != entered.flushes) + 2 * (cleared != 0) +
           4 * (raised != 0);
}

/* The number of an argument that is reported; libraries whose own handler ends the program go on.
 */
#define FORTRAN_HANDLER(name)                                                                      \
    EXPORT void name(const char *routine, const int32_t *info, size_t length)                      \
    {                                                                                              \
        (void)routine, (void)length;                                                               \
        dprintf(1, "\nnumber %d\n", *info);                                                        \
    }
FORTRAN_HANDLER(xerbla_)
FORTRAN_HANDLER(xerbla)
FORTRAN_HANDLER(xerbla_64_)
FORTRAN_HANDLER(scipy_xerbla_)
FORTRAN_HANDLER(scipy_xerbla_64_)

#define CBLAS_HANDLER(name)                                                                        \
    EXPORT void name(int number, const char *routine, const char *form, ...)                       \
    {                                                                                              \
        (void)routine, (void)form;                                                                 \
        dprintf(1, "\nnumber %d\n", number);                                                       \
    }
CBLAS_HANDLER(cblas_xerbla)
CBLAS_HANDLER(cblas_xerbla64_)
CBLAS_HANDLER(cblas_xerbla_64)
