/* The first device of the OpenCL platforms that there are; false if there is none. */
#pragma once

#include <exblas/opencl.h>
#include <stdbool.h>

static inline bool first_device(cl_device_id *device)
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
