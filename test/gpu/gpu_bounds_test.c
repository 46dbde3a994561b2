/* Error bounds of filters on a device, filled: sums whose compensation loses almost as much as the
 * bound grants, always to the same side, so that a smaller bound decides wrongly. */
#include "gpu_testing.h"

/* A compensated lane that has summed these in order is left with s + c = m + d v, m the midpoint
 * between 1 and the next number of the type, v the half of an ulp of c; each further term is a
 * little less than v below 0, so that c stays as it is: they are lost. Their sum exceeds d v, but
 * by less than six terms, so that RN is 1, and a filter that grants less than d v takes s + c for
 * the sum.
 *
 *   double                 s = 1           c = 2^-53 + d v   v = 2^-106
 *   float, compensated     s = m - 2^-52   c = 2^-52 + d v   v = 2^-105
 *
 * A plain sum of floats loses the terms itself: s = m + d v with v = 2^-53, half an ulp of s. */
typedef struct {
    int n_first;
    double first[8];
    double lost;
} lane_terms;

static lane_terms terms_of(char type, bool plain, int n)
{
    int d = (n - 12) / 2 * 2; /* even: a multiple of ulp(c), or of s */
    if (plain)
        return (lane_terms){3, {1, 0x1p-24, d * 0x1p-53}, -0x1p-53 * (1 - 0x1p-16)};
    if (type == 'd')
        return (lane_terms){3, {1, 0x1p-54, 0x1p-54 + d * 0x1p-106}, -0x1p-106 * (1 - 0x1p-20)};
    return (lane_terms){8,
                        {1, 0x1p-24, -0x1p-52, 0x1p-54, 0x1p-54, 0x1p-54, 0x1p-54, d * 0x1p-105},
                        -0x1p-105 * (1 - 0x1p-16)};
}

/* n terms of the lane at x[0], x[step], ... */
static void fill_lane(char type, bool plain, int n, double *x, int64_t step)
{
    lane_terms t = terms_of(type, plain, n);
    for (int i = 0; i < n; i++)
        x[i * step] = i < t.n_first ? t.first[i] : t.lost;
}

/* Elements 0 and then every one that the first item's first lane gets of a reduction in `groups`
 * groups of `group` items, four lanes an item, eight of floats; zeros elsewhere: one lane has all
 * of the bound. */
static void reduction_of(char type, int group, int groups, int lane)
{
    int64_t step = (type == 's' ? 8 : 4) * (int64_t)group * groups, n = step * lane;
    double *x = calloc((size_t)n, sizeof *x), *ones = malloc((size_t)n * sizeof *ones);
    assert_true(x && ones);
    fill_lane(type, type == 's', lane, x, step);
    for (int64_t i = 0; i < n; i++)
        ones[i] = 1;
    cl_mem bx = gpu_vector(type, n, x, 0), by = gpu_vector(type, n, ones, 0),
           br = gpu_vector(type, 2, (double[]){42, 42}, 0);
    cl_command_queue q = gpu_queue();
    size_t m = (size_t)n;
    gpu_ok(exblas_cl_set_param(q, "reduce", "group", group));
    gpu_ok(exblas_cl_set_param(q, "reduce", "groups", groups));
    gpu_ok((type == 'd' ? exblas_cl_dsum : exblas_cl_ssum)(q, m, bx, 0, 1, br, 0, 0, NULL, NULL));
    gpu_ok((type == 'd' ? exblas_cl_ddot : exblas_cl_sdot)(q, m, bx, 0, 1, by, 0, 1, br, 1, 0, NULL,
                                                           NULL));
    for (size_t i = 0; i < 2; i++)
        assert_same_bits(gpu_element(br, type, i), 1);
    clReleaseMemObject(bx);
    clReleaseMemObject(by);
    clReleaseMemObject(br);
    free(x);
    free(ones);
}

/* The bound is 12 terms longer than the lane: 98.8 % and 96 % of it are used. */
static void reductions(NO_STATE)
{
    for (int i = 0; i < 2; i++) {
        reduction_of("ds"[i], 1, 1, 2000);
        reduction_of("ds"[i], 7, 3, 600);
    }
}

