/* Calls that are wrong, of every routine: a status, one line that says what, no command given and
 * nothing written. And calls that look wrong and are not. */
#include "cuda_testing.h"
#include "emulated_device.h"

#include <exblas/cuda_acc.h>
#include <exblas/exblas.h>

enum {
    NO = EXBLAS_NO_TRANS,
    TR = EXBLAS_TRANS,
    CT = EXBLAS_CONJ_TRANS,
    UP = EXBLAS_UPPER,
    LO = EXBLAS_LOWER,
    NU = EXBLAS_NON_UNIT,
    LEFT = EXBLAS_LEFT,
    RIGHT = EXBLAS_RIGHT,
    N = 64
};

static exblas_cuda_handle h;
static double *x, *y, *z; /* on the device, N numbers each */
static double before[N];
static const double one[2] = {1, 0}, zero[2] = {0, 0};

static int setup(NO_STATE)
{
    for (int i = 0; i < N; i++)
        before[i] = i + 1;
    cuda_ok(exblas_cuda_create(&h));
    x = device_upload(sizeof before, before);
    y = device_upload(sizeof before, before);
    z = device_upload(sizeof before, before);
    emulated.launches = emulated.copies = 0;
    return 0;
}

static void unchanged(double *m)
{
    double now[N];
    device_download(m, sizeof now, now);
    assert_memory_equal(now, before, sizeof now);
}

static int teardown(NO_STATE)
{
    cudaFree(x);
    cudaFree(y);
    cudaFree(z);
    return exblas_cuda_destroy(h) || emulated.live != 0;
}

/* One line with these words, and nothing given to the device. */
static void refused_as(exblas_status wanted, exblas_status status, const char *words, int line)
{
    const char *said = exblas_cuda_last_error();
    if (status != wanted)
        fail_msg("line %d: status %d (%s)", line, (int)status, said);
    if (!strstr(said, words) || strchr(said, '\n') || strlen(said) < 8)
        fail_msg("line %d: %s: not about %s", line, said, words);
    if (emulated.launches != 0 || emulated.copies != 0)
        fail_msg("line %d: a command was given", line);
}

#define bad(call, words) refused_as(EXBLAS_EINVAL, exblas_cuda_##call, words, __LINE__)
#define ok(call) assert_int_equal(exblas_cuda_##call, EXBLAS_OK)

static void no_handle(NO_STATE)
{
    exblas_cuda_handle h = NULL;
    struct CUstream_st *stream;
    size_t bytes;
    int64_t *acc = (int64_t *)(void *)z;
    bad(dsum(h, 1, x, 1, z), "handle");
    bad(dgemv(h, NO, 2, 2, 1, x, 2, y, 1, 0, z, 1), "handle");
    bad(dgemm_batch_strided(h, NO, NO, 1, 1, 1, 1, x, 1, 1, y, 1, 1, 0, z, 1, 1, 1), "handle");
    bad(dacc_add(h, 1, x, 1, acc), "handle");
    bad(acc_merge(h, 1, acc, acc), "handle");
    bad(synchronize(h), "handle");
    bad(set_stream(h, NULL), "handle");
    bad(get_stream(h, &stream), "handle");
    bad(set_workspace(h, NULL, 0), "handle");
    bad(workspace_size(h, &bytes), "handle");
    bad(set_param(h, "reduce", "group", 1), "handle");
    bad(set_method(h, "auto"), "handle");
    bad(set_layout(h, EXBLAS_ROW_MAJOR), "handle");
    bad(set_host_results(h, 1), "handle");
    ok(destroy(h));
    unchanged(z);
}

