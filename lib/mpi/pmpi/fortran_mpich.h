/* MPICH's Fortran interfaces call the C names and so reach the interposer by themselves, but for
 * `use mpi_f08`, whose completion functions call PMPI's: their names are taken over (doors.py).
 * Requests and statuses have C's layout there. */
#pragma once

#include "mpi/pmpi/fortran.h"

static inline MPI_Status *status_of(void *status)
{
    bool ignored = status == (void *)&MPIR_F08_MPI_STATUS_IGNORE_OBJ ||
                   status == (void *)&MPIR_F08_MPI_STATUSES_IGNORE_OBJ;
    return ignored ? MPI_STATUSES_IGNORE : status;
}
