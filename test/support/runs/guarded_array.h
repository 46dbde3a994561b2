/* Arrays of elements of a BLAS type in memory: NaN where nothing was stored, with a copy to see
 * what else was written. */
#pragma once

#include "level2_problem.h"

typedef struct {
    void *block, *before;
    char *data;
    int64_t n;
    char type;
} guarded_array;

/* n elements of NaN, `offset` reals behind an aligned address. The block ends with the last one. */
guarded_array guarded_of(char type, int64_t n, int offset);
void guarded_store(guarded_array *a, int64_t i, level2_number x);
/* The array as it is now is what guarded_is_unchanged compares with. */
void guarded_keep(guarded_array *a);
/* Element i; the old one is put back. */
level2_number guarded_take(guarded_array *a, int64_t i);
bool guarded_is_unchanged(const guarded_array *a);
void guarded_release(guarded_array *a);
