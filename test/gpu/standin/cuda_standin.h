/* A device that counts what it is asked for and computes nothing: the host code of libexblas_cuda
 * runs on it as it is. Its memory is addresses that nobody reads. */
#ifndef CUDA_STANDIN_H
#define CUDA_STANDIN_H

#include <stddef.h>

typedef struct {
    long launches, copies, allocations, live; /* live: allocations that were not freed */
} cuda_standin_counts;

extern cuda_standin_counts cuda_standin;

#endif
