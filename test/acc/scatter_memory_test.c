/* scatter_add when memory runs out: an error with nothing written, or the right bits by
 * a slower way; never anything else. This program is linked with --wrap=malloc. */
#include "scatter_case.h"

#include "core/partition.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <stdatomic.h>

static atomic_int n_granted = 1 << 30;
static int n_refused;

void *__real_malloc(size_t n_bytes);
void *__wrap_malloc(size_t n_bytes);

void *__wrap_malloc(size_t n_bytes)
{
    if (atomic_fetch_sub(&n_granted, 1) > 0)
        return __real_malloc(n_bytes);
    n_refused++;
    return NULL;
}

static int granted_by_test;

static exblas_status library(number_format f, int64_t n, const double *x, const int64_t *index,
                             int64_t n_bins, double *y)
{
    (void)f;
    atomic_store(&n_granted, granted_by_test);
    exblas_status status = exblas_dscatter_add_64(n, x, index, n_bins, y);
    atomic_store(&n_granted, 1 << 30);
    return status;
}

static bool unchanged(const scatter_case *c)
{
    double *y = calloc((size_t)c->n_bins, sizeof *y);
    assert_non_null(y);
    memcpy(y, c->y, (size_t)c->n_bins * sizeof *y);
    exblas_status status = library(c->format, c->n, c->x, c->index, c->n_bins, y);
    bool same = status == EXBLAS_ENOMEM && memcmp(y, c->y, (size_t)c->n_bins * sizeof *y) == 0;
    free(y);
    return same;
}

static void refused_memory(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "scatter memory");
    exb_partition_set_grain(1);
    for (int round = 0; round < 4; round++)
        for (size_t shape = 0; shape < scatter_shapes(); shape++) {
            scatter_case c = scatter_case_make(&r, FORMAT_D, shape, 1000);
            exblas_set_num_threads(1 + round);
            granted_by_test = 0;
            assert_true(c.n == 0 || unchanged(&c));
            granted_by_test = 1; /* for the cells; the exact pass gets none */
            assert_true(scatter_case_holds(&c, library));
            exblas_set_method("superacc"); /* all bins take it */
            assert_true(scatter_case_holds(&c, library));
            exblas_set_method(NULL);
            scatter_case_free(&c);
        }
    assert_true(n_refused > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
