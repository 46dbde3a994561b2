/* The methods that the benchmarks compare with: within the bounds of their papers. */
#include "../../perf/support/comparators.h"
#include "../../perf/support/data.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { MOST = 20000 };
static double x[MOST], y[MOST];
static const int64_t sizes[] = {0,   1,   2,    7,    8,    9,    31,   32,   33,
                                127, 129, 1000, 4095, 4096, 4097, 8193, 20000};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

static const comparators *of_isa[3] = {&comparators_generic};
static const plain_loops *plain_of_isa[3] = {&plain_generic};
static int n_isas = 1;

static void find_isas(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        of_isa[n_isas] = &comparators_avx2, plain_of_isa[n_isas++] = &plain_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        of_isa[n_isas] = &comparators_avx512, plain_of_isa[n_isas++] = &plain_avx512;
#endif
}

/* |result - exact|, where the exact value is the sum of x or of x y. */
static double error_of(double result, int64_t n, const double *u, const double *v)
{
    exblas_acc a;
    exblas_acc_init(&a);
    if (v)
        exblas_acc_add_dot(&a, n, u, 1, v, 1);
    else
        exblas_acc_add_vector(&a, n, u, 1);
    exblas_acc_sub(&a, result);
    return fabs(exblas_acc_to_double(&a));
}

static bool in_range(const data_kind *k)
{
    return strcmp(k->name, "full range") != 0 && strcmp(k->name, "cancelling") != 0;
}

static void fill(const data_kind *k, int64_t n, double *z, uint64_t seed)
{
    k->fill(n, z, &k->parameter, seed);
}

static const double u = 0x1p-53;

static void check_bounds(const comparators *c, const plain_loops *p, int64_t n)
{
    double sum = fabs(excblas_dsum_64(n, x, 1)), total = excblas_dasum_64(n, x, 1), most = 0;
    double terms = (double)n + 1, levels = log2(terms) + 128;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    assert_true(error_of(p->sum(n, x), n, x, NULL) <= terms * u * total);
    assert_true(fabs(p->asum(n, x) - total) <= terms * u * total);
    assert_true(fabs(sqrt(p->sumsq(n, x)) - excblas_dnrm2_64(n, x, 1)) <=
                2 * terms * u * excblas_dnrm2_64(n, x, 1));
    assert_true(error_of(c->pairwise(n, x), n, x, NULL) <= levels * u * total);
    assert_true(error_of(c->neumaier(n, x), n, x, NULL) <=
                2 * u * sum + 2 * terms * terms * u * u * total);
    /* What the second slice leaves: at most sigma2 u each, sigma2 <= 64 n^2 u most; and a rounding.
     */
    assert_true(error_of(c->two_pass(n, x), n, x, NULL) <=
                u * sum + 64 * terms * terms * terms * u * u * most);
    /* What slice K leaves: half a unit, 2^(1 - 40 (K - 1)) most, or of the lowest bins; and
     * roundings of the highest. */
    double unit2 = fmax(ldexp(most, 2 - 40), 0x1p-900), unit3 = fmax(ldexp(most, 2 - 80), 0x1p-900);
    assert_true(error_of(c->binned2(n, x), n, x, NULL) <=
                terms * unit2 + 2 * u * sum + 16 * u * u * terms * most);
    assert_true(error_of(c->binned3(n, x), n, x, NULL) <=
                terms * unit3 + 2 * u * sum + 16 * u * u * terms * most);
    double products = 0;
    for (int64_t i = 0; i < n; i++)
        products += fabs(x[i] * y[i]);
    assert_true(error_of(p->dot(n, x, y), n, x, y) <= 2 * terms * u * products);
    assert_true(error_of(c->dot2(n, x, y), n, x, y) <=
                2 * u * fabs(excblas_ddot_64(n, x, 1, y, 1)) +
                    4 * terms * terms * u * u * products);
}

static void errors_are_within_the_bounds(void **state)
{
    (void)state;
    for (int k = 0; k < n_data_kinds; k++)
        for (int s = 0; s < N_SIZES && in_range(&data_kinds[k]); s++) {
            fill(&data_kinds[k], sizes[s], x, 1);
            fill(&data_kinds[k], sizes[s], y, 2);
            for (int i = 0; i < n_isas; i++)
                check_bounds(of_isa[i], plain_of_isa[i], sizes[s]);
        }
}

static void assert_same(double a, double b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

/* Where a plain sum has lost everything. */
static void compensation_helps(void **state)
{
    (void)state;
    double z[] = {1, 0x1p60, 1, -0x1p60}, one[] = {1, 1, 1, 1};
    for (int i = 0; i < n_isas; i++) {
        assert_same(of_isa[i]->neumaier(4, z), 2);
        assert_same(of_isa[i]->two_pass(4, z), 2);
        assert_same(of_isa[i]->binned3(4, z), 2);
        assert_same(of_isa[i]->dot2(4, z, one), 2);
    }
}

int main(void)
{
    find_isas();
    return run_each(errors_are_within_the_bounds, compensation_helps);
}
