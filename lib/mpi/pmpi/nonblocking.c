/* Ireduce, iallreduce, ireduce_scatter, exact for MPI_SUM on float and double. They keep all
 * contributions in memory until they complete (for ireduce_scatter as much as the whole vector, for
 * the others n_parts times as much). */
#include "mpi/pmpi/pending.h"

#include <limits.h>

/* After the collective was started, or was not: then MPI may have begun it, and keeps the memory.
 * One that is complete already is summed now: MPI may give all such requests the same handle. */
static int finish_start(exb_pending *p, int wrong, MPI_Request *request)
{
    int is_complete = 0;
    if (!wrong)
        wrong = PMPI_Request_get_status(*request, &is_complete, MPI_STATUS_IGNORE);
    if (wrong || is_complete)
        return wrong ? wrong : exb_pending_end(p);
    p->request = *request;
    exb_pending_add(p);
    return MPI_SUCCESS;
}

/* What all say of the count of an allreduce, right behind it: so it is complete soon after the sum
 * is. Groups of an intercommunicator may say different things. */
static int say_count(exb_pending *p, int count, int wrong)
{
    if (wrong || p->r.is_inter || !p->r.to_all)
        return wrong;
    exb_say(&p->r, 1, &count, p->said);
    return PMPI_Iallreduce(MPI_IN_PLACE, p->said, 2, MPI_INT64_T, MPI_MAX, p->r.comm, &p->agreed);
}

/* Every process keeps the sums until the request is complete. */
static int start_fused(exb_pending *p, const void *in, int count, MPI_Request *request)
{
    p->is_summed = !exb_receives(&p->r);
    in = exb_contributes(&p->r) ? in : NULL;
    return exb_fused_start(&p->r, in, p->fused, count, request);
}

static int start_gather(exb_pending *p, const void *in, int count, MPI_Request *request)
{
    const exb_reduction *r = &p->r;
    return r->to_all ? PMPI_Iallgather(in, count, r->type, p->b.received, count, r->type, r->comm,
                                       request)
                     : PMPI_Igather(in, count, r->type, p->b.received, count, r->type, r->root,
                                    r->comm, request);
}

int exb_ireduce(const exb_reduction *r, const void *in, void *out, int count, MPI_Request *request)
{
    bool fused = exb_is_fused(count);
    if (!fused && !exb_receives(r)) /* nothing to do at the end */
        return PMPI_Igather(in, count, r->type, NULL, 0, r->type, r->root, r->comm, request);
    exb_pending *p = exb_pending_new(r, fused ? 0 : (int64_t)count * r->n_parts, fused ? count : 0);
    if (!p)
        return exb_mpi_error(r->comm, MPI_ERR_NO_MEM);
    p->n = p->stride = count;
    p->out = out;
    int wrong = (fused ? start_fused : start_gather)(p, in, count, request);
    return finish_start(p, say_count(p, count, wrong), request);
}

/* Block i goes to process i. */
static int start_scatter(exb_pending *p, const exb_blocks *b, const void *in, MPI_Request *request)
{
    int at = 0;
    p->n = p->stride = b->end - b->begin;
    for (int i = 0; i < p->r.n_parts; i++) {
        p->b.sent_at[i] = at;
        p->b.sent_count[i] = b->count[i];
        at += b->count[i];
    }
    exb_receive_equally(&p->r, &p->b, (int)p->n);
    return PMPI_Ialltoallv(in, p->b.sent_count, p->b.sent_at, p->r.type, p->b.received,
                           p->b.received_count, p->b.received_at, p->r.type, p->r.comm, request);
}

int exb_ireduce_scatter(const exb_reduction *r, const void *in, void *out, const int *counts,
                        MPI_Request *request)
{
    exb_blocks b = exb_blocks_of(r, counts);
    int64_t n_mine = b.end - b.begin;
    /* MPI's displacements are int, on every process or on none. */
    bool fits = r->is_inter || (int64_t)b.longest * r->n_parts <= INT_MAX;
    if (b.shortest < 0 || b.total > INT_MAX || !fits)
        return exb_mpi_error(r->comm, MPI_ERR_COUNT);
    exb_pending *p = exb_pending_new(r, (r->is_inter ? b.total : n_mine) * r->n_parts, 0);
    if (!p)
        return exb_mpi_error(r->comm, MPI_ERR_NO_MEM);
    p->out = out;
    if (!r->is_inter)
        return finish_start(p, start_scatter(p, &b, in, request), request);
    /* Nobody knows the other group's blocks: everything is gathered, this process's block summed.
     */
    p->first = b.begin;
    p->n = n_mine;
    p->stride = b.total;
    return finish_start(p, start_gather(p, in, (int)b.total, request), request);
}
