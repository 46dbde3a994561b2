/* How a product is computed: its caller goes through blocks and, in threads, tasks, and is given
 * enclosures, which it finishes while they are in the cache.
 *
 *   exb_p(flow_begin)(&f, p);                                     the engine and its memory
 *   while (exb_p(flow_next_block)(&f))                            what the memory holds at once
 *       exb_parallel_for(f.n_threads, f.n_tasks, finish, ...);
 *   exb_p(flow_end)(&f);
 *
 *   finish(..., number):
 *       exb_p(task_begin)(&t, &f, number);
 *       while (exb_p(task_next)(&t))
 *           ... t.found ...
 *
 * A tile is what a thread computes at once; t.found is a tile or a few columns of one. In all,
 * every element that is wanted is found once. */
#ifndef EXB_FLOW_H
#define EXB_FLOW_H

#include "level3/chain_work.h"
#include "level3/fallback_list.h"
#include "level3/residue_work.h"
#include "level3/small_block.h"

/* Working memory on the stack, 16 KiB: sizes up to about 24. Below it lie a task (38 KiB) and the
 * sums of a small block that is computed anew (24 KiB); some systems give threads 128 KiB. */
enum { EXB_STACK_DOUBLES = 2048 };

typedef struct exb_p(task)
{
    exb_p(flow) *flow;
    int64_t number;
    exb_block tile;   /* in the product; .n = 0: none yet */
    int64_t n_done;   /* columns of the tile that were found before */
    int8_t *residues; /* of the tile */
    exb_enclosures found;
    double row_bound[EXB_CHAIN_TILE_ROWS], col_bound[EXB_CHAIN_TILE_COLUMNS];
    uint64_t left[EXB_TILE_WORDS];
    exb_packed packed;
    union {
        exb_chain_sums chain;
        exb_residue_enclosures residue;
        exb_small_space small;
    } space;
}
exb_p(task);

/* What an engine does. */
typedef struct {
    /* Prepares a block: all but what its tasks still have to do; sets n_tasks. */
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
    int64_t n_tasks;       /* of the block */
    void *memory;
    exb_fallback_list *list; /* for the caller, in that memory; NULL without it */
    union {
        exb_chain_work chain;
        exb_residue_work residue;
    };
    _Alignas(64) double stack[EXB_STACK_DOUBLES];
};

/* In the default floating-point environment. p stays where it is. */
void exb_p(flow_begin)(exb_p(flow) *f, const exb_p(product) *p);
bool exb_p(flow_next_block)(exb_p(flow) *f);
void exb_p(flow_end)(exb_p(flow) *f);

EXB_INLINE void exb_p(task_begin)(exb_p(task) *t, exb_p(flow) *f, int64_t number)
{
    t->flow = f;
    t->number = number;
    t->tile.n = t->n_done = 0;
}

EXB_INLINE bool exb_p(task_next)(exb_p(task) *t)
{
    return t->flow->engine->find(t);
}

#endif
