/* What exblas/cuda_nccl.h uses of NCCL, for the emulated device: the ranks of a communicator belong
 * to one thread, which calls for all of them in a group (emulated_nccl.c). */
#ifndef NCCL_H
#define NCCL_H

#include <cuda_runtime_api.h>
#include <stddef.h>

typedef enum { ncclSuccess = 0, ncclInvalidArgument = 4, ncclInvalidUsage = 5 } ncclResult_t;
typedef enum { ncclInt64 = 4, ncclDouble = 8 } ncclDataType_t;
typedef enum { ncclSum = 0, ncclMax = 2 } ncclRedOp_t;
typedef struct ncclComm *ncclComm_t;

ncclResult_t ncclCommInitAll(ncclComm_t *comm, int n_devices, const int *devices);
ncclResult_t ncclCommCount(ncclComm_t comm, int *count);
ncclResult_t ncclCommDestroy(ncclComm_t comm);
ncclResult_t ncclGroupStart(void);
ncclResult_t ncclGroupEnd(void);
ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream);

#endif
