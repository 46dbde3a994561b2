/* The Fortran functions that complete requests, for Open MPI (fortran_openmpi.c says why). Its
 * mpi_f08 calls ompi_wait_f, but pmpi_test_. */
#include "mpi/pmpi/exact_sum.h"
#include "mpi/pmpi/fortran_openmpi.h"

#include <stdlib.h>

enum { STATUS_SIZE = sizeof(MPI_Status) / sizeof(MPI_Fint) };

/* n requests and their statuses in C's form. */
typedef struct {
    int n;
    MPI_Request *request;
    MPI_Status *status; /* MPI_STATUSES_IGNORE if Fortran's are */
    void *memory;
} set;

static int make_set(set *s, int n, const MPI_Fint *requests, const MPI_Fint *statuses)
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
static void end_set(set *s, int n_statuses, MPI_Fint *requests, MPI_Fint *statuses, MPI_Fint *error,
                    int wrong)
{
    for (int i = 0; i < s->n && s->memory; i++)
        requests[i] = MPI_Request_c2f(s->request[i]);
    for (int i = 0; i < n_statuses && s->memory && s->status != MPI_STATUSES_IGNORE; i++)
        MPI_Status_c2f(&s->status[i], statuses + (ptrdiff_t)i * STATUS_SIZE);
    free(s->memory);
    if (error)
        *error = wrong;
}

/* C's index as Fortran's, which MPI_UNDEFINED is not. */
static MPI_Fint from_one(int index)
{
    return index == MPI_UNDEFINED ? index : index + 1;
}

#pragma GCC visibility push(default)

#define WAIT_PARAMETERS (MPI_Fint * request, MPI_Fint * status, MPI_Fint * error)
void ompi_wait_f WAIT_PARAMETERS
{
    set s;
    int wrong = make_set(&s, 1, request, status);
    if (!wrong)
        wrong = MPI_Wait(s.request, s.status);
    end_set(&s, !wrong, request, status, error, wrong);
}
ALSO(mpi_wait_, ompi_wait_f, WAIT_PARAMETERS);

#define WAITALL_PARAMETERS                                                                         \
    (MPI_Fint * count, MPI_Fint * requests, MPI_Fint * statuses, MPI_Fint * error)
void ompi_waitall_f WAITALL_PARAMETERS
{
    set s;
    int wrong = make_set(&s, *count, requests, statuses);
    if (!wrong)
        wrong = MPI_Waitall(*count, s.request, s.status);
    bool has_statuses = !wrong || wrong == MPI_ERR_IN_STATUS;
    end_set(&s, has_statuses ? s.n : 0, requests, statuses, error, wrong);
}
ALSO(mpi_waitall_, ompi_waitall_f, WAITALL_PARAMETERS);

#define WAITANY_PARAMETERS                                                                         \
    (MPI_Fint * count, MPI_Fint * requests, MPI_Fint * index, MPI_Fint * status, MPI_Fint * error)
void ompi_waitany_f WAITANY_PARAMETERS
{
    set s;
    int i = MPI_UNDEFINED, wrong = make_set(&s, *count, requests, status);
    if (!wrong)
        wrong = MPI_Waitany(*count, s.request, &i, s.status);
    *index = from_one(i);
    end_set(&s, !wrong, requests, status, error, wrong);
}
ALSO(mpi_waitany_, ompi_waitany_f, WAITANY_PARAMETERS);

#define SOME_PARAMETERS                                                                            \
    (MPI_Fint * count, MPI_Fint * requests, MPI_Fint * n_done, MPI_Fint * indices,                 \
     MPI_Fint * statuses, MPI_Fint * error)
typedef int some_function(int, MPI_Request *, int *, int *, MPI_Status *);

static void complete_some(some_function *complete, MPI_Fint *count, MPI_Fint *requests,
                          MPI_Fint *n_done, MPI_Fint *indices, MPI_Fint *statuses, MPI_Fint *error)
{
    set s;
    int wrong = make_set(&s, *count, requests, statuses);
    if (!wrong)
        wrong = complete(*count, s.request, n_done, indices, s.status);
    int n = (!wrong || wrong == MPI_ERR_IN_STATUS) && *n_done != MPI_UNDEFINED ? *n_done : 0;
    for (int i = 0; i < n; i++)
        indices[i] = from_one(indices[i]);
    end_set(&s, n, requests, statuses, error, wrong);
}

void ompi_waitsome_f SOME_PARAMETERS
{
    complete_some(MPI_Waitsome, count, requests, n_done, indices, statuses, error);
}
ALSO(mpi_waitsome_, ompi_waitsome_f, SOME_PARAMETERS);

void ompi_testsome_f SOME_PARAMETERS
{
    complete_some(MPI_Testsome, count, requests, n_done, indices, statuses, error);
}
ALSO(mpi_testsome_, ompi_testsome_f, SOME_PARAMETERS);
ALSO(pmpi_testsome_, ompi_testsome_f, SOME_PARAMETERS);

#define TEST_PARAMETERS (MPI_Fint * request, MPI_Fint * flag, MPI_Fint * status, MPI_Fint * error)
void ompi_test_f TEST_PARAMETERS
{
    set s;
    *flag = 0;
    int wrong = make_set(&s, 1, request, status);
    if (!wrong)
        wrong = MPI_Test(s.request, flag, s.status);
    end_set(&s, !wrong && *flag, request, status, error, wrong);
}
ALSO(mpi_test_, ompi_test_f, TEST_PARAMETERS);
ALSO(pmpi_test_, ompi_test_f, TEST_PARAMETERS);

void ompi_request_get_status_f TEST_PARAMETERS
{
    set s;
    *flag = 0;
    int wrong = make_set(&s, 1, request, status);
    if (!wrong)
        wrong = MPI_Request_get_status(s.request[0], flag, s.status);
    end_set(&s, !wrong && *flag, request, status, error, wrong);
}
ALSO(mpi_request_get_status_, ompi_request_get_status_f, TEST_PARAMETERS);
ALSO(pmpi_request_get_status_, ompi_request_get_status_f, TEST_PARAMETERS);

#define TESTALL_PARAMETERS                                                                         \
    (MPI_Fint * count, MPI_Fint * requests, MPI_Fint * flag, MPI_Fint * statuses, MPI_Fint * error)
void ompi_testall_f TESTALL_PARAMETERS
{
    set s;
    *flag = 0;
    int wrong = make_set(&s, *count, requests, statuses);
    if (!wrong)
        wrong = MPI_Testall(*count, s.request, flag, s.status);
    end_set(&s, *flag ? s.n : 0, requests, statuses, error, wrong);
}
ALSO(mpi_testall_, ompi_testall_f, TESTALL_PARAMETERS);
ALSO(pmpi_testall_, ompi_testall_f, TESTALL_PARAMETERS);

#define TESTANY_PARAMETERS                                                                         \
    (MPI_Fint * count, MPI_Fint * requests, MPI_Fint * index, MPI_Fint * flag, MPI_Fint * status,  \
     MPI_Fint * error)
void ompi_testany_f TESTANY_PARAMETERS
{
    set s;
    int i = MPI_UNDEFINED;
    *flag = 0;
    int wrong = make_set(&s, *count, requests, status);
    if (!wrong)
        wrong = MPI_Testany(*count, s.request, &i, flag, s.status);
    *index = from_one(i);
    end_set(&s, !wrong && *flag, requests, status, error, wrong);
}
ALSO(mpi_testany_, ompi_testany_f, TESTANY_PARAMETERS);
ALSO(pmpi_testany_, ompi_testany_f, TESTANY_PARAMETERS);

#pragma GCC visibility pop