static void vectors(NO_STATE)
{
    bad(dsum(h, N, NULL, 1, z), "x is NULL");
    bad(dasum(h, N, x, 1, NULL), "result is NULL");
    bad(snrm2(h, N, (float *)x, 1, NULL), "result is NULL");
    bad(ddot(h, N, x, 1, NULL, 1, z), "y is NULL");
    bad(ddot(h, 0, NULL, 1, NULL, 1, NULL), "result is NULL");
    bad(dsum(h, (int64_t)1 << 61, x, 1, z), "x is longer than memory");
    bad(dsum(h, 3, x, INT64_MIN, z), "x is longer than memory");
    bad(dscatter_add(h, -1, x, (exblas_int *)y, N, z), "negative");
    bad(dscatter_add(h, N, x, (exblas_int *)y, -1, z), "negative");
    bad(dscatter_add(h, N, x, (exblas_int *)y, 0, z), "no bins");
    bad(dscatter_add(h, N, NULL, (exblas_int *)y, N, z), "x is NULL");
    bad(dscatter_add_64(h, N, x, NULL, N, z), "index is NULL");
    bad(dscatter_add_64(h, N, x, (int64_t *)y, N, NULL), "y is NULL");
    unchanged(z);
}

/* The numbers are those of CBLAS: the handle stands in the place of the layout. */
static void options_and_sizes(NO_STATE)
{
    bad(dgemv(h, 0, 2, 2, 1, x, 2, y, 1, 0, z, 1), "argument 2 of gemv");
    bad(dgemv(h, NO, -1, 2, 1, x, 2, y, 1, 0, z, 1), "argument 3 of gemv");
    bad(dgemv(h, NO, 2, -1, 1, x, 2, y, 1, 0, z, 1), "argument 4 of gemv");
    bad(dgemv(h, TR, 3, 2, 1, x, 2, y, 1, 0, z, 1), "argument 7 of gemv");
    bad(dgemv(h, NO, 2, 2, 1, x, 2, y, 0, 0, z, 1), "argument 9 of gemv");
    bad(dgemv(h, NO, 2, 2, 1, x, 2, y, 1, 0, z, 0), "argument 12 of gemv");
    bad(dtrsv(h, 123, NO, NU, 2, x, 2, y, 1), "argument 2 of trsv");
    bad(dtrsv(h, UP, 114, NU, 2, x, 2, y, 1), "argument 3 of trsv");
    bad(dtrsv(h, UP, NO, 130, 2, x, 2, y, 1), "argument 4 of trsv");
    bad(dtrsv(h, UP, NO, NU, -1, x, 2, y, 1), "argument 5 of trsv");
    bad(dtrsv(h, UP, NO, NU, 3, x, 2, y, 1), "argument 7 of trsv");
    bad(dtrsv(h, UP, NO, NU, 2, x, 2, y, 0), "argument 9 of trsv");
    bad(dgemm(h, 110, NO, 2, 2, 2, 1, x, 2, y, 2, 0, z, 2), "argument 2 of gemm");
    bad(dgemm(h, NO, 114, 2, 2, 2, 1, x, 2, y, 2, 0, z, 2), "argument 3 of gemm");
    bad(dgemm(h, NO, NO, -2, 2, 2, 1, x, 2, y, 2, 0, z, 2), "argument 4 of gemm");
    bad(dgemm(h, NO, NO, 2, 2, -2, 1, x, 2, y, 2, 0, z, 2), "argument 6 of gemm");
    bad(dgemm(h, NO, NO, 3, 2, 2, 1, x, 2, y, 2, 0, z, 3), "argument 9 of gemm");
    bad(dgemm(h, NO, NO, 2, 2, 3, 1, x, 2, y, 2, 0, z, 2), "argument 11 of gemm");
    bad(dgemm(h, NO, NO, 3, 2, 2, 1, x, 3, y, 2, 0, z, 2), "argument 14 of gemm");
    bad(dsymm(h, 0, UP, 2, 2, 1, x, 2, y, 2, 0, z, 2), "argument 2 of symm");
    bad(dsymm(h, LEFT, 0, 2, 2, 1, x, 2, y, 2, 0, z, 2), "argument 3 of symm");
    bad(dsymm(h, LEFT, UP, -1, 2, 1, x, 2, y, 2, 0, z, 2), "argument 4 of symm");
    bad(dsymm(h, RIGHT, UP, 2, 3, 1, x, 2, y, 2, 0, z, 2), "argument 8 of symm");
    bad(zhemm(h, LEFT, UP, 3, 2, one, x, 3, y, 2, zero, z, 3), "argument 10 of hemm");
    bad(dsyrk(h, UP, NO, 2, -1, 1, x, 2, 0, z, 2), "argument 5 of syrk");
    bad(dsyrk(h, UP, TR, 2, 3, 1, x, 2, 0, z, 2), "argument 8 of syrk");
    bad(zsyrk(h, UP, CT, 2, 2, one, x, 2, zero, z, 2), "argument 3 of syrk");
    bad(zherk(h, UP, TR, 2, 2, 1, x, 2, 0, z, 2), "argument 3 of herk");
    bad(zherk(h, UP, NO, 2, 2, 1, x, 2, 0, z, 1), "argument 11 of herk");
    bad(dtrsm(h, LEFT, UP, NO, 0, 2, 2, 1, x, 2, z, 2), "argument 5 of trsm");
    bad(dtrmm(h, 0, UP, NO, NU, 2, 2, 1, x, 2, z, 2), "argument 2 of trmm");
    bad(dtrmm(h, LEFT, 0, NO, NU, 2, 2, 1, x, 2, z, 2), "argument 3 of trmm");
    bad(dtrmm(h, LEFT, UP, 0, NU, 2, 2, 1, x, 2, z, 2), "argument 4 of trmm");
    bad(dtrmm(h, LEFT, UP, NO, 0, 2, 2, 1, x, 2, z, 2), "argument 5 of trmm");
    bad(dtrmm(h, LEFT, UP, NO, NU, -2, 2, 1, x, 2, z, 2), "argument 6 of trmm");
    bad(dtrmm(h, LEFT, UP, NO, NU, 2, -2, 1, x, 2, z, 2), "argument 7 of trmm");
    bad(ztrmm(h, RIGHT, UP, NO, NU, 2, 3, one, x, 2, z, 2), "argument 10 of trmm");
    bad(strmm(h, LEFT, UP, NO, NU, 3, 2, 1, (float *)x, 3, (float *)z, 2), "argument 12 of trmm");
    bad(dgemm_batch_strided(h, NO, NO, 2, 2, 2, 1, x, 2, 4, y, 2, 4, 0, z, 2, 4, -1),
        "gemm_batch_strided");
    bad(dgemm_batch_strided(h, NO, NO, 2, 2, 2, 1, x, 2, 4, y, 2, 4, 0, z, 2, 1, 2),
        "gemm_batch_strided");
    bad(dgemv(h, NO, INT64_MAX, 2, 1, x, INT64_MAX, y, 1, 0, z, 1), "longer than memory");
    bad(dgemm(h, NO, NO, 2, 2, 2, 1, x, INT64_MAX, y, 2, 0, z, 2), "longer than memory");
    bad(dsum(h, INT64_MAX, x, INT64_MIN, z), "longer than memory");
    bad(ddot(h, INT64_MAX, x, 0, y, 1, z), "longer than memory");
    bad(zdotu(h, INT64_MAX, x, 0, y, 0, z), "n is too large");
    bad(zsum(h, INT64_MAX, x, 0, z), "n is too large");
    bad(set_layout(h, 0), "layout");
    bad(set_method(h, "fpe9"), "fpe9");
    bad(set_param(h, "dtrmm", "group", 8), "dtrmm");
    unchanged(z);
}

