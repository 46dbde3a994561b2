#include "baseline.cl"
#include "bench_device.h"

#include <cublas_v2.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exblas/cuda.h>

static exblas_cuda_handle handle;
static cublasHandle_t cublas;

static void require(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    exit(1);
}

static void require_ours(exblas_status status)
{
    if (status == EXBLAS_OK)
        return;
    fprintf(stderr, "%s\n", exblas_cuda_last_error());
    exit(1);
}

bool device_open(void)
{
    if (exblas_cuda_create(&handle) != EXBLAS_OK)
        return false;
    require(cublasCreate(&cublas) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
    return true;
}

void device_close(void)
{
    cublasDestroy(cublas);
    exblas_cuda_destroy(handle);
}

static const cudaDeviceProp *properties(void)
{
    static cudaDeviceProp p;
    require(cudaGetDeviceProperties(&p, 0) == cudaSuccess, "cudaGetDeviceProperties");
    return &p;
}

const char *device_name(void)
{
    return properties()->name;
}

int device_units(void)
{
    return properties()->multiProcessorCount;
}

size_t device_largest(void)
{
    size_t available = 0, total = 0;
    require(cudaMemGetInfo(&available, &total) == cudaSuccess, "cudaMemGetInfo");
    return available;
}

device_memory device_new(size_t bytes)
{
    void *m = NULL;
    require(cudaMalloc(&m, bytes) == cudaSuccess, "cudaMalloc");
    return m;
}

void device_free(device_memory m)
{
    cudaFree(m);
}

void device_write_at(device_memory to, size_t offset, size_t bytes, const void *from)
{
    require(cudaMemcpy((char *)to + offset, from, bytes, cudaMemcpyHostToDevice) == cudaSuccess,
            "cudaMemcpy");
}

void device_write(device_memory to, size_t bytes, const void *from)
{
    device_write_at(to, 0, bytes, from);
}

void device_read(device_memory from, size_t bytes, void *to)
{
    require(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost) == cudaSuccess, "cudaMemcpy");
}

void device_clear(device_memory m, size_t bytes)
{
    require(cudaMemset(m, 0, bytes) == cudaSuccess, "cudaMemset");
}

void device_copy(device_memory to, device_memory from, size_t bytes)
{
    require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, 0) == cudaSuccess,
            "cudaMemcpyAsync");
}

void device_finish(void)
{
    require(cudaDeviceSynchronize() == cudaSuccess, "cudaDeviceSynchronize");
}

static const struct {
    const char *name;
    const void *function;
} kernels[] = {{"copy", (const void *)copy},
               {"plain", (const void *)plain},
               {"scatter_unordered", (const void *)scatter_unordered}};

void device_launch(const char *kernel, int groups, int local, int n_args, const device_arg *args)
{
    const void *function = NULL;
    void *pointer[16];
    int narrow[16];
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, kernel) == 0)
            function = kernels[i].function;
    require(function && n_args <= 16, kernel);
    for (int i = 0; i < n_args; i++) {
        narrow[i] = (int)args[i].number;
        pointer[i] = args[i].kind == DEVICE_MEMORY ? (void *)&args[i].memory
                     : args[i].kind == DEVICE_I32  ? (void *)&narrow[i]
                                                   : (void *)&args[i].number;
    }
    require(cudaLaunchKernel(function, dim3((unsigned)groups), dim3((unsigned)local), pointer, 0,
                             0) == cudaSuccess,
            kernel);
}

static void our_sum(int64_t n, device_memory x, device_memory r)
{
    require_ours(exblas_cuda_dsum(handle, n, (double *)x, 1, (double *)r));
}

static void our_dot(int64_t n, device_memory x, device_memory y, device_memory r)
{
    require_ours(exblas_cuda_ddot(handle, n, (double *)x, 1, (double *)y, 1, (double *)r));
}

static void our_gemv(bool trans, int64_t m, int64_t n, device_memory a, device_memory x,
                     device_memory y)
{
    require_ours(exblas_cuda_dgemv(handle, trans ? 112 : 111, m, n, 1, (double *)a, m, (double *)x,
                                   1, 0, (double *)y, 1));
}

static void our_gemm(int64_t n, device_memory a, device_memory b, device_memory c)
{
    require_ours(exblas_cuda_dgemm(handle, 111, 111, n, n, n, 1, (double *)a, n, (double *)b, n, 0,
                                   (double *)c, n));
}

static void our_scatter(int64_t n, device_memory x, device_memory index, int64_t n_bins,
                        device_memory y)
{
    require_ours(
        exblas_cuda_dscatter_add(handle, n, (double *)x, (exblas_int *)index, n_bins, (double *)y));
}

const device_routines device_ours = {"exblas", our_sum, our_dot, our_gemv, our_gemm, our_scatter};

static void cublas_dot(int64_t n, device_memory x, device_memory y, device_memory r)
{
    cublasSetPointerMode(cublas, CUBLAS_POINTER_MODE_DEVICE);
    require(!cublasDdot(cublas, (int)n, (double *)x, 1, (double *)y, 1, (double *)r), "cublasDdot");
    cublasSetPointerMode(cublas, CUBLAS_POINTER_MODE_HOST);
}

static void cublas_gemv(bool trans, int64_t m, int64_t n, device_memory a, device_memory x,
                        device_memory y)
{
    const double one = 1, zero = 0;
    require(!cublasDgemv(cublas, trans ? CUBLAS_OP_T : CUBLAS_OP_N, (int)m, (int)n, &one,
                         (double *)a, (int)m, (double *)x, 1, &zero, (double *)y, 1),
            "cublasDgemv");
}

static void cublas_gemm(int64_t n, device_memory a, device_memory b, device_memory c)
{
    const double one = 1, zero = 0;
    require(!cublasDgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, (int)n, (int)n, (int)n, &one,
                         (double *)a, (int)n, (double *)b, (int)n, &zero, (double *)c, (int)n),
            "cublasDgemm");
}

const device_routines device_vendor = {"cuBLAS", NULL, cublas_dot, cublas_gemv, cublas_gemm, NULL};
