/* The parameters of routines that users may set, in all libraries for devices. */
#ifndef EXB_GPU_PARAMS_H
#define EXB_GPU_PARAMS_H

#include "gpu/backend.h"

/* False, and the call has failed, if there is no such parameter or the value is out of range. */
bool exb_gpu_param_check(exb_gpu *gpu, const char *routine, const char *name, int value);

#endif
