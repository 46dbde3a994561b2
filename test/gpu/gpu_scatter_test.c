/* What is particular to scatter_add on a device: chunks of bins, words that are full, zeros,
 * indices that are none. */
#include "gpu/device_job.h"
#include "gpu_testing.h"

#include <exblas/scatter.h>
#include <math.h>

static bool wide; /* indices */

static void set(const char *name, int value)
{
    assert_int_equal(exblas_cl_set_param(gpu_queue(), "scatter", name, value), EXBLAS_OK);
}

static void *indices(int64_t n, const int64_t *index)
{
    int64_t *all = malloc((size_t)(n + 1) * sizeof *all);
    assert_non_null(all);
    for (int64_t i = 0; i < n; i++)
        if (wide)
            all[i] = index[i];
        else
            ((int32_t *)all)[i] = (int32_t)index[i];
    void *m = device_upload((size_t)(n + 1) * sizeof *all, all);
    free(all);
    return m;
}

static exblas_status library(number_format f, int64_t n, const double *x, const int64_t *index,
                             int64_t n_bins, double *y)
{
    char type = f == FORMAT_S ? 's' : 'd';
    cl_mem to = gpu_vector(type, n_bins, y, 0), from = gpu_vector(type, n, x, 0),
           at = indices(n, index);
    fuzz_case c = fuzz_case_named(f == FORMAT_S ? "sscatter_add" : "dscatter_add");
    c.n_bins = n_bins;
    c.set.form = wide;
    exblas_status status = device_run(&c, &(routine_call){.n = n, .x = from, .y = to}, at, 0);
    for (int64_t i = 0; i < n_bins; i++)
        y[i] = gpu_element(to, type, (size_t)i);
    device_release(to);
    device_release(from);
    device_release(at);
    return status;
}

static void standard_params(void)
{
    set("group", 64);
    set("megabytes", 256);
    set("copies", 1);
}

/* More bins than one chunk of accumulators holds; every bin of a chunk's border gets terms. */
static void chunks(NO_STATE)
{
    enum { N = 4000, BINS = 9001, CHUNK = 2849 };
    static double x[N], y[BINS], expected[BINS];
    static int64_t index[N];
    test_random r = test_random_start(test_seed(), "gpu chunks");
    set("megabytes", 1); /* of 46 rows: 42 words of 49 bits, and counters */
    for (int i = 0; i < N; i++) {
        x[i] = random_number(&r, FORMAT_D, (int)random_between(&r, -1000, 1000));
        index[i] = i < BINS / CHUNK * 4 ? i / 4 * CHUNK + i % 4 - (i >= 4)
                                        : random_between(&r, 0, BINS - 1);
    }
    x[0] = 0x1.8p1001;
    x[1] = 0x1p-1001;
    for (int i = 0; i < BINS; i++)
        expected[i] = y[i] = i % 3 ? random_number(&r, FORMAT_D, 3) : -0.0;
    assert_int_equal(exblas_dscatter_add_64(N, x, index, BINS, expected), EXBLAS_OK);
    wide = false;
    assert_int_equal(library(FORMAT_D, N, x, index, BINS, y), EXBLAS_OK);
    for (int i = 0; i < BINS; i++)
        assert_same_bits(y[i], expected[i]);
    standard_params();
}

/* Equal terms at many shifts against the digits, which end where the 1 at the end or the others do;
 * then what takes them back. */
static void many_equal_terms(NO_STATE)
{
    enum { N = 30000 };
    static double x[2 * N + 1];
    static int64_t index[2 * N + 1];
    for (int shift = 0; shift < 52; shift += 5)
        for (int f = FORMAT_S; f <= FORMAT_D; f++) {
            double most = ldexp(f == FORMAT_D ? 0x1.fffffffffffffp0 : 0x1.fffffep0, shift), y = 0;
            for (int i = 0; i < N; i++) {
                x[i] = most;
                x[N + i] = -most;
            }
            x[2 * N] = 1;
            assert_int_equal(library(f, N, x, index, 1, &y), EXBLAS_OK);
            /* One rounding of the exact product; of floats the double product is exact. */
            assert_same_bits(y, round_to(f, N * most));
            y = 0;
            assert_int_equal(library(f, 2 * N + 1, x, index, 1, &y), EXBLAS_OK);
            assert_same_bits(y, 1);
        }
}

/* Floats, all at the upper end of a digit: of the widest digits their sum would be more than 64
 * bits hold. */
static void full_words(NO_STATE)
{
    enum { N = (1 << 24) + (1 << 20) };
    const double most = 0x1.fffffep+102;
    double *x = malloc(N * sizeof *x), y = 0;
    int64_t *index = calloc(N, sizeof *index);
    assert_true(x && index);
    for (int i = 0; i < N; i++)
        x[i] = most;
    wide = false;
    assert_int_equal(library(FORMAT_S, N, x, index, 1, &y), EXBLAS_OK);
    assert_same_bits(y, (float)(N * most)); /* 17 * 2^20 * most is a double */
    standard_params();
    free(x);
    free(index);
}

/* Terms that add 0 change -0 to +0 and any NaN to the canonical one; nothing else changes. */
static void zeros(NO_STATE)
{
    enum { BINS = 6 };
    const double before[BINS] = {-0.0, from_bits(0xfff4000000000001u), 0.5,
                                 -0.0, from_bits(0xfff4000000000001u), (double)INFINITY};
    const double after[BINS] = {0,    from_bits(TEST_CANONICAL_NAN),  0.5,
                                -0.0, from_bits(0xfff4000000000001u), (double)INFINITY};
    double y[BINS], x[] = {-0.0, 0.0, -0.0, 0x1p-1074, -0x1p-1074, 0.0};
    int64_t index[] = {0, 1, 2, 2, 2, 5};
    memcpy(y, before, sizeof y);
    assert_int_equal(library(FORMAT_D, 6, x, index, BINS, y), EXBLAS_OK);
    for (int i = 0; i < BINS; i++)
        assert_same_bits(y[i], after[i]);
}

static void bad_calls(NO_STATE)
{
    enum { N = 700, BINS = 10 };
    static const int64_t bad[] = {-1, BINS, INT32_MIN, INT32_MAX, INT64_MIN, (int64_t)1 << 32};
    double x[N], y[BINS];
    int64_t index[N] = {0};
    for (int i = 0; i < N; i++)
        x[i] = 1;
    for (size_t k = 0; k < 6; k++) {
        memset(y, 0, sizeof y);
        wide = k >= 4;
        index[k * 113] = bad[k];
        assert_int_equal(library(FORMAT_D, N, x, index, BINS, y), EXBLAS_EINVAL);
        assert_non_null(strstr(exblas_cl_last_error(), "index"));
        index[k * 113] = 0;
        for (int i = 0; i < BINS; i++)
            assert_same_bits(y[i], 0);
    }
    assert_int_equal(library(FORMAT_D, 0, x, index, BINS, y), EXBLAS_OK);
    assert_int_equal(library(FORMAT_D, 0, x, index, 0, y), EXBLAS_OK);
    assert_int_equal(library(FORMAT_D, 1, x, index, 0, y), EXBLAS_EINVAL);
}

int main(void)
{
    return gpu_run(run_each(chunks, many_equal_terms, full_words, zeros, bad_calls));
}
