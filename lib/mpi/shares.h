/* How an axis lies on processes, in blocks in the order of ranks; and what is sent of blocks. */
#ifndef EXB_SHARES_H
#define EXB_SHARES_H

#include "core/partition.h"

#include <mpi.h>

/* `begin` has n_processes + 1 numbers: the first element of each process, and n at the end. */
typedef struct {
    int64_t *begin;
    int rank, n_processes;
} exb_shares;

static inline int64_t exb_shares_total(const exb_shares *s)
{
    return s->begin[s->n_processes];
}

static inline exb_range exb_share_of(const exb_shares *s, int process)
{
    return (exb_range){s->begin[process], s->begin[process + 1]};
}

static inline int64_t exb_own_share(const exb_shares *s)
{
    return s->begin[s->rank + 1] - s->begin[s->rank];
}

/* The largest share. */
static inline int64_t exb_shares_most(const exb_shares *s)
{
    int64_t most = 0;
    for (int i = 0; i < s->n_processes; i++)
        most = exb_most(most, s->begin[i + 1] - s->begin[i]);
    return most;
}

/* Number i of the windows, of `length` elements each, in which a share is gone through; empty
 * where there are no more. */
static inline exb_range exb_share_window(const exb_shares *s, int process, int64_t i,
                                         int64_t length)
{
    exb_range r = exb_share_of(s, process);
    int64_t begin = exb_least(r.begin + i * length, r.end);
    return (exb_range){begin, exb_least(begin + length, r.end)};
}

/* Gathers the sizes `own` of this process's shares of n axes; `begin` has room for n times
 * n_processes + 1 numbers, axis after axis. Collective. */
int exb_shares_gather(MPI_Comm comm, int n, const int64_t *own, int64_t *begin, exb_shares *shares);

/* The counts of a message of `unit` elements for each of the elements that processes have in
 * common with a window, and where they begin. */
void exb_shares_counts(const exb_shares *s, exb_range window, int64_t unit, int *count, int *at);

#endif
