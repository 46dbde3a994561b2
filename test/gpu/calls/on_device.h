/* A device: its memory, and calls there. On OpenCL's first device (on_opencl.c), or on CUDA's
 * current one (on_cuda.c), which may be emulated. */
#pragma once

#include "gpu/calls/device_call.h"

#include <stdbool.h>

/* False, with the reason, if there is none. group: of work-items, and
 * everything else small (device_case_set); 0 for the standard. */
bool device_open(int group, const char **why);
void device_close(void);

/* NULL for no bytes; what fails ends the program. */
void *device_upload(size_t bytes, const void *data);
void device_download(void *from, size_t bytes, void *to);
void device_release(void *memory);

/* The place so many bytes behind the start, or where calls have offsets the start. */
void *device_place(void *memory, size_t bytes);

exblas_status device_run(const device_call *c);

/* With operands in the host's memory; EUNSUPPORTED: the library has no such call. */
exblas_status device_run_host(const device_call *c);
const char *device_last_error(void);
extern const bool device_has_batches;