static void missing_operands(NO_STATE)
{
    bad(dgemv(h, NO, 2, 2, 1, NULL, 2, y, 1, 0, z, 1), "a is NULL");
    bad(dgemv(h, NO, 2, 2, 1, x, 2, NULL, 1, 0, z, 1), "x is NULL");
    bad(dgemv(h, NO, 2, 2, 1, x, 2, y, 1, 0, NULL, 1), "y is NULL");
    bad(dtrsv(h, UP, NO, NU, 2, x, 2, NULL, 1), "x is NULL");
    bad(dgemm(h, NO, NO, 2, 2, 2, 1, x, 2, NULL, 2, 0, z, 2), "b is NULL");
    bad(dgemm(h, NO, NO, 2, 2, 0, 1, NULL, 2, NULL, 2, 0, NULL, 2), "c is NULL");
    bad(zgemm(h, NO, NO, 1, 1, 1, one, x, 1, y, 1, NULL, z, 1), "beta is NULL");
    bad(zgemv(h, NO, 1, 1, NULL, x, 1, y, 1, one, z, 1), "alpha is NULL");
    bad(zgemv(h, NO, 1, 1, one, x, 1, y, 1, NULL, z, 1), "beta is NULL");
    bad(zsymm(h, LEFT, UP, 1, 1, NULL, x, 1, y, 1, one, z, 1), "alpha is NULL");
    bad(zsyrk(h, UP, NO, 1, 1, one, x, 1, NULL, z, 1), "beta is NULL");
    bad(ztrsm(h, LEFT, UP, NO, NU, 1, 1, NULL, x, 1, z, 1), "alpha is NULL");
    bad(ztrmm(h, LEFT, UP, NO, NU, 1, 1, NULL, x, 1, z, 1), "alpha is NULL");
    bad(dsymm(h, LEFT, UP, 1, 1, 1, NULL, 1, y, 1, 0, z, 1), "a is NULL");
    bad(dsymm(h, LEFT, UP, 1, 1, 1, x, 1, NULL, 1, 0, z, 1), "b is NULL");
    bad(dsymm(h, LEFT, UP, 1, 1, 1, x, 1, y, 1, 0, NULL, 1), "c is NULL");
    bad(dsyrk(h, UP, NO, 1, 1, 1, NULL, 1, 0, z, 1), "a is NULL");
    bad(dtrmm(h, LEFT, UP, NO, NU, 1, 1, 1, NULL, 1, z, 1), "a is NULL");
    bad(dtrmm(h, LEFT, UP, NO, NU, 1, 1, 1, x, 1, NULL, 1), "b is NULL");
    bad(zdotc(h, 1, x, 1, NULL, 1, z), "y is NULL");
    bad(zsum(h, 1, x, 1, NULL), "result is NULL");
    bad(dgemm_batch_strided(h, NO, NO, 1, 1, 1, 1, NULL, 1, 1, y, 1, 1, 0, z, 1, 1, 2),
        "a is NULL");
    bad(dacc_round(h, 1, (int64_t *)x, NULL), "NULL");
    bad(get_stream(h, NULL), "NULL");
    bad(workspace_size(h, NULL), "NULL");
    exblas_cuda_set_host_results(h, 1);
    bad(dsum(h, 1, x, 1, NULL), "result is NULL");
    unchanged(z);
}

