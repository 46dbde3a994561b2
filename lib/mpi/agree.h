/* One outcome on all processes. */
#pragma once

#include "mpi/try.h"

#include <mpi.h>

/* The largest of all processes' codes: an error anywhere is one everywhere. */
static inline int exb_mpi_agree(MPI_Comm comm, int wrong)
{
    int worst = wrong;
    int failed = MPI_Allreduce(&wrong, &worst, 1, MPI_INT, MPI_MAX, comm);
    return failed ? failed : worst;
}

/* The same of a call that is not one of MPI's: the communicator's error handler is told. */
static inline int exb_mpi_agree_and_report(MPI_Comm comm, int wrong)
{
    wrong = exb_mpi_agree(comm, wrong);
    if (wrong)
        MPI_Comm_call_errhandler(comm, wrong);
    return wrong;
}
