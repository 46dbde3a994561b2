/* What the OpenCL library keeps for a context and a device: programs, parameters, limits; and the
 * state of one call. */
#pragma once

#include "gpu/flow/front.h"

#include <CL/cl.h>

/* The compiled instance of a program. */
typedef struct exb_cl_program {
    struct exb_cl_program *next;
    cl_program program;
    char key[160]; /* "PROGRAM OPTIONS" */
} exb_cl_program;

/* One per context and device. */
typedef struct exb_cl_context {
    struct exb_cl_context *next;
    cl_context context;
    cl_device_id device;
    exb_gpu_limits limits;
    atomic_int params[EXB_GPU_PARAMS];
    const char *lacks; /* what the device does not have; NULL: nothing */
    exb_cl_program *programs;
} exb_cl_context;

/* One call. */
struct exb_gpu {
    exb_gpu_head head; /* first: backend.h */
    exb_cl_context *context;
    cl_command_queue queue;
    bool in_order;
    cl_uint n_wait; /* what the next command waits for: at first the caller's list */
    const cl_event *wait;
    cl_event last; /* of the command before, NULL before the first */
    cl_mem scratch[EXB_GPU_MOST_SCRATCH];
};

/* The entry of the queue's context and device, made on first use. */
exb_cl_context *exb_cl_context_of(exb_gpu *gpu, cl_context context, cl_device_id device);

/* The program of a kernel, compiled on first use; NULL after a failure. */
cl_program exb_cl_program_of(exb_gpu *gpu, exb_gpu_kernel kernel);

/* Notes a failure of an OpenCL function; true if there was none. */
bool exb_cl_ok(exb_gpu *gpu, cl_int error, const char *what);

/* What public routines do with the descriptions of their calls (entries.py). */
exblas_status exb_cl_call(cl_command_queue queue, const exb_gpu_call *c, exb_gpu_routine *routine,
                          cl_uint n_wait, const cl_event *wait, cl_event *done);
