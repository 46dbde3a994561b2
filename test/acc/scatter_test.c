/* scatter_add against the oracle: all shapes, formats, both sizes of indices, methods,
 * numbers of threads and environments of the caller. */
#include "scatter_case.h"

#include "acc/cell.h"
#include "core/partition.h"
#include "hostile_env.h"
#include "modes.h"
#include "oracle.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>

static struct {
    bool narrow;
    int environment;
} call;

static int32_t *narrow_indices(int64_t n, const int64_t *index)
{
    int32_t *p = calloc((size_t)n + 1, sizeof *p);
    assert_non_null(p);
    for (int64_t i = 0; i < n; i++)
        p[i] = (int32_t)index[i];
    return p;
}

static float *floats(int64_t n, const double *x)
{
    float *p = calloc((size_t)n + 1, sizeof *p);
    assert_non_null(p);
    for (int64_t i = 0; i < n; i++)
        p[i] = (float)x[i];
    return p;
}

/* Nothing but the call between entering and leaving the environment. */
#define IN_ENVIRONMENT(status, expression)                                                         \
    do {                                                                                           \
        hostile_env_enter(call.environment);                                                       \
        status = expression;                                                                       \
        assert_true(hostile_env_leave());                                                          \
    } while (0)

static exblas_status library(number_format f, int64_t n, const double *x, const int64_t *index,
                             int64_t n_bins, double *y)
{
    exblas_status status;
    int32_t *narrow = narrow_indices(n, index);
    int32_t n32 = (int32_t)n, n_bins32 = (int32_t)n_bins;
    float *xf = floats(n, x), *yf = floats(f == FORMAT_S ? n_bins : 0, y);
    if (f == FORMAT_D && call.narrow)
        IN_ENVIRONMENT(status, exblas_dscatter_add(n32, x, narrow, n_bins32, y));
    else if (f == FORMAT_D)
        IN_ENVIRONMENT(status, exblas_dscatter_add_64(n, x, index, n_bins, y));
    else if (call.narrow)
        IN_ENVIRONMENT(status, exblas_sscatter_add(n32, xf, narrow, n_bins32, yf));
    else
        IN_ENVIRONMENT(status, exblas_sscatter_add_64(n, xf, index, n_bins, yf));
    for (int64_t i = 0; f == FORMAT_S && i < n_bins; i++)
        y[i] = yf[i];
    free(narrow);
    free(xf);
    free(yf);
    return status;
}

/* Each case in several modes, and with its terms in another order. */
static void random_cases_in_all_modes(NO_STATE)
{
    enum { N_ROUNDS = 160, MODES_PER_CASE = 6 };
    test_random r = test_random_start(test_seed(), "scatter");
    for (int round = 0; round < N_ROUNDS; round++)
        for (size_t shape = 0; shape < scatter_shapes(); shape++) {
            scatter_case c = scatter_case_make(&r, round % 2 ? FORMAT_S : FORMAT_D, shape,
                                               round % 12 < 2 ? 5000 : 700);
            for (int i = 0; i < MODES_PER_CASE; i++) {
                call_mode m = *mode_next();
                if (i % 2)
                    m.level[FACTOR_METHOD] = 0; /* the one with a filter */
                mode_select(&m);
                call.narrow = i % 3 == 0;
                call.environment = m.level[FACTOR_ENVIRONMENT];
                if (!scatter_case_holds(&c, library))
                    fail_msg("TEST_SEED=%llu", (unsigned long long)test_seed());
                scatter_case_shuffle(&r, &c);
            }
            scatter_case_free(&c);
        }
    mode_restore();
}

/* Exchanging two bins exchanges their results; negating all terms negates them. */
static void metamorphic(NO_STATE)
{
    enum { N = 20000, BINS = 97 };
    static double x[N], y[BINS], z[BINS], neg[BINS];
    static int32_t index[N], other[N];
    test_random r = test_random_start(test_seed(), "scatter metamorphic");
    for (int i = 0; i < N; i++) {
        x[i] = random_number(&r, FORMAT_D, (int)random_between(&r, -30, 30));
        index[i] = (int32_t)random_between(&r, 0, BINS - 1);
        other[i] = BINS - 1 - index[i];
    }
    exblas_set_num_threads(3);
    exb_partition_set_grain(1);
    assert_int_equal(exblas_dscatter_add(N, x, index, BINS, y), EXBLAS_OK);
    exblas_set_num_threads(1);
    assert_int_equal(exblas_dscatter_add(N, x, other, BINS, z), EXBLAS_OK);
    for (int i = 0; i < N; i++)
        x[i] = -x[i];
    assert_int_equal(exblas_dscatter_add(N, x, index, BINS, neg), EXBLAS_OK);
    for (int i = 0; i < BINS; i++) {
        assert_same_bits(z[BINS - 1 - i], y[i]);
        assert_same_bits(neg[i], -y[i]);
    }
    mode_restore();
}

