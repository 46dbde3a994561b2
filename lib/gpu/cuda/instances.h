/* The kernels of libexblas_cuda as a table, made by instances.py. Read by C and CUDA C++. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* One instance of a kernel: for cudaLaunchKernel. The last one of a program has no name. */
typedef struct {
    const char *program, *name, *options;
    const void *function;
} exb_cuda_kernel;

/* Of each program; NULL ends them. */
extern const exb_cuda_kernel *const exb_cuda_programs[];

#ifdef __cplusplus
}
#endif
