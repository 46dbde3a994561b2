/* scatter_add. A fast pass: each thread adds its share of the terms to cells of its own (cell.h);
 * the cells of a bin and y are joined as enclosures and certified. Cost per term: 8 additions and 3
 * loads and stores of a cell. An exact pass: the other bins get long accumulators, as many at a
 * time as memory allows, and the terms are read again for each such batch. Types: s d. */
#include "acc/cell.h"
#include "core/fpenv.h"
#include "core/method.h"
#include "core/partition.h"
#include "core/thread.h"
#include "indexed.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    BLOCK = 1024,     /* indices that are checked and widened at once */
    AHEAD = 16,       /* terms by which cells are fetched ahead ... */
    CACHED = 1 << 15, /* ... if there are more than this many, which stay in a cache */
    FEW = 16,         /* accumulators for which the stack has room */
    MAX_BYTES = 1 << 25
};

/* y of bin(slot) += x_i for all i with index_i = slot. The slots are the bins, or, if
 * those are many more than the terms, the distinct ones among them. */
typedef struct {
    int64_t n;
    const exb_real *x;
    exb_index index;
    int64_t n_slots;
    const int64_t *bin; /* of a slot; NULL: the same */
    exb_real *y;
    int n_ranges;           /* of the terms */
    int n_slot_ranges;      /* of the slots */
    exb_cell *cell;         /* n_ranges times n_slots; in the end range 0's hold the ranks */
    _Atomic uint64_t least; /* of the terms, by order_of */
    double exact_to;        /* of cell.h */
    bool certify;           /* else every bin with terms goes to the exact pass */
    atomic_bool has_bad_index;
    _Atomic int64_t n_uncertified;
} scatter;

EXB_INLINE exb_real *output_of(const scatter *s, int64_t slot)
{
    return s->y + (s->bin ? s->bin[slot] : slot);
}

/* --- the fast pass ---------------------------------------------------------------- */

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
static void note_least(scatter *s, uint64_t least)
{
    uint64_t old = s->least;
    while (least < old && !atomic_compare_exchange_weak(&s->least, &old, least))
        ;
}

static void add_range(void *ctx, int64_t range)
{
    scatter *s = ctx;
    exb_range r = exb_partition_range(s->n, s->n_ranges, (int)range);
    exb_cell *cell = s->cell + range * s->n_slots;
    int64_t slot[BLOCK + AHEAD];
    uint64_t least = UINT64_MAX;
    for (int64_t i = 0; i < s->n_slots; i++)
        cell[i] = exb_cell_empty();
    for (int64_t i = r.begin; i < r.end; i += BLOCK) {
        int n = (int)exb_least(r.end - i, BLOCK);
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

EXB_INLINE exb_cell *cell_of(const scatter *s, int range, int64_t slot)
{
    return s->cell + range * s->n_slots + slot;
}

static bool has_terms(const scatter *s, int64_t slot)
{
    for (int range = 0; range < s->n_ranges; range++)
        if (!exb_cell_is_empty(cell_of(s, range, slot)))
            return true;
    return false;
}

static exb_enclosure join(const scatter *s, int64_t slot)
{
    exb_enclosure v = exb_enclosure_exact(*output_of(s, slot));
    for (int range = 0; range < s->n_ranges; range++) {
        const exb_cell *cell = cell_of(s, range, slot);
        if (!exb_cell_is_empty(cell))
            v = exb_enclosure_add(v, exb_cell_enclosure(cell, s->exact_to));
    }
    return v;
}

/* Writes the output of a slot if it can be decided. */
static bool round_bin(const scatter *s, int64_t slot)
{
    exb_real result;
    if (!s->certify || !exb_round_enclosure(join(s, slot), &result))
        return false;
    *output_of(s, slot) = result;
    return true;
}

static void round_range(void *ctx, int64_t range)
{
    scatter *s = ctx;
    exb_range r = exb_partition_range(s->n_slots, s->n_slot_ranges, (int)range);
    int64_t n_uncertified = 0;
    for (int64_t slot = r.begin; slot < r.end; slot++) {
        bool is_final = !has_terms(s, slot) || round_bin(s, slot);
        s->cell[slot].rank = is_final ? -1 : 0;
        n_uncertified += !is_final;
    }
    atomic_fetch_add(&s->n_uncertified, n_uncertified);
}

static void rank_uncertified(scatter *s)
{
    int64_t rank = 0;
    for (int64_t slot = 0; slot < s->n_slots; slot++)
        if (s->cell[slot].rank == 0)
            s->cell[slot].rank = rank++;
}

/* --- the exact pass --------------------------------------------------------------- */

/* The bins of rank first ... first + n_ranks - 1. */
typedef struct {
    const scatter *s;
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
    enum { NEXT = 8 };
    for (int i = 0; i < n; i++) {
        int next = i + NEXT < n ? i + NEXT : i;
        exb_sum_acc *a = &acc[rank[next]];
        int offset = exb_split(x[next]).exp2 - (EXB_GRID_EXP2 + EXB_WORD_BITS * EXB_SUM_FIRST);
        __builtin_prefetch(a, 1);
        __builtin_prefetch(&a->word[exb_word_index(offset)], 1);
        exb_superacc_add(&acc[rank[i]].acc, x[i]);
    }
}

static void add_batch_range(void *ctx, int64_t range)
{
    const batch *b = ctx;
    const scatter *s = b->s;
    exb_range r = exb_partition_range(s->n, b->n_ranges, (int)range);
    exb_sum_acc *acc = b->acc + range * b->n_ranks;
    int64_t slot[BLOCK];
    int32_t rank[BLOCK];
    exb_real chosen[BLOCK];
    for (int64_t i = 0; i < b->n_ranks; i++)
        exb_sum_acc_init(&acc[i]);
    for (int64_t i = r.begin; i < r.end; i += BLOCK) {
        int n = (int)exb_least(r.end - i, BLOCK);
        exb_index_block(s->index, i, n, s->n_slots, slot);
        add_terms(select_terms(b, n, slot, s->x + i, rank, chosen), rank, chosen, acc);
    }
}

static void round_batch_range(void *ctx, int64_t range)
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
        exb_real *y = output_of(b->s, slot);
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
        exb_parallel_for(b->n_ranges, b->n_ranges, add_batch_range, b);
        exb_parallel_for(b->s->n_slot_ranges, b->s->n_slot_ranges, round_batch_range, b);
    }
}