/* Single bins: before, up to three terms, after. */
static const struct {
    double y;
    int n;
    double x[3];
    double result;
} edges[] = {
    {-0.0, 1, {-0.0}, 0.0}, /* an exact zero is +0 */
    {-0.0, 1, {0.0}, 0.0},
    {5, 1, {-5}, 0.0},
    {1, 1, {0x1p-53}, 1},                              /* a tie */
    {1, 2, {0x1p-53, 0x1p-1074}, 0x1.0000000000001p0}, /* broken far away */
    {1, 2, {-0x1p-54, -0x1p-1074}, 0x1.fffffffffffffp-1},
    {0x1.fffffffffffffp1023, 1, {0x1p970}, (double)INFINITY},
    {0x1.fffffffffffffp1023, 2, {0x1p970, -0x1p-1074}, 0x1.fffffffffffffp1023},
    {0x1p1023, 2, {0x1p1023, -0x1p1023}, 0x1p1023}, /* overflow inside */
    {0x1p-1074, 2, {0x1p-1074, 0x1p-1074}, 0x1.8p-1073},
    {0, 2, {0x1p-1022, -0x1p-1074}, 0x0.fffffffffffffp-1022},
    {(double)INFINITY, 1, {-0x1p1023}, (double)INFINITY},
    {(double)INFINITY, 1, {-(double)INFINITY}, (double)NAN},
    {1, 2, {(double)INFINITY, -(double)INFINITY}, (double)NAN},
    {1, 3, {(double)NAN, 1, 1}, (double)NAN},
};

static void one_bin_edges(NO_STATE)
{
    static const int32_t index[3] = {1, 1, 1};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        double y[3] = {-0.0, edges[i].y, from_bits(0x7ff4000000000123u)};
        assert_int_equal(exblas_dscatter_add(edges[i].n, edges[i].x, index, 3, y), EXBLAS_OK);
        bool right = isnan(edges[i].result) ? bits_of(y[1]) == TEST_CANONICAL_NAN
                                            : same_bits(y[1], edges[i].result);
        if (!right)
            fail_msg("edge %zu is %a", i, y[1]);
        assert_same_bits(y[0], -0.0);
        assert_int_equal(bits_of(y[2]), 0x7ff4000000000123u);
    }
}

/* One index is bad, wherever it is and whatever comes before. */
static void bad_indices(NO_STATE)
{
    enum { N = 3000, BINS = 10, MANY = 100000 };
    static double x[N];
    static int32_t index[N];
    static int64_t wide[N];
    static double y[MANY];
    static const int64_t bad[] = {-1, BINS, INT32_MIN, INT32_MAX};
    static const int64_t bad_wide[] = {-1, BINS, INT64_MIN, INT64_MAX, (int64_t)1 << 32};
    for (int i = 0; i < N; i++)
        x[i] = 1;
    exb_partition_set_grain(1);
    for (int threads = 1; threads <= 3; threads += 2)
        for (int place = 0; place < N; place += 599) {
            exblas_set_num_threads(threads);
            for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
                index[place] = (int32_t)bad[k];
                assert_int_equal(exblas_dscatter_add(N, x, index, BINS, y), EXBLAS_EINVAL);
                index[place] = 0;
            }
            for (size_t k = 0; k < sizeof bad_wide / sizeof *bad_wide; k++) {
                wide[place] = bad_wide[k];
                assert_int_equal(exblas_dscatter_add_64(N, x, wide, BINS, y), EXBLAS_EINVAL);
                wide[place] = 0;
            }
            index[place] = MANY; /* the way for sparse indices */
            assert_int_equal(exblas_dscatter_add(N, x, index, MANY, y), EXBLAS_EINVAL);
            index[place] = 0;
        }
    for (int i = 0; i < MANY; i++)
        assert_same_bits(y[i], 0);
    mode_restore();
}

static void bad_arguments(NO_STATE)
{
    double x = 1, y = 2;
    int32_t index = 0;
    assert_int_equal(exblas_dscatter_add(-1, &x, &index, 1, &y), EXBLAS_EINVAL);
    assert_int_equal(exblas_dscatter_add(1, &x, &index, -1, &y), EXBLAS_EINVAL);
    assert_int_equal(exblas_dscatter_add(1, &x, &index, 0, &y), EXBLAS_EINVAL);
    assert_int_equal(exblas_dscatter_add(1, NULL, &index, 1, &y), EXBLAS_EINVAL);
    assert_int_equal(exblas_dscatter_add(1, &x, NULL, 1, &y), EXBLAS_EINVAL);
    assert_int_equal(exblas_dscatter_add(1, &x, &index, 1, NULL), EXBLAS_EINVAL);
    assert_int_equal(exblas_dscatter_add_64(INT64_MAX, &x, &(int64_t){0}, 1, &y), EXBLAS_ENOMEM);
    assert_int_equal(exblas_dscatter_add(0, NULL, NULL, 0, NULL), EXBLAS_OK);
    assert_int_equal(exblas_dscatter_add(0, NULL, NULL, 1, &y), EXBLAS_OK);
    assert_same_bits(y, 2);
    assert_int_equal(exblas_dscatter_add(1, &x, &index, 1, &y), EXBLAS_OK);
    assert_same_bits(y, 3);
}

