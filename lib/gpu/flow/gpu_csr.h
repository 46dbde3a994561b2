/* Sparse matrices on a device. */
#ifndef EXB_GPU_CSR_H
#define EXB_GPU_CSR_H

#include "gpu/flow/front.h"

/* A matrix stored by rows (exblas/sparse.h), with room for n_entries entries; is_wide: indices of
 * 64 bits. alpha and beta point to numbers of the type. Negative sizes are wrong. */
typedef struct {
    bool is_s, is_wide;
    exb_i64 m, n, n_entries;
    const void *alpha, *beta;
    exb_gpu_operand row_start, column, value, x, y;
} exb_gpu_csr_call;

/* y = RN(alpha A x + beta y). Fails with EINVAL, and y is as it was, if row_start or a column is
 * wrong: hence it waits for the device. Parameters: `group`, work-items of a group; `rows` of it.
 */
void exb_gpu_call_csrmv(exb_gpu *gpu, const exb_gpu_csr_call *c);

#endif
