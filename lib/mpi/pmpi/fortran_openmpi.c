/* Open MPI's Fortran interface calls its own PMPI functions, past any C interposer, so the
 * Fortran names are taken over here: those of mpif.h and `use mpi` (mpi_allreduce_) and those
 * behind `use mpi_f08` (ompi_allreduce_f). Handles are converted, the C functions do the rest.
 * (MPICH's Fortran interface calls the C names.)
 *
 * As in Open MPI: LOGICAL .true. is 1, indices count from 1, requests and statuses are written
 * only on success. */
#include "mpi/pmpi/exact_sum.h"
#include "mpi/pmpi/fortran_openmpi.h"

#pragma GCC visibility push(default)

extern int mpi_fortran_in_place_, mpi_fortran_bottom_;

#define REDUCE_PARAMETERS                                                                          \
    (void *in, void *out, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *root,           \
     MPI_Fint *comm, MPI_Fint *error)
#define ALLREDUCE_PARAMETERS                                                                       \
    (void *in, void *out, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm,           \
     MPI_Fint *error)
#define IREDUCE_PARAMETERS                                                                         \
    (void *in, void *out, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *root,           \
     MPI_Fint *comm, MPI_Fint *request, MPI_Fint *error)
#define IALLREDUCE_PARAMETERS                                                                      \
    (void *in, void *out, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm,           \
     MPI_Fint *request, MPI_Fint *error)

/* Fortran's INTEGER is C's int here; the counts of reduce_scatter are passed on. */
_Static_assert(sizeof(MPI_Fint) == sizeof(int), "INTEGER is int");

static void *buffer_of(void *p)
{
    return p == &mpi_fortran_in_place_ ? MPI_IN_PLACE : p == &mpi_fortran_bottom_ ? MPI_BOTTOM : p;
}

static void give_error(MPI_Fint *error, int wrong)
{
    if (error) /* optional in mpi_f08 */
        *error = wrong;
}

static void give_request(MPI_Fint *request, MPI_Request r, MPI_Fint *error, int wrong)
{
    if (!wrong)
        *request = MPI_Request_c2f(r);
    give_error(error, wrong);
}

void ompi_reduce_f REDUCE_PARAMETERS
{
    give_error(error, MPI_Reduce(buffer_of(in), buffer_of(out), *count, MPI_Type_f2c(*type),
                                 MPI_Op_f2c(*op), *root, MPI_Comm_f2c(*comm)));
}
ALSO(mpi_reduce_, ompi_reduce_f, REDUCE_PARAMETERS);

void ompi_allreduce_f ALLREDUCE_PARAMETERS
{
    give_error(error, MPI_Allreduce(buffer_of(in), buffer_of(out), *count, MPI_Type_f2c(*type),
                                    MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}
ALSO(mpi_allreduce_, ompi_allreduce_f, ALLREDUCE_PARAMETERS);

void ompi_reduce_scatter_f ALLREDUCE_PARAMETERS
{
    give_error(error, MPI_Reduce_scatter(buffer_of(in), buffer_of(out), count, MPI_Type_f2c(*type),
                                         MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}
ALSO(mpi_reduce_scatter_, ompi_reduce_scatter_f, ALLREDUCE_PARAMETERS);

void ompi_reduce_scatter_block_f ALLREDUCE_PARAMETERS
{
    give_error(error,
               MPI_Reduce_scatter_block(buffer_of(in), buffer_of(out), *count, MPI_Type_f2c(*type),
                                        MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}
ALSO(mpi_reduce_scatter_block_, ompi_reduce_scatter_block_f, ALLREDUCE_PARAMETERS);

void ompi_ireduce_f IREDUCE_PARAMETERS
{
    MPI_Request r;
    int wrong = MPI_Ireduce(buffer_of(in), buffer_of(out), *count, MPI_Type_f2c(*type),
                            MPI_Op_f2c(*op), *root, MPI_Comm_f2c(*comm), &r);
    give_request(request, r, error, wrong);
}
ALSO(mpi_ireduce_, ompi_ireduce_f, IREDUCE_PARAMETERS);

void ompi_iallreduce_f IALLREDUCE_PARAMETERS
{
    MPI_Request r;
    int wrong = MPI_Iallreduce(buffer_of(in), buffer_of(out), *count, MPI_Type_f2c(*type),
                               MPI_Op_f2c(*op), MPI_Comm_f2c(*comm), &r);
    give_request(request, r, error, wrong);
}
ALSO(mpi_iallreduce_, ompi_iallreduce_f, IALLREDUCE_PARAMETERS);

void ompi_ireduce_scatter_f IALLREDUCE_PARAMETERS
{
    MPI_Request r;
    int wrong = MPI_Ireduce_scatter(buffer_of(in), buffer_of(out), count, MPI_Type_f2c(*type),
                                    MPI_Op_f2c(*op), MPI_Comm_f2c(*comm), &r);
    give_request(request, r, error, wrong);
}
ALSO(mpi_ireduce_scatter_, ompi_ireduce_scatter_f, IALLREDUCE_PARAMETERS);

void ompi_ireduce_scatter_block_f IALLREDUCE_PARAMETERS
{
    MPI_Request r;
    int wrong =
        MPI_Ireduce_scatter_block(buffer_of(in), buffer_of(out), *count, MPI_Type_f2c(*type),
                                  MPI_Op_f2c(*op), MPI_Comm_f2c(*comm), &r);
    give_request(request, r, error, wrong);
}
ALSO(mpi_ireduce_scatter_block_, ompi_ireduce_scatter_block_f, IALLREDUCE_PARAMETERS);

#pragma GCC visibility pop
