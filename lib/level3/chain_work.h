/* The state of the engine of FMA chains, and the steps that a block of the product goes through:
 * scan, pack, multiply. */
#ifndef EXB_CHAIN_WORK_H
#define EXB_CHAIN_WORK_H

#include "level3/chain.h"
#include "level3/deferred.h"

/* The chains that a task computes; packed vectors, which are padded to tasks of packing. */
enum {
    EXB_CHAIN_PART_ROWS = 96,
    EXB_CHAIN_PART_COLUMNS = 24,
    EXB_CHAIN_PART = EXB_CHAIN_PART_ROWS * EXB_CHAIN_PART_COLUMNS,
    EXB_CHAIN_PACK_VECTORS = 96 /* a multiple of every strip width */
};

/* What is known of the packed vectors of one operand, arrays of n_padded. */
typedef struct {
    double *factor, *scale, *lost;
} exb_chain_side;

enum { EXB_CHAIN_SIDE_ARRAYS = 3 };

typedef struct {
    const exb_t(product) * p;
    exb_chain_kernel chain;
    double anchor, bound;
    int64_t i0, j0, m, n; /* the block */
    int64_t l0, k;        /* the panel */
    int64_t panel;        /* most terms of a panel */
    exb_chain_side rows, columns;
    double *a, *b;          /* packed panels, strips of panel * width */
    double *sums, *lows;    /* the kept chains, NULL if there is one panel */
    exb_deferred *deferred; /* NULL in small products */
    int n_threads;
} exb_chain_work;

/* Norms of the rows and columns of the block, and how they are scaled. */
void exb_t(chain_scan)(exb_chain_work *w);

/* Packs their elements in the panel. */
void exb_t(chain_pack)(exb_chain_work *w);

/* All chains of the block through the panel; after the last panel they are handed over. */
void exb_t(chain_multiply)(exb_chain_work *w);

#endif
