/* Books of what OpenCL objects a process makes and releases, kept by functions that stand before
 * the real ones: what the library says of itself is not believed. Programs that link this must
 * export their symbols. */
#pragma once

#include <stdbool.h>

/* References that exist: made or retained, and not released. */
typedef struct {
    long buffers, events, programs, kernels, contexts, queues;
} cl_references;

extern cl_references cl_books;

/* Programs that were built, and how many of those had been built before, from the same text with
 * the same options in the same context. */
extern long cl_builds, cl_repeated_builds;

/* What is built with, if not with the library's options. */
extern const char *cl_build_options;

/* Whether buffers that are made without numbers are refused. */
extern bool cl_no_memory;
