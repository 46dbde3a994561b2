/* The parameters of routines that users may set, in all libraries for devices. */
#pragma once

#include "gpu/backend.h"

/* The values of all parameters; several threads may use them at once. NULL: out of memory. Freed by
 * free(). */
typedef struct exb_gpu_params exb_gpu_params;
exb_gpu_params *exb_gpu_params_new(void);

/* Of the call's device. Fails if there is no such parameter or the value is out of range. */
void exb_gpu_set_param(exb_gpu *gpu, const char *routine, const char *name, int value);

/* A parameter of a routine ("dot", "group"): what was set, or `standard`. */
int exb_gpu_param(const exb_gpu *gpu, const char *routine, const char *name, int standard);
