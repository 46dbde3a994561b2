/* Sums of accumulators of CUDA devices (exblas/cuda_acc.h) over the processes of an MPI
 * communicator: the exact sum on each, the same bits for any number of processes.
 *
 * The functions are here, in the program that includes this: neither library needs the other. Both
 * are collective, take the same n on all processes, wait for the handle's stream, and return an MPI
 * error code, the same on all processes. An illegal argument or a failure of a device on any
 * process: MPI_ERR_OTHER on all of them (exblas_cuda_last_error says more where it was), no memory
 * of the host: MPI_ERR_NO_MEM. If a device fails only when it takes the sums, that process alone
 * has the code, and the others have theirs. Arrays of different processes must not overlap.
 *
 * Link with pkg-config exblas-cuda exblas-mpi.
 *
 * Source: Collange, Defour, Graillat, Iakymchuk, Parallel Computing 49 (2015). */
#ifndef EXBLAS_CUDA_MPI_H
#define EXBLAS_CUDA_MPI_H

#include "exblas/cuda_acc.h"
#include "exblas/mpi.h"

#include <limits.h>
#include <stdlib.h>

EXBLAS_BEGIN_C

/* The largest code of all processes; MPI_SUCCESS is 0. */
static inline int exblas_cuda_mpi_agree(int code, MPI_Comm communicator)
{
    int all = code;
    int wrong = MPI_Allreduce(&code, &all, 1, MPI_INT, MPI_MAX, communicator);
    return wrong ? wrong : all;
}

/* The MPI error code for a status. */
static inline int exblas_cuda_mpi_code(exblas_status status)
{
    return status == EXBLAS_OK       ? MPI_SUCCESS
           : status == EXBLAS_ENOMEM ? MPI_ERR_NO_MEM
                                     : MPI_ERR_OTHER;
}

/* a_i = the sum over all processes of a_i, i < n, by way of the host's memory, of which it takes
 * n * sizeof(exblas_acc): for every MPI. */
static inline int exblas_cuda_acc_mpi_allreduce(exblas_cuda_handle handle, int64_t n, int64_t *a,
                                                MPI_Comm communicator)
{
    exblas_acc *here = NULL;
    int code = n < 0 || n > INT_MAX ? MPI_ERR_OTHER : MPI_SUCCESS;
    if (!code && n > 0 && !(here = (exblas_acc *)malloc((size_t)n * sizeof *here)))
        code = MPI_ERR_NO_MEM;
    if (!code)
        code = exblas_cuda_mpi_code(exblas_cuda_acc_read(handle, n, a, here));
    code = exblas_cuda_mpi_agree(code, communicator);
    if (!code && n > 0)
        code = exblas_mpi_allreduce_words((const exblas_acc *)MPI_IN_PLACE, here, (int)n,
                                          communicator);
    if (!code)
        code = exblas_cuda_mpi_code(exblas_cuda_acc_write(handle, n, here, a));
    free(here);
    return code;
}

/* The same for an MPI that takes device memory: the words are added where they are. At most
 * EXBLAS_CUDA_ACC_MOST_ADDED processes, else MPI_ERR_OTHER. */
static inline int exblas_cuda_acc_mpi_allreduce_device(exblas_cuda_handle handle, int64_t n,
                                                       int64_t *a, MPI_Comm communicator)
{
    const int64_t at_once = 1 << 20; /* the count is an int */
    int n_processes = 0;
    int code = MPI_Comm_size(communicator, &n_processes);
    if (!code && (n_processes > EXBLAS_CUDA_ACC_MOST_ADDED || n < 0 || (n > 0 && !a)))
        code = MPI_ERR_OTHER;
    if (!code)
        code = exblas_cuda_mpi_code(exblas_cuda_synchronize(handle));
    code = exblas_cuda_mpi_agree(code, communicator);
    for (int64_t i = 0; i < n && !code; i += at_once) {
        int64_t count = n - i < at_once ? n - i : at_once;
        code =
            MPI_Allreduce(MPI_IN_PLACE, a + i * EXBLAS_CUDA_ACC_WORDS,
                          (int)count * EXBLAS_CUDA_ACC_WORDS, MPI_INT64_T, MPI_SUM, communicator);
    }
    return code ? code : exblas_cuda_mpi_code(exblas_cuda_acc_normalize(handle, n, a));
}

EXBLAS_END_C

#endif
