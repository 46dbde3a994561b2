/* Products in several blocks and slices on the emulated device, and what lies outside of triangles.
 */
#include "cuda_testing.h"
#include "emulated_device.h"
#include "gpu/calls/device_job.h"

#include <exblas/exblas.h>

#include <math.h>

static void check(test_random *r, const device_case *c)
{
    device_job j = job_make(r, c);
    cuda_ok(job_call(&j));
    assert_true(job_is_right(&j));
    job_free(&j);
}

/* Several blocks of residues in both factors, and more elements than one group takes at a time. */
static void residues(NO_STATE)
{
    test_random r = test_random_start(99, "cuda_random");
    assert_int_equal(exblas_cuda_create(&device_handle), EXBLAS_OK);
    exblas_cuda_set_param(device_handle, "dgemm", "residue_rows", 64);
    exblas_cuda_set_param(device_handle, "dgemm", "residue_columns", 64);
    device_case c = {.type = 'z',
                     .routine = GEMM,
                     .method = "residue",
                     .kind = MODERATE,
                     .layout = EXBLAS_COL_MAJOR,
                     .transa = EXBLAS_CONJ_TRANS,
                     .transb = EXBLAS_TRANS,
                     .m = 50,
                     .n = 70,
                     .k = 90,
                     .ld = 95,
                     .alpha = {-1.5, 0},
                     .beta = {0.5, 0}};
    for (int i = 0; i < 4; i++) { /* and whatever the scalars are */
        c.alpha[1] = i & 1;
        c.beta[1] = i >> 1;
        emulated.products = 0;
        check(&r, &c);
        assert_true(emulated.products >= 4 * 5);
    }
    assert_int_equal(exblas_cuda_destroy(device_handle), EXBLAS_OK);
}

/* The diagonal of a Hermitian factor is real in the second block of rows, too, and Inf in B no NaN.
 */
static void hermitian_rows(NO_STATE)
{
    enum { M = 40 };
    static double t[M * M][2], x[M][2], c[M][2], wanted[M][2];
    const double alpha[2] = {1, 1}, none[2] = {0, 0};
    exblas_cuda_handle h = create();
    for (int i = 0; i < M * M; i++)
        t[i][0] = t[i][1] = 1;
    for (int i = 0; i < M; i++)
        x[i][0] = x[i][1] = i == M - 1 ? (double)INFINITY : 1;
    x[M - 1][1] = 1;
    double *dt = device_upload(sizeof t, t), *dx = device_upload(sizeof x, x),
           *dc = device_upload(sizeof c, c);
    cuda_ok(exblas_cuda_set_method(h, "residue"));
    cuda_ok(exblas_cuda_set_param(h, "dgemm", "residue_rows", 64));
    cuda_ok(
        exblas_cuda_zhemm(h, EXBLAS_LEFT, EXBLAS_UPPER, M, 1, alpha, dt, M, dx, M, none, dc, M));
    excblas_zhemm(EXBLAS_COL_MAJOR, EXBLAS_LEFT, EXBLAS_UPPER, M, 1, alpha, t, M, x, M, none,
                  wanted, M);
    device_download(dc, sizeof c, c);
    assert_memory_equal(c, wanted, sizeof c);
    assert_true(isinf(c[M - 1][0]) && isinf(c[M - 1][1]));
    device_release(dt);
    device_release(dx);
    device_release(dc);
    cuda_ok(exblas_cuda_destroy(h));
}

/* The diagonal of a Hermitian factor is real in every block of columns of C: with products of its
 * imaginary parts, which are 0, the elements of an infinite row would be NaN. More rows than one
 * block has elements; all but the first and the last are zeros. */
