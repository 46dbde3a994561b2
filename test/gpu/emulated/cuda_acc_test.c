/* Accumulators on devices: sums in pieces, merged, added up over two devices word by word, give the
 * bits and the canonical bytes of the processor's accumulator of all terms. */
#include "adversarial.h"
#include "cuda_testing.h"
#include "emulated_device.h"
#include "test_random.h"

#include <exblas/cuda_acc.h>
#include <exblas/exblas.h>

#include <math.h>
#include <string.h>

enum { WORDS = EXBLAS_CUDA_ACC_WORDS, BYTES = WORDS * sizeof(int64_t), MOST = 700 };

static int64_t *zeros(int n)
{
    static const int64_t zero[4 * WORDS];
    return device_upload((size_t)n * BYTES, zero);
}

/* sum += the words at acc, none of which may overflow. */
static void add_words(int64_t *sum, int64_t *acc)
{
    int64_t word[WORDS];
    device_download(acc, sizeof word, word);
    for (int i = 0; i < WORDS; i++)
        assert_false(__builtin_add_overflow(sum[i], word[i], &sum[i]));
}

/* The sum over the two devices, on both. */
static void sum_over_devices(exblas_cuda_handle *h, int64_t *const *acc)
{
    int64_t sum[WORDS] = {0};
    for (int d = 0; d < 2; d++)
        add_words(sum, acc[d]);
    for (int d = 0; d < 2; d++) {
        cudaMemcpy(acc[d], sum, sizeof sum, cudaMemcpyHostToDevice);
        cuda_ok(exblas_cuda_acc_normalize(h[d], 1, acc[d]));
    }
}

static exblas_cuda_handle open_device(int device)
{
    exblas_cuda_handle h = NULL;
    cudaSetDevice(device);
    cuda_ok(exblas_cuda_create(&h));
    cudaSetDevice(0);
    return h;
}

/* The accumulator has the bytes of `wanted`, and is rounded as it is. */
static void check(exblas_cuda_handle h, const int64_t *acc, const exblas_acc *wanted)
{
    exblas_acc here;
    unsigned char bytes[2][EXBLAS_ACC_BYTES];
    double r[2] = {0, 0};
    float f;
    void *results = device_upload(sizeof r, r);
    cuda_ok(exblas_cuda_acc_read(h, 1, acc, &here));
    exblas_acc_export(&here, bytes[0]);
    exblas_acc_export(wanted, bytes[1]);
    assert_memory_equal(bytes[0], bytes[1], EXBLAS_ACC_BYTES);
    cuda_ok(exblas_cuda_dacc_round(h, 1, acc, results));
    cuda_ok(exblas_cuda_sacc_round(h, 1, acc, (float *)results + 2));
    device_download(results, sizeof r, r);
    memcpy(&f, &r[1], sizeof f);
    assert_same_bits(r[0], exblas_acc_to_double(wanted));
    assert_same_bits(f, exblas_acc_to_float(wanted));
    cudaFree(results);
}

/* Terms i, i + 2, ... of both vectors go to device i. */
static void split_over_devices(exblas_cuda_handle *h, int n, const double *x, const double *y)
{
    exblas_acc wanted = {0};
    double *a = device_upload((size_t)n * sizeof *x, x),
           *b = device_upload((size_t)n * sizeof *y, y);
    int64_t *acc[2];
    for (int d = 0; d < 2; d++) {
        acc[d] = zeros(1);
        int half = (n + 1 - d) / 2;
        cuda_ok(exblas_cuda_dacc_dot(h[d], half, a + d, 2, b + d, 2, acc[d]));
        cuda_ok(exblas_cuda_dacc_add(h[d], half, a + d, 2, acc[d]));
    }
    sum_over_devices(h, acc);
    for (int i = 0; i < n; i++) {
        exblas_acc_add_product(&wanted, x[i], y[i]);
        exblas_acc_add(&wanted, x[i]);
    }
    for (int d = 0; d < 2; d++) {
        check(h[d], acc[d], &wanted);
        cudaFree(acc[d]);
    }
    cudaFree(a);
    cudaFree(b);
}

