/* A call of any routine of the BLAS by its Fortran name: all arguments are addresses, and those
 * beyond the routine's own are not looked at; results are dropped. */
#pragma once

#include "table.h"

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

/* Measures ours, a routine of that name, over OpenBLAS's or, unless that is NULL, `plain`; nothing
 * where one of them is not there. */
void measure_fortran_calls(const bench_options *o, bench_table *t, int i, int series,
                           fortran_call *theirs, const char *their_name, void (*plain)(void),
                           fortran_call *ours, const char *our_name);
