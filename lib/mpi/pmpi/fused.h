/* Fused reductions: what a process contributes to a sum is the exact value behind a dot product, a
 * sum of magnitudes or the square of a norm that it has just computed, if it has that one's bits.
 * Small sums travel as accumulators then, on all processes of a communicator alike.
 *
 * The functions are in an object of their own, which also takes the place of entries of the
 * library; the interposer of MPI asks whether it is there. */
#pragma once

#include "exblas/accumulator.h"
#include "mpi/pmpi/exact_sum.h"

enum {
    EXB_MOST_FUSED = 16, /* elements of a sum */
    EXB_KEPT_RESULTS = 32
};

/* A result, of sizeof(float) or sizeof(double) bytes, and what it is rounded from. From any
 * thread. */
void exb_fused_remember(const void *value, size_t size, const exblas_acc *exact);

#pragma GCC visibility push(default)
#pragma weak exb_fused_reduce
#pragma weak exb_fused_start
#pragma weak exb_fused_finish

/* out = the sum of `in` over all processes, `count` elements, on all or on the root. in = NULL:
 * this process contributes nothing; out = NULL: it gets nothing. */
int exb_fused_reduce(const exb_reduction *r, const void *in, void *out, int count);

/* The same without waiting: sums has room for 2 * count accumulators, the second half of which
 * holds the sums when the request is complete; exb_fused_finish rounds them. */
int exb_fused_start(const exb_reduction *r, const void *in, exblas_acc *sums, int count,
                    MPI_Request *request);
void exb_fused_finish(const exb_reduction *r, const exblas_acc *sums, int count, void *out);
#pragma GCC visibility pop

/* Whether a sum of so many elements is fused: the same on all processes. */
static inline bool exb_is_fused(int64_t count)
{
    return count <= EXB_MOST_FUSED && exb_fused_reduce;
}
