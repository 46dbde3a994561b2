/* How an engine computes a product: its caller goes through blocks and, in threads, tasks, and is
 * given enclosures, which it finishes while they are in the cache.
 *
 *   exb_p(flow_begin)(&f, p, way)                                 the engine and its memory
 *   while (exb_p(flow_next_block)(&f))                            what the memory holds at once
 *       exb_parallel_for(f.n_threads, f.n_threads, finish, ...);
 *   exb_p(flow_end)(&f);
 *
 *   finish(..., number):
 *       exb_p(task_begin)(&t, &f, number);
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

/* The chains of a tile; packed vectors, which are padded to tasks of packing. */
enum {
    EXB_CHAIN_TILE_ROWS = 96,
    EXB_CHAIN_TILE_COLUMNS = 24,
    EXB_CHAIN_TILE = EXB_CHAIN_TILE_ROWS * EXB_CHAIN_TILE_COLUMNS,
    EXB_CHAIN_PACK_VECTORS = 48 /* at once, a multiple of every strip width */
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
    int64_t l0, k;                       /* the panel */
    int64_t panel;                       /* most terms of a panel */
    int64_t padded_rows, padded_columns; /* of a block: whole strips and vectors */
    exb_chain_side rows, columns;
    double *a, *b;       /* packed panels, strips of panel * width */
    double *sums, *lows; /* the chains of all tiles or, if there is one panel, of each task's */
    int64_t ld;          /* of a tile's chains */
    int64_t tile;        /* numbers of a tile's chains */
    int64_t n_sums;      /* of all that are there */
    bool are_kept;       /* from panel to panel */
} exb_chain_work;

/* How vectors v0 ... v0 + n - 1 of k elements are scaled, n <= EXB_CHAIN_PACK_VECTORS: to entries 0
 * ... n - 1 of s, but for `filled`. A vector that is not finite or out of range has a scale of 0.
 */
void exb_p(chain_scales)(const exb_p(operand) *o, int64_t v0, int64_t n, int64_t k,
                         exb_chain_side s);

/* All chains of the block through a panel that is not the last one. */
void exb_p(chain_advance)(exb_p(flow) *f);

/* The chains of a task's next tile through the last panel. */
bool exb_p(chain_find)(exb_p(task) *t);

/* --- the residue engine: scale, convert, multiply, reconstruct -------------------------------- */

/* Planes of residues start at different sets of the first-level cache, since the same place in all
 * of them is used at once; EXB_RESIDUE_APART is an odd number of lines. */
enum {
    EXB_RESIDUE_APART = 5 * 64,
    EXB_RESIDUE_GROUP = 32,       /* vectors that are scaled and then converted */
    EXB_RESIDUE_FOUND_ROWS = 192, /* of a tile at once */
    EXB_RESIDUE_FOUND_COLUMNS = 4
};

typedef struct {
    const exb_residue_kernels *kernels;
    exb_residue_system system;
    int64_t l0, k;                       /* the panel */
    int64_t panel;                       /* most terms of a panel */
    int64_t padded_rows, padded_columns; /* of a block: strips of zeros behind the operands */
    exb_residue_side rows, columns;
    uint8_t *a, *b;
    int64_t plane_a, plane_b; /* bytes between residues of two moduli */
    int64_t tile, ld, plane;  /* rows and columns of a tile; bytes of a column, of all */
    int8_t *kept;             /* residues of all tiles, NULL if there is one panel */
    int8_t *scratch;          /* else of one tile for each task */
    int64_t residues_bytes;
    int n_levels;    /* of products by halves (exb_residue_multiply) */
    uint8_t *halves; /* for these, so many bytes for each task */
    int64_t halves_bytes;
    int64_t converted;     /* the j0 whose columns are converted already, or -1 */
    int64_t n_new_columns; /* of the block that are not: all or none */
} exb_residue_work;

/* The residues of the rows of the block, and of its columns unless they are converted already, in
 * the panel: before the first panel they are scaled; after the last, the norms of what was lost. */
void exb_p(residue_convert)(exb_p(flow) *f);

/* Products of all tiles of the block through a panel that is not the last one. */
void exb_p(residue_advance)(exb_p(flow) *f);

/* A task takes a tile after the other through the last panel, and finds a few columns at a time. */
bool exb_p(residue_find)(exb_p(task) *t);

