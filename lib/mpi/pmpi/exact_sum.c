#include "mpi/pmpi/exact_sum.h"

#include "exblas/cblas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Types of a build without Fortran are MPI_DATATYPE_NULL and equal to no argument. */
static bool is_real(MPI_Datatype type)
{
    return type == MPI_FLOAT || type == MPI_DOUBLE || type == MPI_REAL || type == MPI_REAL4 ||
           type == MPI_DOUBLE_PRECISION || type == MPI_REAL8;
}

bool exb_is_exact_sum(MPI_Datatype type, MPI_Op op)
{
    int size;
    return op == MPI_SUM && type != MPI_DATATYPE_NULL && is_real(type) &&
           PMPI_Type_size(type, &size) == MPI_SUCCESS &&
           (size == (int)sizeof(float) || size == (int)sizeof(double));
}

int exb_reduction_of(MPI_Datatype type, MPI_Comm comm, exb_reduction *r)
{
    int size, is_inter;
    *r = (exb_reduction){.comm = comm, .type = type, .to_all = true};
    EXB_TRY(PMPI_Type_size(type, &size));
    EXB_TRY(PMPI_Comm_test_inter(comm, &is_inter));
    EXB_TRY(PMPI_Comm_rank(comm, &r->rank));
    EXB_TRY(PMPI_Comm_size(comm, &r->n_here));
    r->is_float = size == (int)sizeof(float);
    r->is_inter = is_inter;
    r->n_parts = r->n_here;
    return is_inter ? PMPI_Comm_remote_size(comm, &r->n_parts) : MPI_SUCCESS;
}

int64_t exb_piece_of(const exb_reduction *r)
{
    int64_t piece = EXB_PIECE / (r->n_parts > r->n_here ? r->n_parts : r->n_here);
    return piece > 0 ? piece : 1;
}

void exb_sum_parts(const exb_reduction *r, int64_t n, const void *parts, int64_t stride,
                   const void *ones, void *out)
{
    int64_t lda = stride > 1 ? stride : 1;
    if (n == 0)
        return;
    if (r->is_float)
        excblas_sgemv_64(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, n, r->n_parts, 1, parts, lda, ones, 1,
                         0, out, 1);
    else
        excblas_dgemv_64(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, n, r->n_parts, 1, parts, lda, ones, 1,
                         0, out, 1);
}

size_t exb_bytes_of_buffers(const exb_reduction *r, int64_t n_sent, int64_t n_received)
{
    return exb_bytes(r, r->n_parts + n_sent + n_received) + 4 * (size_t)r->n_parts * sizeof(int);
}

exb_buffers exb_buffers_in(const exb_reduction *r, int64_t n_sent, int64_t n_received, void *memory)
{
    exb_buffers b = {.ones = memory};
    b.sent = exb_at(r, b.ones, r->n_parts);
    b.received = exb_at(r, b.sent, n_sent);
    b.sent_count = exb_at(r, b.received, n_received);
    b.sent_at = b.sent_count + r->n_parts;
    b.received_count = b.sent_at + r->n_parts;
    b.received_at = b.received_count + r->n_parts;
    for (int i = 0; i < r->n_parts; i++)
        if (r->is_float)
            ((float *)b.ones)[i] = 1;
        else
            ((double *)b.ones)[i] = 1;
    return b;
}

void exb_receive_equally(const exb_reduction *r, exb_buffers *b, int n)
{
    for (int i = 0; i < r->n_parts; i++) {
        b->received_count[i] = n;
        b->received_at[i] = n * i;
    }
}

int *exb_equal_counts(const exb_reduction *r, int count)
{
    int *counts = malloc((size_t)r->n_here * sizeof *counts);
    for (int i = 0; i < r->n_here && counts; i++)
        counts[i] = count;
    return counts;
}

exb_blocks exb_blocks_of(const exb_reduction *r, const int *count)
{
    exb_blocks b = {.count = count};
    for (int i = 0; i < r->n_here; i++) {
        if (i == r->rank)
            b.begin = b.total;
        b.total += count[i];
        if (i == r->rank)
            b.end = b.total;
        b.longest = count[i] > b.longest ? count[i] : b.longest;
        b.shortest = count[i] < b.shortest ? count[i] : b.shortest;
    }
    return b;
}

void exb_say(const exb_reduction *r, int n, const int *count, int64_t said[2])
{
    uint64_t hash = r->is_float;
    for (int i = 0; i < n; i++)
        hash = hash * 1000003 + (uint32_t)count[i];
    said[0] = (int64_t)(hash & INT64_MAX);
    said[1] = -said[0];
}

int exb_said_alike(const exb_reduction *r, const int64_t said[2])
{
    if (said[0] == -said[1])
        return MPI_SUCCESS;
    return exb_mpi_complain(
        r->comm, MPI_ERR_COUNT,
        "exblas: a sum whose counts or types are not the same on all processes\n");
}

int exb_mpi_error(MPI_Comm comm, int error)
{
    PMPI_Comm_call_errhandler(comm, error);
    return error;
}

int exb_mpi_complain(MPI_Comm comm, int error_class, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    return exb_mpi_error(comm, error_class);
}
