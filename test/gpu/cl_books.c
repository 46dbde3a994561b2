#include "cl_books.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cl_references cl_books;
long cl_builds, cl_repeated_builds;
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

/* Drivers of devices compute, in the floating-point environment of their caller. */
static volatile double computed = 3;

#define COUNTED(type, Type, field)                                                                 \
    cl_int clRetain##Type(type object)                                                             \
    {                                                                                              \
        REAL(clRetain##Type)                                                                       \
        cl_books.field++;                                                                          \
        return real(object);                                                                       \
    }                                                                                              \
    cl_int clRelease##Type(type object)                                                            \
    {                                                                                              \
        REAL(clRelease##Type)                                                                      \
        cl_books.field--;                                                                          \
        computed = 1 / computed; /* which is not exact */                                          \
        return real(object);                                                                       \
    }

COUNTED(cl_mem, MemObject, buffers)
COUNTED(cl_event, Event, events)
COUNTED(cl_program, Program, programs)
COUNTED(cl_kernel, Kernel, kernels)
COUNTED(cl_context, Context, contexts)
COUNTED(cl_command_queue, CommandQueue, queues)

cl_context clCreateContext(const cl_context_properties *properties, cl_uint n,
                           const cl_device_id *device,
                           void (*notify)(const char *, const void *, size_t, void *), void *data,
                           cl_int *error)
{
    REAL(clCreateContext)
    cl_context made = real(properties, n, device, notify, data, error);
    cl_books.contexts += made != NULL;
    return made;
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *error)
{
    REAL(clCreateCommandQueue)
    cl_command_queue made = real(context, device, properties, error);
    cl_books.queues += made != NULL;
    return made;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                      cl_int *error)
{
    REAL(clCreateBuffer)
    if (cl_no_memory && !host) {
        *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return NULL;
    }
    cl_mem made = real(context, flags, bytes, host, error);
    cl_books.buffers += made != NULL;
    return made;
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *error)
{
    REAL(clCreateKernel)
    cl_kernel made = real(program, name, error);
    cl_books.kernels += made != NULL;
    return made;
}

/* What programs were made from. */
enum { MOST_PROGRAMS = 4096 };
static struct {
    cl_program program;
    cl_context context;
    uint64_t text, options;
    int was_built;
} known[MOST_PROGRAMS];
static int n_known;

static uint64_t hash(uint64_t h, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    return h;
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint n, const char **text,
                                     const size_t *lengths, cl_int *error)
{
    REAL(clCreateProgramWithSource)
    cl_program made = real(context, n, text, lengths, error);
    uint64_t h = 0xcbf29ce484222325u;
    for (cl_uint i = 0; i < n; i++)
        h = hash(h, text[i], lengths && lengths[i] ? lengths[i] : strlen(text[i]));
    if (n_known == MOST_PROGRAMS)
        abort();
    if (made) {
        known[n_known].program = made;
        known[n_known].context = context;
        known[n_known++].text = h;
        cl_books.programs++;
    }
    return made;
}

/* The newest of that address: an old one's may be used again. */
static int index_of(cl_program program)
{
    int i = n_known - 1;
    while (i >= 0 && known[i].program != program)
        i--;
    return i;
}

cl_int clBuildProgram(cl_program program, cl_uint n, const cl_device_id *device,
                      const char *options, void (*notify)(cl_program, void *), void *data)
{
    REAL(clBuildProgram)
    int at = index_of(program);
    if (at < 0)
        abort();
    known[at].options = hash(0, options ? options : "", options ? strlen(options) : 0);
    known[at].was_built = 1;
    cl_builds++;
    for (int i = 0; i < n_known; i++)
        if (i != at && known[i].was_built && known[i].context == known[at].context &&
            known[i].text == known[at].text && known[i].options == known[at].options) {
            printf("# built again with options %s\n", options ? options : "");
            cl_repeated_builds++;
        }
    return real(program, n, device, cl_build_options ? cl_build_options : options, notify, data);
}

/* Commands: an event is made if it is asked for. */
static cl_int note(cl_int error, const cl_event *event)
{
    cl_books.events += error == CL_SUCCESS && event != NULL;
    return error;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint n, const cl_event *wait, cl_event *event)
{
    REAL(clEnqueueNDRangeKernel)
    return note(real(queue, kernel, dimensions, offset, global, local, n, wait, event), event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem m, cl_bool blocking, size_t offset,
                           size_t bytes, void *to, cl_uint n, const cl_event *wait, cl_event *event)
{
    REAL(clEnqueueReadBuffer)
    return note(real(queue, m, blocking, offset, bytes, to, n, wait, event), event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem m, cl_bool blocking, size_t offset,
                            size_t bytes, const void *from, cl_uint n, const cl_event *wait,
                            cl_event *event)
{
    REAL(clEnqueueWriteBuffer)
    return note(real(queue, m, blocking, offset, bytes, from, n, wait, event), event);
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem m, const void *pattern, size_t size,
                           size_t offset, size_t bytes, cl_uint n, const cl_event *wait,
                           cl_event *event)
{
    REAL(clEnqueueFillBuffer)
    return note(real(queue, m, pattern, size, offset, bytes, n, wait, event), event);
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t at_from,
                           size_t at_to, size_t bytes, cl_uint n, const cl_event *wait,
                           cl_event *event)
{
    REAL(clEnqueueCopyBuffer)
    return note(real(queue, from, to, at_from, at_to, bytes, n, wait, event), event);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *wait,
                                   cl_event *event)
{
    REAL(clEnqueueMarkerWithWaitList)
    return note(real(queue, n, wait, event), event);
}
