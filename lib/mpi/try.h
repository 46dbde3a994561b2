/* Codes of MPI's calls, and one outcome on all processes. */
#pragma once

#include <mpi.h>

/* Ends the function with the code of a call that failed. */
#define EXB_TRY(call)                                                                              \
    do {                                                                                           \
        int exb_code = (call);                                                                     \
        if (exb_code)                                                                              \
            return exb_code;                                                                       \
    } while (0)

/* The first error of two. */
static inline int exb_first_error(int first, int second)
{
    return first ? first : second;
}

/* Waits for requests without looking at their statuses. One by one: with MPICH, GCC 12 takes
 * MPI_STATUSES_IGNORE for an array without room. Returns the first error, after all. */
static inline int exb_mpi_wait_all(int n, MPI_Request *request)
{
    int wrong = MPI_SUCCESS;
    for (int i = 0; i < n; i++)
        wrong = exb_first_error(wrong, MPI_Wait(&request[i], MPI_STATUS_IGNORE));
    return wrong;
}

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