static void two_devices(NO_STATE)
{
    static double x[MOST], y[MOST];
    test_random r = test_random_start(test_seed(), "cuda accumulators");
    static const char *const methods[] = {"auto", "superacc", "fpe4"};
    exblas_cuda_handle h[] = {open_device(0), open_device(1)};
    for (int i = 0; i < 24; i++) {
        int n = (int)random_between(&r, 1, MOST);
        cuda_ok(exblas_cuda_set_method(h[i % 2], methods[i % 3]));
        factors_fill((size_t)i % factors_kinds(), &r, FORMAT_D, n, x, y);
        if (i % 8 == 7)
            x[n / 2] = i == 7 ? (double)INFINITY : (double)NAN;
        split_over_devices(h, n, x, y);
    }
    for (int d = 0; d < 2; d++)
        cuda_ok(exblas_cuda_destroy(h[d]));
}

/* Arrays: from the host, merged, back; negative sums and the largest words of the host's. */
static void arrays(NO_STATE)
{
    enum { N = 3 };
    exblas_cuda_handle h = open_device(0);
    exblas_acc one[N] = {0}, other[N] = {0};
    for (int i = 0; i < 2000; i++) {
        exblas_acc_add(&one[i % N], ldexp(-1.7, i % 900));
        exblas_acc_add_product(&other[i % N], 0x1.fffp1000, ldexp(i % 3 - 1.25, i % 70));
    }
    exblas_acc_sub(&other[2], (double)INFINITY);
    int64_t *a = zeros(N), *b = zeros(N);
    cuda_ok(exblas_cuda_acc_write(h, N, one, a));
    cuda_ok(exblas_cuda_acc_write(h, N, other, b));
    cuda_ok(exblas_cuda_acc_merge(h, N, a, b));
    for (int i = 0; i < N; i++) {
        exblas_acc_merge(&one[i], &other[i]);
        check(h, a + (size_t)i * WORDS, &one[i]);
    }
    assert_int_equal(exblas_cuda_acc_merge(h, 1, a, NULL), EXBLAS_EINVAL);
    assert_int_equal(exblas_cuda_acc_read(h, 1, a, NULL), EXBLAS_EINVAL);
    assert_int_equal(exblas_cuda_dacc_add(h, 1, (const double *)a, 1, NULL), EXBLAS_EINVAL);
    cuda_ok(exblas_cuda_acc_merge(h, 0, NULL, NULL));
    cudaFree(a);
    cudaFree(b);
    cuda_ok(exblas_cuda_destroy(h));
    assert_int_equal(emulated.live, 0);
}

/* Words at their largest, of as many arrays as may be added: those of -2^-2148, all 2^53 - 1 but
 * the lowest and the top one; and of a sum whose top word is used. */
static void carry_room(NO_STATE)
{
    exblas_cuda_handle h = open_device(0);
    for (int which = 0; which < 2; which++) {
        exblas_acc one, wanted;
        int64_t *acc = zeros(1), sum[WORDS] = {0};
        exblas_acc_init(&one);
        if (which == 0)
            exblas_acc_add_product(&one, -0x1p-1074, 0x1p-1074);
        for (int i = 0; i < 1000 && which == 1; i++)
            exblas_acc_add_product(&one, -0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023);
        wanted = one;
        cuda_ok(exblas_cuda_acc_write(h, 1, &one, acc));
        for (int i = 0; i < EXBLAS_CUDA_ACC_MOST_ADDED; i++)
            add_words(sum, acc);
        for (int i = 1; i < EXBLAS_CUDA_ACC_MOST_ADDED; i++)
            exblas_acc_merge(&wanted, &one);
        cudaMemcpy(acc, sum, sizeof sum, cudaMemcpyHostToDevice);
        cuda_ok(exblas_cuda_acc_normalize(h, 1, acc));
        check(h, acc, &wanted);
        cudaFree(acc);
    }
    cuda_ok(exblas_cuda_destroy(h));
    assert_int_equal(emulated.live, 0);
}

TESTS(two_devices, arrays, carry_room)
