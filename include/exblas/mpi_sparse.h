/* Sparse matrices and solvers over the processes of an MPI communicator.
 *
 * Rows and vectors lie in blocks on the processes, in the order of ranks; blocks may be empty.
 * Every element of a product is the exact value of its expression rounded once, whether its terms
 * came from here or from elsewhere: the bits are those of exblas/sparse.h on all the data, for any
 * number of processes and any distribution. With exblas_mpi_dproduct as the dot product the solvers
 * of exblas/solvers.h have one history of residuals for all of them.
 *
 * All functions are collective: every process of the communicator calls them, with its own rows and
 * otherwise equal arguments. Those that return int return an MPI error code; arguments illegal on
 * any process give MPI_ERR_ARG, no memory on any MPI_ERR_NO_MEM, on every process, and nothing was
 * made or written. Inputs and outputs must not overlap. Numbers of rows, columns and entries count
 * from 0.
 *
 * Source: the exchange of what neighbours need, set up once: Saad, "Iterative Methods for Sparse
 * Linear Systems" (2003), section 11.5. */
#ifndef EXBLAS_MPI_SPARSE_H
#define EXBLAS_MPI_SPARSE_H

#include "exblas/sparse.h"

#include <mpi.h>

EXBLAS_BEGIN_C

/* A matrix on all processes. */
typedef struct exblas_mpi_dcsr exblas_mpi_dcsr;
typedef struct exblas_mpi_scsr exblas_mpi_scsr;

/* The matrix whose m rows here are in row_start, column and value as exblas/sparse.h has it,
 * columns numbered over all processes; n of the columns belong to this process: that many elements
 * of x are here. Copies the arrays, twice (as they are, and as exblas_dcsr_create lays them out),
 * and sets up the exchange. comm is duplicated. */
EXBLAS_API int exblas_mpi_dcsr_create(exblas_int64 m, exblas_int64 n, const exblas_int64 *row_start,
                                      const exblas_int64 *column, const double *value,
                                      MPI_Comm comm, exblas_mpi_dcsr **out);
EXBLAS_API int exblas_mpi_scsr_create(exblas_int64 m, exblas_int64 n, const exblas_int64 *row_start,
                                      const exblas_int64 *column, const float *value, MPI_Comm comm,
                                      exblas_mpi_scsr **out);

/* Gives the matrix back; NULL is allowed. */
EXBLAS_API int exblas_mpi_dcsr_free(exblas_mpi_dcsr *a);
EXBLAS_API int exblas_mpi_scsr_free(exblas_mpi_scsr *a);

/* y = RN(alpha S a_ij x_j + beta y_i), n elements of x and m of y here. beta = 0: y is not read.
 * One call at a time for a matrix. */
EXBLAS_API int exblas_mpi_dcsr_mv(exblas_mpi_dcsr *a, double alpha, const double *x, double beta,
                                  double *y);
EXBLAS_API int exblas_mpi_scsr_mv(exblas_mpi_scsr *a, float alpha, const float *x, float beta,
                                  float *y);

/* y = RN(A x) for the matrix behind the pointer, what a solver calls. EINVAL if n is not the number
 * of rows and of columns here, EDEVICE if MPI failed. */
EXBLAS_API exblas_status exblas_mpi_dcsr_apply(void *matrix, exblas_int64 n, const double *x,
                                               double *y);
EXBLAS_API exblas_status exblas_mpi_scsr_apply(void *matrix, exblas_int64 n, const float *x,
                                               float *y);

/* RN(S x_i y_i) over all processes of the communicator to which `comm` points: the `dot` of a
 * solver's options. */
EXBLAS_API double exblas_mpi_dproduct(void *comm, exblas_int64 n, const double *x, const double *y);
EXBLAS_API float exblas_mpi_sproduct(void *comm, exblas_int64 n, const float *x, const float *y);

/* The inverses of the diagonal blocks of `size` rows, as exblas_dcsr_block_inverse, whose errors
 * EINVAL and ERANGE are MPI_ERR_ARG here. A block must lie on one process: the first row of each
 * process is a multiple of `size`. */
EXBLAS_API int exblas_mpi_dcsr_block_inverse(const exblas_mpi_dcsr *a, exblas_int64 size,
                                             exblas_mpi_dcsr **out);
EXBLAS_API int exblas_mpi_scsr_block_inverse(const exblas_mpi_scsr *a, exblas_int64 size,
                                             exblas_mpi_scsr **out);

EXBLAS_END_C

#endif
