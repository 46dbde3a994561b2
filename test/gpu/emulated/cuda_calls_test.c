/* The host code of libexblas_cuda on a device that computes nothing: parameters, what is refused,
 * scratch memory. */
#include "emulated_device.h"
#include "exblas/cuda.h"
#include "gpu/cuda/handle.h"
#include "gpu/flow/params.h"
#include "testing.h"

#include <string.h>

enum { N = 4 };
static exblas_cuda_handle handle;
static double x[N * N], y[N * N], z[N * N];
static float f[N * N];
static exblas_int ind[N];
static exblas_int64 ind_64[N];

static int setup(NO_STATE)
{
    emulated.idle = true;
    return exblas_cuda_create(&handle);
}

static int teardown(NO_STATE)
{
    return exblas_cuda_destroy(handle) || emulated.live != 0;
}

/* A value of its own for each. */
static int value_of(int i)
{
    const exb_gpu_known_param *p = &exb_gpu_known_params[i];
    return p->least + i % (p->most - p->least + 1);
}

static int param_now(const exb_gpu_known_param *p)
{
    exb_gpu gpu;
    assert_true(exb_cuda_begin(&gpu, handle));
    int value = exb_gpu_param(&gpu, p->routine, p->name, -1);
    exb_cuda_end(&gpu);
    return value;
}

/* Every parameter has a place: none takes that of another one. */
static void params(NO_STATE)
{
    int n = exb_gpu_n_known_params;
    for (int i = 0; i < n; i++) {
        const exb_gpu_known_param *p = &exb_gpu_known_params[i];
        assert_int_equal(exblas_cuda_set_param(handle, p->routine, p->name, value_of(i)),
                         EXBLAS_OK);
    }
    for (int i = 0; i < n; i++)
        assert_int_equal(param_now(&exb_gpu_known_params[i]), value_of(i));
    assert_in_range(n, 20, 1000);
    assert_int_equal(exblas_cuda_set_param(handle, "dgemv", "group", 257), EXBLAS_EINVAL);
    assert_int_equal(exblas_cuda_set_param(handle, "dgemm", "colour", 1), EXBLAS_EINVAL);
    assert_int_equal(exblas_cuda_set_param(NULL, "dgemv", "group", 64), EXBLAS_EINVAL);
}

static void refused(exblas_status status, const char *words)
{
    assert_int_equal(status, EXBLAS_EINVAL);
    if (!strstr(exblas_cuda_last_error(), words))
        fail_msg("\"%s\" does not say \"%s\"", exblas_cuda_last_error(), words);
    assert_int_equal(emulated.launches, 0);
    assert_int_equal(emulated.copies, 0);
}

static void bad_vectors(NO_STATE)
{
    emulated.launches = emulated.copies = 0;
    refused(exblas_cuda_dsum(NULL, N, x, 1, z), "the handle is NULL");
    refused(exblas_cuda_dsum(handle, N, NULL, 1, z), "x is NULL");
    refused(exblas_cuda_dasum(handle, N, x, 1, NULL), "result is NULL");
    refused(exblas_cuda_snrm2(handle, N, f, 1, NULL), "result is NULL");
    refused(exblas_cuda_ddot(handle, N, x, 1, NULL, 1, z), "y is NULL");
    refused(exblas_cuda_ddot(handle, 0, NULL, 1, NULL, 1, NULL), "result is NULL");
    refused(exblas_cuda_dsum(handle, (int64_t)1 << 61, x, 1, z), "x is longer than memory");
    refused(exblas_cuda_dsum(handle, 3, x, INT64_MIN, z), "x is longer than memory");
    refused(exblas_cuda_dscatter_add(handle, -1, x, ind, N, z), "negative");
    refused(exblas_cuda_dscatter_add(handle, N, x, ind, -1, z), "negative");
    refused(exblas_cuda_dscatter_add(handle, N, x, ind, 0, z), "no bins");
    refused(exblas_cuda_dscatter_add(handle, N, NULL, ind, N, z), "x is NULL");
    refused(exblas_cuda_dscatter_add_64(handle, N, x, NULL, N, z), "index is NULL");
    refused(exblas_cuda_dscatter_add_64(handle, N, x, ind_64, N, NULL), "y is NULL");
}

