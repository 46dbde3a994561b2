/* Matrix routines on OpenCL devices: events, the last bits of quotients, more rows and
 * elements than a flow takes at a time. */
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

/* More rows than the flow takes at a time, and more often than a call may ask for scratch memory.
 * y_i = RN(3 a_i), a_i = i. */
static void many_rows(NO_STATE)
{
    enum { ROWS = (1 << 23) + 1 };
    cl_command_queue q = gpu_queue();
    float *i_th = malloc(ROWS * sizeof *i_th), three = 3;
    assert_non_null(i_th);
    for (int i = 0; i < ROWS; i++)
        i_th[i] = (float)i;
    cl_mem x = gpu_buffer(gpu_context(), ROWS * sizeof *i_th, i_th);
    cl_mem y = gpu_buffer(gpu_context(), ROWS * sizeof *i_th, i_th);
    cl_mem factor = gpu_buffer(gpu_context(), sizeof three, &three);
    gpu_ok(
        exblas_cl_sgemv(q, 101, 111, ROWS, 1, 1, x, 0, 1, factor, 0, 1, 0, y, 0, 1, 0, NULL, NULL));
    gpu_read(q, y, 0, ROWS * sizeof *i_th, i_th);
    for (int i = 0; i < ROWS; i++)
        if (i_th[i] != (float)(3.0 * i))
            fail_msg("row %d is %a", i, (double)i_th[i]);
    clReleaseMemObject(x);
    clReleaseMemObject(y);
    clReleaseMemObject(factor);
    free(i_th);
    exblas_cl_release(gpu_context()); /* its scratch memory */
}

/* More elements than are computed at once; in every block some are open, at ties. */
static void many_elements(NO_STATE)
{
    enum { M = (1 << 18) + 1, COLUMNS = 17, K = 3 };
    static double x[M][K], y[K][COLUMNS], z[COLUMNS][M];
    static const double term[K] = {0x1p-53, 0x1p-107, -0x1p-107};
    for (int i = 0; i < M; i++)
        for (int l = 0; l < K; l++)
            x[i][l] = i % 64 ? l == 0 : term[l];
    for (int j = 0; j < COLUMNS; j++) {
        for (int l = 0; l < K; l++)
            y[l][j] = 1;
        for (int i = 0; i < M; i++)
            z[j][i] = 0.5;
    }
    gpu_ok(exblas_cl_host_dgemm(gpu_queue(), 102, 112, 111, M, COLUMNS, K, 1, x[0], K, y[0], K, 2,
                                z[0], M));
    for (int j = 0; j < COLUMNS; j++)
        for (int i = 0; i < M; i++)
            assert_same_bits(z[j][i], i % 64 ? 2 : 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(events, fill_all),
        cmocka_unit_test(far_bits),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(many_elements),
    };
    return gpu_run(cmocka_run_group_tests(tests, NULL, NULL));
}
