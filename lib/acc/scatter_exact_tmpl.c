/* scatter_add: the exact pass. The uncertified bins get long accumulators, as many at a
 * time as memory allows, and the terms are read again for each such batch.
 * Types: s d. */
#include "acc/scatter.h"

#include "core/partition.h"
#include "core/thread.h"

#include <stdlib.h>

enum {
    FEW = 16, /* accumulators for which the stack has room */
    MAX_BYTES = 1 << 25,
    AHEAD = 8 /* terms by which words are fetched ahead */
};

/* The bins of rank first ... first + n_ranks - 1. */
typedef struct {
    const exb_t(scatter) *s;
    int n_ranges;     /* of the terms */
    exb_sum_acc *acc; /* n_ranges times n_ranks */
    int64_t first, n_ranks;
} batch;

/* A slot's rank in the batch; if not in it, n_ranks or more. */
EXB_INLINE uint64_t rank_in(const batch *b, int64_t slot)
{
    return (uint64_t)(b->s->cell[slot].rank - b->first);
}

/* The terms of a block that are the batch's, to `chosen`, and the ranks of their bins; how many. */
static int select_terms(const batch *b, int n, const int64_t *slot, const exb_real *x,
                        int32_t *rank, exb_real *chosen)
{
    int n_chosen = 0;
    for (int i = 0; i < n; i++) {
        uint64_t r = rank_in(b, slot[i]);
        rank[n_chosen] = (int32_t)r;
        chosen[n_chosen] = x[i];
        n_chosen += r < (uint64_t)b->n_ranks;
    }
    return n_chosen;
}

/* Accumulators are large: the words of terms to come are fetched ahead. */
static void add_terms(int n, const int32_t *rank, const exb_real *x, exb_sum_acc *acc)
{
    for (int i = 0; i < n; i++) {
        int next = i + AHEAD < n ? i + AHEAD : i;
        exb_sum_acc *a = &acc[rank[next]];
        int offset = exb_split(x[next]).exp2 - (EXB_GRID_EXP2 + EXB_WORD_BITS * EXB_SUM_FIRST);
        __builtin_prefetch(a, 1);
        __builtin_prefetch(&a->word[exb_word_index(offset)], 1);
        exb_superacc_add(&acc[rank[i]].acc, x[i]);
    }
}

static void add_range(void *ctx, int64_t range)
{
    const batch *b = ctx;
    const exb_t(scatter) *s = b->s;
    exb_range r = exb_partition_range(s->n, b->n_ranges, (int)range);
    exb_sum_acc *acc = b->acc + range * b->n_ranks;
    int64_t slot[EXB_SCATTER_BLOCK];
    int32_t rank[EXB_SCATTER_BLOCK];
    exb_real chosen[EXB_SCATTER_BLOCK];
    for (int64_t i = 0; i < b->n_ranks; i++)
        exb_sum_acc_init(&acc[i]);
    for (int64_t i = r.begin; i < r.end; i += EXB_SCATTER_BLOCK) {
        int n = (int)exb_least(r.end - i, EXB_SCATTER_BLOCK);
        exb_index_block(s->index, i, n, s->n_slots, slot);
        add_terms(select_terms(b, n, slot, s->x + i, rank, chosen), rank, chosen, acc);
    }
}

static void round_range(void *ctx, int64_t range)
{
    const batch *b = ctx;
    exb_range r = exb_partition_range(b->s->n_slots, b->s->n_slot_ranges, (int)range);
    for (int64_t slot = r.begin; slot < r.end; slot++) {
        uint64_t rank = rank_in(b, slot);
        if (rank >= (uint64_t)b->n_ranks)
            continue;
        exb_superacc *sum = &b->acc[rank].acc;
        for (int i = 1; i < b->n_ranges; i++)
            exb_superacc_merge(sum, &b->acc[i * b->n_ranks + (int64_t)rank].acc);
        exb_real *y = exb_t(scatter_output)(b->s, slot);
        exb_superacc_add(sum, *y);
        *y = exb_round_superacc(sum);
    }
}

static void add_exactly(batch *b, int64_t n_uncertified)
{
    int64_t n_ranks = b->n_ranks; /* the last batch is smaller */
    for (b->first = 0; b->first < n_uncertified; b->first += n_ranks) {
        if (b->n_ranks > n_uncertified - b->first)
            b->n_ranks = n_uncertified - b->first;
        exb_parallel_for(b->n_ranges, b->n_ranges, add_range, b);
        exb_parallel_for(b->s->n_slot_ranges, b->s->n_slot_ranges, round_range, b);
    }
}

void exb_t(scatter_exact)(const exb_t(scatter) *s)
{
    exb_sum_acc few[FEW];
    int n_ranges = exb_partition_count((double)s->n, s->n);
    size_t bytes = (size_t)n_ranges * sizeof *few; /* of a rank */
    int64_t n_ranks = exb_least(s->n_uncertified, MAX_BYTES / (int64_t)bytes);
    exb_sum_acc *many = malloc((size_t)n_ranks * bytes);
    batch b = {.s = s, .n_ranges = n_ranges, .acc = many, .n_ranks = n_ranks};
    if (!many)
        b = (batch){.s = s, .n_ranges = 1, .acc = few, .n_ranks = FEW};
    add_exactly(&b, s->n_uncertified);
    free(many);
}
