/* What a block of enclosures leaves open, and how it is closed. */
#ifndef EXB_OUTPUT_OPEN_H
#define EXB_OUTPUT_OPEN_H

#include "level3/output.h"

/* The elements of a block that are still to be computed, a bit each. */
typedef struct {
    uint64_t *row_bits; /* [columns][words] */
    int n_words;
    int64_t count;
} exb_open_set;

/* Computes the elements in s of a block: where they are many, small blocks anew by compensated sums
 * and what those leave open exactly, where they are few, each by itself, now or deferred. */
void exb_t(close_open)(exb_t(output) * o, const exb_block *b, const exb_open_set *s);

#endif
