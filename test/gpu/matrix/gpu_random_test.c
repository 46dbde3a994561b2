/* Routines of all types on the OpenCL device give the bits of the processor's, for random operands
 * of several kinds, all options, layouts and offsets, on buffers and on host memory. */
#include "gpu/calls/random_calls.h"
#include "gpu/gpu_testing.h"

#include <exblas/opencl.h>

enum { MOST = 9, CALLS = 12 };

static void *upload(size_t bytes, const void *data)
{
    cl_int error;
    cl_mem m = clCreateBuffer(gpu_context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                              (void *)(uintptr_t)data, &error);
    assert_int_equal(error, CL_SUCCESS);
    return m;
}

static void download(void *from, size_t bytes, void *to)
{
    assert_int_equal(clEnqueueReadBuffer(gpu_queue(), from, CL_TRUE, 0, bytes, to, 0, NULL, NULL),
                     CL_SUCCESS);
}

static void release(void *m)
{
    clReleaseMemObject(m);
}

static exblas_status run(const device_call *c)
{
    return device_call_cl(gpu_queue(), c);
}

static exblas_status run_host(const device_call *c)
{
    return device_call_host(gpu_queue(), c);
}

static const random_device device = {upload, download, release,
                                     run,    run_host, exblas_cl_last_error};

static void test_routine(void **state)
{
    static const char *const methods[] = {"auto", "auto", "superacc", "residue"};
    routine which = (routine)(uintptr_t)*state;
    test_random r = test_random_start(test_seed() + (uint64_t)which, "gpu_random");
    for (int i = 0; i < CALLS; i++) {
        random_call c =
            random_call_draw(&r, which, MOST, sizeof methods / sizeof *methods, methods);
        gpu_ok(exblas_set_method(c.method));
        random_call_check(&r, &c, &device);
    }
    gpu_ok(exblas_set_method("auto"));
}

/* The call failed with EINVAL and these words. */
static void is_refused(exblas_status status, const char *words)
{
    assert_int_equal(status, EXBLAS_EINVAL);
    if (!strstr(exblas_cl_last_error(), words))
        fail_msg("%s: not about %s", exblas_cl_last_error(), words);
}

/* What is refused: arguments by BLAS's numbers, scalars that are NULL, buffers with an element too
 * few, of which a complex one is two numbers. Nothing is written. */
static void refused(NO_STATE)
{
    const double one[2] = {1, 0}, x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const size_t huge = (size_t)INT64_MAX;
    double now[8];
    cl_command_queue q = gpu_queue();
    cl_mem m = upload(sizeof x, x);
#define ALL 0, NULL, NULL
    is_refused(exblas_cl_dgemm(q, 100, 111, 111, 2, 2, 2, 1, m, 0, 2, m, 4, 2, 0, m, 4, 2, ALL),
               "argument 1 of gemm");
    is_refused(exblas_cl_dgemm(q, 101, 111, 111, 2, 3, 2, 1, m, 0, 2, m, 0, 3, 0, m, 0, 2, ALL),
               "argument 14 of gemm");
    is_refused(exblas_cl_dgemm(q, 102, 111, 111, 2, 4, 1, 1, m, 0, 2, m, 0, 1, 0, m, 1, 2, ALL),
               "c has 8 elements");
    is_refused(exblas_cl_dgemm(q, 102, 111, 111, 2, 2, 2, 1, m, 0, 2, m, 0, 2, 0, m, 0, huge, ALL),
               "c has 8 elements");
    is_refused(exblas_cl_dgemv(q, 102, 111, (size_t)-1, 2, 1, m, 0, 2, m, 0, 1, 0, m, 0, 1, ALL),
               "argument 3 of gemv");
    is_refused(exblas_cl_dgemv(q, 102, 111, 2, 2, 1, m, 0, 2, m, 0, 1, 0, m, 0, -8, ALL),
               "y has 8 elements");
    is_refused(exblas_cl_dtrsv(q, 102, 121, 111, 131, 2, m, 0, 2, m, 0, 0, ALL),
               "argument 9 of trsv");
    is_refused(exblas_cl_zgemv(q, 102, 111, 1, 1, NULL, m, 0, 1, m, 0, 1, one, m, 1, 1, ALL),
               "alpha");
    is_refused(
        exblas_cl_zgemm(q, 102, 111, 111, 1, 1, 1, one, m, 0, 1, m, 0, 1, NULL, m, 1, 1, ALL),
        "beta");
    is_refused(exblas_cl_zgemm(q, 102, 111, 111, 1, 1, 1, one, m, 0, 1, m, 1, 1, one, m, 1, 1, ALL),
               "c overlaps b");
    is_refused(exblas_cl_zsum(q, 5, m, 0, 1, m, 0, ALL), "x has 4 elements");
    is_refused(exblas_cl_zdotc(q, 1, m, 0, 1, m, 0, 1, m, 4, ALL), "has 4 elements");
    is_refused(exblas_cl_ztrmm(q, 102, 141, 121, 111, 131, 1, 1, NULL, m, 0, 1, m, 1, 1, ALL),
               "alpha");
    is_refused(exblas_cl_ztrmm(q, 102, 141, 121, 111, 131, 3, 1, one, m, 0, 3, m, 0, 3, ALL),
               "elements");
    is_refused(exblas_cl_zherk(q, 102, 121, 112, 1, 1, 1, m, 0, 1, 0, m, 1, 1, ALL), "argument");
    is_refused(exblas_cl_host_zsum(q, 1, x, 1, NULL), "NULL");
    is_refused(exblas_cl_zsum(q, huge, m, 0, 0, m, 0, ALL), "");
#undef ALL
    download(m, sizeof now, now);
    assert_memory_equal(now, x, sizeof x);
    release(m);
}

/* More elements than are computed at once; in every block some are open, at ties. */
static void blocks(NO_STATE)
{
    enum { M = (1 << 18) + 1, N = 17, K = 3 };
    static double a[M][K], b[K][N], c[N][M];
    static const double term[K] = {0x1p-53, 0x1p-107, -0x1p-107};
    for (int i = 0; i < M; i++)
        for (int l = 0; l < K; l++)
            a[i][l] = i % 64 ? l == 0 : term[l];
    for (int j = 0; j < N; j++) {
        for (int l = 0; l < K; l++)
            b[l][j] = 1;
        for (int i = 0; i < M; i++)
            c[j][i] = 0.5;
    }
    gpu_ok(
        exblas_cl_host_dgemm(gpu_queue(), 102, 112, 111, M, N, K, 1, a[0], K, b[0], K, 2, c[0], M));
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++)
            assert_same_bits(c[j][i], i % 64 ? 2 : 1);
}

int main(void)
{
    struct CMUnitTest tests[N_ROUTINES + 1];
    for (int i = 0; i < N_ROUTINES - 1; i++) {
        routine which = i < BATCH ? i : i + 1; /* OpenCL has no batches */
        tests[i] = (struct CMUnitTest){routine_names[which], test_routine, NULL, NULL,
                                       (void *)(uintptr_t)which};
    }
    tests[N_ROUTINES - 1] = (struct CMUnitTest)cmocka_unit_test(refused);
    tests[N_ROUTINES] = (struct CMUnitTest)cmocka_unit_test(blocks);
    return gpu_run(cmocka_run_group_tests(tests, NULL, NULL));
}
