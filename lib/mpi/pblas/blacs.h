/* The process grids of BLACS. Its functions are looked up in the program when they are first
 * needed: it may be that of any ScaLAPACK for the MPI of this build. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

/* Tag of this library's messages on a grid's communicator. BLACS sends on it under one tag of its
 * own, 9976. */
enum { EXB_TAG = 24211 };

typedef struct {
    int context;
    int n_rows, n_cols, row, col; /* -1 outside of the grid; process (i, j) has rank i n_cols + j */
    MPI_Comm comm;
} exb_grid;

/* The grid of a context; its coordinates are -1 if this process or BLACS is not in it. */
exb_grid exb_grid_of(int context);

/* What reports an illegal argument `info` of the routine: to print and return (pxerbla_, the
 * program's own or the library's), or to end the program as ScaLAPACK's PBLAS does. */
typedef void exb_blacs_report(int context, const char *routine, int info);
#pragma GCC visibility push(default)
exb_blacs_report exb_blacs_warn, exb_blacs_abort;
#pragma GCC visibility pop
