/* MPI 4's forms with counts of type MPI_Count. Blocking calls of reduce and allreduce go piece by
 * piece, element for element the same; the others take counts that fit into an int. */
#include "mpi/pmpi/exact_sum.h"

#include <limits.h>
#include <stdlib.h>

enum { LARGE_PIECE = 1 << 30 };

static bool fits_int(MPI_Count count)
{
    return count >= 0 && count <= INT_MAX;
}

int MPI_Allreduce_c(const void *in, void *out, MPI_Count count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm)
{
    exb_reduction r;
    if (count <= 0 || !exb_is_exact_sum(type, op))
        return PMPI_Allreduce_c(in, out, count, type, op, comm);
    int wrong = exb_reduction_of(type, comm, &r);
    for (MPI_Count i = 0; i < count && !wrong; i += LARGE_PIECE) {
        int n = (int)(count - i < LARGE_PIECE ? count - i : LARGE_PIECE);
        wrong = MPI_Allreduce(in == MPI_IN_PLACE ? in : exb_at(&r, in, i), exb_at(&r, out, i), n,
                              type, op, comm);
    }
    return wrong;
}

int MPI_Reduce_c(const void *in, void *out, MPI_Count count, MPI_Datatype type, MPI_Op op, int root,
                 MPI_Comm comm)
{
    exb_reduction r;
    if (count <= 0 || !exb_is_exact_sum(type, op))
        return PMPI_Reduce_c(in, out, count, type, op, root, comm);
    int wrong = exb_reduction_of(type, comm, &r);
    for (MPI_Count i = 0; i < count && !wrong; i += LARGE_PIECE) {
        int n = (int)(count - i < LARGE_PIECE ? count - i : LARGE_PIECE);
        const void *from = !in || in == MPI_IN_PLACE ? in : exb_at(&r, in, i);
        wrong = MPI_Reduce(from, out ? exb_at(&r, out, i) : NULL, n, type, op, root, comm);
    }
    return wrong;
}

int MPI_Iallreduce_c(const void *in, void *out, MPI_Count count, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm, MPI_Request *request)
{
    if (!exb_is_exact_sum(type, op) || count < 0)
        return PMPI_Iallreduce_c(in, out, count, type, op, comm, request);
    return fits_int(count) ? MPI_Iallreduce(in, out, (int)count, type, op, comm, request)
                           : exb_mpi_error(comm, MPI_ERR_COUNT);
}

int MPI_Ireduce_c(const void *in, void *out, MPI_Count count, MPI_Datatype type, MPI_Op op,
                  int root, MPI_Comm comm, MPI_Request *request)
{
    if (!exb_is_exact_sum(type, op) || count < 0)
        return PMPI_Ireduce_c(in, out, count, type, op, root, comm, request);
    return fits_int(count) ? MPI_Ireduce(in, out, (int)count, type, op, root, comm, request)
                           : exb_mpi_error(comm, MPI_ERR_COUNT);
}

int MPI_Reduce_scatter_block_c(const void *in, void *out, MPI_Count count, MPI_Datatype type,
                               MPI_Op op, MPI_Comm comm)
{
    if (!exb_is_exact_sum(type, op) || count < 0)
        return PMPI_Reduce_scatter_block_c(in, out, count, type, op, comm);
    return fits_int(count) ? MPI_Reduce_scatter_block(in, out, (int)count, type, op, comm)
                           : exb_mpi_error(comm, MPI_ERR_COUNT);
}

int MPI_Ireduce_scatter_block_c(const void *in, void *out, MPI_Count count, MPI_Datatype type,
                                MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    if (!exb_is_exact_sum(type, op) || count < 0)
        return PMPI_Ireduce_scatter_block_c(in, out, count, type, op, comm, request);
    return fits_int(count) ? MPI_Ireduce_scatter_block(in, out, (int)count, type, op, comm, request)
                           : exb_mpi_error(comm, MPI_ERR_COUNT);
}

/* The blocks' counts as int, the caller's to free. */
static int int_counts(const MPI_Count *counts, MPI_Comm comm, int **small)
{
    int n = 0;
    *small = NULL;
    EXB_TRY(PMPI_Comm_size(comm, &n));
    *small = malloc((size_t)n * sizeof **small);
    if (!*small)
        return exb_mpi_error(comm, MPI_ERR_NO_MEM);
    for (int i = 0; i < n; i++) {
        (*small)[i] = (int)counts[i];
        if (!fits_int(counts[i]))
            return exb_mpi_error(comm, MPI_ERR_COUNT);
    }
    return MPI_SUCCESS;
}

int MPI_Reduce_scatter_c(const void *in, void *out, const MPI_Count counts[], MPI_Datatype type,
                         MPI_Op op, MPI_Comm comm)
{
    if (!exb_is_exact_sum(type, op))
        return PMPI_Reduce_scatter_c(in, out, counts, type, op, comm);
    int *small, wrong = int_counts(counts, comm, &small);
    if (!wrong)
        wrong = MPI_Reduce_scatter(in, out, small, type, op, comm);
    free(small);
    return wrong;
}

int MPI_Ireduce_scatter_c(const void *in, void *out, const MPI_Count counts[], MPI_Datatype type,
                          MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    if (!exb_is_exact_sum(type, op))
        return PMPI_Ireduce_scatter_c(in, out, counts, type, op, comm, request);
    int *small, wrong = int_counts(counts, comm, &small);
    if (!wrong)
        wrong = MPI_Ireduce_scatter(in, out, small, type, op, comm, request);
    free(small);
    return wrong;
}
