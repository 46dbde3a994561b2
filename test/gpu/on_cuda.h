/* Calls on a CUDA device are of this handle. */
#pragma once

#include "gpu/device_job.h"
#include "routine_call_made.h"

#include <exblas/cuda.h>

extern exblas_cuda_handle device_handle;

/* device_set for a handle. */
exblas_status set_groups(exblas_cuda_handle handle, int group, bool alone);

/* By name (device_calls.py). */
exblas_status device_call_cuda(exblas_cuda_handle handle, const char *name, const routine_call *q);
