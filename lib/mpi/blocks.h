/* Calls of the PBLAS's drivers on matrices in blocks of rows of any size, in the order of ranks: a
 * grid of one column, on a communicator of the call's own. */
#pragma once

#include "exblas/cblas.h"
#include "mpi/try.h"
#include "mpi/pblas/pblas_call.h"

enum { EXB_MOST_AXES = 3, EXB_MOST_COMPARED = 4 };

typedef struct {
    exb_pblas_call call;
    exb_axis axis[EXB_MOST_AXES]; /* over processes */
    MPI_Comm comm;                /* the caller's */
    int64_t *begin;
} exb_blocks;

/* MPI_ERR_ARG, reported, on all processes if a call is not legal on one of them, or a value is not
 * the same on all. */
int exb_mpi_compare(MPI_Comm comm, bool is_legal, int n, const int64_t *value);

/* A call over axes of which this process has own[i] elements each. Collective; an MPI error code.
 */
int exb_blocks_open(exb_blocks *b, const char *routine, MPI_Comm comm, int n_axes,
                    const int64_t *own);

void exb_blocks_set(exb_blocks *b, exb_operand_name name, const void *data, exb_axis rows,
                    int64_t n_columns, int64_t ld);

/* Ends what began with exb_blocks_open, also if that failed with `wrong`. One outcome on all. */
int exb_blocks_close(exb_blocks *b, int wrong);
