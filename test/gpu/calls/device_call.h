/* A call of a routine that devices have, by its name, with the arguments of CBLAS of which it has
 * some: one description for the processor, CUDA, OpenCL's buffers and OpenCL on host memory. The
 * functions are made from lib/symbols.list (device_calls.py). */
#pragma once

#include <exblas/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* name: "dgemm", "zdotc". alpha and beta point to numbers of the type, of herk to real ones. On
 * OpenCL operands are buffers, which begin after `offset` elements; a result after offset_r. A CUDA
 * handle has the layout. */
typedef struct {
    const char *name;
    int layout, side, uplo, trans, transb, diag;
    int64_t m, n, k, lda, ldb, ldc, incx, incy, stridea, strideb, stridec, batch;
    const void *alpha, *beta;
    void *a, *b, *c, *x, *y, *r;
    const void
        *index; /* of scatter-add, which adds n numbers x to m numbers y; of 64 bits if wide */
    bool wide;
    size_t offset, offset_r;
    struct _cl_event **done; /* on OpenCL's buffers: NULL, or where an event is wanted */
} device_call;

struct exb_cuda_handle;
struct _cl_command_queue;

/* EXBLAS_EUNSUPPORTED: there is no such routine, or it is scatter-add. */
exblas_status device_call_cpu(const device_call *c);
exblas_status device_call_cuda(struct exb_cuda_handle *handle, const device_call *c);
exblas_status device_call_cl(struct _cl_command_queue *queue, const device_call *c);
exblas_status device_call_host(struct _cl_command_queue *queue, const device_call *c);
