/* trmm of real numbers on the emulated device has the bits of the processor's: all options, layouts
 * and methods, infinities and NaN inside and outside the triangle. */
#include <exblas/cuda.h>
#include <exblas/exblas.h>

#include "emulated_device.h"
#include "test_random.h"
#include "testing.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIZE = 40, CALLS = 150 };

/* MODERATE; WIDE: of all exponents, so that sums overflow, underflow, and are decided by
 * accumulators alone; SPECIAL: integers, few of them not finite; ONE: nearly all are 1. */
enum { MODERATE, WIDE, SPECIAL, ONE, N_KINDS };

typedef struct {
    const char *method;
    int kind, most_exp2, layout, side, uplo, trans, diag, m, n, lda, ldb;
    double alpha;
} trmm_call;

static double draw_special(test_random *r)
{
    static const double specials[] = {INFINITY, -INFINITY, NAN, 0, -0.0};
    return specials[random_between(r, 0, 4)];
}

static double draw_number(test_random *r, int kind, int most_exp2)
{
    double sign = random_between(r, 0, 1) ? 1 : -1;
    double mantissa = 1 + (double)random_between(r, 0, (1 << 23) - 1) * 0x1p-23;
    switch (kind) {
    case MODERATE:
        return sign * ldexp(mantissa, (int)random_between(r, -3, 3));
    case WIDE:
        return sign * ldexp(mantissa, (int)random_between(r, -most_exp2, most_exp2));
    case SPECIAL:
        return random_between(r, 0, 15) ? (double)random_between(r, -3, 3) : draw_special(r);
    default:
        return random_between(r, 0, 199) ? 1 : draw_special(r);
    }
}

#define REAL double
#define CHECK check_d
#define CU exblas_cuda_dtrmm
#define EX excblas_dtrmm
#include "cuda_trmm_tmpl.h"
#undef REAL
#undef CHECK
#undef CU
#undef EX

#define REAL float
#define CHECK check_s
#define CU exblas_cuda_strmm
#define EX excblas_strmm
#include "cuda_trmm_tmpl.h"

static int either(test_random *r, int a, int b)
{
    return random_between(r, 0, 1) ? a : b;
}

static trmm_call draw_call(test_random *r)
{
    static const char *const methods[] = {"auto", "superacc", "fpe3", "fpe8ee", "residue"};
    static const double alphas[] = {1, -1, 0.75, 0, INFINITY, NAN, 0x1p100};
    int most = random_between(r, 0, 3) ? 9 : MOST_SIZE;
    trmm_call c = {.method = methods[random_between(r, 0, 4)],
                   .kind = (int)random_between(r, 0, N_KINDS - 1),
                   .layout = either(r, EXBLAS_ROW_MAJOR, EXBLAS_COL_MAJOR),
                   .side = either(r, EXBLAS_LEFT, EXBLAS_RIGHT),
                   .uplo = either(r, EXBLAS_UPPER, EXBLAS_LOWER),
                   .trans = (int)random_between(r, EXBLAS_NO_TRANS, EXBLAS_CONJ_TRANS),
                   .diag = either(r, EXBLAS_UNIT, EXBLAS_NON_UNIT),
                   .m = (int)random_between(r, 0, most),
                   .n = (int)random_between(r, 0, most),
                   .alpha = alphas[random_between(r, 0, 6)]};
    c.lda = (c.side == EXBLAS_LEFT ? c.m : c.n) + (int)random_between(r, 1, 3);
    c.ldb = (c.layout == EXBLAS_COL_MAJOR ? c.m : c.n) + (int)random_between(r, 1, 3);
    return c;
}

static void random_calls(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "cuda_trmm");
    exblas_cuda_handle h;
    assert_int_equal(exblas_cuda_create(&h), EXBLAS_OK);
    for (int i = 0; i < 4; i++) /* threads cost the emulation time */
        assert_int_equal(exblas_cuda_set_param(h, i % 2 ? "dgemm" : "sgemm",
                                               i / 2 ? "residue_group" : "group", 32),
                         EXBLAS_OK);
    for (int i = 0; i < CALLS; i++) {
        trmm_call c = draw_call(&r);
        assert_int_equal(exblas_cuda_set_layout(h, c.layout), EXBLAS_OK);
        assert_int_equal(exblas_cuda_set_method(h, c.method), EXBLAS_OK);
        c.most_exp2 = i % 2 ? 1020 : 120;
        (i % 2 ? check_d : check_s)(&r, &c, h);
    }
    assert_int_equal(exblas_cuda_destroy(h), EXBLAS_OK);
    assert_int_equal(emulated.live, 0);
}

