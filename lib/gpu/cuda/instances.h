/* The kernels of libexblas_cuda as a table, made by instances.py. Read by C and CUDA C++. */
#ifndef EXB_CUDA_INSTANCES_H
#define EXB_CUDA_INSTANCES_H

#ifdef __cplusplus
extern "C" {
#endif

/* One instance of a kernel: for cudaLaunchKernel. The last one of a program has no name. */
typedef struct {
    const char *name, *options;
    const void *function;
} exb_cuda_kernel;

typedef struct {
    const char *program;
    const exb_cuda_kernel *kernels;
} exb_cuda_program;

/* Up to an entry without a name. */
extern const exb_cuda_program exb_cuda_programs[];

#ifdef __cplusplus
}
#endif

#endif
