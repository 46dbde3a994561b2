/* How an engine computes a product: its caller goes through blocks and, in threads, tasks, and is
 * given enclosures, which it finishes while they are in the cache.
 *
 *   exb_p(flow_run)(p, way, finish, owner)
 *
 *   finish(flow, number):
 *       exb_p(task_begin)(&t, flow, number);
 *       while (exb_p(task_next)(&t, &space))
 *           ... t.found ...
 *
 * A tile is what a task computes at once, the next one that no other has taken; t.found is a tile
 * or a few columns of one. In all, every element that is wanted is found once. */
#pragma once

#include "level3/chain.h"
#include "level3/kernels/chain_kernel.h"
#include "level3/residue.h"
#include "level3/way.h"

typedef struct exb_p(flow) exb_p(flow);
typedef struct exb_p(task) exb_p(task);

/* Tiles of m x n in so many rows and columns. */
static inline int64_t exb_count_tiles(int64_t rows, int64_t columns, int64_t m, int64_t n)
{
    return exb_tasks_of(rows, m) * exb_tasks_of(columns, n);
}

/* --- what engines find ----------------------------------------------------------------------- */

/* Most rows and columns of small blocks, whole strips of any width; most elements at once. */
enum { EXB_SUB_ROWS = 32, EXB_SUB_COLUMNS = 24, EXB_FOUND = 32 * 24 };

/* Vectors that are packed at once: a multiple of every strip's width. */
enum { EXB_PACK_VECTORS = 48 };

/* Where enclosures lie until the next are found, and scales of a small block. */
typedef struct {
    _Alignas(64) double h[EXB_FOUND], l[EXB_FOUND], e[EXB_FOUND];
    double row_scale[EXB_SUB_ROWS], col_scale[EXB_SUB_COLUMNS];
} exb_task_space;

/* --- small blocks against two anchors -------------------------------------------------------- */

/* Block b (chain.h). Bit i of open[j]: element (i, j) is wanted; strips without one are left out.
 * Nothing is known of more than EXB_CHAIN_TWICE_MOST terms, for a method without a filter, or
 * without memory. */
exb_enclosures exb_p(enclose_twice)(const exb_p(product) *p, exb_block b, const uint32_t *open,
                                    exb_task_space *space);

/* --- the engine of FMA chains: scan, pack, multiply ------------------------------------------- */

/* The chains of a tile. */
enum {
    EXB_CHAIN_TILE_ROWS = 96,
    EXB_CHAIN_TILE_COLUMNS = 24,
    EXB_CHAIN_TILE = EXB_CHAIN_TILE_ROWS * EXB_CHAIN_TILE_COLUMNS
};

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
    int64_t padded_rows, padded_columns; /* of a block: whole strips and vectors */
    exb_chain_side rows, columns;
    double *a, *b;       /* packed panels, strips of panel * width */
    double *sums, *lows; /* the chains of all tiles or, if there is one panel, of each task's */
    int64_t ld;          /* of a tile's chains */
    int64_t tile;        /* numbers of a tile's chains */
    int64_t n_sums;      /* of all that are there */
} exb_chain_work;

/* How vectors v0 ... v0 + n - 1 of k elements are scaled, n <= EXB_PACK_VECTORS: to entries 0
 * ... n - 1 of s, but for `filled`. A vector that is not finite or out of range has a scale of 0.
 */
void exb_p(chain_scales)(const exb_p(operand) *o, int64_t v0, int64_t n, int64_t k,
                         exb_chain_side s);

/* The chains of a task's tile, and what is found of it. */
void exb_p(chain_multiply)(exb_p(task) *t);
void exb_p(chain_find)(exb_p(task) *t);

/* --- the residue engine: scale, convert, multiply, reconstruct -------------------------------- */

/* Planes of residues start at different sets of the first-level cache, since the same place in all
 * of them is used at once; EXB_RESIDUE_APART is an odd number of lines. */
enum {
    EXB_RESIDUE_APART = 5 * 64,
    EXB_RESIDUE_FOUND_ROWS = 192, /* of a tile at once */
    EXB_RESIDUE_FOUND_COLUMNS = 4
};

typedef struct {
    const exb_residue_kernels *kernels;
    exb_residue_system system;
    int64_t padded_rows, padded_columns; /* of a block: strips of zeros behind the operands */
    exb_residue_side rows, columns;
    uint8_t *a, *b;
    int64_t plane_a, plane_b; /* bytes between residues of two moduli */
    int64_t ld, plane;        /* bytes of a column of a tile, and of all of them */
    int8_t *residues;         /* of all tiles, or of one for each task */
    int64_t residues_bytes;
    int n_levels;    /* of products by halves (exb_residue_multiply) */
    uint8_t *halves; /* for these, so many bytes for each task */
    int64_t halves_bytes;
} exb_residue_work;

/* --- flows and tasks ------------------------------------------------------------------------- */

/* Some rows or columns of a block, at most EXB_PACK_VECTORS. */
typedef struct {
    const exb_p(operand) *operand;
    bool is_row;
    int64_t begin, n, v0; /* in the block and in the operand */
} exb_p(vectors);

