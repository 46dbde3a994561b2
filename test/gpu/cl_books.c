#include "cl_books.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

long cl_events, cl_kernels, cl_builds;
const char *cl_build_options;
bool cl_no_memory;

/* The function behind ours. ISO C has no conversion from the pointer that dlsym returns. */
#define REAL(name)                                                                                 \
    static __typeof__(&name) real;                                                                 \
    if (!real) {                                                                                   \
        void *p = dlsym(RTLD_NEXT, #name);                                                         \
        if (!p)                                                                                    \
            abort();                                                                               \
        memcpy(&real, &p, sizeof real);                                                            \
    }

/* A command: an event is made if it is asked for. */
#define COMMAND(name, parameters, arguments)                                                       \
    cl_int name parameters                                                                         \
    {                                                                                              \
        REAL(name)                                                                                 \
        cl_int error = real arguments;                                                             \
        cl_events += error == CL_SUCCESS && event != NULL;                                         \
        return error;                                                                              \
    }

COMMAND(clEnqueueNDRangeKernel,
        (cl_command_queue q, cl_kernel k, cl_uint dimensions, const size_t *offset,
         const size_t *global, const size_t *local, cl_uint n, const cl_event *wait,
         cl_event *event),
        (q, k, dimensions, offset, global, local, n, wait, event))
COMMAND(clEnqueueReadBufferRect,
        (cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *at, const size_t *start,
         const size_t *region, size_t row, size_t slice, size_t host_row, size_t host_slice,
         void *to, cl_uint n, const cl_event *wait, cl_event *event),
        (q, m, blocking, at, start, region, row, slice, host_row, host_slice, to, n, wait, event))
COMMAND(clEnqueueWriteBufferRect,
        (cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *at, const size_t *start,
         const size_t *region, size_t row, size_t slice, size_t host_row, size_t host_slice,
         const void *from, cl_uint n, const cl_event *wait, cl_event *event),
        (q, m, blocking, at, start, region, row, slice, host_row, host_slice, from, n, wait, event))
COMMAND(clEnqueueFillBuffer,
        (cl_command_queue q, cl_mem m, const void *pattern, size_t size, size_t at, size_t bytes,
         cl_uint n, const cl_event *wait, cl_event *event),
        (q, m, pattern, size, at, bytes, n, wait, event))
COMMAND(clEnqueueMarkerWithWaitList,
        (cl_command_queue q, cl_uint n, const cl_event *wait, cl_event *event), (q, n, wait, event))

cl_int clRetainEvent(cl_event event)
{
    REAL(clRetainEvent)
    cl_events++;
    return real(event);
}

/* Drivers of devices compute, in the floating-point environment of their caller. */
static volatile double computed = 3;

cl_int clReleaseEvent(cl_event event)
{
    REAL(clReleaseEvent)
    cl_events--;
    computed = 1 / computed; /* which is not exact */
    return real(event);
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                      cl_int *error)
{
    REAL(clCreateBuffer)
    if (cl_no_memory && !host) {
        *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return NULL;
    }
    return real(context, flags, bytes, host, error);
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *error)
{
    REAL(clCreateKernel)
    cl_kernels++;
    return real(program, name, error);
}

cl_int clReleaseKernel(cl_kernel kernel)
{
    REAL(clReleaseKernel)
    cl_kernels--;
    return real(kernel);
}

cl_int clBuildProgram(cl_program program, cl_uint n, const cl_device_id *device,
                      const char *options, void (*notify)(cl_program, void *), void *data)
{
    REAL(clBuildProgram)
    cl_builds++;
    return real(program, n, device, cl_build_options ? cl_build_options : options, notify, data);
}
