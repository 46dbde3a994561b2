/* A call of any routine of the BLAS by its Fortran name: all arguments are addresses, and those
 * beyond the routine's own are not looked at; results are dropped. */
#pragma once

#include <stddef.h>

enum { FORTRAN_MOST = 16 };

typedef struct {
    void (*f)(const void *, const void *, const void *, const void *, const void *, const void *,
              const void *, const void *, const void *, const void *, const void *, const void *,
              const void *, const void *, const void *, const void *);
    const void *argument[FORTRAN_MOST];
    void *restored; /* an operand that would grow or shrink from call to call, or NULL */
    const void *start;
    size_t bytes;
} fortran_call;

/* A candidate of the harness, whose context is a call. */
void run_fortran_call(void *call);
