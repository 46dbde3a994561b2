/* What libexblas_cuda keeps for a handle, and the state of one call. */
#ifndef EXB_CUDA_HANDLE_H
#define EXB_CUDA_HANDLE_H

#include "exblas/cuda.h"
#include "gpu/flow/front.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

typedef struct {
    void *memory;
    size_t bytes;
} exb_cuda_scratch;

/* Scratch memory: the i-th request of a call gets the i-th piece. The stream orders the calls. */
struct exb_cuda_handle {
    int device;
    cudaStream_t stream;
    cublasHandle_t cublas;
    exb_gpu_limits limits;
    exb_cuda_scratch scratch[EXB_GPU_MOST_SCRATCH];
    struct exb_gpu_params *params;
};

/* One call. */
struct exb_gpu {
    exb_gpu_failure failure; /* first: backend.h */
    struct exb_cuda_handle *handle;
    int device; /* the caller's, to come back to */
    int n_scratch;
};

/* Begins a call on the handle's device: false if it failed already. */
bool exb_cuda_begin(exb_gpu *gpu, exblas_cuda_handle handle);

/* Ends it: the caller's device is current again; remembers the text of a failure. */
exblas_status exb_cuda_end(exb_gpu *gpu);

/* An array of the caller's on the device. */
EXB_INLINE exb_gpu_operand exb_cuda_operand(const char *name, const void *x)
{
    return (exb_gpu_operand){name, (void *)(uintptr_t)x, 0};
}

/* Notes a failure of a function of CUDA or cuBLAS; true if there was none. */
bool exb_cuda_ok(exb_gpu *gpu, cudaError_t error, const char *what);
bool exb_cublas_ok(exb_gpu *gpu, cublasStatus_t status, const char *what);

#endif
