/* Routines of all types on the OpenCL device give the bits of the processor's, for random operands
 * of several kinds, all options, layouts and offsets, on buffers and on host memory. */
#include "gpu/calls/random_calls.h"
#include "gpu/gpu_testing.h"

#include <exblas/opencl.h>

enum { MOST = 9, CALLS = 12 };

static void *upload(size_t bytes, const void *data)
{
    return gpu_buffer(gpu_context(), bytes, data);
}

static void download(void *from, size_t bytes, void *to)
{
    gpu_read(gpu_queue(), from, 0, bytes, to);
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
    struct CMUnitTest tests[N_ROUTINES];
    for (int i = 0; i < N_ROUTINES - 1; i++) {
        routine which = i < BATCH ? i : i + 1; /* OpenCL has no batches */
        tests[i] = (struct CMUnitTest){routine_names[which], test_routine, NULL, NULL,
                                       (void *)(uintptr_t)which};
    }
    tests[N_ROUTINES - 1] = (struct CMUnitTest)cmocka_unit_test(blocks);
    return gpu_run(cmocka_run_group_tests(tests, NULL, NULL));
}
