/* The vector routines of Level 1 that write their operands, and the complex reductions,
 * as data: one table over all types. Scalars are one or two reals of the type. */
#ifndef VECTOR_CALLS_H
#define VECTOR_CALLS_H

#include "test_bits.h"

#include <stddef.h>

typedef struct {
    int n, incx, incy;
    void *x, *y;              /* arrays of the type, also outputs */
    const void *alpha, *beta; /* scalars of the type */
    const void *param;        /* five reals */
    void *result;             /* up to four reals */
} vector_call;

typedef struct {
    const char *name; /* "caxpy" */
    const char *base; /* "axpy" */
    char type;        /* of the elements */
    void (*call)(vector_call *);
} vector_entry;

extern const vector_entry vector_entries[];
extern const int n_vector_entries;

#endif
