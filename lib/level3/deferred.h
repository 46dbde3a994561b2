/* Elements that an engine left open, put aside until a block is done. One element by itself costs
 * mostly the reading of its row of A, a cache line for every term if rows lie across the columns
 * of a matrix; a block's rows are copied at a fraction of that. */
#ifndef EXB_DEFERRED_H
#define EXB_DEFERRED_H

#include "level3/product.h"

#include <stdatomic.h>

enum { EXB_DEFERRED_MOST = 8192 };

typedef struct exb_deferred {
    _Alignas(64) _Atomic int64_t count;
    struct {
        int64_t i, j; /* column of the output: an element of its type */
    } element[EXB_DEFERRED_MOST];
} exb_deferred;

/* Puts an element aside; false if there is no room. From any thread. */
static inline bool exb_defer(exb_deferred *d, int64_t i, int64_t j)
{
    int64_t at = atomic_fetch_add_explicit(&d->count, 1, memory_order_relaxed);
    if (at >= EXB_DEFERRED_MOST)
        return false;
    d->element[at].i = i;
    d->element[at].j = j;
    return true;
}

/* Computes what was put aside, all of it in rows i0 ... i0 + m - 1, and empties the list. */
void exb_p(deferred_close)(exb_deferred *d, const exb_p(product) * p, int64_t i0, int64_t m,
                           int n_threads);

#endif