/* --- flows and tasks ---------------------------------------------------------------------------
 */

typedef struct exb_p(task)
{
    exb_p(flow) *flow;
    int64_t number;
    exb_block tile;   /* in the product; .n = 0: none yet */
    int64_t n_done;   /* columns of the tile that were found before */
    int8_t *residues; /* of the tile */
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
    /* What the engine does. Prepares a block: all but what its tasks still have to do; offers its
     * tiles. Finds the next enclosures of a task; false: it has no more. */
    void (*prepare)(exb_p(flow) *f);
    bool (*find)(exb_p(task) *t);
    int n_threads;
    exb_block block;       /* .m = 0: none yet */
    int64_t rows, columns; /* of a block at most */
    int64_t n_tiles;       /* of the block */
    _Atomic int64_t next;  /* tile that no task has taken yet */
    void *memory;
    _Atomic(uint64_t *) sets;    /* is_zero_sum's, of the block */
    _Atomic int64_t n_zero_sums; /* known without them */
    union {
        exb_chain_work chain;
        exb_residue_work residue;
    };
};

/* Some rows or columns of a block, which tasks scan, pack or convert. */
typedef struct {
    const exb_p(operand) *operand;
    bool is_row;
    int64_t begin, n, v0; /* in the block and in the operand */
} exb_p(vectors);

/* Group t of so many vectors, rows first. */
EXB_INLINE exb_p(vectors) exb_p(vectors_at)(const exb_p(flow) *f, int64_t t, int64_t size)
{
    int64_t n_row_groups = exb_tasks_of(f->block.m, size);
    exb_p(vectors) g = {.is_row = t < n_row_groups};
    g.begin = (g.is_row ? t : t - n_row_groups) * size;
    g.n = exb_least((g.is_row ? f->block.m : f->block.n) - g.begin, size);
    g.v0 = (g.is_row ? f->block.i0 : f->block.j0) + g.begin;
    g.operand = g.is_row ? &f->p->a : &f->p->b;
    return g;
}

/* In the default floating-point environment. p stays where it is. False if that engine declines:
 * EXB_WAY_RESIDUE or EXB_WAY_CHAIN. */
bool exb_p(flow_begin)(exb_p(flow) *f, const exb_p(product) *p, exb_product_way way);
bool exb_p(flow_next_block)(exb_p(flow) *f);
void exb_p(flow_end)(exb_p(flow) *f);

/* A block's tiles of at most m x n, of which tasks take the next each. */
EXB_INLINE void exb_p(offer_tiles)(exb_p(flow) *f, int64_t m, int64_t n)
{
    f->n_tiles = exb_count_tiles(f->block.m, f->block.n, m, n);
    atomic_store(&f->next, 0);
}

/* Tile t of at most m x n, columns of tiles one after the other or rows; false if nothing of it is
 * wanted. */
EXB_INLINE bool exb_p(tile_at)(const exb_p(flow) *f, int64_t t, bool by_rows, int64_t m, int64_t n,
                               exb_block *q)
{
    int64_t n_i = exb_tasks_of(f->block.m, m), n_j = exb_tasks_of(f->block.n, n);
    int64_t i = (by_rows ? t / n_j : t % n_i) * m, j = (by_rows ? t % n_j : t / n_i) * n;
    *q = (exb_block){f->block.i0 + i, f->block.j0 + j, exb_least(f->block.m - i, m),
                     exb_least(f->block.n - j, n)};
    return exb_p(product_wants)(f->p, q->i0, q->m, q->j0, q->n);
}

/* The next of them that no task has taken and of which something is wanted, -1 if there is none. */
EXB_INLINE int64_t exb_p(next_tile)(exb_p(flow) *f, bool by_rows, int64_t m, int64_t n,
                                    exb_block *q)
{
    int64_t t;
    do
        t = atomic_fetch_add(&f->next, 1);
    while (t < f->n_tiles && !exb_p(tile_at)(f, t, by_rows, m, n, q));
    return t < f->n_tiles ? t : -1;
}

EXB_INLINE void exb_p(task_begin)(exb_p(task) *t, exb_p(flow) *f, int64_t number)
{
    t->flow = f;
    t->number = number;
    t->tile.n = t->n_done = 0;
}

EXB_INLINE bool exb_p(task_next)(exb_p(task) *t, exb_task_space *space)
{
    t->space = space;
    return t->flow->find(t);
}

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
