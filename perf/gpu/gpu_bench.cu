/* The routines of libexblas_cuda beside plain kernels and cuBLAS: times in one process,
 * interleaved, minima of several samples. Built with -Dcuda=enabled, by tools/gpu-check. */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <exblas/cblas.h>
#include <exblas/cuda.h>
#include <exblas/version.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

enum { LOCAL = 256, MOST = 3 };

static struct {
    bool quick, markdown;
    const char *only;
} o;

static exblas_cuda_handle handle;
static cublasHandle_t cublas;
static cudaDeviceProp device;

/* What all candidates work on. */
static struct {
    int64_t n, n_bins;
    bool trans;
    int groups;
    double *x, *y, *z, *r, *partial;
    int32_t *index;
} work;

static void stop(const char *what)
{
    fprintf(stderr, "gpu_bench: %s\n", what);
    exit(1);
}

static void require(cudaError_t error)
{
    if (error != cudaSuccess)
        stop(cudaGetErrorString(error));
}

static void require(cublasStatus_t status)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        stop(cublasGetStatusString(status));
}

static void require(exblas_status status)
{
    if (status != EXBLAS_OK)
        stop(exblas_cuda_last_error());
}

/* --- what the library is compared with --------------------------------------------------- */

/* partial[group] = sum of x y over the group's share, of x alone if y is NULL. */
static __global__ void plain_sums(int64_t n, const double *x, const double *y, double *partial)
{
    __shared__ double sum[LOCAL];
    int id = threadIdx.x, size = blockDim.x;
    double s = 0;
    for (int64_t i = (int64_t)blockIdx.x * size + id; i < n; i += (int64_t)gridDim.x * size)
        s += y ? x[i] * y[i] : x[i];
    sum[id] = s;
    __syncthreads();
    for (int i = 1; id == 0 && i < size; i++)
        s += sum[i];
    if (id == 0)
        partial[blockIdx.x] = s;
}

static void plain_reduction(const double *y)
{
    plain_sums<<<work.groups, LOCAL>>>(work.n, work.x, y, work.partial);
    plain_sums<<<1, LOCAL>>>(work.groups, work.partial, NULL, work.r);
}

static __global__ void add_unordered(int64_t n, const double *x, const int32_t *index, double *y)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&y[index[i]], x[i]);
}

/* --- times ----------------------------------------------------------------------------- */

struct candidate {
    const char *name;
    void (*run)();
    double ns = 0;
};

static double now_ns()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* One sample: `calls` calls and a wait, per call. */
static double sample(const candidate *c, int calls)
{
    double t = now_ns();
    for (int i = 0; i < calls; i++)
        c->run();
    require(cudaDeviceSynchronize());
    return (now_ns() - t) / calls;
}

/* Calls that take some 2 ms; warms up, too. */
static int count_calls(const candidate *c)
{
    sample(c, 1);
    double ns = sample(c, 1);
    return ns > 1e6 ? 1 : ns > 2e4 ? (int)(2e6 / ns) : 100;
}

/* One line a candidate: time, rate in units of `unit`, ratio to the first; of a page the last
 * one's alone, which is ours. */
static void row(const char *label, candidate *c, int n, double amount, const char *unit)
{
    int calls[MOST], n_samples = o.quick ? 3 : 15;
    if (o.only && !strstr(label, o.only))
        return;
    for (int j = 0; j < n; j++) {
        calls[j] = count_calls(&c[j]);
        c[j].ns = HUGE_VAL;
    }
    for (int i = 0; i < n_samples; i++)
        for (int j = 0; j < n; j++)
            c[j].ns = fmin(c[j].ns, sample(&c[j], calls[j]));
    if (o.markdown)
        printf("| %s | %.1f | %.2f |\n", label, c[n - 1].ns / 1e3, c[n - 1].ns / c[0].ns);
    for (int j = 0; !o.markdown && j < n; j++)
        printf("%-28s %-20s %12.1f us %10.1f %-8s %6.2f x %s\n", label, c[j].name, c[j].ns / 1e3,
               amount / c[j].ns, unit, c[j].ns / c[0].ns, c[0].name);
    fflush(stdout);
}

/* --- numbers on the device -------------------------------------------------------------- */

static void *new_memory(size_t bytes)
{
    void *m;
    require(cudaMalloc(&m, bytes));
    return m;
}

static void free_vectors()
{
    for (double *m : {work.x, work.y, work.z})
        require(cudaFree(m));
}

/* xorshift64*, in [-0.5, 0.5). */
static double uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)(*state * 2685821657736338717u >> 11) * 0x1p-53 - 0.5;
}

