/* scatter_add on a device against the oracle: all shapes, formats, sizes of indices, work-group
 * sizes; chunks of bins, copies and rounds of carries forced small. */
#include "acc/scatter_case.h"
#include "gpu/calls/on_device.h"
#include "gpu_testing.h"

#include <math.h>

static struct {
    bool wide;
    size_t offset;
} call;

static void set(const char *name, int value)
{
    assert_int_equal(exblas_cl_set_param(gpu_queue(), "scatter", name, value), EXBLAS_OK);
}

/* n numbers behind the offset, before them NaN, after them one. */
static void *numbers(number_format f, int64_t n, const double *x)
{
    return gpu_vector(f == FORMAT_S ? 's' : 'd', n, x, (int64_t)call.offset);
}

/* Before the offset are indices that are out of range. */
static void *indices(int64_t n, const int64_t *index)
{
    size_t all = call.offset + (size_t)n + 1;
    int64_t *wide = malloc(all * sizeof *wide);
    assert_non_null(wide);
    memset(wide, 0xff, all * sizeof *wide);
    for (size_t i = 0; i < (size_t)n; i++)
        if (call.wide)
            wide[call.offset + i] = index[i];
        else
            ((int32_t *)wide)[call.offset + i] = (int32_t)index[i];
    void *m = device_upload(all * (call.wide ? sizeof *wide : sizeof(int32_t)), wide);
    free(wide);
    return m;
}

static exblas_status library(number_format f, int64_t n, const double *x, const int64_t *index,
                             int64_t n_bins, double *y)
{
    void *to = numbers(f, n_bins, y), *from = numbers(f, n, x), *at = indices(n, index);
    exblas_status status = device_run(&(device_call){.name = f == FORMAT_S ? "s" : "d",
                                                     .n = n,
                                                     .m = n_bins,
                                                     .x = from,
                                                     .index = at,
                                                     .y = to,
                                                     .wide = call.wide,
                                                     .offset = call.offset});
    size_t bytes = (call.offset + (size_t)n_bins + 1) * number_size(f);
    char *got = malloc(bytes);
    assert_non_null(got);
    device_download(to, bytes, got);
    for (int64_t i = 0; i < n_bins; i++)
        y[i] = load_number(f, got, (int64_t)call.offset + i);
    free(got);
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
    set("round", 26);
}

static void random_cases(NO_STATE)
{
    standard_params();
    enum { N_ROUNDS = 12 };
    static const int copies[] = {1, 3, 16};
    static const int rounds[] = {26, 5, 8};
    test_random r = test_random_start(test_seed(), "gpu scatter");
    int next = 0;
    for (int round = 0; round < N_ROUNDS; round++)
        for (size_t shape = 0; shape < scatter_shapes(); shape++) {
            scatter_case c = scatter_case_make(&r, round % 2 ? FORMAT_S : FORMAT_D, shape,
                                               round % 12 < 2 ? 3000 : 500);
            for (int i = 0; i < 2; i++, next++) {
                set("group", gpu_groups[next % GPU_N_GROUPS]);
                set("copies", copies[next % 3]);
                set("round", rounds[next / 3 % 3]);
                call.wide = next % 5 == 0;
                call.offset = (size_t)(next % 4);
                if (!scatter_case_holds(&c, library))
                    fail_msg("TEST_SEED=%llu", (unsigned long long)test_seed());
                scatter_case_shuffle(&r, &c);
            }
            scatter_case_free(&c);
        }
    standard_params();
}

/* More bins than one chunk of accumulators holds; every bin of a chunk's border gets terms. */
static void chunks(NO_STATE)
{
    enum { N = 4000, BINS = 9001, CHUNK = 3048 };
    static double x[N], y[BINS], expected[BINS];
    static int64_t index[N];
    test_random r = test_random_start(test_seed(), "gpu chunks");
    set("megabytes", 1); /* of 43 rows: 42 words of 49 bits, and how many terms there are */
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
    call.wide = false;
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

/* More than twice as many floats as a word takes between two carries, all at the upper end of a
 * digit: more than 64 bits hold. */
static void full_words(NO_STATE)
{
    enum { N = (1 << 24) + (1 << 20) };
    const double most = 0x1.fffffep+102;
    double *x = malloc(N * sizeof *x), y = 0;
    int64_t *index = calloc(N, sizeof *index);
    assert_true(x && index);
    for (int i = 0; i < N; i++)
        x[i] = most;
    call.wide = false;
    set("round", 23);
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
        call.wide = k >= 4;
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
    return gpu_run(run_each(random_cases, chunks, many_equal_terms, full_words, zeros, bad_calls));
}
