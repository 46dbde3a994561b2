/* What the OpenCL library keeps for a context and a device: programs, kernels, scratch memory,
 * parameters, limits; and the state of one call. */
#pragma once

#include "core/fpenv.h"
#include "gpu/flow/front.h"

#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>

/* A kernel, and the compiled instance of a program that it is in. */
typedef struct exb_cl_kernel {
    struct exb_cl_kernel *next;
    cl_program program;
    cl_kernel kernel;
    char *key; /* "PROGRAM OPTIONS" */
    char name[64];
} exb_cl_kernel;

/* Scratch memory: `last` is the event after which it may be used by another call. */
typedef struct exb_cl_scratch {
    struct exb_cl_scratch *next;
    cl_mem buffer;
    size_t bytes;
    cl_event last;
    bool taken; /* by a call whose commands are being issued */
} exb_cl_scratch;

/* One per context and device. Kernel objects have no lock of their own, so that arguments are
 * set and the kernel is enqueued with the lock held. */
typedef struct exb_cl_context {
    struct exb_cl_context *next;
    cl_context context;
    cl_device_id device;
    exb_gpu_limits limits;
    struct exb_gpu_params *params;
    exblas_status unfit; /* not EXBLAS_OK: the device lacks something */
    char why[128];
    pthread_mutex_t lock; /* guards what follows */
    exb_cl_kernel *kernels;
    exb_cl_scratch *scratch;
} exb_cl_context;

/* One call. */
struct exb_gpu {
    exb_gpu_head head; /* first: backend.h */
    exb_fpenv env;     /* the caller's: drivers compute with floating-point numbers, too */
    exb_cl_context *context;
    cl_command_queue queue;
    bool in_order;
    cl_uint n_wait; /* what the next command waits for: at first the caller's list */
    const cl_event *wait;
    cl_event last; /* of the command before, NULL before the first */
    exb_cl_scratch *scratch[EXB_GPU_MOST_SCRATCH];
    int n_scratch;
};

/* The entry of the queue's context and device, made on first use. */
exb_cl_context *exb_cl_context_of(exb_gpu *gpu, cl_context context, cl_device_id device);

/* The kernel, compiled on first use; NULL after exb_gpu_fail. The context's lock is held. */
cl_kernel exb_cl_kernel_of(exb_gpu *gpu, exb_gpu_kernel kernel);

/* Frees kernels and programs. */
void exb_cl_kernels_free(exb_cl_context *c);

/* Scratch memory goes back when the call's last command has ended; all of it is freed. */
void exb_cl_scratch_return(exb_gpu *gpu);
void exb_cl_scratch_free(exb_cl_context *c);

/* Notes a failure of an OpenCL function; true if there was none. */
bool exb_cl_ok(exb_gpu *gpu, cl_int error, const char *what);
bool exb_cl_no_memory(cl_int error);

/* Begins a call: checks the queue and the wait list. False if the call has failed already. */
bool exb_cl_begin(exb_gpu *gpu, cl_command_queue queue, cl_uint n_wait, const cl_event *wait);

/* Ends it: gives back scratch memory, sets *done (unless NULL) if all went well. */
exblas_status exb_cl_end(exb_gpu *gpu, cl_event *done);

/* What public routines do with the descriptions of their calls (entries.py). */
exblas_status exb_cl_call(cl_command_queue queue, const exb_gpu_call *c, exb_gpu_routine *routine,
                          cl_uint n_wait, const cl_event *wait, cl_event *done);
