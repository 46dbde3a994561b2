#include "device_queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void device_require(cl_int e, const char *what)
{
    if (e == CL_SUCCESS)
        return;
    printf("Bail out! %s: OpenCL error %d\n", what, (int)e);
    exit(1);
}

static bool find_device(cl_device_id *device)
{
    cl_platform_id platform[8];
    cl_uint n = 0;
    if (clGetPlatformIDs(8, platform, &n) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < n && i < 8; i++)
        if (clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_ALL, 1, device, NULL) == CL_SUCCESS)
            return true;
    return false;
}

bool device_queue_open(device_queue *q)
{
    cl_device_id device;
    cl_int e;
    if (!find_device(&device)) {
        printf("1..0 # SKIP no OpenCL device\n");
        return false;
    }
    q->context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    device_require(e, "clCreateContext");
    q->queue = clCreateCommandQueue(q->context, device, 0, &e);
    device_require(e, "clCreateCommandQueue");
    return true;
}

void device_queue_close(device_queue *q)
{
    clReleaseCommandQueue(q->queue);
    clReleaseContext(q->context);
}

cl_mem device_buffer(const device_queue *q, size_t before, size_t n, const void *data)
{
    cl_int e;
    size_t all = before + n > 0 ? before + n : 1;
    char *bytes = calloc(all, 1);
    if (!bytes)
        abort();
    memset(bytes, 0x5a, before);
    if (n > 0)
        memcpy(bytes + before, data, n);
    cl_mem m = clCreateBuffer(q->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, all, bytes, &e);
    device_require(e, "clCreateBuffer");
    free(bytes);
    return m;
}

void device_read(const device_queue *q, cl_mem buffer, size_t before, size_t n, void *data)
{
    if (n > 0)
        device_require(
            clEnqueueReadBuffer(q->queue, buffer, CL_TRUE, before, n, data, 0, NULL, NULL),
            "clEnqueueReadBuffer");
}
