/* The elements that a call refers to, walked in column-major logical order: the same for both
 * layouts, and only what is inside the dimensions, the named triangle, the band. */
#pragma once

#include "observe/routine.h"

#include <stdbool.h>

/* Whether the call reads the old elements of array argument `index`. */
bool exb_region_is_read(const exb_routine *r, const exb_value *v, int index);

/* FNV-1a-64 over the bytes of the elements, little-endian. False if the array is not described, or
 * the call's dimensions, options or leading dimension are illegal: then nothing was read. */
bool exb_region_hash(const exb_routine *r, const exb_value *v, int index, uint64_t *hash);

/* How many elements the call has of that array; 0 if there are none or the call is illegal. */
int64_t exb_region_count(const exb_routine *r, const exb_value *v, int index);

/* What a call has in the arrays that must be finite, the worst of it. */
typedef enum { EXB_FINITE, EXB_INFINITE, EXB_NAN } exb_region_worst;

/* For the drop-in objects, too. */
#pragma GCC visibility push(default)

/* EXB_FINITE, too, if the call is illegal: then nothing was read. *order: the order of the first of
 * these arrays, the lesser of its dimensions. The floating-point environment does not matter. */
exb_region_worst exb_region_check(const exb_routine *r, const exb_value *v, int64_t *order);

/* NaN into every result of a legal call. */
void exb_region_spoil(const exb_routine *r, const exb_value *v);

#pragma GCC visibility pop

/* FNV-1a-64 of a routine's result. */
uint64_t exb_result_hash(const exb_routine *r, const void *result);
