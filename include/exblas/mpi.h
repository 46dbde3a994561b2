/* Exact sums over the processes of an MPI communicator.
 *
 * The bits of a result are those of the serial routine on all the data, for any number of
 * processes, any distribution (also uneven or empty shares) and any order in which the MPI
 * library combines messages. Every process gets the same bits.
 *
 * Functions that return int return an MPI error code, after calling the communicator's error
 * handler as MPI itself would; functions that return a number return NaN then (with the
 * default handler an error ends the program before). They are collective: every process of the
 * communicator calls them, with its own share and otherwise equal arguments. Between MPI_Init
 * and MPI_Finalize, from threads as MPI's thread level allows. Every name that takes exblas_int
 * has a twin ending in _64.
 *
 * Link with pkg-config exblas-mpi. The library serves the MPI that it was built for.
 *
 * Source: accumulators as MPI's numbers: Collange, Defour, Graillat, Iakymchuk, "Numerical
 * reproducibility for the parallel reduction on multi- and many-core architectures", Parallel
 * Computing 49 (2015). */
#ifndef EXBLAS_MPI_H
#define EXBLAS_MPI_H

#include "exblas/accumulator.h"

#include <mpi.h>

EXBLAS_BEGIN_C

/* The datatype of one exblas_acc and the operation that adds accumulators (commutative), for
 * use in MPI's own functions: MPI_Reduce(a, b, n, type, op, ...). Made on the first call; they
 * belong to the library, which frees them in MPI_Finalize. */
EXBLAS_API int exblas_mpi_datatype(MPI_Datatype *type);
EXBLAS_API int exblas_mpi_sum_op(MPI_Op *op);

/* Both as Fortran has them: integers, what MPI_VAL is in mpi_f08. */
EXBLAS_API int exblas_mpi_fortran_handles(MPI_Fint *type, MPI_Fint *op);

/* out[i] = the sum of in[i] over all processes, i < count, on the root or everywhere. `in` may be
 * MPI_IN_PLACE where MPI allows it; otherwise in and out must not overlap. Two ways to the
 * same sums: reduce and allreduce add whole accumulators with the operation above; the _words
 * forms add their words with MPI_SUM on 64-bit integers, which some networks do by
 * themselves, in messages of bounded size. */
EXBLAS_API int exblas_mpi_reduce(const exblas_acc *in, exblas_acc *out, int count, int root,
                                 MPI_Comm comm);
EXBLAS_API int exblas_mpi_allreduce(const exblas_acc *in, exblas_acc *out, int count,
                                    MPI_Comm comm);
EXBLAS_API int exblas_mpi_reduce_words(const exblas_acc *in, exblas_acc *out, int count, int root,
                                       MPI_Comm comm);
EXBLAS_API int exblas_mpi_allreduce_words(const exblas_acc *in, exblas_acc *out, int count,
                                          MPI_Comm comm);

EXBLAS_END_C

#include "exblas/mpi_blas.h"

#endif
