#ifndef EXBLAS_OPENCL_H
#define EXBLAS_OPENCL_H

#include "exblas/types.h"

#include <CL/cl.h>

EXBLAS_BEGIN_C

/* One line about the last call of this thread that failed. */
EXBLAS_API const char *exblas_cl_last_error(void);

/* Frees what the library keeps for a context (NULL: for all). */
EXBLAS_API void exblas_cl_release(cl_context context);
EXBLAS_API size_t exblas_cl_statistic(const char *key);
EXBLAS_API exblas_status exblas_cl_set_param(cl_command_queue queue, const char *routine,
                                             const char *name, int value);

EXBLAS_API exblas_status exblas_cl_ddot(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                        exblas_int64 incx, cl_mem y, size_t offy, exblas_int64 incy,
                                        cl_mem r, size_t offr, cl_uint n_wait, const cl_event *wait,
                                        cl_event *done);
EXBLAS_API exblas_status exblas_cl_sdot(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                        exblas_int64 incx, cl_mem y, size_t offy, exblas_int64 incy,
                                        cl_mem r, size_t offr, cl_uint n_wait, const cl_event *wait,
                                        cl_event *done);

EXBLAS_END_C

#endif
