/* Books of what OpenCL objects a process makes, kept by functions that stand before the real ones:
 * what the library says of itself is not believed. Of buffers and programs the context's references
 * tell (gpu_testing.h). Programs that link this must export their symbols. */
#pragma once

#include <stdbool.h>

/* References to events that exist: made with a command or retained, and not released. */
extern long cl_events;

/* Kernels that exist, programs that were built. */
extern long cl_kernels, cl_builds;

/* What is built with, if not with the library's options. */
extern const char *cl_build_options;

/* Whether buffers that are made without numbers are refused. */
extern bool cl_no_memory;