/* More uncertified bins than accumulators are held at a time: several batches in several
 * threads. Integers, so that the answers are plain sums. */
static void many_uncertified_bins(NO_STATE)
{
    enum { N = 120000, BINS = 40000 };
    static double x[N], y[BINS], answer[BINS];
    static int32_t index[N];
    test_random r = test_random_start(test_seed(), "scatter batches");
    for (int i = 0; i < N; i++) {
        x[i] = (double)random_between(&r, -1000000, 1000000);
        index[i] = (int32_t)random_between(&r, 0, BINS - 1);
        answer[index[i]] += x[i];
    }
    exblas_set_method("superacc");
    exblas_set_num_threads(7);
    exb_partition_set_grain(1);
    assert_int_equal(exblas_dscatter_add(N, x, index, BINS, y), EXBLAS_OK);
    for (int i = 0; i < BINS; i++)
        assert_same_bits(y[i], answer[i]);
    mode_restore();
}

/* The smallest term of all is in one part, and the only one that breaks a tie: a sum whose
 * correction stays below 2^53 times the smallest term of another part is not exact. */
static void smallest_term_in_one_part(NO_STATE)
{
    enum { PARTS = 3, EACH = 10, N = PARTS * EACH };
    exblas_set_num_threads(PARTS);
    exb_partition_set_grain(1);
    for (int round = 0; round < 30 * PARTS; round++) {
        double x[N], y[2] = {0, 0};
        int32_t index[N];
        for (int i = 0; i < N; i++) {
            x[i] = 1;
            index[i] = 1;
        }
        for (int i = 0; i < 3; i++) {
            static const double tie[] = {1, 0x1p-53, 0x1p-110};
            x[round % PARTS * EACH + i] = tie[i];
            index[round % PARTS * EACH + i] = 0;
        }
        assert_int_equal(exblas_dscatter_add(N, x, index, 2, y), EXBLAS_OK);
        assert_same_bits(y[0], 0x1.0000000000001p0);
        assert_same_bits(y[1], N - 3);
    }
    mode_restore();
}

/* Multiples of some 2^g around the limit up to which c is exact: what is called exact is. */
static void exact_cells_are_exact(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "cell exact");
    int n_exact = 0, n_rounded = 0;
    ORACLE(o);
    for (int round = 0; round < 2000; round++) {
        exb_cell cell = exb_cell_empty();
        int n = (int)random_between(&r, 2, 60), lowest = (int)random_between(&r, -65, -40);
        double least = (double)INFINITY;
        oracle_reset(&o);
        for (int i = 0; i < n; i++) {
            double x = random_number(&r, FORMAT_D, i ? (int)random_between(&r, lowest, -40) : 0);
            least = fabs(x) < least ? fabs(x) : least;
            exb_cell_add(&cell, x);
            oracle_add(&o, x);
        }
        exb_enclosure v = exb_cell_enclosure(&cell, exb_cell_exact_to(least, 53));
        oracle_add(&o, -v.h);
        oracle_add(&o, -v.l);
        bool is_exact = oracle_round(&o, FORMAT_D) == 0;
        assert_true(is_exact || !v.exact);
        n_exact += v.exact;
        n_rounded += !is_exact;
    }
    assert_true(n_exact > 100);
    assert_true(n_rounded > 100);
}

/* Indices that differ in their highest digit alone, more than the array is long: found as the same
 * only when sorted by all digits. */
static void distinct_in_the_highest_digit(NO_STATE)
{
    static double y[65537];
    static const int32_t highest[] = {1, 256, 299, 65535, 65536};
    for (size_t k = 0; k < sizeof highest / sizeof *highest; k++)
        for (int32_t n_bins = highest[k] + 1; n_bins <= 65537; n_bins += 60000) {
            const int32_t index[] = {highest[k], 0, highest[k]};
            const double x[] = {1, 2, 4};
            memset(y, 0, sizeof y);
            assert_int_equal(exblas_dscatter_add(3, x, index, n_bins, y), EXBLAS_OK);
            assert_same_bits(y[0], 2);
            assert_same_bits(y[highest[k]], 5);
        }
    const int32_t narrow[] = {256, 0, 256};
    memset(y, 0, sizeof y);
    assert_int_equal(exblas_dscatter_add(3, (const double[]){1, 2, 4}, narrow, 300, y), EXBLAS_OK);
    assert_same_bits(y[256], 5);
}

TESTS(one_bin_edges, bad_arguments, bad_indices, metamorphic, many_uncertified_bins,
      random_cases_in_all_modes, exact_cells_are_exact, smallest_term_in_one_part,
      distinct_in_the_highest_digit)
