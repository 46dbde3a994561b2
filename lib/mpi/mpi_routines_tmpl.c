/* Sums, norms and dots over a communicator: each process accumulates its share exactly, an
 * accumulator for each part of a sum, these are added up, every process rounds. Types: s d c z. */
#include "mpi/mpi_dot.h"

#if EXB_IS_COMPLEX
#define mpi_norm_name(name) EXB_PASTE4(exblas_mpi_, EXB_PART, EXB_TYPE, name)
#else
#define mpi_norm_name(name) mpi_name(name)
#endif

/* The local sums become those of all processes, and are rounded; NaN if MPI failed. */
static int finish_sums(exblas_acc *sum, exb_real *result, MPI_Comm comm)
{
    int wrong = exblas_mpi_allreduce(MPI_IN_PLACE, sum, EXB_PARTS, comm);
    for (int k = 0; k < EXB_PARTS; k++)
        result[k] = wrong ? exb_canonical(NAN) : acc_to()(&sum[k]);
    return wrong;
}

static int add_vector(int64_t n, const exb_real *x, int64_t incx, exb_real *result, MPI_Comm comm)
{
    exblas_acc sum[EXB_PARTS] = {{.n_free = 0}};
    for (int k = 0; k < EXB_PARTS; k++)
        acc_of_vector(add_vector)(&sum[k], n, x + k, EXB_PARTS * incx);
    return finish_sums(sum, result, comm);
}

static int compute_dot(bool conjugate, int64_t n, const exb_real *x, int64_t incx,
                       const exb_real *y, int64_t incy, exb_real *result, MPI_Comm comm)
{
    exblas_acc sum[EXB_PARTS] = {{.n_free = 0}};
    exb_mpi_add_dot(sum, n, x, incx, conjugate, y, incy);
    return finish_sums(sum, result, comm);
}

/* --- norms: of both parts in one sum ------------------------------------------- */

static exb_real norm(bool of_squares, int64_t n, const exb_real *x, int64_t incx, MPI_Comm comm)
{
    exblas_acc sum = {.n_free = 0};
    exb_mpi_add_norm(&sum, of_squares, n, x, incx);
    if (exblas_mpi_allreduce(MPI_IN_PLACE, &sum, 1, comm))
        return exb_canonical(NAN);
    return of_squares ? acc_to(root_)(&sum) : acc_to()(&sum);
}

exb_real mpi_norm_name(asum_64)(exblas_int64 n, exb_values x, exblas_int64 incx, MPI_Comm comm)
{
    return norm(false, incx > 0 ? n : 0, x, incx, comm);
}

exb_real mpi_norm_name(nrm2_64)(exblas_int64 n, exb_values x, exblas_int64 incx, MPI_Comm comm)
{
    return norm(true, n, x, incx, comm);
}

/* --- sums and dots: complex results are written --------------------------------- */

#if EXB_IS_COMPLEX
int mpi_name(sum_64)(exblas_int64 n, const void *x, exblas_int64 incx, void *result, MPI_Comm comm)
{
    return add_vector(n, x, incx, result, comm);
}

int mpi_name(dotu_64)(exblas_int64 n, const void *x, exblas_int64 incx, const void *y,
                      exblas_int64 incy, void *result, MPI_Comm comm)
{
    return compute_dot(false, n, x, incx, y, incy, result, comm);
}

int mpi_name(dotc_64)(exblas_int64 n, const void *x, exblas_int64 incx, const void *y,
                      exblas_int64 incy, void *result, MPI_Comm comm)
{
    return compute_dot(true, n, x, incx, y, incy, result, comm);
}
#else
exb_real mpi_name(sum_64)(exblas_int64 n, const exb_real *x, exblas_int64 incx, MPI_Comm comm)
{
    exb_real result;
    add_vector(n, x, incx, &result, comm);
    return result;
}

exb_real mpi_name(dot_64)(exblas_int64 n, const exb_real *x, exblas_int64 incx, const exb_real *y,
                          exblas_int64 incy, MPI_Comm comm)
{
    exb_real result;
    compute_dot(false, n, x, incx, y, incy, &result, comm);
    return result;
}
#endif
