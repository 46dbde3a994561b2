/* csrmv on devices: the processor's bits, for rows of none to many entries, of both types and
 * widths of indices, in groups of several sizes; what is wrong leaves y alone. */
#include "adversarial.h"
#include "emulated_device.h"
#include "test_random.h"
#include "testing.h"

#include <cuda_runtime_api.h>
#include <exblas/cuda_sparse.h>
#include <exblas/exblas.h>
#include <exblas/sparse.h>

#include <math.h>
#include <string.h>

enum { M = 37, N = 29, MOST = 900 };

static struct {
    exblas_int start[M + 1], column[MOST];
    exblas_int64 start_64[M + 1], column_64[MOST];
    double value[MOST], x[N], y[M];
    float value_f[MOST], x_f[N], y_f[M];
} a;

static void make_matrix(test_random *r, int round)
{
    double factor[MOST];
    for (int i = 0; i < M; i++) {
        int most = i == 5 ? 300 : i % 4 ? 9 : 40, left = MOST - a.start[i];
        int n = (int)random_between(r, 0, most < left ? most : left);
        a.start[i + 1] = a.start[i] + n;
        a.start_64[i + 1] = a.start[i + 1];
    }
    factors_fill((size_t)round % factors_kinds(), r, FORMAT_D, MOST, a.value, factor);
    memcpy(a.x, factor, sizeof a.x);
    memcpy(a.y, factor + N, sizeof a.y);
    for (int k = 0; k < MOST; k++) {
        a.column_64[k] = a.column[k] = (exblas_int)random_between(r, 0, N - 1);
        a.value_f[k] = (float)random_number(r, FORMAT_S, 3);
    }
    if (round % 4 == 3) {
        a.x[random_between(r, 0, N - 1)] = INFINITY;
        a.value[random_between(r, 0, MOST - 1)] = NAN;
    }
    for (int i = 0; i < N; i++)
        a.x_f[i] = (float)random_number(r, FORMAT_S, 3);
    for (int i = 0; i < M; i++)
        a.y_f[i] = (float)a.y[i];
}

static void *upload(const void *data, size_t bytes)
{
    void *m = NULL;
    assert_int_equal(cudaMalloc(&m, bytes), cudaSuccess);
    assert_int_equal(cudaMemcpy(m, data, bytes, cudaMemcpyHostToDevice), cudaSuccess);
    return m;
}

typedef struct {
    exblas_int *start, *column;
    exblas_int64 *start_64, *column_64;
    double *value, *x, *y;
    float *value_f, *x_f, *y_f;
} on_device;

static on_device upload_all(void)
{
    return (on_device){upload(a.start, sizeof a.start),
                       upload(a.column, sizeof a.column),
                       upload(a.start_64, sizeof a.start_64),
                       upload(a.column_64, sizeof a.column_64),
                       upload(a.value, sizeof a.value),
                       upload(a.x, sizeof a.x),
                       upload(a.y, sizeof a.y),
                       upload(a.value_f, sizeof a.value_f),
                       upload(a.x_f, sizeof a.x_f),
                       upload(a.y_f, sizeof a.y_f)};
}

static void free_all(on_device *d)
{
    void *all[] = {d->start, d->column, d->start_64, d->column_64, d->value,
                   d->x,     d->y,      d->value_f,  d->x_f,       d->y_f};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        cudaFree(all[i]);
}

static void ok(exblas_status status)
{
    if (status)
        fail_msg("status %d: %s", (int)status, exblas_cuda_last_error());
}

