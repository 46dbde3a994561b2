/* Sums over ranks, when a group ends: what the streams of all ranks have runs before. A sum of
 * 64-bit integers that overflows ends the program: the device's would wrap, silently. */
#include "nccl.h"

#include "emulated_device.h"

#include <stdint.h>
#include <stdlib.h>

struct ncclComm {
    int n_ranks;
    const int64_t *from; /* of the call in the group; NULL: none */
    int64_t *to;
    size_t count;
    struct ncclComm **all; /* of rank 0's, which owns it */
    int rank;
};

static int depth;
static struct ncclComm **in_group; /* the communicator that was called for in this group */

ncclResult_t ncclCommInitAll(ncclComm_t *comm, int n_devices, const int *devices)
{
    (void)devices;
    struct ncclComm **all = calloc((size_t)n_devices, sizeof *all);
    for (int i = 0; i < n_devices; i++) {
        all[i] = comm[i] = calloc(1, sizeof **all);
        *comm[i] = (struct ncclComm){.n_ranks = n_devices, .all = all, .rank = i};
    }
    return ncclSuccess;
}

ncclResult_t ncclCommCount(ncclComm_t comm, int *count)
{
    *count = comm->n_ranks;
    return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    if (comm->rank == comm->n_ranks - 1)
        free(comm->all);
    free(comm);
    return ncclSuccess;
}

ncclResult_t ncclGroupStart(void)
{
    depth++;
    return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    (void)stream;
    if (type != ncclInt64 || op != ncclSum || comm->from)
        return ncclInvalidArgument;
    if (depth == 0 && comm->n_ranks > 1)
        return ncclInvalidUsage;
    emulated_check_bytes(from, count * sizeof(int64_t), "ncclAllReduce");
    emulated_check_bytes(to, count * sizeof(int64_t), "ncclAllReduce");
    comm->from = from;
    comm->to = to;
    comm->count = count;
    in_group = comm->all;
    return depth == 0 ? ncclGroupStart(), ncclGroupEnd() : ncclSuccess;
}

static int64_t sum_of_ranks(struct ncclComm *const *all, size_t i)
{
    int64_t sum = 0;
    for (int r = 0; r < all[0]->n_ranks; r++) {
        if (!all[r]->from || all[r]->count != all[0]->count)
            emulated_misuse("ncclAllReduce: the ranks' calls differ");
        if (__builtin_add_overflow(sum, all[r]->from[i], &sum))
            emulated_misuse("ncclAllReduce: a sum overflows");
    }
    return sum;
}

ncclResult_t ncclGroupEnd(void)
{
    if (--depth > 0 || !in_group)
        return ncclSuccess;
    struct ncclComm **all = in_group;
    in_group = NULL;
    emulated_finish();
    size_t count = all[0]->count;
    int64_t *sum = calloc(count + 1, sizeof *sum);
    for (size_t i = 0; i < count; i++)
        sum[i] = sum_of_ranks(all, i);
    for (int r = 0; r < all[0]->n_ranks; r++) {
        for (size_t i = 0; i < count; i++)
            all[r]->to[i] = sum[i];
        all[r]->from = NULL;
    }
    free(sum);
    return ncclSuccess;
}
