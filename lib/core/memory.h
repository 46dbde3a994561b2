/* Working memory of long calls. Short ones use the stack. */
#pragma once

#include <stddef.h>

/* At least `bytes`, aligned to 64 bytes, contents undefined; NULL if there is none: the caller
 * then takes a way that needs less. A few buffers are kept for the next call, because a fresh
 * one costs a page fault for every 4 KiB. From any thread. */
void *exb_memory_get(size_t bytes);

/* Gives back what exb_memory_get returned; NULL is allowed. */
void exb_memory_put(void *p);

/* Most bytes that a call may use for each of its threads: EXBLAS_WORKSPACE or
 * exblas_set_workspace, 256 MiB by default. Also for the libraries for MPI. */
__attribute__((visibility("default"))) size_t exb_memory_limit(void);
