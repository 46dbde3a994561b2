/* Reductions that were started and are not finished: the contributions are on their way in one
 * non-blocking collective of MPI's own, which MPI progresses as it would the reduction; when
 * its request completes, whatever function found that out, this process adds them up. Nothing has
 * to happen in between, so a process that is elsewhere holds nobody up. */
#pragma once

#include "mpi/pmpi/fused.h"

typedef struct exb_pending {
    exb_reduction r;
    MPI_Request request;
    int64_t said[2]; /* on its way as `agreed`, unless that is MPI_REQUEST_NULL */
    MPI_Request agreed;
    exb_buffers b;            /* behind that, in the same allocation */
    int64_t first, n, stride; /* the sums of elements first ... first + n - 1 of the parts */
    exblas_acc *fused;        /* 2 * n, behind this struct; NULL: values travel */
    void *out;
    bool is_summed;
    struct exb_pending *next;         /* in the list of all */
    struct exb_pending *next_in_call; /* in that of one call that completes requests */
    int index;                        /* of the request in that call */
} exb_pending;

/* With room for n_received elements, or for n_fused fused sums; NULL without memory. */
exb_pending *exb_pending_new(const exb_reduction *r, int64_t n_received, int n_fused);

/* Its request was started: waits for the completion. */
void exb_pending_add(exb_pending *p);

/* The reductions among n requests, linked by next_in_call; NULL if there are none. They leave the
 * list of all: MPI may give a completed request's handle to another thread's next one. */
exb_pending *exb_pending_take(int n, const MPI_Request *requests);

/* The same before a call that waits for all of them. One whose counts differ is an error now, since
 * its messages may never come: its request becomes MPI_REQUEST_NULL, its memory stays theirs. */
exb_pending *exb_pending_take_all(int n, MPI_Request *requests, int *wrong);

/* After a call that may have completed them: those whose handle became MPI_REQUEST_NULL are
 * summed and freed, the others wait on. The first error of a sum, else `wrong`. */
int exb_pending_give_back(exb_pending *first, const MPI_Request *requests, int wrong);

/* The sums, if they are not made yet and all processes said the same. */
int exb_pending_sum(exb_pending *p);

/* The same of one whose request is complete, which is freed; after an error its memory stays MPI's:
 * where a message was longer than its place, other messages may still come. */
int exb_pending_end(exb_pending *p);
