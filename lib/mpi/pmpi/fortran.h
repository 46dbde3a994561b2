/* What the names of both MPIs' Fortran interfaces share. LOGICAL .true. is 1, indices count from 1.
 */
#pragma once

#include "mpi/pmpi/exact_sum.h"

/* Fortran's INTEGER is C's int here. */
_Static_assert(sizeof(MPI_Fint) == sizeof(int), "INTEGER is int");

static inline void give_error(MPI_Fint *error, int wrong)
{
    if (error) /* optional in mpi_f08 */
        *error = wrong;
}

/* C's index as Fortran's, which MPI_UNDEFINED is not. */
static inline MPI_Fint from_one(int index)
{
    return index == MPI_UNDEFINED ? index : index + 1;
}

/* None if n is MPI_UNDEFINED. */
static inline void count_from_one(int n, MPI_Fint *indices)
{
    _Static_assert(MPI_UNDEFINED < 0, "a count of requests cannot be MPI_UNDEFINED");
    for (int i = 0; i < n; i++)
        indices[i] = from_one(indices[i]);
}
