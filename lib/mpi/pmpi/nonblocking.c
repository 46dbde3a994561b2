/* MPI_Ireduce, MPI_Iallreduce, MPI_Ireduce_scatter and MPI_Ireduce_scatter_block, exact for
 * MPI_SUM on float and double. They keep all contributions in memory until they complete (for
 * Ireduce_scatter as much as the whole vector, for the others n_parts times as much). */
#include "mpi/pmpi/pending.h"

#include <limits.h>
#include <stdlib.h>

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
    if (wrong || p->r.is_inter)
        return wrong;
    exb_say(&p->r, 1, &count, p->said);
    return PMPI_Iallreduce(MPI_IN_PLACE, p->said, 2, MPI_INT64_T, MPI_MAX, p->r.comm, &p->agreed);
}

/* Every process keeps the sums until the request is complete; who gets none has out = NULL. */
static int start_fused(const exb_reduction *r, const void *in, void *out, int count, int root,
                       bool to_all, MPI_Request *request)
{
    exb_pending *p = exb_pending_new_fused(r, count);
    if (!p)
        return exb_mpi_error(r->comm, MPI_ERR_NO_MEM);
    p->out = out;
    p->is_summed = !out;
    bool gives = to_all || exb_contributes(r, root);
    int wrong = exb_fused_start(r, gives ? in : NULL, p->fused, count, root, to_all, request);
    return finish_start(p, to_all ? say_count(p, count, wrong) : wrong, request);
}

int MPI_Iallreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request)
{
    exb_reduction r;
    if (count <= 0 || !exb_is_exact_sum(type, op))
        return PMPI_Iallreduce(in, out, count, type, op, comm, request);
    EXB_TRY(exb_reduction_of(type, comm, &r));
    if (exb_is_fused(count))
        return start_fused(&r, in == MPI_IN_PLACE ? out : in, out, count, 0, true, request);
    exb_pending *p = exb_pending_new(&r, (int64_t)count * r.n_parts);
    if (!p)
        return exb_mpi_error(comm, MPI_ERR_NO_MEM);
    p->n = p->stride = count;
    p->out = out;
    int wrong = PMPI_Iallgather(in == MPI_IN_PLACE ? out : in, count, type, p->parts, count, type,
                                comm, request);
    return finish_start(p, say_count(p, count, wrong), request);
}

int MPI_Ireduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm, MPI_Request *request)
{
    exb_reduction r;
    if (count <= 0 || !exb_is_exact_sum(type, op))
        return PMPI_Ireduce(in, out, count, type, op, root, comm, request);
    EXB_TRY(exb_reduction_of(type, comm, &r));
    bool receives = r.is_inter ? root == MPI_ROOT : root == r.rank;
    if (exb_is_fused(count))
        return start_fused(&r, in == MPI_IN_PLACE ? out : in, receives ? out : NULL, count, root,
                           false, request);
    if (!receives) /* nothing to do at the end */
        return PMPI_Igather(in, count, type, NULL, 0, type, root, comm, request);
    exb_pending *p = exb_pending_new(&r, (int64_t)count * r.n_parts);
    if (!p)
        return exb_mpi_error(comm, MPI_ERR_NO_MEM);
    p->n = p->stride = count;
    p->out = out;
    int wrong = PMPI_Igather(in == MPI_IN_PLACE ? out : in, count, type, p->parts, count, type,
                             root, comm, request);
    return finish_start(p, wrong, request);
}

/* Block i goes to process i. */
static int start_scatter(exb_pending *p, const exb_blocks *b, const void *in, MPI_Request *request)
{
    int n = (int)(b->end - b->begin), at = 0;
    for (int i = 0; i < p->r.n_parts; i++) {
        p->sent_at[i] = at;
        p->sent_count[i] = b->count[i];
        p->received_at[i] = n * i;
        p->received_count[i] = n;
        at += b->count[i];
    }
    p->n = p->stride = n;
    return PMPI_Ialltoallv(in, p->sent_count, p->sent_at, p->r.type, p->parts, p->received_count,
                           p->received_at, p->r.type, p->r.comm, request);
}

/* Nobody knows the other group's blocks: everything is gathered, this process's block summed. */
static int start_scatter_between(exb_pending *p, const exb_blocks *b, const void *in,
                                 MPI_Request *request)
{
    p->first = b->begin;
    p->n = b->end - b->begin;
    p->stride = b->total;
    return PMPI_Iallgather(in, (int)b->total, p->r.type, p->parts, (int)b->total, p->r.type,
                           p->r.comm, request);
}

static int start_reduce_scatter(const exb_reduction *r, const int *counts, const void *in,
                                void *out, MPI_Request *request)
{
    exb_blocks b = exb_blocks_of(r, counts);
    int64_t n_mine = b.end - b.begin;
    /* MPI's displacements are int, on every process or on none. */
    bool fits = r->is_inter || (int64_t)b.longest * r->n_parts <= INT_MAX;
    if (b.shortest < 0 || b.total > INT_MAX || !fits)
        return exb_mpi_error(r->comm, MPI_ERR_COUNT);
    exb_pending *p = exb_pending_new(r, (r->is_inter ? b.total : n_mine) * r->n_parts);
    if (!p)
        return exb_mpi_error(r->comm, MPI_ERR_NO_MEM);
    p->out = out;
    const void *from = in == MPI_IN_PLACE ? out : in;
    int wrong = r->is_inter ? start_scatter_between(p, &b, from, request)
                            : start_scatter(p, &b, from, request);
    return finish_start(p, wrong, request);
}

int MPI_Ireduce_scatter(const void *in, void *out, const int counts[], MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm, MPI_Request *request)
{
    exb_reduction r;
    if (!exb_is_exact_sum(type, op))
        return PMPI_Ireduce_scatter(in, out, counts, type, op, comm, request);
    EXB_TRY(exb_reduction_of(type, comm, &r));
    return start_reduce_scatter(&r, counts, in, out, request);
}

int MPI_Ireduce_scatter_block(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Request *request)
{
    exb_reduction r;
    if (count <= 0 || !exb_is_exact_sum(type, op))
        return PMPI_Ireduce_scatter_block(in, out, count, type, op, comm, request);
    EXB_TRY(exb_reduction_of(type, comm, &r));
    int *counts = malloc((size_t)r.n_here * sizeof *counts);
    if (!counts)
        return exb_mpi_error(comm, MPI_ERR_NO_MEM);
    for (int i = 0; i < r.n_here; i++)
        counts[i] = count;
    int wrong = start_reduce_scatter(&r, counts, in, out, request);
    free(counts);
    return wrong;
}
