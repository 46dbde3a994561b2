/* MPI_Reduce, MPI_Allreduce, MPI_Reduce_scatter and MPI_Reduce_scatter_block, exact for MPI_SUM on
 * float and double, in pieces of bounded size. Every process makes the same sequence of
 * collective calls: it follows from the arguments that MPI requires to be equal. */
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

/* Buffers of a call; the arrays of int have n_parts elements. */
typedef struct {
    exb_reduction r;
    void *memory, *ones, *sent, *received;
    first_block *first; /* n_parts */
    int *sent_count, *sent_at, *received_count, *received_at;
    int root; /* of reduce; unused otherwise */
    bool to_all;
} work;

/* Room for n_sent and n_received elements. */
static int make_buffers(work *w, int64_t n_sent, int64_t n_received)
{
    const exb_reduction *r = &w->r;
    size_t ints = (size_t)r->n_parts * sizeof(int);
    size_t firsts = (size_t)r->n_parts * sizeof *w->first;
    size_t reals = exb_bytes(r, n_sent + n_received + r->n_parts);
    w->memory = malloc(firsts + reals + 4 * ints);
    if (!w->memory)
        return exb_mpi_error(r->comm, MPI_ERR_NO_MEM);
    w->first = w->memory;
    w->ones = w->first + r->n_parts;
    w->sent = exb_at(r, w->ones, r->n_parts);
    w->received = exb_at(r, w->sent, n_sent);
    w->sent_count = exb_at(r, w->received, n_received);
    w->sent_at = w->sent_count + r->n_parts;
    w->received_count = w->sent_at + r->n_parts;
    w->received_at = w->received_count + r->n_parts;
    exb_write_ones(r, w->ones);
    return MPI_SUCCESS;
}

/* Where slice i of n elements begins, of as many slices as processes. */
static int slice_begin(const work *w, int n, int i)
{
    return (int)((int64_t)n * i / w->r.n_parts);
}

/* Does this process get the result of a reduce? */
static bool receives_result(const work *w)
{
    return w->to_all || (w->r.is_inter ? w->root == MPI_ROOT : w->root == w->r.rank);
}

/* A piece, gathered whole. */
static int gather_piece(work *w, const void *in, void *out, int n)
{
    const exb_reduction *r = &w->r;
    int wrong = w->to_all ? PMPI_Allgather(in, n, r->type, w->received, n, r->type, r->comm)
                          : PMPI_Gather(in, n, r->type, w->received, n, r->type, w->root, r->comm);
    if (!wrong && receives_result(w))
        exb_sum_parts(r, n, w->received, n, w->ones, out);
    return wrong;
}

/* A piece, each process summing a slice. */
static int slice_piece(work *w, const void *in, void *out, int n)
{
    const exb_reduction *r = &w->r;
    int mine = slice_begin(w, n, r->rank + 1) - slice_begin(w, n, r->rank);
    for (int i = 0; i < r->n_parts; i++) {
        w->sent_at[i] = slice_begin(w, n, i);
        w->sent_count[i] = slice_begin(w, n, i + 1) - w->sent_at[i];
        w->received_count[i] = mine;
        w->received_at[i] = mine * i;
    }
    EXB_TRY(PMPI_Alltoallv(in, w->sent_count, w->sent_at, r->type, w->received, w->received_count,
                           w->received_at, r->type, r->comm));
    exb_sum_parts(r, mine, w->received, mine, w->ones, w->sent);
    return w->to_all ? PMPI_Allgatherv(w->sent, mine, r->type, out, w->sent_count, w->sent_at,
                                       r->type, r->comm)
                     : PMPI_Gatherv(w->sent, mine, r->type, out, w->sent_count, w->sent_at, r->type,
                                    w->root, r->comm);
}

static int compare_counts(const work *w, int count)
{
    for (int i = 0; i < w->r.n_parts; i++) {
        const first_block *b = &w->first[i];
        if (b->is_float != w->r.is_float)
            return exb_mpi_complain(
                w->r.comm, MPI_ERR_TYPE,
                "exblas: a sum of floats on one process, of doubles on another\n");
        if (b->count != count)
            return exb_mpi_complain(
                w->r.comm, MPI_ERR_COUNT,
                "exblas: a sum of %d elements on process %d, of %d on process %d\n", count,
                w->r.rank, (int)b->count, i);
    }
    return MPI_SUCCESS;
}

