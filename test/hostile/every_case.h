/* Small calls of every routine in memory without a byte to spare: every array lies directly
 * behind or in front of a page that cannot be touched. */
#pragma once

#include "routine_call_made.h"

#include <stdbool.h>

/* How a call is made. The same problem and layout give the same results. */
typedef struct {
    int size;      /* of the problem: 0 ... EVERY_SIZES - 1, EVERY_LARGE */
    int options;   /* which options, 0 ... EVERY_OPTIONS - 1, rows or columns first included */
    int increment; /* of vectors, 0 ... EVERY_INCREMENTS - 1; padding of matrices */
    int data;      /* 0: moderate numbers that cancel, 1: everything up to Inf and NaN */
    bool at_start; /* arrays begin where a page begins, else they end where one ends */
    int offset;    /* in reals: away from where they would lie */
    int zero;      /* bits of EVERY_DIMENSIONS: which are 0 */
} every_layout;

/* m, n, k, batch */
enum { EVERY_DIMENSIONS = 4 };

enum { EVERY_SIZES = 5, EVERY_OPTIONS = 16, EVERY_INCREMENTS = 5, EVERY_LARGE = EVERY_SIZES };

typedef struct {
    void *pages; /* as mapped, between two pages without access */
    size_t n_mapped;
    unsigned char *data;
    size_t n_bytes;
} every_array;

typedef struct {
    const exb_routine *routine;
    exb_value value[EXB_MOST_ARGUMENTS];
    every_array array[EXB_MOST_ARGUMENTS]; /* n_mapped 0: not an array */
    double scalar[EXB_MOST_ARGUMENTS][2];
    double result[2];  /* of a function: room for any */
    routine_call call; /* the last one; not on the stack, which is measured */
} every_case;

void every_case_init(every_case *c, const exb_routine *routine, const every_layout *layout);
void every_case_clear(every_case *c);

/* Fills the arrays anew, as init did. */
void every_case_fill(every_case *c, const every_layout *layout);

/* CBLAS's. */
const routine_name *every_name_of(int routine);

/* Fortran has no rows first. */
bool every_case_has(const every_case *c, const routine_name *name);
void every_case_call(every_case *c, const routine_name *name);

/* FNV-1a-64 over the arrays and the result, an index counted from 0. */
uint64_t every_case_hash(const every_case *c);

/* All of that: of a call in this layout; 0 if Fortran does not have it. */
uint64_t every_hash(const routine_name *name, const every_layout *layout);
