/* Sums of many groups at once, on OpenCL devices: exblas/scatter.h with buffers.
 *
 * x and index have n elements, y has n_bins; element i of an array is element off + i of its
 * buffer. Indices are 32-bit, in the forms
 * ending in _64 64-bit. y must not overlap x or index. The commands run after the events of the
 * wait list; *done, unless NULL, is an event after the last of them.
 *
 * The device alone knows whether an index is out of range, so these calls return when their
 * commands have ended: EXBLAS_EINVAL, and nothing was written, if one is not in 0 ...
 * n_bins - 1. Other errors: EXBLAS_ENOMEM, EXBLAS_EDEVICE; exblas_cl_last_error has a line of
 * text.
 *
 * Source: long accumulators of many threads as in Collange, Defour, Graillat, Iakymchuk, Parallel
 * Computing 49 (2015). */
#ifndef EXBLAS_OPENCL_SCATTER_H
#define EXBLAS_OPENCL_SCATTER_H

#include "exblas/opencl.h"

EXBLAS_BEGIN_C

/* y_i = RN(y_i + sum of all x_k with index_k = i), i = 0 ... n_bins - 1: the bits of
 * exblas_dscatter_add. Accumulators take up to 256 MiB of device memory; with more bins than fit,
 * the terms are read several times. */
EXBLAS_API exblas_status exblas_cl_dscatter_add(cl_command_queue queue, size_t n, cl_mem x,
                                                size_t offx, cl_mem index, size_t offindex,
                                                size_t n_bins, cl_mem y, size_t offy,
                                                cl_uint n_wait, const cl_event *wait,
                                                cl_event *done);
EXBLAS_API exblas_status exblas_cl_sscatter_add(cl_command_queue queue, size_t n, cl_mem x,
                                                size_t offx, cl_mem index, size_t offindex,
                                                size_t n_bins, cl_mem y, size_t offy,
                                                cl_uint n_wait, const cl_event *wait,
                                                cl_event *done);
EXBLAS_API exblas_status exblas_cl_dscatter_add_64(cl_command_queue queue, size_t n, cl_mem x,
                                                   size_t offx, cl_mem index, size_t offindex,
                                                   size_t n_bins, cl_mem y, size_t offy,
                                                   cl_uint n_wait, const cl_event *wait,
                                                   cl_event *done);
EXBLAS_API exblas_status exblas_cl_sscatter_add_64(cl_command_queue queue, size_t n, cl_mem x,
                                                   size_t offx, cl_mem index, size_t offindex,
                                                   size_t n_bins, cl_mem y, size_t offy,
                                                   cl_uint n_wait, const cl_event *wait,
                                                   cl_event *done);

EXBLAS_END_C

#endif
