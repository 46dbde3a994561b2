/* trmm on the emulated device: what lies outside the triangle, and products in several slices. */
#include <exblas/cblas.h>

#include "cuda_testing.h"
#include "emulated_device.h"

#include <math.h>

/* A NaN in the last row of B: only the last row of the product of a lower triangle has it. */
static void outside(NO_STATE)
{
    enum { N = 5 };
    double t[N * N], b[N * N];
    exblas_cuda_handle h;
    cuda_ok(exblas_cuda_create(&h));
    for (int i = 0; i < N * N; i++) {
        t[i] = i % N >= i / N ? 1 : (double)NAN;
        b[i] = i % N == N - 1 ? (double)NAN : 2;
    }
    double *dt = upload(sizeof t, t), *db = upload(sizeof b, b);
    cuda_ok(exblas_cuda_dtrmm(h, EXBLAS_LEFT, EXBLAS_LOWER, EXBLAS_NO_TRANS, EXBLAS_NON_UNIT, N, N,
                              1, dt, N, db, N));
    download(db, sizeof b, b);
    for (int i = 0; i < N * N; i++)
        assert_true(i % N == N - 1 ? b[i] != b[i] : b[i] == 2 * (i % N + 1));
    cudaFree(dt);
    cudaFree(db);
    cuda_ok(exblas_cuda_destroy(h));
}

/* More elements than are surveyed at a time, on a device that computes nothing: a survey and an
 * exact end for each slice, in one list. */
static void many_columns(NO_STATE)
{
    enum { N = 3, SIDES = (1 << 22) };
    static float x[1];
    float *to = (float *)((uintptr_t)x + ((uintptr_t)1 << 32)); /* nobody reads or writes there */
    exblas_cuda_handle h;
    emulated.idle = true;
    cuda_ok(exblas_cuda_create(&h));
    emulated.launches = 0;
    cuda_ok(exblas_cuda_strmm(h, EXBLAS_LEFT, EXBLAS_LOWER, EXBLAS_NO_TRANS, EXBLAS_NON_UNIT, N,
                              SIDES, 1, x, N, to, N));
    int slices = 4, blocks = emulated.launches - 2 - 2 * slices;
    assert_true(blocks > 0 && blocks % 2 == 0);
    cuda_ok(exblas_cuda_destroy(h));
    emulated.idle = false;
}

/* An Inf in the last row of a column of the first and of the second slice: with a lower triangle
 * the rows above do not have it. */
static void slices(NO_STATE)
{
    enum { N = 16, SIDES = (1 << 18) + 5, FIRST = 900, SECOND = (1 << 18) + 2 };
    enum { BEHIND = 4096 };
    size_t bytes = ((size_t)N * SIDES + BEHIND) * sizeof(float);
    float t[N * N] = {2}, *b = malloc(bytes);
    exblas_cuda_handle h;
    assert_non_null(b);
    cuda_ok(exblas_cuda_create(&h));
    for (int i = 1; i < N; i++)
        t[i] = t[i + N * i] = 1;
    for (int j = 0; j < SIDES; j++) {
        for (int i = 1; i < N; i++)
            b[N * j + i] = 1;
        b[N * j] = (float)(j % 1000);
        b[N * j + N - 1] = j == FIRST || j == SECOND ? INFINITY : 1;
    }
    for (int i = 0; i < BEHIND; i++)
        b[(size_t)N * SIDES + (size_t)i] = 7;
    float *dt = upload(sizeof t, t), *db = upload(bytes, b);
    cuda_ok(exblas_cuda_strmm(h, EXBLAS_LEFT, EXBLAS_LOWER, EXBLAS_NO_TRANS, EXBLAS_NON_UNIT, N,
                              SIDES, 1, dt, N, db, N));
    download(db, bytes, b);
    for (int j = 0; j < SIDES; j++) {
        bool has_inf = j == FIRST || j == SECOND;
        assert_true(b[N * j] == (float)(2 * (j % 1000)));
        for (int i = 1; i < N; i++)
            assert_true(b[N * j + i] == (has_inf && i == N - 1 ? INFINITY : (float)(j % 1000 + 1)));
    }
    for (int i = 0; i < BEHIND; i++)
        assert_true(b[(size_t)N * SIDES + (size_t)i] == 7);
    cudaFree(dt);
    cudaFree(db);
    free(b);
    cuda_ok(exblas_cuda_destroy(h));
}

TESTS(outside, slices, many_columns)
