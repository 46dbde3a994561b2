/* sum, asum, nrm2 and dot on a device. */
#ifndef EXB_GPU_REDUCE_H
#define EXB_GPU_REDUCE_H

#include "core/method.h"
#include "gpu/backend.h"

/* n terms; element i is x[i * incx], from a place; y is used by EXB_GPU_XY alone. */
typedef struct {
    bool is_s, root;
    int term; /* kernels/terms.h */
    exb_i64 n;
    exb_gpu_ref x;
    exb_i64 incx;
    exb_gpu_ref y;
    exb_i64 incy;
    exb_gpu_ref result;
} exb_gpu_reduction;

void exb_gpu_reduce(exb_gpu *gpu, const exb_gpu_reduction *r, const exb_method *method);

#endif