/* The first n of `count` elements. Of a reduce the root alone sees what others say. */
static int first_piece(work *w, const void *in, void *out, int count, int n)
{
    const exb_reduction *r = &w->r;
    const int size = (int)sizeof(first_block);
    first_block mine = {.count = count, .is_float = r->is_float};
    if (n > 0)
        memcpy(mine.data, in, exb_bytes(r, n));
    int wrong =
        w->to_all ? PMPI_Allgather(&mine, size, MPI_BYTE, w->first, size, MPI_BYTE, r->comm)
                  : PMPI_Gather(&mine, size, MPI_BYTE, w->first, size, MPI_BYTE, w->root, r->comm);
    if (wrong || !receives_result(w))
        return wrong;
    wrong = compare_counts(w, count);
    for (int i = 0; i < r->n_parts && !wrong; i++)
        memcpy(exb_at(r, w->received, (int64_t)n * i), w->first[i].data, exb_bytes(r, n));
    if (!wrong)
        exb_sum_parts(r, n, w->received, n, w->ones, out);
    return wrong;
}

/* Over an intercommunicator there is no first exchange: contributions have one direction. */
static int first_length(const exb_reduction *r, int count)
{
    return r->is_inter ? 0 : (int)exb_least(count, FIRST_BYTES / (int64_t)exb_bytes(r, 1));
}

/* Reduce and allreduce. in and out may be the same: a piece is read before it is written. */
static int reduce_to_root(work *w, const void *in, void *out, int count)
{
    const exb_reduction *r = &w->r;
    bool whole = r->is_inter || (int64_t)count * r->n_parts <= GATHER_WHOLE;
    int piece = (int)exb_least(whole ? exb_piece_of(r) : EXB_PIECE, count);
    int64_t n_slice = piece / r->n_parts + 1;
    int first = first_length(r, count);
    int64_t n_received = whole ? piece : n_slice;
    n_received = n_received > first ? n_received : first;
    int wrong = make_buffers(w, n_slice, n_received * r->n_parts);
    if (!wrong && !r->is_inter)
        wrong = first_piece(w, in, out, count, first);
    for (int64_t i = first; i < count && !wrong; i += piece) {
        int n = (int)exb_least(piece, count - i);
        /* The buffer that this process does not have is never touched. */
        const void *from = in ? exb_at(r, in, i) : NULL;
        void *to = out ? exb_at(r, out, i) : NULL;
        wrong = whole ? gather_piece(w, from, to, n) : slice_piece(w, from, to, n);
    }
    free(w->memory);
    return wrong;
}

static int agree_on_count(work *w, int count)
{
    if (w->r.is_inter)
        return MPI_SUCCESS;
    EXB_TRY(make_buffers(w, 0, 0));
    int wrong = first_piece(w, NULL, NULL, count, 0);
    free(w->memory);
    return wrong;
}

static int reduce_pieces(work *w, const void *in, void *out, int count)
{
    if (!exb_is_fused(count))
        return reduce_to_root(w, in, out, count);
    EXB_TRY(agree_on_count(w, count));
    bool gives = w->to_all || exb_contributes(&w->r, w->root);
    return exb_fused_reduce(&w->r, gives ? in : NULL, out, count, w->root, w->to_all);
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    if (count <= 0 || !exb_is_exact_sum(type, op))
        return PMPI_Allreduce(in, out, count, type, op, comm);
    work w = {.to_all = true};
    EXB_TRY(exb_reduction_of(type, comm, &w.r));
    return reduce_pieces(&w, in == MPI_IN_PLACE ? out : in, out, count);
}

/* Over an intercommunicator the processes at MPI_PROC_NULL make the same calls as the others. */
int MPI_Reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm)
{
    if (count <= 0 || !exb_is_exact_sum(type, op))
        return PMPI_Reduce(in, out, count, type, op, root, comm);
    work w = {.root = root};
    EXB_TRY(exb_reduction_of(type, comm, &w.r));
    return reduce_pieces(&w, in == MPI_IN_PLACE ? out : in, receives_result(&w) ? out : NULL,
                         count);
}

