/* Functions that complete requests: MPI's own, and the sums of what they completed; doors.py makes
 * the others of them. A reduction's request is not persistent, so its handle becomes
 * MPI_REQUEST_NULL when it is complete. */
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

/* Completion is seen and the request stays: the sums are made, and not again. */
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    exb_pending *p = exb_pending_take(1, &request);
    int wrong = PMPI_Request_get_status(request, flag, status);
    if (p && !wrong && *flag)
        wrong = exb_pending_sum(p);
    return exb_pending_give_back(p, &request, wrong);
}