/* The bins whose range 0 cell has a rank in 0 ... n_uncertified - 1. Needs no memory, but is faster
 * with some. */
static void add_uncertified(const scatter *s)
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

/* --- indices ---------------------------------------------------------------------- */

/* A digit of the radix sort, least significant first. */
enum { DIGIT_BITS = 8, N_DIGITS = 1 << DIGIT_BITS };

typedef struct {
    int64_t index, position;
} record;

static void sort_by_digit(int64_t n, const record *from, record *to, int shift)
{
    int64_t begin[N_DIGITS + 1] = {0};
    for (int64_t i = 0; i < n; i++)
        begin[1 + (from[i].index >> shift & (N_DIGITS - 1))]++;
    for (int d = 1; d < N_DIGITS; d++)
        begin[d] += begin[d - 1];
    for (int64_t i = 0; i < n; i++)
        to[begin[from[i].index >> shift & (N_DIGITS - 1)]++] = from[i];
}

/* slot[i], 0 <= i < n: the rank of index i among the distinct indices of the array, of which there
 * are as many as is returned; bin[rank], n of them: the index of that rank. Indices are in 0 ...
 * n_bins - 1, n > 0. scratch: 2 n records. Time O(n log n_bins). */
static int64_t find_distinct(int64_t n, exb_index index, int64_t n_bins, int64_t *slot,
                             int64_t *bin, record *scratch)
{
    record *sorted = scratch, *other = sorted + n;
    for (int64_t i = 0; i < n; i++)
        sorted[i] = (record){exb_index_at(index, i), i};
    for (int shift = 0; shift < 63 && (n_bins - 1) >> shift != 0; shift += DIGIT_BITS) {
        sort_by_digit(n, sorted, other, shift);
        record *swap = sorted;
        sorted = other;
        other = swap;
    }
    int64_t n_slots = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || sorted[i].index != sorted[i - 1].index)
            bin[n_slots++] = sorted[i].index;
        slot[sorted[i].position] = n_slots - 1;
    }
    return n_slots;
}

/* --- all of it -------------------------------------------------------------------- */

static exblas_status add_all(scatter *s)
{
    s->n_slot_ranges = exb_partition_count((double)s->n_slots, s->n_slots);
    exb_parallel_for(s->n_ranges, s->n_ranges, add_range, s);
    if (s->has_bad_index)
        return EXBLAS_EINVAL;
    s->exact_to = exb_cell_exact_to(magnitude_of(s->least), EXB_IS_S ? 24 : 53);
    exb_parallel_for(s->n_slot_ranges, s->n_slot_ranges, round_range, s);
    if (s->n_uncertified > 0) {
        rank_uncertified(s);
        add_uncertified(s);
    }
    return EXBLAS_OK;
}

/* Ranges of the terms: their cells take no more than 12 n bytes if there are several. */
static int count_ranges(int64_t n, int64_t n_slots)
{
    int64_t most = n / (2 * n_slots);
    return exb_partition_count((double)n, most < 1 ? 1 : most);
}

static exblas_status add_dense(scatter *s)
{
    s->n_ranges = count_ranges(s->n, s->n_slots);
    s->cell = malloc((size_t)s->n_slots * (size_t)s->n_ranges * sizeof *s->cell);
    if (!s->cell)
        return EXBLAS_ENOMEM;
    exblas_status status = add_all(s);
    free(s->cell);
    return status;
}

/* The distinct indices become the slots; the cells, at most 24 n bytes, reuse the scratch of 32 n.
 */
static exblas_status add_sparse(scatter *s)
{
    if (!exb_indices_are_inside(s->index, s->n, s->n_slots))
        return EXBLAS_EINVAL;
    size_t n_bytes = 2 * (size_t)s->n * sizeof(int64_t);
    int64_t *slot = malloc(n_bytes + 2 * (size_t)s->n * sizeof(record));
    if (!slot)
        return EXBLAS_ENOMEM;
    int64_t *bin = slot + s->n;
    void *scratch = bin + s->n;
    s->n_slots = find_distinct(s->n, s->index, s->n_slots, slot, bin, scratch);
    s->index = (exb_index){.wide = slot};
    s->bin = bin;
    s->n_ranges = count_ranges(s->n, s->n_slots);
    s->cell = scratch;
    exblas_status status = add_all(s);
    free(slot);
    return status;
}

static EXB_NOINLINE exblas_status add_and_round(scatter *s)
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
    scatter s = {.n = n, .x = x, .index = index, .n_slots = n_bins, .y = y, .least = UINT64_MAX};
    exblas_status status;
    EXB_GUARDED(status = add_and_round(&s));
    return status;
}