/* Elements `from` ... of every block, at most `most` of each: packed, exchanged, summed. */
static int scatter_piece(work *w, const exb_blocks *b, const void *in, void *out, int64_t from,
                         int64_t most)
{
    const exb_reduction *r = &w->r;
    int mine = (int)exb_least(most, (b->end - b->begin) - from);
    mine = mine > 0 ? mine : 0;
    int64_t block = 0;
    int packed = 0;
    for (int i = 0; i < r->n_parts; i++) {
        int n = b->count[i] > from ? (int)exb_least(most, b->count[i] - from) : 0;
        memcpy(exb_at(r, w->sent, packed), exb_at(r, in, block + from), exb_bytes(r, n));
        w->sent_at[i] = packed;
        w->sent_count[i] = n;
        w->received_at[i] = mine * i;
        w->received_count[i] = mine;
        packed += n;
        block += b->count[i];
    }
    int wrong = PMPI_Alltoallv(w->sent, w->sent_count, w->sent_at, r->type, w->received,
                               w->received_count, w->received_at, r->type, r->comm);
    if (!wrong)
        exb_sum_parts(r, mine, w->received, mine, w->ones, out);
    return wrong;
}

/* In place it is safe as well: results are written up to position from + most of the vector, and
 * an element that is still to be sent has an index in its block of at least that, so a position
 * that is not less. */
static int reduce_scatter(work *w, const exb_blocks *b, const void *in, void *out)
{
    const exb_reduction *r = &w->r;
    int64_t most = exb_least(exb_piece_of(r), b->longest);
    int wrong = make_buffers(w, most * r->n_parts, most * r->n_parts);
    for (int64_t from = 0; from < b->longest && !wrong; from += most)
        wrong =
            scatter_piece(w, b, in, exb_at(r, out, exb_least(from, b->end - b->begin)), from, most);
    free(w->memory);
    return wrong;
}

/* Over an intercommunicator nobody knows the other group's blocks: the vector is gathered
 * in pieces, of which each process takes what is its own. */
static int reduce_scatter_between(work *w, const exb_blocks *b, const void *in, void *out)
{
    const exb_reduction *r = &w->r;
    int64_t most = exb_piece_of(r);
    int wrong = make_buffers(w, 0, most * r->n_parts);
    for (int64_t i = 0; i < b->total && !wrong; i += most) {
        int n = (int)exb_least(most, b->total - i);
        int64_t first = i > b->begin ? i : b->begin, last = exb_least(i + n, b->end);
        wrong = PMPI_Allgather(exb_at(r, in, i), n, r->type, w->received, n, r->type, r->comm);
        if (!wrong && first < last)
            exb_sum_parts(r, last - first, exb_at(r, w->received, first - i), n, w->ones,
                          exb_at(r, out, first - b->begin));
    }
    free(w->memory);
    return wrong;
}

int MPI_Reduce_scatter(const void *in, void *out, const int counts[], MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm)
{
    if (!exb_is_exact_sum(type, op))
        return PMPI_Reduce_scatter(in, out, counts, type, op, comm);
    work w = {.to_all = true};
    EXB_TRY(exb_reduction_of(type, comm, &w.r));
    exb_blocks b = exb_blocks_of(&w.r, counts);
    if (b.shortest < 0)
        return PMPI_Reduce_scatter(in, out, counts, type, op, comm);
    const void *from = in == MPI_IN_PLACE ? out : in;
    if (w.r.is_inter)
        return reduce_scatter_between(&w, &b, from, out);
    int64_t said[2];
    exb_say(&w.r, w.r.n_here, counts, said);
    EXB_TRY(PMPI_Allreduce(MPI_IN_PLACE, said, 2, MPI_INT64_T, MPI_MAX, comm));
    EXB_TRY(exb_said_alike(&w.r, said));
    return reduce_scatter(&w, &b, from, out);
}

int MPI_Reduce_scatter_block(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm)
{
    int n_blocks;
    if (count <= 0 || !exb_is_exact_sum(type, op))
        return PMPI_Reduce_scatter_block(in, out, count, type, op, comm);
    EXB_TRY(PMPI_Comm_size(comm, &n_blocks));
    int *counts = malloc((size_t)n_blocks * sizeof *counts);
    if (!counts)
        return exb_mpi_error(comm, MPI_ERR_NO_MEM);
    for (int i = 0; i < n_blocks; i++)
        counts[i] = count;
    int wrong = MPI_Reduce_scatter(in, out, counts, type, op, comm);
    free(counts);
    return wrong;
}
