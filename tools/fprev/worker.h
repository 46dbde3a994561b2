/* What the parts of the worker share. */
#pragma once

#include "blas.h"

#include <stddef.h>

/* Exit statuses of exblas-fprev. */
enum { FPREV_BAD_USAGE = 2, FPREV_BAD_TARGET = 3 };

/* Ends the process with this answer. */
_Noreturn void fprev_fail(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* n zeros of this size, or the end. */
void *fprev_allocate(int64_t n, size_t size);
