/* What the doors (doors.py) call. */
#pragma once

#include "mpi/pmpi/next.h"
#include "mpi/pmpi/pending.h"

#include <limits.h>
#include <stdlib.h>

static inline bool exb_fits_int(MPI_Count count)
{
    return count >= 0 && count <= INT_MAX;
}

/* The blocks' counts as int, the caller's to free also after an error. */
static inline int exb_int_counts(const MPI_Count *counts, MPI_Comm comm, int **small)
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
