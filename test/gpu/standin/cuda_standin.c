#include "cuda_standin.h"

#include "gpu/cuda/instances.h"

#include <cublas_v2.h>
#include <stdlib.h>

cuda_standin_counts cuda_standin;

/* Kernels of a gemv of floats: what a test launches. */
static const exb_cuda_kernel gemv[] = {{"gemv_filter", "-DEXB_IS_S=1", &cuda_standin},
                                       {"gemv_join", "-DEXB_IS_S=1", &cuda_standin},
                                       {NULL, NULL, NULL}};
static const exb_cuda_kernel elements[] = {
    {"elements", "-DEXB_IS_S=1 -DEXB_TERMS=0 -DEXB_EARLY_EXIT=0", &cuda_standin},
    {NULL, NULL, NULL}};
const exb_cuda_program exb_cuda_programs[] = {{"gemv", gemv}, {"elements", elements}, {NULL, NULL}};

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int device)
{
    static const int values[] = {[cudaDevAttrMaxThreadsPerBlock] = 1024,
                                 [cudaDevAttrMaxSharedMemoryPerBlock] = 48 << 10,
                                 [cudaDevAttrMultiProcessorCount] = 132,
                                 [cudaDevAttrComputeCapabilityMajor] = 9};
    (void)device;
    *value = values[which];
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    *available = *total = (size_t)1 << 36;
    return cudaSuccess;
}

/* One byte, so that the address is one of its own. */
cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    *memory = bytes > 0 ? malloc(1) : NULL;
    cuda_standin.allocations++;
    cuda_standin.live += *memory != NULL;
    return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void *memory)
{
    cuda_standin.live -= memory != NULL;
    free(memory);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)to, (void)from, (void)bytes, (void)kind, (void)stream;
    cuda_standin.copies++;
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    (void)to, (void)value, (void)bytes, (void)stream;
    cuda_standin.copies++;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute which, int value)
{
    (void)function, (void)which, (void)value;
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 groups, dim3 local, void **arguments,
                             size_t local_bytes, cudaStream_t stream)
{
    (void)function, (void)groups, (void)local, (void)arguments, (void)local_bytes, (void)stream;
    cuda_standin.launches++;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)stream, (void)event, (void)flags;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    *event = NULL;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)event, (void)stream;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    (void)event;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "an error";
}

cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    *handle = NULL;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    (void)handle;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream)
{
    (void)handle, (void)stream;
    return CUBLAS_STATUS_SUCCESS;
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS ? "success" : "a failure";
}

cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
    const void *alpha, const void *a, cudaDataType atype, int lda, long long stridea, const void *b,
    cudaDataType btype, int ldb, long long strideb, const void *beta, void *c, cudaDataType ctype,
    int ldc, long long stridec, int batch, cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    (void)handle, (void)transa, (void)transb, (void)m, (void)n, (void)k, (void)alpha, (void)a;
    (void)atype, (void)lda, (void)stridea, (void)b, (void)btype, (void)ldb, (void)strideb;
    (void)beta, (void)c, (void)ctype, (void)ldc, (void)stridec, (void)batch, (void)compute;
    (void)algorithm;
    return CUBLAS_STATUS_SUCCESS;
}
