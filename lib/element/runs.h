/* The terms of an element's sums, run by run. A run is what a kernel reads: two vectors of reals of
 * any stride (level1/reduce.h). What knows where terms lie (strided vectors, the rows of a pattern,
 * the operands of a product, the entries of a sparse row) tells them by one function, `next`; all
 * else about exact sums is said once, in decide.h. */
#pragma once

#include "level1/reduce.h"

enum { EXB_RUN = EXB_GATHER /* reals of a run that does not lie in place */ };

/* Where a run may be put together. */
typedef struct {
    exb_real x[EXB_RUN], y[EXB_RUN];
} exb_p(run_space);

/* next: the run of sum k that begins at *at, which is 0 at first, to *run, and where the one after
 * it begins to *at; false if there is none. The functions of a type's parts are those of its reals:
 * a complex element has several real sums. */
typedef struct {
    bool (*next)(const void *of, int k, int64_t *at, exb_p(run_space) *space,
                 exb_p(reduction) *run);
    const void *of;
} exb_p(terms);

/* A single run. */
EXB_INLINE bool exb_p(next_of_one)(const void *of, int k, int64_t *at, exb_p(run_space) *space,
                                   exb_p(reduction) *run)
{
    (void)k, (void)space;
    *run = *(const exb_p(reduction) *)of;
    return (*at)++ == 0;
}
