/* scatter_add on a device against the oracle: all shapes, formats, sizes of indices, work-group
 * sizes; chunks of bins, copies and rounds of carries forced small. */
#include "gpu_testing.h"
#include "acc/scatter_case.h"

#include <exblas/opencl_scatter.h>
#include <math.h>

static struct {
    bool narrow;
    size_t offset;
} call;

static void set(const char *name, int value)
{
    assert_int_equal(exblas_cl_set_param(gpu_queue(), "scatter", name, value), EXBLAS_OK);
}

typedef struct {
    cl_mem x, index, y;
} buffers;

typedef exblas_status scatter_call(cl_command_queue, size_t, cl_mem, size_t, cl_mem, size_t, size_t,
                                   cl_mem, size_t, cl_uint, const cl_event *, cl_event *);

static scatter_call *const strong[2][2] = {
    [FORMAT_S] = {exblas_cl_sscatter_add_64, exblas_cl_sscatter_add},
    [FORMAT_D] = {exblas_cl_dscatter_add_64, exblas_cl_dscatter_add},
};

static exblas_status run(scatter_call *f, size_t n, size_t n_bins, const buffers *b)
{
    cl_event done = NULL;
    size_t at = call.offset;
    exblas_status status =
        f(gpu_queue(), n, b->x, at, b->index, at + 1, n_bins, b->y, at + 2, 0, NULL, &done);
    if (status == EXBLAS_OK) {
        assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
        clReleaseEvent(done);
    } else
        assert_null(done);
    return status;
}

static cl_mem number_buffer(number_format f, int64_t n, const double *x, size_t before)
{
    return gpu_vector(f == FORMAT_S ? 's' : 'd', n, x, (int64_t)before);
}

/* n indices behind `before` that are out of range. */
static cl_mem index_buffer(int64_t n, const int64_t *index, size_t before)
{
    size_t element = call.narrow ? sizeof(int32_t) : sizeof *index, all = before + (size_t)n;
    int64_t *wide = calloc(all + 1, sizeof *wide);
    assert_non_null(wide);
    int32_t *narrow = (int32_t *)wide;
    for (size_t i = 0; i < all; i++)
        if (call.narrow)
            narrow[i] = i < before ? -1 : (int32_t)index[i - before];
        else
            wide[i] = i < before ? -1 : index[i - before];
    cl_mem m = gpu_buffer(gpu_context(), (all + 1) * element, wide);
    free(wide);
    return m;
}

static void read_numbers(number_format f, cl_mem m, size_t before, int64_t n, double *y)
{
    float *p = calloc((size_t)n + 1, sizeof *p);
    assert_non_null(p);
    if (n > 0 && f == FORMAT_D)
        gpu_read(gpu_queue(), m, before * sizeof *y, (size_t)n * sizeof *y, y);
    else if (n > 0)
        gpu_read(gpu_queue(), m, before * sizeof *p, (size_t)n * sizeof *p, p);
    for (int64_t i = 0; f == FORMAT_S && i < n; i++)
        y[i] = p[i];
    free(p);
}

static exblas_status on_device(scatter_call *fn, number_format f, int64_t n, const double *x,
                               const int64_t *index, int64_t n_bins, double *y)
{
    buffers b = {number_buffer(f, n, x, call.offset), index_buffer(n, index, call.offset + 1),
                 number_buffer(f, n_bins, y, call.offset + 2)};
    exblas_status status = run(fn, (size_t)n, (size_t)n_bins, &b);
    read_numbers(f, b.y, call.offset + 2, n_bins, y);
    clReleaseMemObject(b.x);
    clReleaseMemObject(b.index);
    clReleaseMemObject(b.y);
    return status;
}

static exblas_status library(number_format f, int64_t n, const double *x, const int64_t *index,
                             int64_t n_bins, double *y)
{
    return on_device(strong[f][call.narrow], f, n, x, index, n_bins, y);
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
                call.narrow = next % 5 != 0;
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
    call.narrow = true;
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

/* n times the four bytes at `value`. */
static cl_mem filled(size_t n, const void *value)
{
    cl_mem m = clCreateBuffer(gpu_context(), CL_MEM_READ_WRITE, 4 * n, NULL, NULL);
    assert_int_equal(clEnqueueFillBuffer(gpu_queue(), m, value, 4, 0, 4 * n, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_int_equal(clFinish(gpu_queue()), CL_SUCCESS);
    return m;
}

/* More than twice as many floats as a word takes between two carries, all at the upper end of a
 * digit: more than 64 bits hold. */
static void full_words(NO_STATE)
{
    enum { N = (1 << 24) + (1 << 20) };
    const float most = 0x1.fffffep+102f;
    float y = 0;
    cl_int zero = 0;
    buffers b = {filled(N, &most), filled(N, &zero), filled(1, &y)};
    call.offset = 0;
    set("round", 23);
    assert_int_equal(
        exblas_cl_sscatter_add(gpu_queue(), N, b.x, 0, b.index, 0, 1, b.y, 0, 0, NULL, NULL),
        EXBLAS_OK);
    gpu_read(gpu_queue(), b.y, 0, sizeof y, &y);
    assert_same_bits(y, (float)((double)N * most)); /* 17 * 2^20 * most is a double */
    standard_params();
    clReleaseMemObject(b.x);
    clReleaseMemObject(b.index);
    clReleaseMemObject(b.y);
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
        call.narrow = k < 4;
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
    buffers b = {number_buffer(FORMAT_D, 5, x, call.offset),
                 index_buffer(5, index, call.offset + 1),
                 number_buffer(FORMAT_D, BINS, y, call.offset + 2)};
    assert_int_equal(run(exblas_cl_dscatter_add, 7, BINS, &b), EXBLAS_EINVAL);     /* x is short */
    assert_int_equal(run(exblas_cl_dscatter_add, 5, BINS + 2, &b), EXBLAS_EINVAL); /* y is */
    clReleaseMemObject(b.x);
    clReleaseMemObject(b.index);
    clReleaseMemObject(b.y);
}

int main(void)
{
    return gpu_run(run_each(random_cases, chunks, many_equal_terms, full_words, zeros, bad_calls));
}