/* An output on an input, or a part of it: matrices whose elements alternate, and triangles that
 * share a square, are not that. */
static void overlaps(NO_STATE)
{
    bad(dgemv(h, NO, 4, 4, 1, x, 4, y, 1, 0, x, 1), "y overlaps a");
    bad(dgemv(h, NO, 4, 4, 1, x, 4, y, 1, 0, x + 5, 1), "y overlaps a");
    bad(dgemv(h, NO, 4, 4, 1, x, 4, y, 1, 0, y + 3, 1), "y overlaps x");
    bad(dgemv(h, TR, 4, 4, 1, x, 4, y, -2, 0, y + 4, 1), "y overlaps x");
    bad(dgemv(h, TR, 4, 4, 1, x, 4, y, -2, 0, y, 1), "y overlaps x");
    bad(dtrsv(h, UP, NO, NU, 4, x, 4, x + 5, 1), "x overlaps a");
    bad(dgemm(h, NO, NO, 4, 4, 4, 1, x, 4, y, 4, 0, x, 4), "c overlaps a");
    bad(dgemm(h, TR, NO, 4, 4, 4, 1, x, 8, y, 4, 0, y + 7, 4), "c overlaps b");
    bad(dgemm(h, NO, NO, 4, 4, 4, 1, x + 20, 4, y, 4, 0, x + 6, 4), "c overlaps a");
    bad(zgemm(h, NO, NO, 2, 2, 2, one, x, 2, y, 2, zero, x + 6, 2), "c overlaps a");
    bad(zgemm(h, NO, NO, 2, 2, 2, one, x, 2, y, 2, zero, x + 1, 2), "c overlaps a");
    bad(dgemm_batch_strided(h, NO, NO, 2, 2, 2, 1, x, 2, 4, y, 2, 4, 0, x + 2, 2, 4, 2),
        "c overlaps a");
    bad(dsymm(h, LEFT, LO, 4, 4, 1, x, 4, y, 4, 0, x + 1, 4), "c overlaps a");
    bad(dsymm(h, RIGHT, LO, 4, 4, 1, x, 4, y, 4, 0, y, 4), "c overlaps b");
    bad(dsyrk(h, LO, NO, 4, 2, 1, x, 4, 0, x + 1, 4), "c overlaps a");
    bad(dtrsm(h, LEFT, UP, NO, NU, 4, 4, 1, x, 4, x, 4), "b overlaps a");
    bad(dtrmm(h, LEFT, UP, TR, NU, 4, 4, 1, x, 4, x + 4, 4), "b overlaps a");
    bad(ztrmm(h, RIGHT, LO, NO, NU, 2, 2, one, x, 2, x, 2), "b overlaps a");
    unchanged(x);
    unchanged(y);
    ok(dgemm(h, NO, NO, 2, 2, 2, 1, x, 4, y, 4, 0, x + 2, 4)); /* rows below */
    ok(zsum(h, 1, x, INT64_MAX, z));                        /* increments of one element are none */
    ok(dgemv(h, NO, 2, 2, 1, x + 2, 4, y, 2, 0, y + 1, 2)); /* every other number */
    ok(dgemm(h, NO, NO, 2, 2, 2, 0, x, 2, y, 2, 1.5, x, 2));          /* A is not read */
    ok(dgemm(h, NO, NO, 2, 2, 0, 1, x, 2, y, 2, 1.5, x, 2));          /* nor if it is empty */
    ok(dtrmm(h, LEFT, LO, NO, NU, 2, 2, 1, x, 4, x + 8, 4));          /* a column to the right */
    ok(dtrmm(h, LEFT, LO, NO, EXBLAS_UNIT, 2, 1, 1, x, 4, x + 4, 4)); /* in the other triangle */
}

