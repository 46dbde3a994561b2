/* Scatter-add on a device. */
#ifndef EXB_GPU_SCATTER_H
#define EXB_GPU_SCATTER_H

#include "gpu/backend.h"

/* n terms x go to the bins of y that index names, n_bins of them; is_wide: indices of 64 bits. */
typedef struct {
    bool is_s, is_wide;
    exb_i64 n, n_bins;
    exb_gpu_ref x, index, y;
} exb_gpu_scattering;

/* y_i = RN(y_i + all x_k with index_k = i), by long accumulators. Fails with EINVAL, and y is as
 * it was, if an index is not in 0 ... n_bins - 1: hence it waits for the device. */
void exb_gpu_scatter_add(exb_gpu *gpu, const exb_gpu_scattering *s);

#endif
