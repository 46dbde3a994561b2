/* The state of the engine of FMA chains, and the steps that a block of the product goes through:
 * scan, pack, multiply. */
#ifndef EXB_CHAIN_WORK_H
#define EXB_CHAIN_WORK_H

#include "level3/chain.h"
#include "level3/kernels/chain_kernel.h"
#include "level3/product.h"

/* The chains of a tile; packed vectors, which are padded to tasks of packing. */
enum {
    EXB_CHAIN_TILE_ROWS = 96,
    EXB_CHAIN_TILE_COLUMNS = 24,
    EXB_CHAIN_TILE = EXB_CHAIN_TILE_ROWS * EXB_CHAIN_TILE_COLUMNS,
    EXB_CHAIN_PACK_VECTORS = 48, /* a multiple of every strip width */
    EXB_CHAIN_SCAN = 64
};

/* Tiles of a block. */
static inline int64_t exb_chain_tiles(int64_t rows, int64_t columns)
{
    return exb_tasks_of(rows, EXB_CHAIN_TILE_ROWS) * exb_tasks_of(columns, EXB_CHAIN_TILE_COLUMNS);
}

/* Working memory of a small product, in its flow: complex ones of up to 10. */
enum { EXB_CHAIN_STACK = 1536 };

/* What is known of the packed vectors of one operand, arrays of n_padded. `lost` is 0 for vectors
 * on the grid (chain.h) and EXB_CHAIN_ZEROS for those of zeros alone. Whatever is not 0 in the
 * panel of strip s lies in terms filled[2 s] ... filled[2 s + 1] - 1; integers, in the memory of
 * the others. */
typedef struct {
    double *factor, *scale, *lost, *filled;
} exb_chain_side;

/* No element of a vector is that far from the grid, and packing only raises `lost`. */
#define EXB_CHAIN_ZEROS DBL_MAX

enum { EXB_CHAIN_SIDE_ARRAYS = 4 };

typedef struct {
    exb_chain_kernel chain;
    double anchor, bound;
    int64_t l0, k; /* the panel */
    int64_t panel; /* most terms of a panel */
    exb_chain_side rows, columns;
    double *a, *b;       /* packed panels, strips of panel * width */
    double *sums, *lows; /* the chains of all tiles or, if there is one panel, of each task's */
    int64_t ld;          /* of a tile's chains */
    int64_t tile;        /* numbers of a tile's chains */
    bool are_kept;       /* from panel to panel */
    bool are_usual;      /* all scales of the block are (certify.h) */
    _Alignas(64) double stack[EXB_CHAIN_STACK];
} exb_chain_work;

typedef struct exb_p(flow) exb_p(flow);
typedef struct exb_p(task) exb_p(task);

/* How vectors v0 ... v0 + n - 1 of k elements are scaled, n <= EXB_CHAIN_SCAN: to entries 0 ... n -
 * 1 of s, but for `filled`. A vector that is not finite or out of range has a scale of 0. */
void exb_p(chain_scales)(const exb_p(operand) *o, int64_t v0, int64_t n, int64_t k,
                         exb_chain_side s);

/* Norms of the rows and columns of the block, and how they are scaled, unless there is one panel.
 */
void exb_p(chain_scan)(exb_p(flow) *f);

/* Packs their elements in the panel; if that is all, after their norms. */
void exb_p(chain_pack)(exb_p(flow) *f);

/* What tiles ask of all scales of the block, which are known when it has been packed. */
void exb_p(chain_look)(exb_p(flow) *f);

/* All chains of the block through a panel that is not the last one. */
void exb_p(chain_advance)(exb_p(flow) *f);

/* The chains of a task's next tile through the last panel. */
bool exb_p(chain_find)(exb_p(task) *t);

#endif