typedef struct exb_p(task)
{
    exb_p(flow) *flow;
    int64_t number;
    exb_block tile;           /* in the product */
    int64_t at;               /* which one of the block */
    int64_t n_found, n_parts; /* in how many parts its enclosures are found */
    exb_enclosures found;
    double row_bound[EXB_CHAIN_TILE_ROWS], col_bound[EXB_CHAIN_TILE_COLUMNS];
    uint64_t open[EXB_TILE_WORDS];
    exb_task_space *space;
}
exb_p(task);

struct exb_p(flow)
{
    const exb_p(product) *p;
    void *owner; /* for the caller: what becomes of what is found */
    /* What the engine does; NULL: nothing. Packs some vectors' terms of the panel. Multiplies a
     * task's tile through the panel, and may set n_parts. After the last panel, finds part n_found
     * of its enclosures. */
    void (*pack)(const exb_p(flow) *f, const exb_p(vectors) *g);
    void (*multiply)(exb_p(task) *t);
    void (*find)(exb_p(task) *t);
    int n_threads;
    exb_block block;                 /* .m = 0: none yet */
    int64_t rows, columns, panel;    /* of a block at most; terms of a panel */
    int64_t tile_rows, tile_columns; /* of a tile at most */
    int64_t l0, k;                   /* the panel's terms */
    int64_t packed;                  /* the j0 of columns of which all terms are packed, or -1 */
    int64_t n_tiles;                 /* of the block */
    _Atomic int64_t next;            /* tile that no task has taken yet */
    void *memory;
    _Atomic(uint64_t *) sets; /* is_zero_sum's, of the block */
    atomic_bool wants_sets;   /* somebody has begun to make them */
    union {
        exb_chain_work chain;
        exb_residue_work residue;
    };
};

/* In the default floating-point environment. False if that engine declines: EXB_WAY_RESIDUE or
 * EXB_WAY_CHAIN. After it has begun block by block, of what the memory holds at once. */
bool exb_p(flow_run)(const exb_p(product) *p, exb_product_way way,
                     void (*finish)(void *flow, int64_t number), void *owner);
bool exb_p(flow_next_block)(exb_p(flow) *f);
void exb_p(flow_end)(exb_p(flow) *f);

/* In several panels what is known of tiles is kept from one to the next; else a task has one place.
 * How many places there are, and which is a task's. */
EXB_INLINE int64_t exb_p(count_places)(const exb_p(flow) *f)
{
    return f->panel < f->p->k ? exb_count_tiles(f->rows, f->columns, f->tile_rows, f->tile_columns)
                              : f->n_threads;
}

EXB_INLINE int64_t exb_p(place_of)(const exb_p(task) *t)
{
    return t->flow->panel < t->flow->p->k ? t->at : t->number;
}

EXB_INLINE bool exb_p(is_last_panel)(const exb_p(flow) *f)
{
    return f->l0 + f->k == f->p->k;
}

EXB_INLINE void exb_p(task_begin)(exb_p(task) *t, exb_p(flow) *f, int64_t number)
{
    t->flow = f;
    t->number = number;
    t->n_found = t->n_parts = 0;
}

/* The next enclosures of a task; false: it has no more. */
bool exb_p(task_next)(exb_p(task) *t, exb_task_space *space);

/* Residues of vectors in the panel: before the first panel they are scaled; after the last, the
 * norms of what was lost. */
void exb_p(residue_pack)(const exb_p(flow) *f, const exb_p(vectors) *g);

/* Whether no product of sum (i, j), which is finite, of the block is other than 0: false if that is
 * not known. */
bool exb_p(is_zero_sum)(exb_p(flow) *f, int64_t i, int64_t j);

/* --- the engines: each begins the flow of f->p, whose other fields are not set yet but for 0 in
 * `memory`, or returns false ------------------------------------------------------------------ */

/* f for a product, without an engine. */
void exb_p(flow_init)(exb_p(flow) *f, const exb_p(product) *p);

/* What an engine may use with f->n_threads threads, in bytes; and so many bytes: NULL if that is
 * more or there is no memory. */
size_t exb_p(flow_limit)(const exb_p(flow) *f);
void *exb_p(flow_memory)(exb_p(flow) *f, size_t bytes);

/* By chains of FMAs; false if the processor has no FMA, k is too large or 0, or there is no
 * memory. */
bool exb_p(chain_begin)(exb_p(flow) *f);

/* From residues modulo n_moduli numbers (residue.h); false if k is 0 or too large or
 * there is not enough memory. */
bool exb_p(residue_begin)(exb_p(flow) *f, const exb_residue_kernels *kernels, int n_moduli);

/* The number of moduli with which that is expected to certify all but a few elements; 0 if another
 * engine is expected to be faster, unless `forced`. */
int exb_p(residue_choose)(const exb_p(product) *p, const exb_residue_kernels *kernels, bool forced);

/* Residues modulo n numbers are expected to be faster than chains. */
bool exb_p(residues_pay)(const exb_p(product) *p, const exb_residue_kernels *kernels, int n);

/* Against two anchors, for any product; without a filter nothing is found out. */
void exb_p(general_begin)(exb_p(flow) *f);
