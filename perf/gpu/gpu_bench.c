/* The routines of libexblas_cuda beside cuBLAS, by the harness of the processor's benchmarks: calls
 * on doubles, with the wait for the result. */
#include "data.h"
#include "harness.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <exblas/cblas.h>
#include <exblas/cuda.h>
#include <exblas/version.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
    bench_options harness;
    bool markdown;
    const char *only;
} o = {.harness = {.round_ns = 2e8}};

static exblas_cuda_handle handle;
static cublasHandle_t cublas;

/* What all candidates work on: vectors of n numbers, or matrices of n x n, packed by columns. */
static struct {
    int64_t n, n_bins;
    bool trans;
    double *x, *y, *z, r;
    exblas_int *index;
} work;

static void require(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "gpu_bench: %s\n", what);
    exit(1);
}

static void check(cudaError_t error)
{
    require(error == cudaSuccess, cudaGetErrorString(error));
}

/* --- calls ------------------------------------------------------------------------------ */

typedef enum { SUM, DOT, GEMV, GEMM, SCATTER } routine;

/* cuBLAS's asum, dot, gemv and gemm; of scatter-add a copy of its terms. */
static void run_theirs(void *ctx)
{
    static const double one = 1, zero = 0;
    int n = (int)work.n;
    cublasStatus_t s = CUBLAS_STATUS_SUCCESS;
    switch (*(const routine *)ctx) {
    case SUM:
        s = cublasDasum(cublas, n, work.x, 1, &work.r);
        break;
    case DOT:
        s = cublasDdot(cublas, n, work.x, 1, work.y, 1, &work.r);
        break;
    case GEMV:
        s = cublasDgemv(cublas, work.trans ? CUBLAS_OP_T : CUBLAS_OP_N, n, n, &one, work.x, n,
                        work.y, 1, &zero, work.z, 1);
        break;
    case GEMM:
        s = cublasDgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, work.x, n, work.y, n,
                        &zero, work.z, n);
        break;
    case SCATTER:
        check(
            cudaMemcpy(work.z, work.x, (size_t)work.n * sizeof *work.x, cudaMemcpyDeviceToDevice));
    }
    require(s == CUBLAS_STATUS_SUCCESS, cublasGetStatusString(s));
    check(cudaDeviceSynchronize());
}

static void run_ours(void *ctx)
{
    exblas_status s = EXBLAS_OK;
    int64_t n = work.n;
    switch (*(const routine *)ctx) {
    case SUM:
        s = exblas_cuda_dsum(handle, n, work.x, 1, &work.r);
        break;
    case DOT:
        s = exblas_cuda_ddot(handle, n, work.x, 1, work.y, 1, &work.r);
        break;
    case GEMV:
        s = exblas_cuda_dgemv(handle, work.trans ? EXBLAS_TRANS : EXBLAS_NO_TRANS, n, n, 1, work.x,
                              n, work.y, 1, 0, work.z, 1);
        break;
    case GEMM:
        s = exblas_cuda_dgemm(handle, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, n, n, n, 1, work.x, n,
                              work.y, n, 0, work.z, n);
        break;
    case SCATTER:
        s = exblas_cuda_dscatter_add(handle, n, work.x, work.index, work.n_bins, work.y);
    }
    require(s == EXBLAS_OK, exblas_cuda_last_error());
    check(cudaDeviceSynchronize());
}

/* Theirs, ours and its rate, the ratio in the best round and in the worst; of a page ours and the
 * ratio. */
static void row(const char *label, routine which, double amount, const char *unit)
{
    bench_candidate c[] = {{.name = "theirs", .run = run_theirs},
                           {.name = "ours", .run = run_ours}};
    if (o.only && !strstr(label, o.only))
        return;
    bench_measure(&o.harness, c, 2, &which);
    if (o.markdown)
        printf("| %s | %.1f | %.2f |\n", label, c[1].min_ns / 1e3, c[1].ratio);
    else
        printf("%-24s %10.1f us %10.1f us %10.1f %-8s %6.2f to %.2f\n", label, c[0].min_ns / 1e3,
               c[1].min_ns / 1e3, amount / c[1].min_ns, unit, c[1].ratio, c[1].worst_ratio);
    fflush(stdout);
}

/* --- numbers on the device -------------------------------------------------------------- */

static void *upload(size_t bytes, void *data)
{
    void *m = NULL;
    check(cudaMalloc(&m, bytes));
    check(cudaMemcpy(m, data, bytes, cudaMemcpyHostToDevice));
    free(data);
    return m;
}

static double *numbers(int64_t n, int kind, uint64_t seed)
{
    double *x = malloc((size_t)n * sizeof *x);
    require(x != NULL, "out of memory");
    data_kinds[kind].fill(n, x, &data_kinds[kind].parameter, seed);
    return upload((size_t)n * sizeof *x, x);
}

static void take_numbers(int64_t n, int kind)
{
    work.x = numbers(n, kind, 1);
    work.y = numbers(n, kind, 2);
    work.z = numbers(n, kind, 3);
}

static void drop_numbers(void)
{
    cudaFree(work.x);
    cudaFree(work.y);
    cudaFree(work.z);
}

/* --- vectors ---------------------------------------------------------------------------- */

