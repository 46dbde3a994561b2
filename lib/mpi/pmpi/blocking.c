/* Reduce, allreduce, reduce_scatter, exact for MPI_SUM on float and double, in pieces of bounded
 * size. Every process makes the same sequence of collective calls: it follows from the arguments
 * that MPI requires to be equal. */
#include "core/partition.h"
#include "mpi/pmpi/fused.h"

#include <stdlib.h>
#include <string.h>

/* Up to here a vector is gathered whole: one message time instead of two. */
enum { GATHER_WHOLE = 4096 };

/* The first exchange has the same size and form whatever the arguments are, so that another count
 * on one process is seen, instead of some waiting in one algorithm and others in another. Short
 * vectors need no second one. */
enum { FIRST_BYTES = 112 };
typedef struct {
    int64_t count;
    int64_t is_float;
    unsigned char data[FIRST_BYTES];
} first_block;

typedef struct {
    const exb_reduction *r;
    first_block *first; /* n_parts, and behind them the buffers */
    exb_buffers b;
} work;

/* Room for n_sent and n_received elements. */
static int make_buffers(const exb_reduction *r, work *w, int64_t n_sent, int64_t n_received)
{
    size_t n_firsts = (size_t)r->n_parts;
    w->r = r;
    w->first = malloc(n_firsts * sizeof *w->first + exb_bytes_of_buffers(r, n_sent, n_received));
    if (!w->first)
        return exb_mpi_error(r->comm, MPI_ERR_NO_MEM);
    w->b = exb_buffers_in(r, n_sent, n_received, w->first + n_firsts);
    return MPI_SUCCESS;
}

/* Where slice i of n elements begins, of as many slices as processes. */
static int slice_begin(const work *w, int n, int i)
{
    return (int)((int64_t)n * i / w->r->n_parts);
}

/* The same of each process, n of a type each, to all or to the root. */
static int gather(const exb_reduction *r, const void *in, int n, MPI_Datatype type, void *out)
{
    return r->to_all ? PMPI_Allgather(in, n, type, out, n, type, r->comm)
                     : PMPI_Gather(in, n, type, out, n, type, r->root, r->comm);
}

/* A piece, gathered whole, of which elements `own` are summed, if there is a place for them. */
static int gather_piece(work *w, const void *in, void *out, int n, exb_range own)
{
    const exb_reduction *r = w->r;
    int wrong = gather(r, in, n, r->type, w->b.received);
    if (!wrong && out)
        exb_sum_parts(r, own.end - own.begin, exb_at(r, w->b.received, own.begin), n, w->b.ones,
                      out);
    return wrong;
}

/* A piece, each process summing a slice. */
static int slice_piece(work *w, const void *in, void *out, int n)
{
    const exb_reduction *r = w->r;
    exb_buffers *b = &w->b;
    int mine = slice_begin(w, n, r->rank + 1) - slice_begin(w, n, r->rank);
    for (int i = 0; i < r->n_parts; i++) {
        b->sent_at[i] = slice_begin(w, n, i);
        b->sent_count[i] = slice_begin(w, n, i + 1) - b->sent_at[i];
    }
    exb_receive_equally(r, b, mine);
    EXB_TRY(PMPI_Alltoallv(in, b->sent_count, b->sent_at, r->type, b->received, b->received_count,
                           b->received_at, r->type, r->comm));
    exb_sum_parts(r, mine, b->received, mine, b->ones, b->sent);
    return r->to_all ? PMPI_Allgatherv(b->sent, mine, r->type, out, b->sent_count, b->sent_at,
                                       r->type, r->comm)
                     : PMPI_Gatherv(b->sent, mine, r->type, out, b->sent_count, b->sent_at, r->type,
                                    r->root, r->comm);
}

static int compare_counts(const work *w, int64_t count)
{
    const exb_reduction *r = w->r;
    for (int i = 0; i < r->n_parts; i++) {
        const first_block *b = &w->first[i];
        if (b->is_float != r->is_float)
            return exb_mpi_complain(
                r->comm, MPI_ERR_TYPE,
                "exblas: a sum of floats on one process, of doubles on another\n");
        if (b->count != count)
            return exb_mpi_complain(
                r->comm, MPI_ERR_COUNT,
                "exblas: a sum of %lld elements on process %d, of %lld on process %d\n",
                (long long)count, r->rank, (long long)b->count, i);
    }
    return MPI_SUCCESS;
}

/* The first n of `count` elements. Of a reduce the root alone sees what others say. */
static int first_piece(work *w, const void *in, void *out, int64_t count, int n)
{
    const exb_reduction *r = w->r;
    first_block mine = {.count = count, .is_float = r->is_float};
    if (n > 0)
        memcpy(mine.data, in, exb_bytes(r, n));
    int wrong = gather(r, &mine, (int)sizeof mine, MPI_BYTE, w->first);
    if (wrong || !exb_receives(r))
        return wrong;
    wrong = compare_counts(w, count);
    for (int i = 0; i < r->n_parts && !wrong; i++)
        memcpy(exb_at(r, w->b.received, (int64_t)n * i), w->first[i].data, exb_bytes(r, n));
    if (!wrong)
        exb_sum_parts(r, n, w->b.received, n, w->b.ones, out);
    return wrong;
}

