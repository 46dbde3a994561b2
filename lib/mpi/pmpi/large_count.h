/* Counts of MPI 4. */
#pragma once

#include "mpi/pmpi/exact_sum.h"

#include <limits.h>

static inline bool exb_fits_int(MPI_Count count)
{
    return count >= 0 && count <= INT_MAX;
}

/* The blocks' counts as int, the caller's to free also after an error. */
int exb_int_counts(const MPI_Count *counts, MPI_Comm comm, int **small);