/* Rows for each of which one item sums all columns: as many as keep the device busy. */
static int64_t enough_rows(void)
{
    cl_device_id device;
    cl_uint units = 1;
    clGetCommandQueueInfo(gpu_queue(), CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    return 8 * (int64_t)units;
}

/* The bound is 1026 terms longer than a row, and what a row is merged with counts its compensation
 * again: 46 % of it are used. */
static void rows_of(char type)
{
    enum { COLUMNS = 12000 };
    int64_t m = enough_rows();
    const char *routine = type == 'd' ? "dgemv" : "sgemv";
    double *a = malloc((size_t)m * COLUMNS * sizeof *a), *ones = malloc(COLUMNS * sizeof *ones);
    assert_true(a && ones);
    for (int64_t i = 0; i < m; i++)
        fill_lane(type, type == 's', COLUMNS, a + i * COLUMNS, 1);
    for (int j = 0; j < COLUMNS; j++)
        ones[j] = 1;
    cl_mem ba = gpu_vector(type, m * COLUMNS, a, 0), bx = gpu_vector(type, COLUMNS, ones, 0),
           by = gpu_vector(type, m, a, 0);
    cl_command_queue q = gpu_queue();
    gpu_ok(exblas_cl_set_param(q, routine, "group", 1));
    gpu_ok(exblas_cl_set_param(q, routine, "rows", 1));
    if (type == 'd')
        gpu_ok(exblas_cl_dgemv(q, 101, 111, (size_t)m, COLUMNS, 1, ba, 0, COLUMNS, bx, 0, 1, 0, by,
                               0, 1, 0, NULL, NULL));
    else
        gpu_ok(exblas_cl_sgemv(q, 101, 111, (size_t)m, COLUMNS, 1, ba, 0, COLUMNS, bx, 0, 1, 0, by,
                               0, 1, 0, NULL, NULL));
    for (size_t i = 0; i < (size_t)m; i++)
        assert_same_bits(gpu_element(by, type, i), 1);
    clReleaseMemObject(ba);
    clReleaseMemObject(bx);
    clReleaseMemObject(by);
    free(a);
    free(ones);
}

static void rows(NO_STATE)
{
    rows_of('d');
    rows_of('s');
}

/* The bound is two terms longer than the sum. */
static void elements(NO_STATE)
{
    enum { TERMS = 2000 };
    static double a[TERMS], ones[TERMS];
    static float a_s[TERMS], ones_s[TERMS];
    double c = 42;
    float c_s = 42;
    fill_lane('s', false, TERMS, a, 1);
    for (int l = 0; l < TERMS; l++) {
        a_s[l] = (float)a[l];
        ones[l] = ones_s[l] = 1;
    }
    fill_lane('d', false, TERMS, a, 1);
    gpu_ok(exblas_cl_host_dgemm(gpu_queue(), 102, 111, 111, 1, 1, TERMS, 1, a, 1, ones, TERMS, 0,
                                &c, 1));
    gpu_ok(exblas_cl_host_sgemm(gpu_queue(), 102, 111, 111, 1, 1, TERMS, 1, a_s, 1, ones_s, TERMS,
                                0, &c_s, 1));
    assert_same_bits(c, 1);
    assert_same_bits((double)c_s, 1);
}

/* One word gets so many deposits of one sign that carries move up again and again, from all
 * work-items at once. */
static void carries(NO_STATE)
{
    enum { N = 6000 };
    static double x[N];
    double sum;
    gpu_ok(exblas_set_method("superacc"));
    for (int g = 0; g < 2 * GPU_N_GROUPS; g++) {
        for (int i = 0; i < N; i++)
            x[i] = g % 2 ? -0x1.fffffffffffffp+40 : 0x1.fffffffffffffp+40;
        gpu_ok(exblas_cl_set_param(gpu_queue(), "reduce", "group", gpu_groups[g / 2]));
        gpu_ok(exblas_cl_host_dsum(gpu_queue(), N, x, 1, &sum));
        assert_same_bits(sum, excblas_dsum(N, x, 1));
    }
    gpu_ok(exblas_set_method(NULL));
}

int main(void)
{
    return gpu_run(run_each(carries, reductions, rows, elements));
}
