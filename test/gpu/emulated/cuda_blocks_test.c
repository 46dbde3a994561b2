/* Products in several blocks on the emulated device, and results on the host. */
#include "cuda_testing.h"
#include "emulated_device.h"

#include <exblas/exblas.h>

#include <math.h>

/* Several blocks of residues in both factors, and more elements than one group takes at a time,
 * whatever the scalars are. */
static void residues(NO_STATE)
{
    device_handle = create();
    exblas_cuda_set_param(device_handle, "dgemm", "residue_rows", 64);
    exblas_cuda_set_param(device_handle, "dgemm", "residue_columns", 64);
    for (int i = 0; i < 4; i++) {
        fuzz_case c = case_of("zgemm", 50, 70, 90, STYLE_RANDOM, "residue");
        c.alpha = (test_number){-1.5, i & 1};
        c.beta = (test_number){0.5, i >> 1};
        emulated.products = 0;
        device_job *j = job_of(c);
        cuda_ok(job_call(j));
        assert_true(job_is_right(j));
        assert_true(emulated.products >= 4 * 5);
        job_free(j);
    }
    cuda_ok(exblas_cuda_destroy(device_handle));
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

TESTS(residues, hermitian_rows, results)