static void vectors(int64_t n)
{
    char label[40];
    work.n = n;
    take_numbers(n, DATA_UNIFORM);
    snprintf(label, sizeof label, "sum n=%lld", (long long)n);
    row(label, SUM, 8.0 * (double)n, "GB/s");
    snprintf(label, sizeof label, "dot n=%lld", (long long)n);
    row(label, DOT, 16.0 * (double)n, "GB/s");
    drop_numbers();
}

/* More elements than 32 bits count: zeros, but for four of them. */
static void many_elements(int64_t n)
{
    const int64_t at[] = {0, n / 2 - 1, n / 2, n - 1};
    const double value[] = {1, 2, 4, 8};
    if (cudaMalloc((void **)&work.x, (size_t)n * sizeof *work.x) != cudaSuccess) {
        printf("# no sums of %lld elements: the device has too little memory\n", (long long)n);
        return;
    }
    work.n = n;
    work.y = work.x;
    check(cudaMemset(work.x, 0, (size_t)n * sizeof *work.x));
    for (int i = 0; i < 4; i++)
        check(cudaMemcpy(work.x + at[i], &value[i], sizeof *value, cudaMemcpyHostToDevice));
    run_ours(&(routine){SUM});
    require(work.r == 15, "a sum of more than 2^32 elements is wrong");
    run_ours(&(routine){DOT});
    require(work.r == 85, "a dot product of more than 2^32 elements is wrong");
    cudaFree(work.x);
}

/* --- matrices --------------------------------------------------------------------------- */

/* The last bits of numbers of the normal distribution are anywhere. */
static void matrices(int64_t n)
{
    char label[40];
    double size = (double)n * (double)n;
    work.n = n;
    for (int kind = DATA_UNIFORM; kind <= DATA_NORMAL; kind++) {
        take_numbers(n * n, kind);
        for (int t = 0; t < 2 && kind == DATA_UNIFORM; t++) {
            work.trans = t;
            snprintf(label, sizeof label, "gemv %c n=%lld", "nt"[t], (long long)n);
            row(label, GEMV, 8 * size, "GB/s");
        }
        snprintf(label, sizeof label, "gemm %s n=%lld", data_kinds[kind].name, (long long)n);
        row(label, GEMM, 2 * size * (double)n, "GFLOP/s");
        drop_numbers();
    }
}

/* --- bins ------------------------------------------------------------------------------------- */

static void bins(int64_t n, int64_t n_bins)
{
    char label[48];
    uint64_t state = 5;
    exblas_int *index = malloc((size_t)n * sizeof *index);
    require(index != NULL, "out of memory");
    for (int64_t i = 0; i < n; i++)
        index[i] = (exblas_int)(data_uniform(&state) * (double)n_bins);
    work.n = n;
    work.n_bins = n_bins;
    take_numbers(n, DATA_UNIFORM);
    work.index = upload((size_t)n * sizeof *index, index);
    snprintf(label, sizeof label, "scatter bins=%lld", (long long)n_bins);
    row(label, SCATTER, (double)n, "terms/ns");
    drop_numbers();
    cudaFree(work.index);
}

static void run_all(bool quick)
{
    for (int64_t n = 1 << 14; n <= (quick ? 1 << 20 : 1 << 27); n *= 8)
        vectors(n);
    vectors(1000000); /* where launches count */
    if (!quick)
        many_elements(((int64_t)1 << 32) + 2); /* 34 GB */
    for (int64_t n = quick ? 256 : 1024; n <= (quick ? 512 : 16384); n *= 2)
        matrices(n);
    for (int64_t b = 1; b <= 1 << 20; b *= b < 1 << 14 ? 16 : 64)
        bins(quick ? 1 << 20 : 10000000, b);
}

static void print_head(void)
{
    char day[16];
    time_t now = time(NULL);
    struct cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0));
    strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
    if (o.markdown)
        printf("\n## Device: %s\n\n%s, %d units, ExBLAS %s. Calls on doubles, with the wait for "
               "the result. The ratio "
               "is that to cuBLAS's\nasum, dot, gemv and gemm; of scatter to a copy of its 10^7 "
               "terms.\n\n"
               "| call | us | ratio |\n|---|---|---|\n",
               device.name, day, device.multiProcessorCount, EXBLAS_VERSION);
    else
        printf("# %s, %d units: theirs, ours, the rate of ours, the ratio\n", device.name,
               device.multiProcessorCount);
}

static int usage(int status)
{
    fprintf(status ? stderr : stdout,
            "usage: gpu_bench_cuda [--quick] [--markdown] [--only TEXT]\n\n"
            "  --quick      small sizes, few samples\n"
            "  --markdown   a section for doc/results.md\n"
            "  --only TEXT  only rows whose label contains TEXT\n");
    return status;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            o.harness.quick = true;
        else if (strcmp(argv[i], "--markdown") == 0)
            o.markdown = true;
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            o.only = argv[++i];
        else
            return usage(strcmp(argv[i], "--help") == 0 ? 0 : 2);
    }
    require(!exblas_cuda_create(&handle) && !exblas_cuda_set_host_results(handle, 1),
            exblas_cuda_last_error());
    require(cublasCreate(&cublas) == CUBLAS_STATUS_SUCCESS, "there is no cuBLAS");
    print_head();
    run_all(o.harness.quick);
    cublasDestroy(cublas);
    return exblas_cuda_destroy(handle) != EXBLAS_OK;
}
