/* The functions that complete requests: MPI's own, and the sums of what they completed. A
 * reduction's request is not persistent, so its handle becomes MPI_REQUEST_NULL when it is
 * complete. */
#include "mpi/pmpi/pending.h"

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    int differs;
    exb_pending *p = exb_pending_take_all(1, request, &differs);
    int wrong = PMPI_Wait(request, status);
    return exb_first_error(differs, exb_pending_give_back(p, request, wrong));
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    int differs;
    exb_pending *p = exb_pending_take_all(count, requests, &differs);
    int wrong = PMPI_Waitall(count, requests, statuses);
    return exb_first_error(differs, exb_pending_give_back(p, requests, wrong));
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    exb_pending *p = exb_pending_take(count, requests);
    int wrong = PMPI_Waitany(count, requests, index, status);
    return exb_pending_give_back(p, requests, wrong);
}

int MPI_Waitsome(int count, MPI_Request requests[], int *n_done, int indices[],
                 MPI_Status statuses[])
{
    exb_pending *p = exb_pending_take(count, requests);
    int wrong = PMPI_Waitsome(count, requests, n_done, indices, statuses);
    return exb_pending_give_back(p, requests, wrong);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    exb_pending *p = exb_pending_take(1, request);
    int wrong = PMPI_Test(request, flag, status);
    return exb_pending_give_back(p, request, wrong);
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    exb_pending *p = exb_pending_take(count, requests);
    int wrong = PMPI_Testall(count, requests, flag, statuses);
    return exb_pending_give_back(p, requests, wrong);
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    exb_pending *p = exb_pending_take(count, requests);
    int wrong = PMPI_Testany(count, requests, index, flag, status);
    return exb_pending_give_back(p, requests, wrong);
}

int MPI_Testsome(int count, MPI_Request requests[], int *n_done, int indices[],
                 MPI_Status statuses[])
{
    exb_pending *p = exb_pending_take(count, requests);
    int wrong = PMPI_Testsome(count, requests, n_done, indices, statuses);
    return exb_pending_give_back(p, requests, wrong);
}

/* Completion is seen and the request stays: the sums are made, and not again. */
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    exb_pending *p = exb_pending_take(1, &request);
    int wrong = PMPI_Request_get_status(request, flag, status);
    if (p && !wrong && *flag)
        wrong = exb_pending_sum(p);
    return exb_pending_give_back(p, &request, wrong);
}
