/* Elements of an output that enclosures do not certify are computed another way. */
#ifndef EXB_FALLBACK_H
#define EXB_FALLBACK_H

#include "level3/flow.h"
#include "level3/output.h"

/* The elements of some enclosures that are not certified, a bit each. */
typedef struct {
    uint64_t *row_bits; /* [columns][words] */
    int n_words;
    int64_t count;
} exb_uncertified;

/* Computes them: where they are many, small blocks again; what that does not certify, and where
 * they are few, each by itself, now or from the list (NULL: now). The bits of some are cleared. The
 * numbers of `found` are not read. */
void exb_t(fall_back)(exb_t(output) *o, const exb_enclosures *found, const exb_uncertified *u,
                      exb_fallback_list *list);

/* Computes what is in f's list, all of it in f's block, and empties it. */
void exb_t(compute_listed)(const exb_t(output) *o, exb_p(flow) *f);

#endif
