/* Sums of accumulators of CUDA devices (exblas/cuda_acc.h) over the devices of a NCCL communicator:
 * the exact sum on each, the same bits for any number of devices and any algorithm of NCCL's.
 *
 * The functions are here, in the program that includes this, and call NCCL and libexblas_cuda: the
 * library itself needs no NCCL. Link with pkg-config exblas-cuda and -lnccl.
 *
 * Source: Collange, Defour, Graillat, Iakymchuk, Parallel Computing 49 (2015). */
#ifndef EXBLAS_CUDA_NCCL_H
#define EXBLAS_CUDA_NCCL_H

#include "exblas/cuda_acc.h"

#include <nccl.h>

EXBLAS_BEGIN_C

/* to_i = the sum over all ranks of from_i, i < n, accumulators of this rank's device, enqueued on
 * the handle's stream. from may be to; else they must not overlap. All ranks call it, with the same
 * n; a thread that has several ranks between ncclGroupStart and ncclGroupEnd. Afterwards, behind
 * ncclGroupEnd, normalise: nothing else is possible with the words before that,
 *
 *   exblas_cuda_acc_normalize(handle, n, to);
 *
 * EXBLAS_EINVAL: n < 0, or one of the pointers is NULL; EXBLAS_EUNSUPPORTED: more ranks than
 * EXBLAS_CUDA_ACC_MOST_ADDED; EXBLAS_EDEVICE: NCCL failed, and ncclGetLastError says why. All ranks
 * of a communicator find out the same but for NULL. */
static inline exblas_status exblas_cuda_acc_nccl_sum(exblas_cuda_handle handle, int64_t n,
                                                     const int64_t *from, int64_t *to,
                                                     ncclComm_t communicator)
{
    struct CUstream_st *stream;
    int n_ranks = 0;
    exblas_status status = exblas_cuda_get_stream(handle, &stream);
    if (status != EXBLAS_OK)
        return status;
    if (n < 0 || !communicator || (n > 0 && (!from || !to)))
        return EXBLAS_EINVAL;
    if (ncclCommCount(communicator, &n_ranks) != ncclSuccess)
        return EXBLAS_EDEVICE;
    if (n_ranks > EXBLAS_CUDA_ACC_MOST_ADDED)
        return EXBLAS_EUNSUPPORTED;
    if (n == 0)
        return EXBLAS_OK;
    return ncclAllReduce(from, to, (size_t)n * EXBLAS_CUDA_ACC_WORDS, ncclInt64, ncclSum,
                         communicator, stream) == ncclSuccess
               ? EXBLAS_OK
               : EXBLAS_EDEVICE;
}

EXBLAS_END_C

#endif
