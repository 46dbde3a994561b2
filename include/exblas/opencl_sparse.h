/* Products of sparse matrices with vectors, on OpenCL devices: exblas/sparse.h with buffers.
 *
 * A matrix of m rows and n columns is stored by rows; row_start has m + 1 elements, column and
 * value have n_entries, x has n and y has m. Element i of an array is element off + i of its
 * buffer. Indices are 32-bit, in the forms ending in _64 64-bit. y must not overlap anything that
 * is read. The commands run after the events of the wait list; *done, unless NULL, is an event
 * after the last of them.
 *
 * The device alone knows the structure, so these calls wait until it has been looked at:
 * EXBLAS_EINVAL, and nothing was written, if row_start begins below 0, decreases or ends behind
 * n_entries, or a column is outside 0 ... n - 1. Other errors: EXBLAS_ENOMEM, EXBLAS_EDEVICE;
 * exblas_cl_last_error has a line of text.
 *
 * Source: sums of two parts and a long accumulator as in exblas/opencl.h; a few work-items for a
 * row: Bell, Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented
 * processors", SC 2009. */
#ifndef EXBLAS_OPENCL_SPARSE_H
#define EXBLAS_OPENCL_SPARSE_H

#include "exblas/opencl.h"

EXBLAS_BEGIN_C

/* y_i = RN(alpha S a_ij x_j + beta y_i): the bits of exblas_dcsrmv (exblas_scsrmv). beta = 0: y is
 * not read; alpha = 0: the matrix's values and x do not count. */
EXBLAS_API exblas_status exblas_cl_dcsrmv(cl_command_queue queue, size_t m, size_t n,
                                          size_t n_entries, double alpha, cl_mem row_start,
                                          size_t offstart, cl_mem column, size_t offcolumn,
                                          cl_mem value, size_t offvalue, cl_mem x, size_t offx,
                                          double beta, cl_mem y, size_t offy, cl_uint n_wait,
                                          const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_scsrmv(cl_command_queue queue, size_t m, size_t n,
                                          size_t n_entries, float alpha, cl_mem row_start,
                                          size_t offstart, cl_mem column, size_t offcolumn,
                                          cl_mem value, size_t offvalue, cl_mem x, size_t offx,
                                          float beta, cl_mem y, size_t offy, cl_uint n_wait,
                                          const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_dcsrmv_64(cl_command_queue queue, size_t m, size_t n,
                                             size_t n_entries, double alpha, cl_mem row_start,
                                             size_t offstart, cl_mem column, size_t offcolumn,
                                             cl_mem value, size_t offvalue, cl_mem x, size_t offx,
                                             double beta, cl_mem y, size_t offy, cl_uint n_wait,
                                             const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_scsrmv_64(cl_command_queue queue, size_t m, size_t n,
                                             size_t n_entries, float alpha, cl_mem row_start,
                                             size_t offstart, cl_mem column, size_t offcolumn,
                                             cl_mem value, size_t offvalue, cl_mem x, size_t offx,
                                             float beta, cl_mem y, size_t offy, cl_uint n_wait,
                                             const cl_event *wait, cl_event *done);

EXBLAS_END_C

#endif
