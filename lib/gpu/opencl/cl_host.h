/* What public routines do with the descriptions of their calls, and operands in the host's memory,
 * for the routines that copy them. */
#pragma once

#include "gpu/flow/front.h"
#include "gpu/opencl/context.h"

/* `outer` runs of `inner` elements, `step` apart: a stored matrix, or (inner = 1) a vector. */
typedef struct {
    size_t outer, inner, step;
} exb_cl_runs;

/* A matrix as it is stored, rows x cols; a vector, in the order of addresses. An increment of 0
 * means a single element. */
exb_cl_runs exb_cl_stored(int layout, size_t rows, size_t cols, size_t ld);
exb_cl_runs exb_cl_strided(size_t n, exb_i64 inc);

/* A copy in scratch memory without the gaps: leading dimension exb_cl_packed_ld, increment
 * exb_cl_packed_inc. */
exb_gpu_operand exb_cl_upload(exb_gpu *gpu, const char *name, const void *p, exb_cl_runs r,
                              size_t element);
exb_i64 exb_cl_packed_ld(exb_cl_runs r);
exb_i64 exb_cl_packed_inc(exb_i64 inc);

/* Such a copy back into its place, if all went well. */
void exb_cl_download(exb_gpu *gpu, exb_gpu_operand from, exb_cl_runs r, void *p, size_t element);

/* cl_entries.c: on buffers; on the host's memory, whose arrays are the buffers of the operands. */
exblas_status exb_cl_reduce(cl_command_queue queue, exb_gpu_reduce_call *c, size_t n,
                            cl_uint n_wait, const cl_event *wait, cl_event *done);
exblas_status exb_cl_scatter_add(cl_command_queue queue, const exb_gpu_scatter_call *c,
                                 cl_uint n_wait, const cl_event *wait, cl_event *done);
exblas_status exb_cl_matrix(cl_command_queue queue, const exb_gpu_matrix_call *c,
                            exb_gpu_matrix_routine *routine, cl_uint n_wait, const cl_event *wait,
                            cl_event *done);
exblas_status exb_cl_host_reduce(cl_command_queue queue, exb_gpu_reduce_call *c, size_t n, void *r);
exblas_status exb_cl_host_gemv(cl_command_queue queue, exb_gpu_matrix_call *c);
exblas_status exb_cl_host_trsv(cl_command_queue queue, exb_gpu_matrix_call *c);
exblas_status exb_cl_host_gemm(cl_command_queue queue, exb_gpu_matrix_call *c);
