#include "mpi/blocks.h"

#include <stdlib.h>

int exb_mpi_compare(MPI_Comm comm, bool is_legal, int n, const int64_t *value)
{
    int64_t most[1 + 2 * EXB_MOST_COMPARED] = {!is_legal};
    for (int i = 0; i < n; i++) {
        most[1 + 2 * i] = value[i];
        most[2 + 2 * i] = -value[i];
    }
    int wrong = MPI_Allreduce(MPI_IN_PLACE, most, 1 + 2 * n, MPI_INT64_T, MPI_MAX, comm);
    bool same = !most[0];
    for (int i = 0; i < n; i++)
        same = same && most[1 + 2 * i] == -most[2 + 2 * i];
    if (wrong || same)
        return wrong;
    MPI_Comm_call_errhandler(comm, MPI_ERR_ARG);
    return MPI_ERR_ARG;
}

/* Where parts begin: number i of n_axes for each process in `sizes`. */
static void set_axes(exb_blocks *b, int n_axes, const int64_t *sizes)
{
    int n = b->call.grid.n_rows;
    for (int i = 0; i < n_axes; i++) {
        int64_t *begin = b->begin + (int64_t)i * (n + 1);
        begin[0] = 0;
        for (int p = 0; p < n; p++)
            begin[p + 1] = begin[p] + sizes[p * n_axes + i];
        b->axis[i] = exb_axis_of_parts(EXB_OVER_ROWS, n, begin);
    }
}

/* The drivers do not look at MPI's codes: the first error in a thread is kept. */
static _Thread_local int first_error;

static void keep_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    first_error = first_error ? first_error : *code;
}

static int open_grid(exb_grid *g, MPI_Comm comm)
{
    MPI_Errhandler keep;
    first_error = MPI_SUCCESS;
    EXB_TRY(MPI_Comm_dup(comm, &g->comm));
    EXB_TRY(MPI_Comm_create_errhandler(keep_error, &keep));
    EXB_TRY(MPI_Comm_set_errhandler(g->comm, keep));
    return MPI_Errhandler_free(&keep);
}

int exb_blocks_open(exb_blocks *b, const char *routine, MPI_Comm comm, int n_axes,
                    const int64_t *own)
{
    *b = (exb_blocks){.comm = comm, .call = {.routine = routine, .is_laid_out = true}};
    exb_grid *g = &b->call.grid;
    *g = (exb_grid){.n_cols = 1, .comm = MPI_COMM_NULL};
    EXB_TRY(MPI_Comm_size(comm, &g->n_rows));
    EXB_TRY(MPI_Comm_rank(comm, &g->row));
    size_t n = (size_t)n_axes * ((size_t)g->n_rows + 1);
    b->begin = g->n_rows <= EXB_MOST_PROCESSES ? malloc(2 * n * sizeof *b->begin) : NULL;
    EXB_TRY(exb_mpi_agree_and_report(comm, b->begin ? MPI_SUCCESS : MPI_ERR_NO_MEM));
    EXB_TRY(MPI_Allgather(own, n_axes, MPI_INT64_T, b->begin + n, n_axes, MPI_INT64_T, comm));
    set_axes(b, n_axes, b->begin + n);
    return open_grid(g, comm);
}

void exb_blocks_set(exb_blocks *b, exb_operand_name name, const void *data, exb_axis rows,
                    int64_t n_columns, int64_t ld)
{
    exb_operand *v = &b->call.operand[name];
    v->data = (void *)data;
    v->layout = (exb_layout){rows, exb_axis_whole(n_columns)};
    v->ld = ld;
}

int exb_blocks_close(exb_blocks *b, int wrong)
{
    free(b->begin);
    if (b->call.grid.comm != MPI_COMM_NULL)
        MPI_Comm_free(&b->call.grid.comm);
    if (wrong)
        return wrong;
    return exb_mpi_agree_and_report(b->comm, b->call.failed ? MPI_ERR_NO_MEM : first_error);
}
