/* Solutions when memory runs out: an error with nothing written, or the right bits by a slower way.
 * This program is linked with --wrap=malloc and
 * --wrap=aligned_alloc. */
#include "testing.h"

#include <exblas/exblas.h>
#include <exblas/lapack.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int n_granted = 1 << 30;

void *__real_malloc(size_t n_bytes);
void *__wrap_malloc(size_t n_bytes);

void *__wrap_malloc(size_t n_bytes)
{
    return atomic_fetch_sub(&n_granted, 1) > 0 ? __real_malloc(n_bytes) : NULL;
}

typedef enum { GESV, POSV, GELS } routine;

void *__real_aligned_alloc(size_t unit, size_t n_bytes);
void *__wrap_aligned_alloc(size_t unit, size_t n_bytes);

void *__wrap_aligned_alloc(size_t unit, size_t n_bytes)
{
    return atomic_fetch_sub(&n_granted, 1) > 0 ? __real_aligned_alloc(unit, n_bytes) : NULL;
}

static exblas_status call(routine which, const double *a, double *x)
{
    const double b[3] = {1, 1, 1};
    if (which == POSV)
        return exblas_dposv(122, 3, 1, a, 3, b, 3, x, 3, NULL);
    if (which == GELS)
        return exblas_dgels(3, 2, 1, a, 3, b, 3, x, 3, NULL);
    return exblas_dgesv(3, 1, a, 3, b, 3, x, 3, NULL);
}

static exblas_status solve(routine which, int granted, const double *a, double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = 7;
    exblas_set_workspace(0); /* frees what is kept */
    atomic_store(&n_granted, granted);
    exblas_status status = call(which, a, x);
    atomic_store(&n_granted, 1 << 30);
    return status;
}

/* Grants one request more each time, until all are granted; returns how many that were. */
static int try_all(routine which, const double *a, exblas_status wanted)
{
    double right[3], x[3];
    int granted = 0;
    assert_int_equal(solve(which, 1 << 30, a, right), wanted);
    for (exblas_status status = EXBLAS_ENOMEM; status == EXBLAS_ENOMEM; granted++) {
        status = solve(which, granted, a, x);
        assert_true(status == EXBLAS_ENOMEM || status == wanted);
        for (int i = 0; i < 3; i++)
            assert_same_bits(x[i], status == EXBLAS_OK ? right[i] : 7);
    }
    return granted;
}

static void refused_memory(void **state)
{
    (void)state;
    const double regular[] = {3, 1, 5, 1, 3, -2, 2, 2, 9}, singular[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const double zero_among_fractions[] = {3, 1, 5, 2, 3, 1, 5, -2, 9};
    const double definite[] = {4, 1, 0, 1, 4, 1, 0, 1, 4}, edge[] = {1, 1, 0, 1, 1, 0, 0, 0, 1};
    const double near[] = {1, 1, 0, 1, 1 + 0x1p-52, 0, 0, 0, 1};
    assert_true(try_all(GESV, regular, EXBLAS_OK) > 3);
    assert_true(try_all(GESV, zero_among_fractions, EXBLAS_OK) > 10);
    assert_true(try_all(GESV, singular, EXBLAS_ESINGULAR) > 10);
    assert_true(try_all(POSV, definite, EXBLAS_OK) > 5);
    assert_true(try_all(POSV, edge, EXBLAS_EINDEFINITE) > 10);
    assert_true(try_all(POSV, near, EXBLAS_OK) > 10);
    assert_true(try_all(GELS, regular, EXBLAS_OK) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
