/* Matrix routines on OpenCL devices: events, the last bits of quotients. */
#include "gpu_testing.h"
#include "test_random.h"

#include <exblas/cblas.h>

enum { N = 13 };

static double a[N * N], b[N * N], c[N * N];

static int fill_all(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "gpu_matrix_calls");
    for (int i = 0; i < N * N; i++) {
        a[i] = random_number(&r, FORMAT_D, (int)random_between(&r, -3, 3));
        b[i] = random_number(&r, FORMAT_D, (int)random_between(&r, -3, 3));
        c[i] = random_number(&r, FORMAT_D, 0);
    }
    return 0;
}

/* Four calls after each other on a queue without an order, tied by events alone. */
static void events(NO_STATE)
{
    cl_command_queue q = gpu_free_queue();
    if (!q)
        leave_test("no OpenCL device");
    cl_mem x = gpu_buffer(gpu_context(), sizeof a, a), y = gpu_buffer(gpu_context(), sizeof b, b),
           z = gpu_buffer(gpu_context(), sizeof c, c);
    cl_event done[4];
    double expected[N * N], computed[N * N];
    memcpy(expected, c, sizeof c);
    for (int i = 0; i < 4; i++) {
        gpu_ok(exblas_cl_dgemm(q, 102, 111, 111 + i % 2, N, N, N, 0.25, x, 0, N, y, 0, N, -1.5, z,
                               0, N, i ? 1 : 0, i ? &done[i - 1] : NULL, &done[i]));
        excblas_dgemm(102, 111, 111 + i % 2, N, N, N, 0.25, a, N, b, N, -1.5, expected, N);
    }
    assert_int_equal(
        clEnqueueReadBuffer(q, z, CL_TRUE, 0, sizeof computed, computed, 1, &done[3], NULL),
        CL_SUCCESS);
    assert_memory_equal(computed, expected, sizeof expected);
    for (int i = 0; i < 4; i++)
        clReleaseEvent(done[i]);
    clReleaseMemObject(x);
    clReleaseMemObject(y);
    clReleaseMemObject(z);
}

/* x_2 = RN(residual / d) where the residual is d times a midpoint, and a bit far below decides:
 * neither the remainder of the division nor the words below it may be lost. */
static void far_bits(NO_STATE)
{
    static const double divisor[] = {1, 3, 0x1.8p-900, 5};
    static const char *const methods[] = {"auto", "superacc"};
    for (int i = 0; i < 4; i++)
        for (int sign = -1; sign <= 1; sign++)
            for (int k = 0; k < 2; k++) {
                double d = divisor[i], far = sign * 0x1p-120 * d;
                double t[9] = {1, 0, 0, 0, 1, 0, -d * 0x1p-53, -far, d}, x[3] = {1, 1, d};
                gpu_ok(exblas_set_method(methods[k]));
                gpu_ok(exblas_cl_host_dtrsv(gpu_queue(), 101, 122, 111, 131, 3, t, 3, x, 1));
                assert_same_bits(x[2], sign > 0 ? 1 + 0x1p-52 : 1);
            }
    gpu_ok(exblas_set_method("auto"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(events, fill_all),
        cmocka_unit_test(far_bits),
    };
    return gpu_run(cmocka_run_group_tests(tests, NULL, NULL));
}
