/* What libexblas_cuda keeps for a handle, and the state of one call. */
#pragma once

#include "exblas/cuda.h"
#include "gpu/flow/front.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

typedef struct {
    void *memory;
    size_t bytes;
} exb_cuda_scratch;

struct exb_cuda_handle {
    int device;
    cudaStream_t stream;
    cudaEvent_t last;      /* the end of the last call, if any; the stream it ran on may be gone */
    cublasHandle_t cublas; /* NULL before the first product */
    exb_gpu_limits limits;
    exb_cuda_scratch scratch[EXB_GPU_MOST_SCRATCH];
    char *workspace; /* the user's, or NULL */
    size_t workspace_bytes;
    size_t most_bytes; /* that a call has taken */
    atomic_int params[EXB_GPU_PARAMS];
    const exb_method *method; /* NULL: the process's */
    int layout;               /* of matrices */
    bool host_results;        /* of reductions */
};

/* One call. */
struct exb_gpu {
    exb_gpu_head head; /* first: backend.h */
    struct exb_cuda_handle *handle;
    int device;     /* the caller's, to come back to; -1: it is the handle's */
    size_t n_bytes; /* of scratch memory */
};

/* Begins a call on the handle's device: false if it failed already. exb_cuda_enter: one that gives
 * the stream no commands, and does not look at it. */
bool exb_cuda_begin(exb_gpu *gpu, exblas_cuda_handle handle);
bool exb_cuda_enter(exb_gpu *gpu, exblas_cuda_handle handle);

/* False, and the call has failed, if the stream is being captured. Scratch memory of a graph could
 * not be used again, and calls that read a forecast would have none. */
bool exb_cuda_refuse_capture(exb_gpu *gpu, cudaStream_t stream);

/* Ends it: the caller's device is current again; remembers the end of its commands, and the text of
 * a failure. */
exblas_status exb_cuda_end(exb_gpu *gpu);

/* What public routines do with the descriptions of their calls (entries.py). */
exblas_status exb_cuda_call(exblas_cuda_handle handle, exb_gpu_call *c, exb_gpu_routine *routine);
exblas_status exb_cuda_batch(exblas_cuda_handle handle, exb_gpu_call *c, exb_gpu_routine *routine);

/* By cuBLAS. */
void exb_cuda_multiply_bytes(exb_gpu *gpu, exb_gpu_int8 p);

/* Notes a failure of a function of CUDA or cuBLAS; true if there was none. */
bool exb_cuda_ok(exb_gpu *gpu, cudaError_t error, const char *what);
bool exb_cublas_ok(exb_gpu *gpu, cublasStatus_t status, const char *what);