static void hermitian(NO_STATE)
{
    enum { M = (1 << 21) + 1, N = 2 };
    const float alpha[] = {1, 1}, none[] = {0, 0}, t[] = {2, 0, 0, 0, 3, -1, 2, 0};
    const size_t bytes = (size_t)M * N * 2 * sizeof(float);
    float(*x)[2] = calloc(1, bytes), (*c)[2] = calloc(1, bytes), wanted[2 * N], row[2 * N];
    exblas_cuda_handle h;
    assert_true(x && c);
    assert_int_equal(exblas_cuda_create(&h), EXBLAS_OK);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i += M - 1) {
            x[i + j * M][0] = j ? INFINITY : 1;
            x[i + j * M][1] = 1;
        }
    float *dx = device_upload(bytes, x), *dt = device_upload(sizeof t, t), *dc;
    assert_int_equal(cudaMalloc((void **)&dc, bytes), cudaSuccess);
    cuda_ok(
        exblas_cuda_chemm(h, EXBLAS_RIGHT, EXBLAS_UPPER, M, N, alpha, dt, N, dx, M, none, dc, M));
    device_download(dc, bytes, c);
    for (int i = 0; i < M; i += M - 1) {
        for (int j = 0; j < N; j++)
            memcpy(row + 2 * j, x[i + j * M], sizeof *x);
        excblas_chemm(EXBLAS_COL_MAJOR, EXBLAS_RIGHT, EXBLAS_UPPER, 1, N, alpha, t, N, row, 1, none,
                      wanted, 1);
        for (int j = 0; j < N; j++)
            assert_memory_equal(c[i + j * M], wanted + 2 * j, sizeof *c);
        assert_true(isinf(wanted[2]) && isinf(wanted[3]));
    }
    cudaFree(dx);
    cudaFree(dt);
    cudaFree(dc);
    assert_int_equal(exblas_cuda_destroy(h), EXBLAS_OK);
    free(x);
    free(c);
}

/* Results on the host, both parts; a tie, for which the words of an exact sum must have been 0. */
static void results(NO_STATE)
{
    double r[2], *x = device_upload(4 * sizeof *x, (double[]){1, 2, 3, -4});
    double *tie = device_upload(2 * sizeof *tie, (double[]){1 + 0x1p-52, 0x1p-53});
    exblas_cuda_handle h = create();
    exblas_cuda_set_host_results(h, 1);
    cuda_ok(exblas_cuda_zdotc(h, 2, x, 1, x, 1, r));
    assert_true(r[0] == 30 && r[1] == 0);
    cuda_ok(exblas_cuda_zdotu(h, 2, x, 1, x, 1, r));
    assert_true(r[0] == -10 && r[1] == -20);
    cuda_ok(exblas_cuda_zsum(h, 1, x, INT64_MAX, r));
    assert_true(r[0] == 1 && r[1] == 2);
    cuda_ok(exblas_cuda_set_param(h, "reduce", "group", 1)); /* one lane has both */
    cuda_ok(exblas_cuda_dsum(h, 2, tie, 1, r));
    assert_true(r[0] == 1 + 0x1p-51);
    cudaFree(tie);
    cudaFree(x);
    cuda_ok(exblas_cuda_destroy(h));
}

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
    double *dt = device_upload(sizeof t, t), *db = device_upload(sizeof b, b);
    cuda_ok(exblas_cuda_dtrmm(h, EXBLAS_LEFT, EXBLAS_LOWER, EXBLAS_NO_TRANS, EXBLAS_NON_UNIT, N, N,
                              1, dt, N, db, N));
    device_download(db, sizeof b, b);
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
    enum { N = 16, SIDES = (1 << 18) + 5, FIRST = 100, SECOND = (1 << 18) + 2 };
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
    float *dt = device_upload(sizeof t, t), *db = device_upload(bytes, b);
    cuda_ok(exblas_cuda_strmm(h, EXBLAS_LEFT, EXBLAS_LOWER, EXBLAS_NO_TRANS, EXBLAS_NON_UNIT, N,
                              SIDES, 1, dt, N, db, N));
    device_download(db, bytes, b);
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

TESTS(residues, hermitian_rows, hermitian, results, outside, slices, many_columns)
