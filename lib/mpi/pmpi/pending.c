#include "mpi/pmpi/pending.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list */
static exb_pending *list;
static atomic_int n_pending; /* so that programs without any do not take the lock */

exb_pending *exb_pending_new(const exb_reduction *r, int64_t n_received, int n_fused)
{
    /* The sizes of exb_pending and exblas_acc are multiples of 8. */
    size_t bytes = 2 * (size_t)n_fused * sizeof(exblas_acc);
    exb_pending *p = malloc(sizeof *p + bytes + exb_bytes_of_buffers(r, 0, n_received));
    if (p)
        *p = (exb_pending){.r = *r,
                           .agreed = MPI_REQUEST_NULL,
                           .fused = n_fused ? (exblas_acc *)(p + 1) : NULL,
                           .b = exb_buffers_in(r, 0, n_received, (char *)(p + 1) + bytes)};
    return p;
}

void exb_pending_add(exb_pending *p)
{
    pthread_mutex_lock(&lock);
    p->next = list;
    list = p;
    atomic_fetch_add(&n_pending, 1);
    pthread_mutex_unlock(&lock);
}

/* Under the lock: unlinks and returns the reduction of a request, if it is one. */
static exb_pending *unlink_one(MPI_Request request)
{
    exb_pending **link = &list;
    while (*link && (*link)->request != request)
        link = &(*link)->next;
    exb_pending *p = *link;
    if (p) {
        *link = p->next;
        atomic_fetch_sub(&n_pending, 1);
    }
    return p;
}

exb_pending *exb_pending_take(int n, const MPI_Request *requests)
{
    exb_pending *first = NULL;
    if (atomic_load(&n_pending) == 0 || !requests)
        return NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < n; i++) {
        exb_pending *p = requests[i] == MPI_REQUEST_NULL ? NULL : unlink_one(requests[i]);
        if (p) {
            p->index = i;
            p->next_in_call = first;
            first = p;
        }
    }
    pthread_mutex_unlock(&lock);
    return first;
}

/* All have started what is complete here, so that nobody has to be waited for but MPI. */
static int settle_counts(exb_pending *p)
{
    EXB_TRY(PMPI_Wait(&p->agreed, MPI_STATUS_IGNORE));
    return exb_said_alike(&p->r, p->said);
}

exb_pending *exb_pending_take_all(int n, MPI_Request *requests, int *wrong)
{
    exb_pending *first = exb_pending_take(n, requests), **link = &first;
    *wrong = MPI_SUCCESS;
    while (*link) {
        exb_pending *p = *link;
        int error = settle_counts(p);
        if (error) {
            *wrong = error;
            requests[p->index] = MPI_REQUEST_NULL;
            *link = p->next_in_call;
        } else {
            link = &p->next_in_call;
        }
    }
    return first;
}

int exb_pending_sum(exb_pending *p)
{
    EXB_TRY(settle_counts(p));
    if (!p->is_summed && p->fused)
        exb_fused_finish(&p->r, p->fused + p->n, (int)p->n, p->out);
    else if (!p->is_summed)
        exb_sum_parts(&p->r, p->n, exb_at(&p->r, p->b.received, p->first), p->stride, p->b.ones,
                      p->out);
    p->is_summed = true;
    return MPI_SUCCESS;
}

int exb_pending_end(exb_pending *p)
{
    EXB_TRY(exb_pending_sum(p));
    free(p);
    return MPI_SUCCESS;
}

int exb_pending_give_back(exb_pending *first, const MPI_Request *requests, int wrong)
{
    int worst = MPI_SUCCESS;
    while (first) {
        exb_pending *p = first;
        first = p->next_in_call;
        if (requests[p->index] == MPI_REQUEST_NULL) {
            worst = exb_first_error(worst, exb_pending_end(p));
        } else {
            exb_pending_add(p);
        }
    }
    return exb_first_error(worst, wrong);
}