/* Over an intercommunicator there is no first exchange: contributions have one direction. */
static int first_length(const exb_reduction *r, int64_t count)
{
    return r->is_inter ? 0 : (int)exb_least(count, FIRST_BYTES / (int64_t)exb_bytes(r, 1));
}

/* in and out may be the same: a piece is read before it is written. Where pieces are gathered whole
 * the sums of elements `own` are wanted, elsewhere all. */
static int reduce_pieces(const exb_reduction *r, const void *in, void *out, int64_t count,
                         exb_range own)
{
    work w;
    bool whole = r->is_inter || count <= GATHER_WHOLE / r->n_parts;
    int piece = (int)exb_least(whole ? exb_piece_of(r) : EXB_PIECE, count);
    int64_t n_slice = piece / r->n_parts + 1;
    int first = first_length(r, count);
    int64_t n_received = exb_most(whole ? piece : n_slice, first);
    EXB_TRY(make_buffers(r, &w, n_slice, n_received * r->n_parts));
    int wrong = r->is_inter ? MPI_SUCCESS : first_piece(&w, in, out, count, first);
    for (int64_t i = first; i < count && !wrong; i += piece) {
        int n = (int)exb_least(piece, count - i);
        exb_range wanted = exb_common(own, (exb_range){i, i + n});
        /* The buffer that this process does not have is never touched. */
        const void *from = in ? exb_at(r, in, i) : NULL;
        void *to =
            out && wanted.begin < wanted.end ? exb_at(r, out, wanted.begin - own.begin) : NULL;
        wanted = (exb_range){wanted.begin - i, wanted.end - i};
        wrong = whole ? gather_piece(&w, from, to, n, wanted) : slice_piece(&w, from, to, n);
    }
    free(w.first);
    return wrong;
}

static int agree_on_count(const exb_reduction *r, int64_t count)
{
    work w;
    if (r->is_inter)
        return MPI_SUCCESS;
    EXB_TRY(make_buffers(r, &w, 0, 0));
    int wrong = first_piece(&w, NULL, NULL, count, 0);
    free(w.first);
    return wrong;
}

/* Over an intercommunicator the processes at MPI_PROC_NULL make the same calls as the others. */
int exb_reduce(const exb_reduction *r, const void *in, void *out, int64_t count)
{
    out = exb_receives(r) ? out : NULL;
    if (!exb_is_fused(count))
        return reduce_pieces(r, in, out, count, (exb_range){0, count});
    EXB_TRY(agree_on_count(r, count));
    return exb_fused_reduce(r, exb_contributes(r) ? in : NULL, out, (int)count);
}

/* Elements `from` ... of every block, at most `most` of each: packed, exchanged, summed. */
static int scatter_piece(work *w, const exb_blocks *b, const void *in, void *out, int64_t from,
                         int64_t most)
{
    const exb_reduction *r = w->r;
    int mine = (int)exb_most(exb_least(most, (b->end - b->begin) - from), 0);
    int64_t block = 0;
    int packed = 0;
    for (int i = 0; i < r->n_parts; i++) {
        int n = b->count[i] > from ? (int)exb_least(most, b->count[i] - from) : 0;
        memcpy(exb_at(r, w->b.sent, packed), exb_at(r, in, block + from), exb_bytes(r, n));
        w->b.sent_at[i] = packed;
        w->b.sent_count[i] = n;
        packed += n;
        block += b->count[i];
    }
    exb_receive_equally(r, &w->b, mine);
    int wrong = PMPI_Alltoallv(w->b.sent, w->b.sent_count, w->b.sent_at, r->type, w->b.received,
                               w->b.received_count, w->b.received_at, r->type, r->comm);
    if (!wrong)
        exb_sum_parts(r, mine, w->b.received, mine, w->b.ones, out);
    return wrong;
}

/* In place it is safe as well: results are written up to position from + most of the vector, and
 * an element that is still to be sent has an index in its block of at least that, so a position
 * that is not less. */
static int scatter_within(const exb_reduction *r, const exb_blocks *b, const void *in, void *out)
{
    work w;
    int64_t most = exb_least(exb_piece_of(r), b->longest);
    int wrong = make_buffers(r, &w, most * r->n_parts, most * r->n_parts);
    for (int64_t from = 0; from < b->longest && !wrong; from += most)
        wrong = scatter_piece(&w, b, in, exb_at(r, out, exb_least(from, b->end - b->begin)), from,
                              most);
    free(w.first);
    return wrong;
}

int exb_reduce_scatter(const exb_reduction *r, const void *in, void *out, const int *counts)
{
    int64_t said[2];
    exb_blocks b = exb_blocks_of(r, counts);
    if (b.shortest < 0)
        return exb_mpi_error(r->comm, MPI_ERR_COUNT);
    if (r->is_inter) /* nobody knows the other group's blocks */
        return reduce_pieces(r, in, out, b.total, (exb_range){b.begin, b.end});
    exb_say(r, r->n_here, counts, said);
    EXB_TRY(PMPI_Allreduce(MPI_IN_PLACE, said, 2, MPI_INT64_T, MPI_MAX, r->comm));
    EXB_TRY(exb_said_alike(r, said));
    return scatter_within(r, &b, in, out);
}
