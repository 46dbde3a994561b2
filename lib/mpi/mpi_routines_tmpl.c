/* Sums, norms and dots over a communicator: each process accumulates its share exactly, the
 * accumulators are added up, every process rounds. */
#include "mpi/mpi_dot.h"

static exb_real nan_of_error(void)
{
    return EXB_IS_S ? (exb_real)exb_from_bits_f(EXB_CANONICAL_NAN_F)
                    : (exb_real)exb_from_bits(EXB_CANONICAL_NAN);
}

/* The local sum becomes that of all processes; false if MPI failed. */
static bool add_up(exblas_acc *a, MPI_Comm comm)
{
    return exblas_mpi_allreduce(MPI_IN_PLACE, a, 1, comm) == MPI_SUCCESS;
}

exb_real mpi_name(sum_64)(exblas_int64 n, const exb_real *x, exblas_int64 incx, MPI_Comm comm)
{
    exblas_acc a;
    exblas_acc_init(&a);
    acc_of_vector(add_vector)(&a, n, x, incx);
    return add_up(&a, comm) ? acc_to()(&a) : nan_of_error();
}

exb_real mpi_name(asum_64)(exblas_int64 n, const exb_real *x, exblas_int64 incx, MPI_Comm comm)
{
    exblas_acc a;
    exblas_acc_init(&a);
    acc_of_vector(add_magnitudes)(&a, incx > 0 ? n : 0, x, incx);
    return add_up(&a, comm) ? acc_to()(&a) : nan_of_error();
}

exb_real mpi_name(nrm2_64)(exblas_int64 n, const exb_real *x, exblas_int64 incx, MPI_Comm comm)
{
    exblas_acc a;
    exblas_acc_init(&a);
    acc_of_vector(add_dot)(&a, n, x, incx, x, incx);
    return add_up(&a, comm) ? acc_to(root_)(&a) : nan_of_error();
}

exb_real mpi_name(dot_64)(exblas_int64 n, const exb_real *x, exblas_int64 incx, const exb_real *y,
                          exblas_int64 incy, MPI_Comm comm)
{
    exblas_acc a;
    exblas_acc_init(&a);
    acc_of_vector(add_dot)(&a, n, x, incx, y, incy);
    return add_up(&a, comm) ? acc_to()(&a) : nan_of_error();
}

exb_real mpi_name(sum)(exblas_int n, const exb_real *x, exblas_int incx, MPI_Comm comm)
{
    return mpi_name(sum_64)(n, x, incx, comm);
}

exb_real mpi_name(asum)(exblas_int n, const exb_real *x, exblas_int incx, MPI_Comm comm)
{
    return mpi_name(asum_64)(n, x, incx, comm);
}

exb_real mpi_name(nrm2)(exblas_int n, const exb_real *x, exblas_int incx, MPI_Comm comm)
{
    return mpi_name(nrm2_64)(n, x, incx, comm);
}

exb_real mpi_name(dot)(exblas_int n, const exb_real *x, exblas_int incx, const exb_real *y,
                       exblas_int incy, MPI_Comm comm)
{
    return mpi_name(dot_64)(n, x, incx, y, incy, comm);
}