/* Empty calls need no operand, and are none of the overlapping ones. */
static void empty(NO_STATE)
{
    ok(dtrmm(h, LEFT, UP, NO, NU, 0, 2, 1, NULL, 1, NULL, 1));
    ok(ztrmm(h, RIGHT, UP, NO, NU, 2, 0, one, NULL, 1, NULL, 2));
    ok(dtrsm(h, LEFT, UP, NO, NU, 0, 2, 1, NULL, 1, NULL, 1));
    ok(dsymm(h, LEFT, UP, 0, 2, 1, NULL, 1, NULL, 1, 0, NULL, 1));
    ok(zhemm(h, LEFT, UP, 2, 0, one, NULL, 2, NULL, 2, one, NULL, 2));
    ok(dsyrk(h, UP, NO, 0, 2, 1, NULL, 1, 0, NULL, 1));
    ok(dgemm_batch_strided(h, NO, NO, 1, 1, 1, 1, x, 1, 1, x, 1, 1, 0, x, 1, 1, 0));
    ok(dgemv(h, NO, 0, 4, 1, x, 1, x, 1, 0, x, 1));
    ok(dgemv(h, NO, 0, 2, 1, NULL, 1, NULL, 1, 0, NULL, 1));
    ok(dgemv(h, NO, 2, 0, 1, NULL, 2, NULL, 1, 0, NULL, 1));
    ok(dtrsv(h, UP, NO, NU, 0, NULL, 1, NULL, 1));
    ok(dgemm(h, NO, NO, 0, 2, 2, 1, NULL, 1, NULL, 2, 0, NULL, 1));
    ok(dscatter_add(h, 0, NULL, NULL, N, NULL));
    ok(dsum(h, -1, NULL, 1, z));
    ok(dacc_add(h, 0, NULL, 1, (int64_t *)z));
    ok(acc_normalize(h, -1, NULL));
    assert_int_equal(emulated.launches, 0);
    unchanged(x);
}

