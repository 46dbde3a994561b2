/* Elements that are not certified, put aside until a block is done. One element by itself costs
 * mostly the reading of its row of A, a cache line for every term if rows lie across the columns
 * of a matrix; a block's rows are copied at a fraction of that. */
#ifndef EXB_FALLBACK_LIST_H
#define EXB_FALLBACK_LIST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { EXB_FALLBACK_LIST_MOST = 8192 };

typedef struct {
    _Alignas(64) _Atomic int64_t count;
    struct {
        int64_t i, j; /* column of the output: an element of its type */
    } element[EXB_FALLBACK_LIST_MOST];
} exb_fallback_list;

/* Puts an element aside; false if there is no room. From any thread. */
static inline bool exb_list_element(exb_fallback_list *list, int64_t i, int64_t j)
{
    int64_t at = atomic_fetch_add_explicit(&list->count, 1, memory_order_relaxed);
    if (at >= EXB_FALLBACK_LIST_MOST)
        return false;
    list->element[at].i = i;
    list->element[at].j = j;
    return true;
}

#endif
