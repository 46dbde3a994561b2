/* What libexblas_cuda keeps for a handle, and the state of one call. */
#ifndef EXB_CUDA_HANDLE_H
#define EXB_CUDA_HANDLE_H

#include "exblas/cuda.h"
#include "gpu/backend.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

typedef struct {
    void *memory;
    size_t bytes;
} exb_cuda_scratch;

typedef struct {
    char routine[16], name[16];
    int value;
} exb_cuda_param;

enum { EXB_CUDA_MOST_SCRATCH = 16, EXB_CUDA_MOST_PARAMS = 32 };

/* Scratch memory: the i-th request of a call gets the i-th piece. The stream orders the calls. */
struct exb_cuda_handle {
    int device;
    cudaStream_t stream;
    cublasHandle_t cublas;
    exb_gpu_limits limits;
    exb_cuda_scratch scratch[EXB_CUDA_MOST_SCRATCH];
    exb_cuda_param param[EXB_CUDA_MOST_PARAMS];
    int n_params;
};

/* One call. */
struct exb_gpu {
    struct exb_cuda_handle *handle;
    int device; /* the caller's, to come back to */
    int n_scratch;
    exblas_status status;
    char text[256];
};

/* Begins a call on the handle's device: false if it failed already. */
bool exb_cuda_begin(exb_gpu *gpu, exblas_cuda_handle handle);

/* Ends it: the caller's device is current again; remembers the text of a failure. */
exblas_status exb_cuda_end(exb_gpu *gpu);

/* Notes a failure of a CUDA function; true if there was none. */
bool exb_cuda_ok(exb_gpu *gpu, cudaError_t error, const char *what);

/* A vector of n elements in BLAS's order as a place; fails the call if there is none. */
exb_gpu_ref exb_cuda_vector(exb_gpu *gpu, const char *name, int64_t n, const void *x, int64_t inc,
                            size_t element);

#endif
