/* Routines of all types on the emulated device give the bits of the processor's, for random
 * operands of several kinds, all options, layouts and methods. */
#include "cuda_testing.h"
#include "emulated_device.h"
#include "gpu/calls/random_calls.h"

#include <exblas/exblas.h>

#include <math.h>

static exblas_cuda_handle handle;

static void release(void *m)
{
    cudaFree(m);
}

static exblas_status run(const device_call *c)
{
    exblas_status s = exblas_cuda_set_layout(handle, c->layout);
    return s ? s : device_call_cuda(handle, c);
}

static const random_device device = {upload, download, release, run, NULL, exblas_cuda_last_error};

enum { CALLS = 100 };

static void test_routine(void **state)
{
    static const char *const methods[] = {"auto", "auto", "superacc", "fpe4", "residue"};
    routine which = (routine)(uintptr_t)*state;
    test_random r = test_random_start((uint64_t)which + 1, "cuda_random");
    handle = create();
    cuda_ok(exblas_cuda_set_param(handle, "dgemm", "residue_group", 32));
    cuda_ok(exblas_cuda_set_param(handle, "sgemm", "residue_group", 32));
    for (int i = 0; i < CALLS; i++) {
        random_call c = random_call_draw(&r, which, random_between(&r, 0, 7) ? 9 : 30,
                                         sizeof methods / sizeof *methods, methods);
        c.offset = 0;
        assert_int_equal(exblas_cuda_set_method(handle, c.method), EXBLAS_OK);
        random_call_check(&r, &c, &device);
    }
    assert_int_equal(exblas_cuda_destroy(handle), EXBLAS_OK);
}

/* Several blocks of residues in both factors, and more elements than one group takes at a time. */
static void test_large(NO_STATE)
{
    test_random r = test_random_start(99, "cuda_random");
    assert_int_equal(exblas_cuda_create(&handle), EXBLAS_OK);
    exblas_cuda_set_param(handle, "dgemm", "residue_rows", 64);
    exblas_cuda_set_param(handle, "dgemm", "residue_columns", 64);
    random_call c = {.type = 'z',
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
    exblas_cuda_set_method(handle, c.method);
    for (int i = 0; i < 4; i++) { /* and whatever the scalars are */
        c.alpha[1] = i & 1;
        c.beta[1] = i >> 1;
        emulated.products = 0;
        random_call_check(&r, &c, &device);
        assert_true(emulated.products >= 4 * 5);
    }
    c.routine = HEMM; /* of rows in the second block the diagonal is real, too */
    c.kind = SPECIAL;
    c.side = EXBLAS_LEFT;
    c.uplo = EXBLAS_UPPER;
    random_call_check(&r, &c, &device);
    c.side = EXBLAS_RIGHT;
    random_call_check(&r, &c, &device);
    assert_int_equal(exblas_cuda_destroy(handle), EXBLAS_OK);
}

/* The diagonal of a Hermitian factor is real in every block of columns of C: with products of its
 * imaginary parts, which are 0, the elements of an infinite row would be NaN. More rows than one
 * block has elements; all but the first and the last are zeros. */
static void test_hermitian_blocks(NO_STATE)
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
    float *dx = upload(bytes, x), *dt = upload(sizeof t, t), *dc;
    assert_int_equal(cudaMalloc((void **)&dc, bytes), cudaSuccess);
    cuda_ok(
        exblas_cuda_chemm(h, EXBLAS_RIGHT, EXBLAS_UPPER, M, N, alpha, dt, N, dx, M, none, dc, M));
    download(dc, bytes, c);
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

/* Results on the host, both parts. */
static void test_results(NO_STATE)
{
    double r[2], *x = upload(4 * sizeof *x, (double[]){1, 2, 3, -4});
    exblas_cuda_handle h = create();
    exblas_cuda_set_host_results(h, 1);
    cuda_ok(exblas_cuda_zdotc(h, 2, x, 1, x, 1, r));
    assert_true(r[0] == 30 && r[1] == 0);
    cuda_ok(exblas_cuda_zdotu(h, 2, x, 1, x, 1, r));
    assert_true(r[0] == -10 && r[1] == -20);
    cuda_ok(exblas_cuda_zsum(h, 1, x, INT64_MAX, r));
    assert_true(r[0] == 1 && r[1] == 2);
    cudaFree(x);
    cuda_ok(exblas_cuda_destroy(h));
}

int main(void)
{
    struct CMUnitTest tests[N_ROUTINES + 3];
    for (int i = 0; i < N_ROUTINES; i++)
        tests[i] =
            (struct CMUnitTest){routine_names[i], test_routine, NULL, NULL, (void *)(uintptr_t)i};
    tests[N_ROUTINES] = (struct CMUnitTest)cmocka_unit_test(test_large);
    tests[N_ROUTINES + 1] = (struct CMUnitTest)cmocka_unit_test(test_results);
    tests[N_ROUTINES + 2] = (struct CMUnitTest)cmocka_unit_test(test_hermitian_blocks);
    return cmocka_run_group_tests_name("cuda_random", tests, NULL, NULL);
}