/* A workspace that is too small, or wrong. dgemm and trmm of the same order with one that fits. */
static void workspace(NO_STATE)
{
    char *memory;
    size_t bytes;
    assert_int_equal(cudaMalloc((void **)&memory, 1 << 20), cudaSuccess);
    bad(set_workspace(h, memory + 8, 4096), "256");
    bad(set_workspace(h, memory, 0), "empty");
    bad(set_workspace(h, NULL, 256), "empty");
    ok(set_workspace(h, memory, 512));
    refused_as(EXBLAS_ENOMEM, exblas_cuda_dtrmm(h, LEFT, UP, NO, NU, 8, 8, 1, x, 8, z, 8),
               "no memory on the device", __LINE__);
    refused_as(EXBLAS_ENOMEM, exblas_cuda_dsyrk(h, UP, NO, 8, 8, 1, x, 8, 0, z, 8),
               "no memory on the device", __LINE__);
    refused_as(EXBLAS_ENOMEM, exblas_cuda_dsymm(h, LEFT, UP, 8, 8, 1, x, 8, y, 8, 0, z, 8),
               "no memory on the device", __LINE__);
    refused_as(EXBLAS_ENOMEM, exblas_cuda_ztrsm(h, LEFT, UP, NO, NU, 4, 8, one, x, 4, z, 4),
               "no memory on the device", __LINE__);
    unchanged(z);
    ok(set_workspace(h, NULL, 0));
    ok(dtrmm(h, LEFT, UP, NO, NU, 8, 8, 1, x, 8, z, 8));
    ok(workspace_size(h, &bytes));
    cudaDeviceSynchronize();
    cudaMemcpy(z, before, sizeof before, cudaMemcpyHostToDevice);
    assert_true(bytes > 512 && bytes <= 1 << 20);
    ok(set_workspace(h, memory, bytes));
    ok(dtrmm(h, LEFT, UP, NO, NU, 8, 8, 1, x, 8, z, 8));
    double now[N], wanted[N];
    memcpy(wanted, before, sizeof wanted);
    excblas_dtrmm(EXBLAS_COL_MAJOR, LEFT, UP, NO, NU, 8, 8, 1, before, 8, wanted, 8);
    device_download(z, sizeof now, now);
    assert_memory_equal(now, wanted, sizeof now);
    ok(set_workspace(h, NULL, 0));
    cudaFree(memory);
}

/* On a stream that is being captured every call is refused, and to set one. */
static void captures(NO_STATE)
{
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    size_t bytes = 0;
    assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
    ok(set_stream(h, stream));
    assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    emulated.launches = emulated.copies = 0;
    refused_as(EXBLAS_EUNSUPPORTED, exblas_cuda_synchronize(h), "captured", __LINE__);
    refused_as(EXBLAS_EUNSUPPORTED, exblas_cuda_dsum(h, 1, x, 1, z), "captured", __LINE__);
    refused_as(EXBLAS_EUNSUPPORTED, exblas_cuda_dscatter_add(h, 1, x, (exblas_int *)y, 1, z),
               "captured", __LINE__);
    refused_as(EXBLAS_EUNSUPPORTED, exblas_cuda_dtrmm(h, LEFT, UP, NO, NU, 5, 60, 1, x, 5, z, 5),
               "captured", __LINE__);
    ok(workspace_size(h, &bytes));
    ok(set_stream(h, NULL));
    refused_as(EXBLAS_EUNSUPPORTED, exblas_cuda_set_stream(h, stream), "captured", __LINE__);
    assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ok(set_stream(h, stream));
    ok(dtrmm(h, LEFT, UP, NO, NU, 8, 8, 0, x, 8, z, 8));
    ok(synchronize(h));
    ok(set_stream(h, NULL));
    cudaStreamDestroy(stream);
}

/* A handle of one device while another one is current: it runs on its own, and what was current is
 * so again, also after a call that is refused. */
static void another_device(NO_STATE)
{
    cudaSetDevice(1);
    bad(dtrmm(h, 0, UP, NO, NU, 2, 2, 1, x, 2, z, 2), "argument 2");
    assert_int_equal(emulated.device, 1);
    ok(dtrmm(h, LEFT, UP, NO, NU, 8, 8, 0, x, 8, z, 8));
    ok(synchronize(h));
    assert_int_equal(emulated.device, 1);
    cudaSetDevice(0);
    double now[N], none[N] = {0};
    cudaMemcpy(now, z, sizeof now, cudaMemcpyDeviceToHost);
    assert_memory_equal(now, none, sizeof now);
}

int main(void)
{
    return run_each_between(setup, teardown, no_handle, vectors, options_and_sizes,
                            missing_operands, overlaps, empty, workspace, captures, another_device);
}
