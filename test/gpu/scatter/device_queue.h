/* A queue on the first OpenCL device there is, and buffers, for tests. */
#ifndef DEVICE_QUEUE_H
#define DEVICE_QUEUE_H

#include <CL/cl.h>
#include <stdbool.h>

typedef struct {
    cl_context context;
    cl_command_queue queue;
} device_queue;

/* False if there is no device: then the test has said that it is skipped. */
bool device_queue_open(device_queue *q);
void device_queue_close(device_queue *q);

/* n bytes of `data` behind `before` bytes of anything. */
cl_mem device_buffer(const device_queue *q, size_t before, size_t n, const void *data);
void device_read(const device_queue *q, cl_mem buffer, size_t before, size_t n, void *data);

/* Fails the test unless e is CL_SUCCESS. */
void device_require(cl_int e, const char *what);

#endif
