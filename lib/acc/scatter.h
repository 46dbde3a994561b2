/* Scatter-add: a fast pass into cells that certifies nearly all bins, and an exact pass
 * for the others. */
#pragma once

#include "acc/cell.h"
#include "acc/index.h"
#include "core/partition.h"
#include "core/type.h"

#include <stdatomic.h>

enum {
    EXB_SCATTER_BLOCK = 1024 /* indices that are checked and widened at once */
};

/* y of bin(slot) += x_i for all i with index_i = slot. The slots are the bins, or, if
 * those are many more than the terms, the distinct ones among them. */
typedef struct {
    int64_t n;
    const exb_real *x;
    exb_index index;
    int64_t n_slots;
    const int64_t *bin; /* of a slot; NULL: the same */
    exb_real *y;
    int n_ranges;           /* of the terms */
    int n_slot_ranges;      /* of the slots */
    exb_cell *cell;         /* n_ranges times n_slots; in the end range 0's hold the ranks */
    _Atomic uint64_t least; /* of the terms, in the order of scatter_tmpl.c */
    double exact_to;        /* of cell.h */
    bool certify;           /* else every bin with terms goes to the exact pass */
    atomic_bool has_bad_index;
    _Atomic int64_t n_uncertified;
} exb_t(scatter);

EXB_INLINE exb_real *exb_t(scatter_output)(const exb_t(scatter) *s, int64_t slot)
{
    return s->y + (s->bin ? s->bin[slot] : slot);
}

/* The bins whose range 0 cell has a rank in 0 ... n_uncertified - 1, exactly. Needs no memory,
 * but is faster with some. */
void exb_t(scatter_exact)(const exb_t(scatter) *s);
