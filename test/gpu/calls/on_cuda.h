/* Calls on a CUDA device are of this handle. */
#pragma once

#include "gpu/calls/on_device.h"

#include <exblas/cuda.h>

extern exblas_cuda_handle device_handle;

/* device_case_set for a handle. */
exblas_status set_groups(exblas_cuda_handle handle, int group, bool alone);