/* Of the normal distribution: their last bits are anywhere, those of uniform ones at 2^-53. */
static double normal(uint64_t *state)
{
    double u = uniform(state) + 0.5, v = uniform(state);
    return sqrt(-2 * log(u > 0 ? u : 0x1p-53)) * cos(2 * M_PI * v);
}

static double *random_memory(int64_t n, uint64_t seed, double (*draw)(uint64_t *) = uniform)
{
    std::vector<double> x(n);
    for (double &v : x)
        v = draw(&seed);
    double *m = (double *)new_memory(n * sizeof *m);
    require(cudaMemcpy(m, x.data(), n * sizeof *m, cudaMemcpyHostToDevice));
    return m;
}

/* --- vectors ---------------------------------------------------------------------------- */

static void copy()
{
    require(cudaMemcpyAsync(work.z, work.x, work.n * sizeof *work.x, cudaMemcpyDeviceToDevice, 0));
}

static void our_sum()
{
    require(exblas_cuda_dsum(handle, work.n, work.x, 1, work.r));
}

static void our_dot()
{
    require(exblas_cuda_ddot(handle, work.n, work.x, 1, work.y, 1, work.r));
}

static void cublas_dot()
{
    cublasSetPointerMode(cublas, CUBLAS_POINTER_MODE_DEVICE);
    require(cublasDdot(cublas, (int)work.n, work.x, 1, work.y, 1, work.r));
    cublasSetPointerMode(cublas, CUBLAS_POINTER_MODE_HOST);
}

static void sums(int64_t n)
{
    char label[40];
    snprintf(label, sizeof label, "sum n=%lld", (long long)n);
    candidate c[] = {{"plain reduction", [] { plain_reduction(NULL); }}, {"exblas", our_sum}};
    row(label, c, 2, 8.0 * (double)n, "GB/s");
}

static void vectors(int64_t n)
{
    char label[40];
    work.n = n;
    work.x = random_memory(n, 1);
    work.y = random_memory(n, 2);
    work.z = (double *)new_memory(n * sizeof *work.z);
    snprintf(label, sizeof label, "copy n=%lld", (long long)n);
    candidate c[] = {{"cudaMemcpyAsync", copy}};
    if (!o.markdown)
        row(label, c, 1, 16.0 * (double)n, "GB/s");
    sums(n);
    snprintf(label, sizeof label, "dot n=%lld", (long long)n);
    candidate d[] = {{"plain reduction", [] { plain_reduction(work.y); }},
                     {"cuBLAS", cublas_dot},
                     {"exblas", our_dot}};
    row(label, d, 3, 16.0 * (double)n, "GB/s");
    free_vectors();
}

/* More elements than 31 bits count, or 32: zeros, but for four of them. */
static void many_elements(int64_t n)
{
    const int64_t at[] = {0, n / 2 - 1, n / 2, n - 1};
    size_t bytes = n * sizeof *work.x, available = 0, total = 0;
    double value = 1, sum = 0, dot = 0;
    require(cudaMemGetInfo(&available, &total));
    if (available < bytes + bytes / 8) {
        printf("# sums of %lld elements skipped: the device has too little memory\n", (long long)n);
        return;
    }
    work.n = n;
    work.x = work.y = (double *)new_memory(bytes);
    require(cudaMemset(work.x, 0, bytes));
    for (int i = 0; i < 4; i++, value *= 2)
        require(cudaMemcpy(work.x + at[i], &value, sizeof value, cudaMemcpyHostToDevice));
    our_sum();
    require(cudaMemcpy(&sum, work.r, sizeof sum, cudaMemcpyDeviceToHost));
    our_dot();
    require(cudaMemcpy(&dot, work.r, sizeof dot, cudaMemcpyDeviceToHost));
    if (sum != 15 || dot != 85)
        stop("a sum of more than 2^32 elements is wrong");
    sums(n);
    cudaFree(work.x);
}

/* --- matrices: packed and column-major -------------------------------------------------------- */

static const double one = 1, zero = 0;

static void our_gemv()
{
    require(exblas_cuda_dgemv(handle, work.trans ? EXBLAS_TRANS : EXBLAS_NO_TRANS, work.n, work.n,
                              1, work.x, work.n, work.y, 1, 0, work.z, 1));
}

static void cublas_gemv()
{
    int n = (int)work.n;
    require(cublasDgemv(cublas, work.trans ? CUBLAS_OP_T : CUBLAS_OP_N, n, n, &one, work.x, n,
                        work.y, 1, &zero, work.z, 1));
}

static void our_gemm()
{
    require(exblas_cuda_dgemm(handle, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, work.n, work.n, work.n, 1,
                              work.x, work.n, work.y, work.n, 0, work.z, work.n));
}

