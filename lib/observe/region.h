/* The elements that a call refers to, walked in column-major logical order: the same for both
 * layouts, and only what is inside the dimensions, the named triangle, the band. */
#ifndef EXB_REGION_H
#define EXB_REGION_H

#include "observe/routine.h"

#include <stdbool.h>

/* Whether the call reads the old elements of array argument `index`. */
bool exb_region_is_read(const exb_routine *r, const exb_value *v, int index);

/* FNV-1a-64 over the bytes of the elements, little-endian. False if the array is not described, or
 * the call's dimensions, options or leading dimension are illegal: then nothing was read. */
bool exb_region_hash(const exb_routine *r, const exb_value *v, int index, uint64_t *hash);

/* How many elements the call has of that array; 0 if there are none or the call is illegal. */
int64_t exb_region_count(const exb_routine *r, const exb_value *v, int index);

/* FNV-1a-64 of a routine's result. */
uint64_t exb_result_hash(const exb_routine *r, const void *result);

#endif
