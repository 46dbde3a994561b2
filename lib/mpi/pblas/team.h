/* The processes that take part in a call: those that own an element of an operand, and for
 * results in the scope of a vector all of its process row or column. ScaLAPACK calls its PBLAS on
 * these alone (LU: on one process column), so that nothing may wait for others. */
#pragma once

#include "mpi/pblas/axis.h"
#include "mpi/pblas/blacs.h"

enum { EXB_MOST_PROCESSES = 1 << 16 };

typedef struct {
    const exb_grid *grid;
    int n, self; /* members; this process's number, or -1 */
    int *rank;   /* of each member in the grid, ascending */
} exb_team;

/* The team of the processes whose `present` is set, one for each rank of the grid. Its table of
 * ranks is the thread's: one team at a time. */
exb_team exb_team_of(const exb_grid *grid, const bool *present);

/* Marks the processes that have a part of an operand of this layout. */
void exb_team_mark(const exb_grid *grid, const exb_layout *l, bool *present);

/* The part of an axis that a member has. */
int exb_team_part(const exb_team *t, const exb_axis *x, int member);

/* data = all members' data, merged pairwise in the order of members into the first of two, on all
 * of them. size <= EXB_MOST_MERGED bytes. */
enum { EXB_MOST_MERGED = 2048, EXB_MOST_DATA = 1536 };
typedef void exb_merge(void *into, const void *from);
void exb_team_merge(const exb_team *t, void *data, int size, exb_merge *merge);
