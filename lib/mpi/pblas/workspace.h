/* Working memory of a call: taken in pieces, all or nothing on all processes of the team. Small
 * calls have theirs in a buffer of the thread and need not agree. */
#pragma once

#include "mpi/pblas/team.h"

#include <stddef.h>

enum { EXB_MOST_PIECES = 32 };

/* Two buffers for messages of so many bytes, two requests for each member. */
typedef struct {
    size_t bytes;
    char *sent, *received;
    MPI_Request *request;
} exb_exchange;

typedef struct {
    void *piece[EXB_MOST_PIECES]; /* that were allocated */
    int n_pieces;
    size_t used; /* of the thread's buffer */
    size_t most; /* bytes that any process may need: the same number on all */
    bool failed;
    exb_exchange exchange;
} exb_workspace;

/* Elements that the factors of a product may take on each process, and a quarter of them what is
 * under way at once; for tests: 0 restores the default. */
int64_t exb_pblas_workspace(void);
__attribute__((visibility("default"))) void exb_pblas_set_workspace(int64_t elements);

/* `bytes` of memory, of which no process takes more than `most`. NULL if there is none. */
void *exb_workspace_take(exb_workspace *w, size_t bytes, size_t most);

/* Whether a member may have had to allocate: the same on all. */
bool exb_workspace_is_large(const exb_workspace *w);

void exb_workspace_free(exb_workspace *w);
