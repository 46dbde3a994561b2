/* MPICH's Fortran interfaces call the C names and so reach the interposer by themselves, but for
 * `use mpi_f08`, whose completion functions call PMPI's: their names are taken over here.
 * Requests and statuses have C's layout there. LOGICAL .true. is 1, indices count from 1. */
#include "mpi/pmpi/exact_sum.h"

static MPI_Status *status_of(void *status)
{
    bool ignored = status == (void *)&MPIR_F08_MPI_STATUS_IGNORE_OBJ ||
                   status == (void *)&MPIR_F08_MPI_STATUSES_IGNORE_OBJ;
    return ignored ? MPI_STATUSES_IGNORE : status;
}

static void give_error(int *error, int wrong)
{
    if (error) /* optional */
        *error = wrong;
}

static int from_one(int index)
{
    return index == MPI_UNDEFINED ? index : index + 1;
}

/* To the Fortran numbers of what was completed. */
static void count_from_one(int n, int *indices)
{
    for (int i = 0; i < n; i++) /* none if n is MPI_UNDEFINED, which is negative */
        indices[i] = from_one(indices[i]);
}

_Static_assert(MPI_UNDEFINED < 0, "a count of requests cannot be MPI_UNDEFINED");

#pragma GCC visibility push(default)

void mpi_wait_f08_(MPI_Request *request, void *status, int *error)
{
    give_error(error, MPI_Wait(request, status_of(status)));
}

void mpi_waitall_f08_(int *count, MPI_Request *requests, void *statuses, int *error)
{
    give_error(error, MPI_Waitall(*count, requests, status_of(statuses)));
}

void mpi_waitany_f08_(int *count, MPI_Request *requests, int *index, void *status, int *error)
{
    give_error(error, MPI_Waitany(*count, requests, index, status_of(status)));
    *index = from_one(*index);
}

void mpi_waitsome_f08_(int *count, MPI_Request *requests, int *n_done, int *indices, void *statuses,
                       int *error)
{
    give_error(error, MPI_Waitsome(*count, requests, n_done, indices, status_of(statuses)));
    count_from_one(*n_done, indices);
}

void mpi_test_f08_(MPI_Request *request, int *flag, void *status, int *error)
{
    give_error(error, MPI_Test(request, flag, status_of(status)));
    *flag = *flag != 0;
}

void mpi_testall_f08_(int *count, MPI_Request *requests, int *flag, void *statuses, int *error)
{
    give_error(error, MPI_Testall(*count, requests, flag, status_of(statuses)));
    *flag = *flag != 0;
}

void mpi_testany_f08_(int *count, MPI_Request *requests, int *index, int *flag, void *status,
                      int *error)
{
    give_error(error, MPI_Testany(*count, requests, index, flag, status_of(status)));
    *index = from_one(*index);
    *flag = *flag != 0;
}

void mpi_testsome_f08_(int *count, MPI_Request *requests, int *n_done, int *indices, void *statuses,
                       int *error)
{
    give_error(error, MPI_Testsome(*count, requests, n_done, indices, status_of(statuses)));
    count_from_one(*n_done, indices);
}

void mpi_request_get_status_f08_(MPI_Request *request, int *flag, void *status, int *error)
{
    give_error(error, MPI_Request_get_status(*request, flag, status_of(status)));
    *flag = *flag != 0;
}

#pragma GCC visibility pop
