/* What the interposer's reductions share: which calls they take over, and the exact sum of
 * contributions that lie side by side.
 *
 * A reduction moves the contributions themselves, not accumulators: every element goes to the
 * process that will round it, by an all-to-all, and the results go where they belong. That
 * is as much traffic as the best inexact algorithms have (twice the vector for an
 * allreduce), and each sum is one element of a correctly rounded gemv with ones. */
#pragma once

#include "mpi/try.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

/* Elements of a piece: what a blocking call keeps in memory, twice. */
enum { EXB_PIECE = 1 << 17 };

/* MPI_SUM of float or double, by whatever name. */
bool exb_is_exact_sum(MPI_Datatype type, MPI_Op op);

/* A communicator as a reduction sees it. */
typedef struct {
    MPI_Comm comm;
    MPI_Datatype type;
    bool is_float, is_inter;
    int rank;    /* this process */
    int n_here;  /* processes of its group */
    int n_parts; /* that contribute: the other group, if there is one, else this */
    bool to_all; /* sums go to all processes, else to the root */
    int root;
} exb_reduction;

/* Elements of a contribution that are moved at once: the same number on every process. */
int64_t exb_piece_of(const exb_reduction *r);

/* One to all processes. */
int exb_reduction_of(MPI_Datatype type, MPI_Comm comm, exb_reduction *r);

/* Whether this process contributes: on the side of the root of an intercommunicator none does, and
 * what was passed means nothing. */
static inline bool exb_contributes(const exb_reduction *r)
{
    return r->to_all || !r->is_inter || (r->root != MPI_ROOT && r->root != MPI_PROC_NULL);
}

/* Whether it gets sums. */
static inline bool exb_receives(const exb_reduction *r)
{
    return r->to_all || (r->is_inter ? r->root == MPI_ROOT : r->root == r->rank);
}

/* out = the exact sums of `in` over all processes, of count > 0 elements, or of those of this
 * process's block. */
int exb_reduce(const exb_reduction *r, const void *in, void *out, int64_t count);
int exb_reduce_scatter(const exb_reduction *r, const void *in, void *out, const int *counts);
int exb_ireduce(const exb_reduction *r, const void *in, void *out, int count, MPI_Request *request);
int exb_ireduce_scatter(const exb_reduction *r, const void *in, void *out, const int *counts,
                        MPI_Request *request);

/* The same count for each process of the group, the caller's to free; NULL without memory. */
int *exb_equal_counts(const exb_reduction *r, int count);

/* Bytes of n elements; element i of a buffer. */
static inline size_t exb_bytes(const exb_reduction *r, int64_t n)
{
    return (size_t)n * (r->is_float ? sizeof(float) : sizeof(double));
}

static inline void *exb_at(const exb_reduction *r, const void *buffer, int64_t i)
{
    return (char *)buffer + exb_bytes(r, i);
}

/* Part k of the n_parts contributions begins at element k * stride of `parts`; out[i] = RN(sum over
 * k of element i of part k) for n elements. `ones` holds n_parts ones. */
void exb_sum_parts(const exb_reduction *r, int64_t n, const void *parts, int64_t stride,
                   const void *ones, void *out);

/* Buffers of a reduction; the arrays of int have n_parts elements, and so has `ones`. */
typedef struct {
    void *ones, *sent, *received;
    int *sent_count, *sent_at, *received_count, *received_at;
} exb_buffers;

/* Bytes of these for n_sent and n_received elements; the buffers in so many, with ones, and as much
 * to receive from each process. */
size_t exb_bytes_of_buffers(const exb_reduction *r, int64_t n_sent, int64_t n_received);
exb_buffers exb_buffers_in(const exb_reduction *r, int64_t n_sent, int64_t n_received,
                           void *memory);
void exb_receive_equally(const exb_reduction *r, exb_buffers *b, int n);

/* Blocks of a vector, block i for process i of this group. */
typedef struct {
    const int *count;
    int64_t begin, end; /* this process's block */
    int64_t total;
    int shortest, longest;
} exb_blocks;

exb_blocks exb_blocks_of(const exb_reduction *r, const int *count);

/* What all processes have to say alike of n counts and the type. If they do, merging it by MPI_MAX
 * leaves two numbers that add up to 0. */
void exb_say(const exb_reduction *r, int n, const int *count, int64_t said[2]);
/* MPI_ERR_COUNT, reported, if it was not said alike. */
int exb_said_alike(const exb_reduction *r, const int64_t said[2]);

/* Calls the communicator's error handler; returns the error. */
int exb_mpi_error(MPI_Comm comm, int error);

/* The same after a line on stderr: not every MPI keeps the words of an error. */
int exb_mpi_complain(MPI_Comm comm, int error_class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
