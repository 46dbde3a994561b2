#include "mpi/pblas/workspace.h"

#include <stdlib.h>

enum { SMALL = 1 << 18, ALIGNMENT = 64, DEFAULT_ELEMENTS = 1 << 22 };
static int64_t elements = DEFAULT_ELEMENTS;

int64_t exb_pblas_workspace(void)
{
    return elements;
}

void exb_pblas_set_workspace(int64_t n)
{
    elements = n > 0 ? n : DEFAULT_ELEMENTS;
}

void *exb_workspace_take(exb_workspace *w, size_t bytes, size_t most)
{
    static _Thread_local _Alignas(ALIGNMENT) unsigned char small[SMALL];
    size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    w->most += (most + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (rounded <= SMALL - w->used) {
        void *p = small + w->used;
        w->used += rounded;
        return p;
    }
    void *p = w->n_pieces < EXB_MOST_PIECES ? aligned_alloc(ALIGNMENT, rounded) : NULL;
    if (p)
        w->piece[w->n_pieces++] = p;
    else
        w->failed = true;
    return p;
}

bool exb_workspace_is_large(const exb_workspace *w)
{
    return w->most > SMALL;
}

void exb_workspace_free(exb_workspace *w)
{
    for (int i = 0; i < w->n_pieces; i++)
        free(w->piece[i]);
    *w = (exb_workspace){0};
}
