/* scatter_add: the fast pass. Each thread adds its share of the terms to cells of its own
 * (cell.h); the cells of a bin and y are joined as enclosures and certified. Cost per
 * term: 8 additions and 3 loads and stores of a cell.
 * Types: s d. */
#include "acc/scatter.h"

#include "acc/distinct.h"
#include "core/fpenv.h"
#include "core/method.h"
#include "core/partition.h"
#include "core/thread.h"
#include "indexed.h"

#include <stdlib.h>

enum {
    AHEAD = 16,      /* terms by which cells are fetched ahead ... */
    CACHED = 1 << 15 /* ... if there are more than this many, which stay in a cache */
};

/* Order of the magnitudes of doubles, 0 as the largest; and back. */
EXB_INLINE uint64_t order_of(double x)
{
    return (exb_bits(x) << 1) - 1;
}

EXB_INLINE double magnitude_of(uint64_t order)
{
    return exb_from_bits((order + 1) >> 1);
}

/* n terms, whose slots are in slot[0 .. n + AHEAD). Returns the least order of `least` and
 * theirs: integer operations, for which the additions leave time. */
EXB_INLINE uint64_t add_block(exb_cell *cell, int n, const int64_t *slot, const exb_real *x,
                              bool fetch, uint64_t least)
{
    for (int i = 0; i < n; i++) {
        uint64_t order = order_of(x[i]);
        if (fetch)
            __builtin_prefetch(cell + slot[i + AHEAD], 1);
        exb_cell_add(cell + slot[i], x[i]);
        least = order < least ? order : least;
    }
    return least;
}

/* The least of all ranges'. */
static void note_least(exb_t(scatter) *s, uint64_t least)
{
    uint64_t old = s->least;
    while (least < old && !atomic_compare_exchange_weak(&s->least, &old, least))
        ;
}

static void add_range(void *ctx, int64_t range)
{
    exb_t(scatter) *s = ctx;
    exb_range r = exb_partition_range(s->n, s->n_ranges, (int)range);
    exb_cell *cell = s->cell + range * s->n_slots;
    int64_t slot[EXB_SCATTER_BLOCK + AHEAD];
    uint64_t least = UINT64_MAX;
    for (int64_t i = 0; i < s->n_slots; i++)
        cell[i] = exb_cell_empty();
    for (int64_t i = r.begin; i < r.end; i += EXB_SCATTER_BLOCK) {
        int n = (int)exb_least(r.end - i, EXB_SCATTER_BLOCK);
        if (!exb_index_block(s->index, i, n, s->n_slots, slot)) {
            atomic_store(&s->has_bad_index, true);
            return;
        }
        for (int k = 0; k < AHEAD; k++)
            slot[n + k] = slot[n - 1];
        least = s->n_slots > CACHED ? add_block(cell, n, slot, s->x + i, true, least)
                                    : add_block(cell, n, slot, s->x + i, false, least);
    }
    note_least(s, least);
}

EXB_INLINE exb_cell *cell_of(const exb_t(scatter) *s, int range, int64_t slot)
{
    return s->cell + range * s->n_slots + slot;
}

static bool has_terms(const exb_t(scatter) *s, int64_t slot)
{
    for (int range = 0; range < s->n_ranges; range++)
        if (!exb_cell_is_empty(cell_of(s, range, slot)))
            return true;
    return false;
}

static exb_enclosure join(const exb_t(scatter) *s, int64_t slot)
{
    exb_enclosure v = exb_enclosure_exact(*exb_t(scatter_output)(s, slot));
    for (int range = 0; range < s->n_ranges; range++) {
        const exb_cell *cell = cell_of(s, range, slot);
        if (!exb_cell_is_empty(cell))
            v = exb_enclosure_add(v, exb_cell_enclosure(cell, s->exact_to));
    }
    return v;
}

/* Writes the output of a slot if it can be decided. */
static bool round_bin(const exb_t(scatter) *s, int64_t slot)
{
    exb_real result;
    if (!s->certify || !exb_round_enclosure(join(s, slot), &result))
        return false;
    *exb_t(scatter_output)(s, slot) = result;
    return true;
}