static void check_round(exblas_cuda_handle h, bool wide, double alpha, double beta)
{
    double y[M], got[M];
    float y_f[M], got_f[M];
    on_device d = upload_all();
    memcpy(y, a.y, sizeof y);
    memcpy(y_f, a.y_f, sizeof y_f);
    ok(exblas_dcsrmv(EXBLAS_NO_TRANS, M, N, alpha, a.start, a.column, a.value, a.x, beta, y));
    ok(exblas_scsrmv(EXBLAS_NO_TRANS, M, N, (float)alpha, a.start, a.column, a.value_f, a.x_f,
                     (float)beta, y_f));
    if (wide) {
        ok(exblas_cuda_dcsrmv_64(h, M, N, MOST, alpha, d.start_64, d.column_64, d.value, d.x, beta,
                                 d.y));
        ok(exblas_cuda_scsrmv_64(h, M, N, MOST, (float)alpha, d.start_64, d.column_64, d.value_f,
                                 d.x_f, (float)beta, d.y_f));
    } else {
        ok(exblas_cuda_dcsrmv(h, M, N, MOST, alpha, d.start, d.column, d.value, d.x, beta, d.y));
        ok(exblas_cuda_scsrmv(h, M, N, MOST, (float)alpha, d.start, d.column, d.value_f, d.x_f,
                              (float)beta, d.y_f));
    }
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    cudaMemcpy(got, d.y, sizeof got, cudaMemcpyDeviceToHost);
    cudaMemcpy(got_f, d.y_f, sizeof got_f, cudaMemcpyDeviceToHost);
    for (int i = 0; i < M; i++) {
        assert_same_bits(got[i], y[i]);
        assert_same_bits(got_f[i], y_f[i]);
    }
    free_all(&d);
}

static void the_bits_of_the_processor(void **state)
{
    static const int group[] = {256, 1, 7, 64, 32};
    static const double scalar[] = {1, 0, -0.7, 3};
    (void)state;
    exblas_cuda_handle h = NULL;
    test_random r = test_random_start(test_seed(), "cuda csrmv");
    ok(exblas_cuda_create(&h));
    for (int round = 0; round < 20; round++) {
        make_matrix(&r, round);
        ok(exblas_cuda_set_param(h, "dcsrmv", "group", group[round % 5]));
        ok(exblas_cuda_set_param(h, "scsrmv", "group", group[round % 5]));
        check_round(h, round % 2, round % 5 ? 1 : scalar[round / 5 % 4], scalar[round / 2 % 4]);
    }
    ok(exblas_cuda_destroy(h));
}

static void what_is_wrong(void **state)
{
    static const exblas_int start[][3] = {{0, 2, 1}, {-1, 0, 1}, {0, 1, 3}, {0, 1, 2}, {0, 1, 2}};
    static const exblas_int column[][2] = {{0, 1}, {0, 1}, {0, 1}, {0, 2}, {-1, 0}};
    static const double value[] = {1, 2}, x[] = {3, 4}, before[] = {7, 7};
    (void)state;
    exblas_cuda_handle h = NULL;
    ok(exblas_cuda_create(&h));
    for (int i = 0; i < 5; i++) {
        exblas_int *s = upload(start[i], sizeof start[i]), *c = upload(column[i], sizeof column[i]);
        double *v = upload(value, sizeof value), *vx = upload(x, sizeof x), y[2];
        double *vy = upload(before, sizeof before);
        assert_int_equal(exblas_cuda_dcsrmv(h, 2, 2, 2, 1, s, c, v, vx, 0, vy), EXBLAS_EINVAL);
        assert_int_equal(exblas_cuda_dcsrmv(h, -1, 2, 2, 1, s, c, v, vx, 0, vy), EXBLAS_EINVAL);
        assert_int_equal(exblas_cuda_dcsrmv(h, 2, 2, 2, 1, NULL, c, v, vx, 0, vy), EXBLAS_EINVAL);
        assert_int_equal(exblas_cuda_dcsrmv(h, 2, 2, 2, 1, s, c, v, NULL, 0, vy), EXBLAS_EINVAL);
        ok(exblas_cuda_dcsrmv(h, 0, 2, 0, 1, NULL, NULL, NULL, NULL, 0, NULL));
        cudaDeviceSynchronize();
        cudaMemcpy(y, vy, sizeof y, cudaMemcpyDeviceToHost);
        assert_true(y[0] == 7 && y[1] == 7);
        void *all[] = {s, c, v, vx, vy};
        for (int k = 0; k < 5; k++)
            cudaFree(all[k]);
    }
    ok(exblas_cuda_destroy(h));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_bits_of_the_processor),
                                       cmocka_unit_test(what_is_wrong)};
    return cmocka_run_group_tests_name("cuda_csrmv", tests, NULL, NULL);
}