/* A NaN in the last row of B: only the last row of the product of a lower triangle has it. */
static void outside(void **state)
{
    (void)state;
    enum { N = 5 };
    double t[N * N], b[N * N], *dt, *db;
    exblas_cuda_handle h;
    assert_int_equal(exblas_cuda_create(&h), EXBLAS_OK);
    for (int i = 0; i < N * N; i++) {
        t[i] = i % N >= i / N ? 1 : (double)NAN;
        b[i] = i % N == N - 1 ? (double)NAN : 2;
    }
    assert_int_equal(cudaMalloc((void **)&dt, sizeof t) | cudaMalloc((void **)&db, sizeof b),
                     cudaSuccess);
    cudaMemcpy(dt, t, sizeof t, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    assert_int_equal(exblas_cuda_dtrmm(h, EXBLAS_LEFT, EXBLAS_LOWER, EXBLAS_NO_TRANS,
                                       EXBLAS_NON_UNIT, N, N, 1, dt, N, db, N),
                     EXBLAS_OK);
    cudaDeviceSynchronize();
    cudaMemcpy(b, db, sizeof b, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N * N; i++)
        assert_true(i % N == N - 1 ? b[i] != b[i] : b[i] == 2 * (i % N + 1));
    cudaFree(dt);
    cudaFree(db);
    assert_int_equal(exblas_cuda_destroy(h), EXBLAS_OK);
}

/* More elements than are surveyed at a time, on a device that computes nothing: a survey and an
 * exact end for each slice, in one list. */
static void many_columns(void **state)
{
    (void)state;
    enum { N = 3, SIDES = (1 << 22) };
    static float x[1];
    float *to = (float *)((uintptr_t)x + ((uintptr_t)1 << 32)); /* nobody reads or writes there */
    exblas_cuda_handle h;
    emulated.idle = true;
    assert_int_equal(exblas_cuda_create(&h), EXBLAS_OK);
    assert_int_equal(exblas_cuda_set_method(h, "fpe4"), EXBLAS_OK);
    emulated.launches = 0;
    assert_int_equal(exblas_cuda_strmm(h, EXBLAS_LEFT, EXBLAS_LOWER, EXBLAS_NO_TRANS,
                                       EXBLAS_NON_UNIT, N, SIDES, 1, x, N, to, N),
                     EXBLAS_OK);
    int slices = 4, blocks = emulated.launches - 2 - 2 * slices;
    assert_true(blocks > 0 && blocks % 2 == 0);
    assert_int_equal(exblas_cuda_destroy(h), EXBLAS_OK);
    emulated.idle = false;
}

/* An Inf below the first row of columns in the first and the second slice, each: with a lower
 * triangle the first row has only its own. */
static void slices(void **state)
{
    (void)state;
    enum { N = 2, SIDES = (1 << 21) + 5, FIRST = 900, SECOND = (1 << 21) + 2 };
    enum { BEHIND = 4096 };
    size_t bytes = ((size_t)N * SIDES + BEHIND) * sizeof(float);
    float t[N * N] = {2, 1, 0, 1}, *b = malloc(bytes), *dt, *db;
    exblas_cuda_handle h;
    assert_non_null(b);
    assert_int_equal(exblas_cuda_create(&h), EXBLAS_OK);
    /* Groups compute 4 x 256 elements: two rows of four are wasted, not 62 of 64. */
    assert_int_equal(exblas_cuda_set_param(h, "sgemm", "ml", 4), EXBLAS_OK);
    assert_int_equal(exblas_cuda_set_param(h, "sgemm", "nl", 256), EXBLAS_OK);
    for (int j = 0; j < SIDES; j++) {
        b[N * j] = (float)(j % 1000);
        b[N * j + 1] = j == FIRST || j == SECOND ? INFINITY : 1;
    }
    for (int i = 0; i < BEHIND; i++)
        b[(size_t)N * SIDES + (size_t)i] = 7;
    assert_int_equal(cudaMalloc((void **)&dt, sizeof t) | cudaMalloc((void **)&db, bytes),
                     cudaSuccess);
    cudaMemcpy(dt, t, sizeof t, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
    assert_int_equal(exblas_cuda_strmm(h, EXBLAS_LEFT, EXBLAS_LOWER, EXBLAS_NO_TRANS,
                                       EXBLAS_NON_UNIT, N, SIDES, 1, dt, N, db, N),
                     EXBLAS_OK);
    cudaDeviceSynchronize();
    cudaMemcpy(b, db, bytes, cudaMemcpyDeviceToHost);
    for (int j = 0; j < SIDES; j++) {
        assert_true(b[N * j] == (float)(2 * (j % 1000)));
        assert_true(b[N * j + 1] == (j == FIRST || j == SECOND ? INFINITY : (float)(j % 1000 + 1)));
    }
    for (int i = 0; i < BEHIND; i++)
        assert_true(b[(size_t)N * SIDES + (size_t)i] == 7);
    cudaFree(dt);
    cudaFree(db);
    free(b);
    assert_int_equal(exblas_cuda_destroy(h), EXBLAS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_calls), cmocka_unit_test(outside),
                                       cmocka_unit_test(slices), cmocka_unit_test(many_columns)};
    return cmocka_run_group_tests_name("cuda_trmm", tests, NULL, NULL);
}