static void round_range(void *ctx, int64_t range)
{
    exb_t(scatter) *s = ctx;
    exb_range r = exb_partition_range(s->n_slots, s->n_slot_ranges, (int)range);
    int64_t n_uncertified = 0;
    for (int64_t slot = r.begin; slot < r.end; slot++) {
        bool is_final = !has_terms(s, slot) || round_bin(s, slot);
        s->cell[slot].rank = is_final ? -1 : 0;
        n_uncertified += !is_final;
    }
    atomic_fetch_add(&s->n_uncertified, n_uncertified);
}

static void rank_uncertified(exb_t(scatter) *s)
{
    int64_t rank = 0;
    for (int64_t slot = 0; slot < s->n_slots; slot++)
        if (s->cell[slot].rank == 0)
            s->cell[slot].rank = rank++;
}

static exblas_status add_all(exb_t(scatter) *s)
{
    s->n_slot_ranges = exb_partition_count((double)s->n_slots, s->n_slots);
    exb_parallel_for(s->n_ranges, s->n_ranges, add_range, s);
    if (s->has_bad_index)
        return EXBLAS_EINVAL;
    s->exact_to = exb_cell_exact_to(magnitude_of(s->least), EXB_IS_S ? 24 : 53);
    exb_parallel_for(s->n_slot_ranges, s->n_slot_ranges, round_range, s);
    if (s->n_uncertified > 0) {
        rank_uncertified(s);
        exb_t(scatter_exact)(s);
    }
    return EXBLAS_OK;
}

/* Ranges of the terms: their cells take no more than 12 n bytes if there are several. */
static int count_ranges(int64_t n, int64_t n_slots)
{
    int64_t most = n / (2 * n_slots);
    return exb_partition_count((double)n, most < 1 ? 1 : most);
}

static exblas_status add_dense(exb_t(scatter) *s)
{
    s->n_ranges = count_ranges(s->n, s->n_slots);
    s->cell = malloc((size_t)s->n_slots * (size_t)s->n_ranges * sizeof *s->cell);
    if (!s->cell)
        return EXBLAS_ENOMEM;
    exblas_status status = add_all(s);
    free(s->cell);
    return status;
}

/* The distinct indices become the slots; the cells, at most 24 n bytes, reuse the
 * scratch of 32 n. */
static exblas_status add_sparse(exb_t(scatter) *s)
{
    if (!exb_indices_are_inside(s->index, s->n, s->n_slots))
        return EXBLAS_EINVAL;
    size_t n_bytes = 2 * (size_t)s->n * sizeof(int64_t);
    int64_t *slot = malloc(n_bytes + (size_t)exb_distinct_scratch(s->n));
    if (!slot)
        return EXBLAS_ENOMEM;
    int64_t *bin = slot + s->n;
    void *scratch = bin + s->n;
    s->n_slots = exb_distinct(s->n, s->index, s->n_slots, slot, bin, scratch);
    s->index = (exb_index){.wide = slot};
    s->bin = bin;
    s->n_ranges = count_ranges(s->n, s->n_slots);
    s->cell = scratch;
    exblas_status status = add_all(s);
    free(slot);
    return status;
}

static EXB_NOINLINE exblas_status add_and_round(exb_t(scatter) *s)
{
    s->certify = exb_method_current()->filter;
    return s->n_slots / 2 <= s->n ? add_dense(s) : add_sparse(s);
}

exblas_status exb_t(scatter_add)(int64_t n, const exb_real *x, exb_index index, int64_t n_bins,
                                 exb_real *y)
{
    if (n < 0 || n_bins < 0)
        return EXBLAS_EINVAL;
    if (n == 0)
        return EXBLAS_OK;
    if (!x || !y || !(index.narrow || index.wide) || n_bins == 0)
        return EXBLAS_EINVAL;
    if (n > EXB_CELL_MAX_TERMS)
        return EXBLAS_ENOMEM; /* nor has any machine room for that many x */
    exb_t(scatter) s = {
        .n = n, .x = x, .index = index, .n_slots = n_bins, .y = y, .least = UINT64_MAX};
    exblas_status status;
    EXB_GUARDED(status = add_and_round(&s));
    return status;
}
