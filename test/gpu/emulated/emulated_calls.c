/* The emulated device itself: what it has, what fails, what a test sees of it. */
#include "emulated_device.h"

#include <cublas_v2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

emulated_device emulated = {.memory = (size_t)4 << 30, .units = 6};

/* Before main, for programs that know nothing of this device. */
__attribute__((constructor)) static void take_seed(void)
{
    const char *seed = getenv("EMULATED_SEED");
    emulated.seed = seed ? strtoull(seed, NULL, 10) : 0;
}

void emulated_misuse(const char *what)
{
    fflush(stdout);
    fprintf(stderr, "emulated device: %s\n", what);
    abort();
}

bool emulated_fails(const char *function)
{
    bool fails = ++emulated.calls == emulated.fail_at;
    if (fails)
        emulated.failed = function;
    return fails;
}

unsigned emulated_random(unsigned n)
{
    static uint64_t state;
    static uint64_t seed;
    if (seed != emulated.seed)
        state = seed = emulated.seed;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

enum { N_DEVICES = 2 };

cudaError_t cudaGetDevice(int *device)
{
    *device = emulated.device;
    return emulated_fails("cudaGetDevice") ? cudaErrorUnknown : cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    if (emulated_fails("cudaSetDevice"))
        return cudaErrorUnknown;
    if (device < 0 || device >= N_DEVICES)
        return cudaErrorInvalidDevice;
    emulated.device = device;
    emulated.switches++;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *to, int device)
{
    *to = (struct cudaDeviceProp){emulated.memory, 48 << 10, 1024, 9, emulated.units, 1};
    return emulated_fails("cudaGetDeviceProperties") ? cudaErrorUnknown
           : device < 0 || device >= N_DEVICES       ? cudaErrorInvalidDevice
                                                     : cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "an error";
}

/* --- launches ------------------------------------------------------------------- */

enum { MOST_THREADS = 1024, MOST_SHARED = 48 << 10, MOST_ROWS = 65535, MOST_ARGUMENTS = 4096 };

/* Arguments follow, each aligned to 16 bytes. */
typedef struct {
    const emulated_kernel *kernel;
    unsigned groups[2], local[2];
    size_t shared_bytes;
    size_t argument_bytes;
} launch;

static size_t padded(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

static void run_launch(const void *data)
{
    const launch *l = data;
    void *arguments[64]; /* which kernels get copies of */
    char *next = (char *)(uintptr_t)data + padded(sizeof *l);
    for (int i = 0; i < l->kernel->n_arguments; i++) {
        arguments[i] = next;
        next += padded(l->kernel->sizes[i]);
    }
    emulated_run_kernel(l->kernel, l->groups, l->local, l->shared_bytes, arguments);
}

static void enqueue_launch(launch *l, void *const *arguments, cudaStream_t stream)
{
    size_t packed = 0; /* as devices have them, none aligned to more than 8 bytes */
    for (int i = 0; i < l->kernel->n_arguments; i++) {
        l->argument_bytes += padded(l->kernel->sizes[i]);
        packed += (l->kernel->sizes[i] + 7) / 8 * 8;
    }
    if (packed > MOST_ARGUMENTS || l->kernel->n_arguments > 64)
        emulated_misuse("a kernel has more than 4096 bytes of arguments");
    size_t bytes = padded(sizeof *l) + l->argument_bytes;
    char *data = calloc(1, bytes), *next = data ? data + padded(sizeof *l) : NULL;
    if (!data)
        emulated_misuse("out of memory");
    memcpy(data, l, sizeof *l);
    for (int i = 0; i < l->kernel->n_arguments; i++) {
        memcpy(next, arguments[i], l->kernel->sizes[i]);
        next += padded(l->kernel->sizes[i]);
    }
    emulated_enqueue(stream, run_launch, data, bytes);
    free(data);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 groups, dim3 local, void **arguments,
                             size_t local_bytes, cudaStream_t stream)
{
    launch l = {.kernel = function,
                .groups = {groups.x, groups.y},
                .local = {local.x, local.y},
                .shared_bytes = local_bytes};
    size_t threads = (size_t)local.x * local.y * local.z;
    if (emulated_fails("cudaLaunchKernel"))
        return cudaErrorUnknown;
    if (threads == 0 || threads > MOST_THREADS || local.z != 1 || groups.x == 0 ||
        groups.x > INT32_MAX || groups.y == 0 || groups.y > MOST_ROWS || groups.z != 1 ||
        local_bytes > MOST_SHARED)
        return cudaErrorInvalidConfiguration;
    emulated.launches++;
    enqueue_launch(&l, arguments, stream);
    return cudaSuccess;
}

/* --- cuBLAS ---------------------------------------------------------------------- */

struct cublasContext {
    cudaStream_t stream;
};

cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    *handle = NULL;
    if (emulated_fails("cublasCreate"))
        return CUBLAS_STATUS_ALLOC_FAILED;
    *handle = calloc(1, sizeof **handle);
    emulated.live_handles++;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    emulated.live_handles--;
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream)
{
    handle->stream = stream;
    return emulated_fails("cublasSetStream") ? CUBLAS_STATUS_EXECUTION_FAILED
                                             : CUBLAS_STATUS_SUCCESS;
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS ? "success" : "a failure";
}

/* C = A^T B, or C + that. */
typedef struct {
    int m, n, k, lda, ldb, ldc;
    bool add;
    const int8_t *a, *b;
    int32_t *c;
} product;

/* The sum of n <= 2^16 products of 2^7 2^7, which an int32_t holds. What is read was checked as a
 * whole, and most of a product's time is here. */
__attribute__((no_sanitize("address", "undefined"))) static int32_t dot(int n, const int8_t *x,
                                                                        const int8_t *y)
{
    int32_t sum = 0;
    for (int l = 0; l < n; l++)
        sum += x[l] * y[l];
    return sum;
}

static void multiply_column(const product *p, int j)
{
    const int8_t *y = p->b + (size_t)j * (size_t)p->ldb;
    for (int i = 0; i < p->m; i++) {
        const int8_t *x = p->a + (size_t)i * (size_t)p->lda;
        int32_t *to = p->c + (size_t)j * (size_t)p->ldc + i;
        int64_t all = p->add ? *to : 0;
        for (int l = 0; l < p->k; l += 1 << 16)
            all += dot(p->k - l < 1 << 16 ? p->k - l : 1 << 16, x + l, y + l);
        if (all != (int32_t)all)
            emulated_misuse("a sum of products of bytes overflows");
        *to = (int32_t)all;
    }
}

static void run_product(const void *data)
{
    const product *p = data;
    size_t m = (size_t)p->m - 1, n = (size_t)p->n - 1, k = (size_t)p->k;
    emulated_check_bytes(p->a, (size_t)p->lda * m + k, "A of cublasGemmEx");
    emulated_check_bytes(p->b, (size_t)p->ldb * n + k, "B of cublasGemmEx");
    emulated_check_bytes(p->c, ((size_t)p->ldc * n + m + 1) * sizeof *p->c, "C of cublasGemmEx");
    for (int j = 0; j < p->n; j++)
        multiply_column(p, j);
}

/* What cuBLAS asks for, and beyond it what its fast kernels ask for. */
static bool is_aligned(const product *p)
{
    size_t all = emulated_offset(p->a) | emulated_offset(p->b) | emulated_offset(p->c) |
                 (unsigned)p->m | (unsigned)p->n | (unsigned)p->k | (unsigned)p->lda |
                 (unsigned)p->ldb | (unsigned)p->ldc;
    return all % 16 == 0;
}

/* One product, whose arguments are looked at. */
static cublasStatus_t multiply(cublasHandle_t handle, cublasOperation_t transa,
                               cublasOperation_t transb, const product *p, cudaDataType atype,
                               cudaDataType btype, cudaDataType ctype, const int *alpha,
                               const int *beta, cublasComputeType_t compute)
{
    bool are_bytes = transa == CUBLAS_OP_T && transb == CUBLAS_OP_N && atype == CUDA_R_8I &&
                     btype == CUDA_R_8I && ctype == CUDA_R_32I && compute == CUBLAS_COMPUTE_32I &&
                     *alpha == 1 && (unsigned)*beta <= 1;
    if (!are_bytes || p->lda < p->k || p->ldb < p->k || p->ldc < p->m)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!is_aligned(p))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    emulated.products++;
    if (p->m > 0 && p->n > 0)
        emulated_enqueue(handle->stream, run_product, p, sizeof *p);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void *alpha,
                            const void *a, cudaDataType atype, int lda, const void *b,
                            cudaDataType btype, int ldb, const void *beta, void *c,
                            cudaDataType ctype, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm)
{
    (void)algorithm;
    product p = {m, n, k, lda, ldb, ldc, *(const int *)beta != 0, a, b, c};
    if (emulated_fails("cublasGemmEx"))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    return multiply(handle, transa, transb, &p, atype, btype, ctype, alpha, beta, compute);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType atype,
                                          int lda, long long stride_a, const void *b,
                                          cudaDataType btype, int ldb, long long stride_b,
                                          const void *beta, void *c, cudaDataType ctype, int ldc,
                                          long long stride_c, int n_batches,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    (void)algorithm;
    product p = {m, n, k, lda, ldb, ldc, *(const int *)beta != 0, a, b, c};
    if (emulated_fails("cublasGemmStridedBatchedEx"))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    cublasStatus_t status = stride_c < (long long)ldc * (n - 1) + m ? CUBLAS_STATUS_INVALID_VALUE
                                                                    : CUBLAS_STATUS_SUCCESS;
    emulated.batches++;
    for (int i = 0; i < n_batches && status == CUBLAS_STATUS_SUCCESS; i++) {
        status = multiply(handle, transa, transb, &p, atype, btype, ctype, alpha, beta, compute);
        p.a += stride_a;
        p.b += stride_b;
        p.c += stride_c;
    }
    return status;
}
