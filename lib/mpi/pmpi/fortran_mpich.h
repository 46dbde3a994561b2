/* MPICH's Fortran interfaces call the C names and so reach the interposer by themselves, but for
 * `use mpi_f08`, whose completion functions call PMPI's: their names are taken over (doors.py).
 * Requests and statuses have C's layout there. LOGICAL .true. is 1, indices count from 1. */
#pragma once

#include "mpi/pmpi/exact_sum.h"

static inline MPI_Status *status_of(void *status)
{
    bool ignored = status == (void *)&MPIR_F08_MPI_STATUS_IGNORE_OBJ ||
                   status == (void *)&MPIR_F08_MPI_STATUSES_IGNORE_OBJ;
    return ignored ? MPI_STATUSES_IGNORE : status;
}

static inline void give_error(int *error, int wrong)
{
    if (error) /* optional */
        *error = wrong;
}

static inline int from_one(int index)
{
    return index == MPI_UNDEFINED ? index : index + 1;
}

/* To the Fortran numbers of what was completed. */
static inline void count_from_one(int n, int *indices)
{
    for (int i = 0; i < n; i++) /* none if n is MPI_UNDEFINED, which is negative */
        indices[i] = from_one(indices[i]);
}

_Static_assert(MPI_UNDEFINED < 0, "a count of requests cannot be MPI_UNDEFINED");
