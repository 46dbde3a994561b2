/* MPI 4's forms with counts of type MPI_Count. Blocking calls of reduce and allreduce go piece by
 * piece, element for element the same; the others (doors.py) take counts that fit into an int. */
#include "mpi/pmpi/large_count.h"

#include <stdlib.h>

enum { LARGE_PIECE = 1 << 30 };

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

int exb_int_counts(const MPI_Count *counts, MPI_Comm comm, int **small)
{
    int n = 0;
    *small = NULL;
    EXB_TRY(PMPI_Comm_size(comm, &n));
    *small = malloc((size_t)n * sizeof **small);
    if (!*small)
        return exb_mpi_error(comm, MPI_ERR_NO_MEM);
    for (int i = 0; i < n; i++) {
        (*small)[i] = (int)counts[i];
        if (!exb_fits_int(counts[i]))
            return exb_mpi_error(comm, MPI_ERR_COUNT);
    }
    return MPI_SUCCESS;
}
