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
#ifndef EXB_FLOW_H
#define EXB_FLOW_H

#include "level3/chain_work.h"
#include "level3/residue_work.h"
#include "level3/small_block.h"
#include "level3/way.h"

/* Elements that are not certified, put aside until a block is done. */
enum { EXB_FALLBACK_LIST_MOST = 8192 };

typedef struct {
    _Alignas(64) _Atomic int64_t count;
    struct {
        int64_t i, j; /* column of the output: an element of its type */
    } element[EXB_FALLBACK_LIST_MOST];
} exb_fallback_list;

/* Where enclosures lie until the next are found. */
typedef union {
    exb_residue_enclosures residue;
    exb_small_space small;
} exb_task_space;

typedef struct exb_p(task)
{
    exb_p(flow) *flow;
    int64_t number;
    exb_block tile;   /* in the product; .n = 0: none yet */
    int64_t n_done;   /* columns of the tile that were found before */
    int8_t *residues; /* of the tile */
    exb_enclosures found;
    exb_rounded rounded;
    double row_bound[EXB_CHAIN_TILE_ROWS], col_bound[EXB_CHAIN_TILE_COLUMNS];
    uint64_t open[EXB_TILE_WORDS];
    exb_task_space *space;
}
exb_p(task);

/* What an engine does. */
typedef struct {
    /* Prepares a block: all but what its tasks still have to do; offers its tiles. */
    void (*prepare)(exb_p(flow) *f);
    /* Finds the next enclosures of a task; false: it has no more. */
    bool (*find)(exb_p(task) *t);
} exb_p(engine);

struct exb_p(flow)
{
    const exb_p(product) *p;
    const exb_p(engine) *engine;
    int n_threads;
    exb_block block;       /* .m = 0: none yet */
    int64_t rows, columns; /* of a block at most */
    int64_t n_tiles;       /* of the block */
    _Atomic int64_t next;  /* tile that no task has taken yet */
    void *memory;
    exb_fallback_list *list; /* for the caller, in that memory; NULL without it */
    union {
        exb_chain_work chain;
        exb_residue_work residue;
    };
};

/* In the default floating-point environment. p stays where it is. False if that engine declines:
 * EXB_WAY_RESIDUE or EXB_WAY_CHAIN. */
bool exb_p(flow_begin)(exb_p(flow) *f, const exb_p(product) *p, exb_product_way way);
bool exb_p(flow_next_block)(exb_p(flow) *f);
void exb_p(flow_end)(exb_p(flow) *f);

/* A block's tiles, of which tasks take the next each, -1 if there is none. */
EXB_INLINE void exb_p(offer_tiles)(exb_p(flow) *f, int64_t n)
{
    f->n_tiles = n;
    atomic_store(&f->next, 0);
}

EXB_INLINE int64_t exb_p(take_tile)(exb_p(flow) *f)
{
    int64_t t = atomic_fetch_add(&f->next, 1);
    return t < f->n_tiles ? t : -1;
}

EXB_INLINE void exb_p(task_begin)(exb_p(task) *t, exb_p(flow) *f, int64_t number)
{
    t->flow = f;
    t->number = number;
    t->tile.n = t->n_done = 0;
    t->rounded.open = NULL;
}

EXB_INLINE bool exb_p(task_next)(exb_p(task) *t, exb_task_space *space)
{
    t->space = space;
    return t->flow->engine->find(t);
}

/* --- the engines: each begins the flow of f->p, whose other fields are not set yet but for 0 in
 * `memory` and `list`, or returns false ------------------------------------------------------- */

/* f for a product, without an engine. */
void exb_p(flow_init)(exb_p(flow) *f, const exb_p(product) *p);

/* What an engine may use beside the list, with f->n_threads threads, in bytes; and a list with so
 * many bytes behind it, which are returned: NULL if that is more or there is no memory. */
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

#endif
