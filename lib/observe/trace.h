/* EXBLAS_TRACE: a line for each call with hashes of what it read and wrote.
 *
 *   exblas-trace 1 PID PROGRAM
 *   SEQ THREAD routine k=v ... in=H,H out=H
 *
 * Arguments in CBLAS order, options as letters, scalars as hexadecimal floats (a complex one
 * as re,im); a hash for each array that is read, and for each that is written and the result;
 * `-` for one that the call does not look at. */
#pragma once

#include "observe/routine.h"

#include <stdbool.h>
#include <stddef.h>

/* Opens the file, %p in its name being the process's number; NULL: no trace. If another process is
 * writing to it, or it is a parent's, the file is NAME.PID instead. */
void exb_trace_configure(const char *file);

bool exb_trace_is_on(void);

/* In a forked child: nobody holds the lock, and the file is the parent's. */
void exb_trace_after_fork(void);

/* By argument: whether it is an array that the call reads, and its hash before the call. */
typedef struct {
    bool is_read[EXB_MOST_ARGUMENTS];
    uint64_t hash[EXB_MOST_ARGUMENTS];
} exb_trace_inputs;

void exb_trace_inputs_of(const exb_routine *r, const exb_value *v, exb_trace_inputs *in);

/* One call that has ended. */
void exb_trace_call(const exb_routine *r, const exb_value *v, const exb_trace_inputs *in,
                    const void *result);

/* The arguments as k=v, cut at `size`. */
void exb_trace_arguments(char *text, size_t size, const exb_routine *r, const exb_value *v);