static void cublas_gemm()
{
    int n = (int)work.n;
    require(cublasDgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, work.x, n, work.y, n,
                        &zero, work.z, n));
}

static void products(const char *kind, double (*draw)(uint64_t *))
{
    char label[40];
    int64_t n = work.n;
    candidate c[] = {{"cuBLAS", cublas_gemv}, {"exblas", our_gemv}};
    work.x = random_memory(n * n, 3, draw);
    work.y = random_memory(n * n, 4, draw);
    work.z = (double *)new_memory(n * n * sizeof *work.z);
    for (int t = 0; t < 2 && draw == uniform; t++) {
        work.trans = t;
        snprintf(label, sizeof label, "gemv %c n=%lld", "nt"[t], (long long)n);
        row(label, c, 2, 8.0 * (double)(n * n), "GB/s");
    }
    c[0].run = cublas_gemm;
    c[1].run = our_gemm;
    snprintf(label, sizeof label, "gemm %s n=%lld", kind, (long long)n);
    row(label, c, 2, 2.0 * (double)(n * n) * (double)n, "GFLOP/s");
    free_vectors();
}

/* --- bins ------------------------------------------------------------------------------------- */

static void unordered_scatter()
{
    add_unordered<<<work.groups, LOCAL>>>(work.n, work.x, work.index, work.y);
}

static void our_scatter()
{
    require(exblas_cuda_dscatter_add(handle, work.n, work.x, work.index, work.n_bins, work.y));
}

static void bins(int64_t n, int64_t n_bins)
{
    char label[48];
    uint64_t state = 5;
    std::vector<int32_t> index(n);
    for (int32_t &i : index)
        i = (int32_t)((uniform(&state) + 0.5) * (double)n_bins);
    work.n = n;
    work.n_bins = n_bins;
    work.x = random_memory(n, 1);
    work.y = random_memory(n_bins, 2);
    work.index = (int32_t *)new_memory(n * sizeof *work.index);
    require(cudaMemcpy(work.index, index.data(), n * sizeof *work.index, cudaMemcpyHostToDevice));
    candidate c[] = {{"unordered atomics", unordered_scatter}, {"exblas", our_scatter}};
    snprintf(label, sizeof label, "scatter bins=%lld", (long long)n_bins);
    row(label, c, 2, (double)n, "terms/ns");
    cudaFree(work.x);
    cudaFree(work.y);
    cudaFree(work.index);
}

static void run_all()
{
    work.groups = device.multiProcessorCount * 8;
    work.r = (double *)new_memory(64);
    work.partial = (double *)new_memory(work.groups * sizeof *work.partial);
    require(cudaMemset(work.r, 0, 64));
    for (int64_t n = 1 << 14; n <= (o.quick ? 1 << 20 : 1 << 27); n *= 8)
        vectors(n);
    vectors(1000000); /* where launches count */
    if (!o.quick)
        many_elements(((int64_t)1 << 32) + 2); /* 34 GB */
    for (work.n = o.quick ? 256 : 1024; work.n <= (o.quick ? 512 : 16384); work.n *= 2) {
        products("uniform", uniform);
        products("normal", normal);
    }
    for (int64_t b = 1; b <= 1 << 20; b *= b < 1 << 14 ? 16 : 64)
        bins(o.quick ? 1 << 18 : 10000000, b);
    cudaFree(work.r);
    cudaFree(work.partial);
}

static void print_head()
{
    char day[16];
    time_t now = time(NULL);
    strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
    printf("\n## Device: %s\n\n%s, %d units, ExBLAS %s. Calls on doubles, with the wait for the "
           "result. The ratio is that to a plain\nreduction (sum, dot), to cuBLAS (gemv, gemm) or "
           "to 10^7 atomic additions in any order (scatter).\n\n| call | us | ratio |\n"
           "|---|---|---|\n",
           device.name, day, device.multiProcessorCount, EXBLAS_VERSION);
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
            o.quick = true;
        else if (strcmp(argv[i], "--markdown") == 0)
            o.markdown = true;
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            o.only = argv[++i];
        else
            return usage(strcmp(argv[i], "--help") == 0 ? 0 : 2);
    }
    require(exblas_cuda_create(&handle));
    require(cublasCreate(&cublas));
    require(cudaGetDeviceProperties(&device, 0));
    if (o.markdown)
        print_head();
    else
        printf("# %s, %d units\n", device.name, device.multiProcessorCount);
    run_all();
    cublasDestroy(cublas);
    require(exblas_cuda_destroy(handle));
    return 0;
}