/* The numbers are those of CBLAS: the handle stands in the place of the layout. */
static void bad_matrices(NO_STATE)
{
    emulated.launches = emulated.copies = 0;
    refused(exblas_cuda_dgemv(NULL, 111, 2, 2, 1, x, 2, y, 1, 0, z, 1), "the handle is NULL");
    refused(exblas_cuda_dgemv(handle, 0, 2, 2, 1, x, 2, y, 1, 0, z, 1), "argument 2 of gemv");
    refused(exblas_cuda_dgemv(handle, 111, -1, 2, 1, x, 2, y, 1, 0, z, 1), "argument 3 of gemv");
    refused(exblas_cuda_dgemv(handle, 111, 2, -1, 1, x, 2, y, 1, 0, z, 1), "argument 4 of gemv");
    refused(exblas_cuda_dgemv(handle, 112, 3, 2, 1, x, 2, y, 1, 0, z, 1), "argument 7 of gemv");
    refused(exblas_cuda_dgemv(handle, 111, 2, 2, 1, x, 2, y, 0, 0, z, 1), "argument 9 of gemv");
    refused(exblas_cuda_dgemv(handle, 111, 2, 2, 1, x, 2, y, 1, 0, z, 0), "argument 12 of gemv");
    refused(exblas_cuda_dgemv(handle, 111, 2, 2, 1, NULL, 2, y, 1, 0, z, 1), "a is NULL");
    refused(exblas_cuda_dgemv(handle, 111, 2, 2, 1, x, 2, NULL, 1, 0, z, 1), "x is NULL");
    refused(exblas_cuda_dgemv(handle, 111, 2, 2, 1, x, 2, y, 1, 0, NULL, 1), "y is NULL");
    refused(exblas_cuda_dtrsv(handle, 123, 111, 131, 2, x, 2, y, 1), "argument 2 of trsv");
    refused(exblas_cuda_dtrsv(handle, 121, 114, 131, 2, x, 2, y, 1), "argument 3 of trsv");
    refused(exblas_cuda_dtrsv(handle, 121, 111, 130, 2, x, 2, y, 1), "argument 4 of trsv");
    refused(exblas_cuda_dtrsv(handle, 121, 111, 131, -1, x, 2, y, 1), "argument 5 of trsv");
    refused(exblas_cuda_dtrsv(handle, 121, 111, 131, 3, x, 2, y, 1), "argument 7 of trsv");
    refused(exblas_cuda_dtrsv(handle, 121, 111, 131, 2, x, 2, y, 0), "argument 9 of trsv");
    refused(exblas_cuda_dtrsv(handle, 121, 111, 131, 2, x, 2, NULL, 1), "x is NULL");
    refused(exblas_cuda_dgemm(handle, 110, 111, 2, 2, 2, 1, x, 2, y, 2, 0, z, 2),
            "argument 2 of gemm");
    refused(exblas_cuda_dgemm(handle, 111, 114, 2, 2, 2, 1, x, 2, y, 2, 0, z, 2),
            "argument 3 of gemm");
    refused(exblas_cuda_dgemm(handle, 111, 111, -2, 2, 2, 1, x, 2, y, 2, 0, z, 2),
            "argument 4 of gemm");
    refused(exblas_cuda_dgemm(handle, 111, 111, 2, 2, -2, 1, x, 2, y, 2, 0, z, 2),
            "argument 6 of gemm");
    refused(exblas_cuda_dgemm(handle, 111, 111, 3, 2, 2, 1, x, 2, y, 2, 0, z, 3),
            "argument 9 of gemm");
    refused(exblas_cuda_dgemm(handle, 111, 111, 2, 2, 3, 1, x, 2, y, 2, 0, z, 2),
            "argument 11 of gemm");
    refused(exblas_cuda_dgemm(handle, 111, 111, 3, 2, 2, 1, x, 3, y, 2, 0, z, 2),
            "argument 14 of gemm");
    refused(exblas_cuda_dgemm(handle, 111, 111, 2, 2, 2, 1, x, 2, NULL, 2, 0, z, 2), "b is NULL");
    refused(exblas_cuda_dgemm(handle, 111, 111, 2, 2, 0, 1, NULL, 2, NULL, 2, 0, NULL, 2),
            "c is NULL");
}

/* Empty calls look at no operand and launch nothing. */
static void empty_calls(NO_STATE)
{
    emulated.launches = 0;
    assert_int_equal(exblas_cuda_dgemv(handle, 111, 0, 2, 1, NULL, 1, NULL, 1, 0, NULL, 1),
                     EXBLAS_OK);
    assert_int_equal(exblas_cuda_dgemv(handle, 111, 2, 0, 1, NULL, 2, NULL, 1, 0, NULL, 1),
                     EXBLAS_OK);
    assert_int_equal(exblas_cuda_dtrsv(handle, 121, 111, 131, 0, NULL, 1, NULL, 1), EXBLAS_OK);
    assert_int_equal(exblas_cuda_dgemm(handle, 111, 111, 0, 2, 2, 1, NULL, 1, NULL, 2, 0, NULL, 1),
                     EXBLAS_OK);
    assert_int_equal(exblas_cuda_dscatter_add(handle, 0, NULL, NULL, N, NULL), EXBLAS_OK);
    assert_int_equal(exblas_cuda_dsum(handle, -1, NULL, 1, z), EXBLAS_OK);
    assert_int_equal(emulated.launches, 0);
}

/* A sum is two launches and nothing else: each of them, of clears and of copies costs as much as to
 * read 10 MB. Of both parts of a complex one, two each. */
static void few_launches(NO_STATE)
{
    emulated.launches = emulated.copies = 0;
    assert_int_equal(exblas_cuda_dsum(handle, 1000000, x, 1, z), EXBLAS_OK);
    assert_int_equal(exblas_cuda_sdot(handle, 1000000, f, 1, f, 2, f), EXBLAS_OK);
    assert_int_equal(exblas_cuda_dnrm2(handle, 3, x, 1, z), EXBLAS_OK);
    assert_int_equal(emulated.launches, 6);
    assert_int_equal(exblas_cuda_zdotc(handle, 1000, x, 1, x, 1, z), EXBLAS_OK);
    assert_int_equal(emulated.launches, 10);
    assert_int_equal(emulated.copies, 0);
}

/* Nine slices of rows of three kernels each, in the same two pieces of scratch memory. */
static void many_rows(NO_STATE)
{
    enum { ROWS = (1 << 23) + 1 };
    emulated.launches = emulated.allocations = 0;
    float *to = (float *)((uintptr_t)f + ((uintptr_t)1 << 32)); /* nobody reads or writes there */
    assert_int_equal(exblas_cuda_sgemv(handle, 111, ROWS, 1, 1, f, ROWS, f, 1, 0, to, 1),
                     EXBLAS_OK);
    assert_int_equal(emulated.launches, 27);
    assert_int_equal(emulated.allocations, 2);
}

int main(void)
{
    return run_each_between(setup, teardown, params, bad_vectors, bad_matrices, empty_calls,
                            few_launches, many_rows);
}
