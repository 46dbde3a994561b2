/* Open MPI's Fortran interface calls its own PMPI functions, past any C interposer, so the Fortran
 * names are taken over (doors.py): those of mpif.h and `use mpi` (mpi_allreduce_) and those behind
 * `use mpi_f08` (ompi_allreduce_f). Handles are converted, the C functions do the rest. (MPICH's
 * Fortran interface calls the C names.)
 *
 * As in Open MPI, requests and statuses are written only on success. */
#pragma once

#include "mpi/pmpi/fortran.h"

#include <stdlib.h>

extern int mpi_fortran_in_place_, mpi_fortran_bottom_;

static inline void *buffer_of(void *p)
{
    return p == &mpi_fortran_in_place_ ? MPI_IN_PLACE : p == &mpi_fortran_bottom_ ? MPI_BOTTOM : p;
}

static inline void give_request(MPI_Fint *request, MPI_Request r, MPI_Fint *error, int wrong)
{
    if (!wrong)
        *request = MPI_Request_c2f(r);
    give_error(error, wrong);
}

/* n requests and their statuses in C's form. */
typedef struct {
    int n;
    MPI_Request *request;
    MPI_Status *status; /* MPI_STATUSES_IGNORE if Fortran's are */
    void *memory;
} request_set;

static inline int make_set(request_set *s, int n, const MPI_Fint *requests,
                           const MPI_Fint *statuses)
{
    s->n = n > 0 ? n : 0;
    s->memory = malloc((size_t)(s->n + 1) * (sizeof(MPI_Status) + sizeof(MPI_Request)));
    if (!s->memory)
        return MPI_ERR_NO_MEM;
    bool ignored = statuses == MPI_F_STATUSES_IGNORE || statuses == MPI_F_STATUS_IGNORE;
    s->status = ignored ? MPI_STATUSES_IGNORE : s->memory;
    s->request = (MPI_Request *)((MPI_Status *)s->memory + s->n + 1);
    for (int i = 0; i < s->n; i++)
        s->request[i] = MPI_Request_f2c(requests[i]);
    return MPI_SUCCESS;
}

/* Writes the requests and the first n_statuses statuses back, and frees the set. */
static inline void end_set(request_set *s, int n_statuses, MPI_Fint *requests, MPI_Fint *statuses,
                           MPI_Fint *error, int wrong)
{
    enum { STATUS_SIZE = sizeof(MPI_Status) / sizeof(MPI_Fint) };
    for (int i = 0; i < s->n && s->memory; i++)
        requests[i] = MPI_Request_c2f(s->request[i]);
    for (int i = 0; i < n_statuses && s->memory && s->status != MPI_STATUSES_IGNORE; i++)
        MPI_Status_c2f(&s->status[i], statuses + (ptrdiff_t)i * STATUS_SIZE);
    free(s->memory);
    give_error(error, wrong);
}

/* Whether statuses of several requests were written: those of an error say which failed. */
static inline bool are_told(int wrong)
{
    return !wrong || wrong == MPI_ERR_IN_STATUS;
}
