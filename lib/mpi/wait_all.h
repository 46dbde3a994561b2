/* Waiting for requests without looking at their statuses. */
#pragma once

#include "mpi/try.h"

#include <mpi.h>

/* One by one: with MPICH, GCC 12 takes MPI_STATUSES_IGNORE for an array without room. Returns the
 * first error, after all. */
static inline int exb_mpi_wait_all(int n, MPI_Request *request)
{
    int wrong = MPI_SUCCESS;
    for (int i = 0; i < n; i++)
        wrong = exb_first_error(wrong, MPI_Wait(&request[i], MPI_STATUS_IGNORE));
    return wrong;
}
