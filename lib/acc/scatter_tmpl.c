/* scatter_add. By cells: each thread adds its share of the terms to cells of its own (cell.h); the
 * cells of a bin and y are joined as enclosures and certified. Cost per term: 8 additions and 3
 * loads and stores of a cell. By segments, for bins that are not certified, and for all that have
 * terms where bins are many more than these: the terms of a bin are brought together, behind its
 * y, and added up as segment_sum does. Types: s d. */
#include "acc/cell.h"
#include "core/arith/bits.h"
#include "core/fpenv.h"
#include "core/memory.h"
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
};

/* y of bin += x_i for all i with index_i = bin. */
typedef struct {
    int64_t n;
    const exb_real *x;
    exb_index index;
    int64_t n_bins;
    exb_real *y;
    int n_ranges;           /* of the terms */
    int n_bin_ranges;       /* of the bins */
    exb_cell *cell;         /* n_ranges times n_bins; in the end range 0's hold the ranks */
    _Atomic uint64_t least; /* of the terms, by order_of */
    double exact_to;        /* of cell.h */
    atomic_bool has_bad_index, has_uncertified;

    const int64_t *rank;   /* of a term's bin among those that are added up by segments; NULL: the
                              cell's, -1 if it is none of them */
    int64_t *bin, *offset; /* of a rank; of its segment, two more than ranks */
    exb_real *term, *sum;  /* all segments; their sums */
} scatter;

/* --- by cells --------------------------------------------------------------------- */

/* Order of the magnitudes of doubles, 0 as the largest; and back. */
EXB_INLINE uint64_t order_of(double x)
{
    return (exb_bits(x) << 1) - 1;
}

EXB_INLINE double magnitude_of(uint64_t order)
{
    return exb_from_bits((order + 1) >> 1);
}

/* n terms, whose bins are in bin[0 .. n + AHEAD). Returns the least order of `least` and
 * theirs: integer operations, for which the additions leave time. */
EXB_INLINE uint64_t add_block(exb_cell *cell, int n, const int64_t *bin, const exb_real *x,
                              bool fetch, uint64_t least)
{
    for (int i = 0; i < n; i++) {
        uint64_t order = order_of(x[i]);
        if (fetch)
            __builtin_prefetch(cell + bin[i + AHEAD], 1);
        exb_cell_add(cell + bin[i], x[i]);
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
    exb_cell *cell = s->cell + range * s->n_bins;
    int64_t bin[BLOCK + AHEAD];
    uint64_t least = UINT64_MAX;
    for (int64_t i = 0; i < s->n_bins; i++)
        cell[i] = exb_cell_empty();
    for (int64_t i = r.begin; i < r.end; i += BLOCK) {
        int n = (int)exb_least(r.end - i, BLOCK);
        if (!exb_index_block(s->index, i, n, s->n_bins, bin)) {
            atomic_store(&s->has_bad_index, true);
            return;
        }
        for (int k = 0; k < AHEAD; k++)
            bin[n + k] = bin[n - 1];
        least = s->n_bins > CACHED ? add_block(cell, n, bin, s->x + i, true, least)
                                   : add_block(cell, n, bin, s->x + i, false, least);
    }
    note_least(s, least);
}

/* The new y of a bin, if it can be decided. A bin without terms keeps its bits. */
static bool round_bin(const scatter *s, int64_t bin, exb_real *y)
{
    exb_enclosure v = exb_enclosure_exact(s->y[bin]);
    bool has_terms = false;
    for (int range = 0; range < s->n_ranges; range++) {
        const exb_cell *cell = s->cell + range * s->n_bins + bin;
        if (exb_cell_is_empty(cell))
            continue;
        has_terms = true;
        v = exb_enclosure_add(v, exb_cell_enclosure(cell, s->exact_to));
    }
    return !has_terms || exb_round_enclosure(v, y);
}

static void round_range(void *ctx, int64_t range)
{
    scatter *s = ctx;
    exb_range r = exb_partition_range(s->n_bins, s->n_bin_ranges, (int)range);
    bool all_final = true;
    for (int64_t bin = r.begin; bin < r.end; bin++) {
        exb_real result = s->y[bin];
        bool is_final = round_bin(s, bin, &result);
        if (is_final)
            s->y[bin] = result;
        s->cell[bin].rank = is_final ? -1 : 0;
        all_final &= is_final;
    }
    if (!all_final)
        s->has_uncertified = true;
}

/* How many bins there are left. */
static int64_t rank_uncertified(scatter *s)
{
    int64_t n_left = 0;
    for (int64_t bin = 0; bin < s->n_bins; bin++)
        if (s->cell[bin].rank == 0) {
            s->bin[n_left] = bin;
            s->cell[bin].rank = n_left++;
        }
    return n_left;
}

/* --- by segments ------------------------------------------------------------------ */

static size_t segment_bytes(const scatter *s, int64_t most)
{
    size_t n = (size_t)most;
    return (2 * n + 2) * sizeof *s->bin + ((size_t)s->n + 2 * n) * sizeof *s->term;
}

static void set_segments(scatter *s, void *room, int64_t most)
{
    s->bin = room;
    s->offset = s->bin + most;
    s->sum = (exb_real *)(s->offset + most + 2);
    s->term = s->sum + most;
}

EXB_INLINE int64_t rank_of(const scatter *s, int64_t i)
{
    return s->rank ? s->rank[i] : s->cell[exb_index_at(s->index, i)].rank;
}

/* Terms go to offset[1 + rank], which at first is where their segment begins, and in the end where
 * the next one does. */
static void add_segments(const scatter *s, int64_t n_sums)
{
    int64_t *at = s->offset + 1;
    memset(s->offset, 0, (size_t)(n_sums + 2) * sizeof *at);
    for (int64_t i = 0; i < s->n; i++)
        if (rank_of(s, i) >= 0)
            at[1 + rank_of(s, i)]++;
    for (int64_t k = 0; k < n_sums; k++) {
        at[k + 1] += at[k] + 1;
        s->term[at[k]++] = s->y[s->bin[k]];
    }
    for (int64_t i = 0; i < s->n; i++)
        if (rank_of(s, i) >= 0)
            s->term[at[rank_of(s, i)]++] = s->x[i];
    exb_t(segment_sum)(n_sums, (exb_index){.wide = s->offset}, s->term, s->sum);
    for (int64_t k = 0; k < n_sums; k++)
        s->y[s->bin[k]] = s->sum[k];
}

/* Multiplied twice: after one, bins in some steps would crowd together. */
EXB_INLINE int64_t place_of(int64_t bin, int n_bits)
{
    uint64_t mixed = (uint64_t)bin * 0x9e3779b97f4a7c15u;
    return (int64_t)((mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15u >> (64 - n_bits));
}

/* The rank of each term's index among the distinct ones, of which it returns how many there are, by
 * a table of 2^n_bits > n places: 0, or a rank and 1. */
static int64_t rank_indices(const scatter *s, int n_bits, int64_t *table, int64_t *rank)
{
    int64_t n_ranks = 0, last = ((int64_t)1 << n_bits) - 1;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t bin = exb_index_at(s->index, i), at = place_of(bin, n_bits);
        int64_t next = exb_index_at(s->index, exb_least(i + AHEAD, s->n - 1));
        __builtin_prefetch(table + place_of(next, n_bits), 1);
        while (table[at] && s->bin[table[at] - 1] != bin)
            at = (at + 1) & last;
        if (!table[at]) {
            s->bin[n_ranks] = bin;
            table[at] = ++n_ranks;
        }
        rank[i] = table[at] - 1;
    }
    return n_ranks;
}

/* --- all of it -------------------------------------------------------------------- */

static exblas_status add_all(scatter *s)
{
    s->n_bin_ranges = exb_partition_count((double)s->n_bins, s->n_bins);
    exb_parallel_for(s->n_ranges, s->n_ranges, add_range, s);
    if (s->has_bad_index)
        return EXBLAS_EINVAL;
    s->exact_to = exb_cell_exact_to(magnitude_of(s->least), EXB_IS_S ? 24 : 53);
    exb_parallel_for(s->n_bin_ranges, s->n_bin_ranges, round_range, s);
    if (s->has_uncertified)
        add_segments(s, rank_uncertified(s));
    return EXBLAS_OK;
}

/* The cells take no more than 12 n bytes if there are several ranges of terms. */
static exblas_status add_by_cells(scatter *s)
{
    int64_t most = exb_least(s->n, s->n_bins);
    s->n_ranges = exb_partition_count((double)s->n, exb_most(1, s->n / (2 * s->n_bins)));
    size_t n_cells = (size_t)s->n_bins * (size_t)s->n_ranges;
    void *room = malloc(segment_bytes(s, most)); /* not touched unless it is needed */
    exblas_status status = EXBLAS_ENOMEM;
    s->cell = malloc(n_cells * sizeof *s->cell);
    if (room && s->cell) {
        set_segments(s, room, most);
        status = add_all(s);
    }
    free(room);
    free(s->cell);
    return status;
}

static exblas_status add_by_segments(scatter *s)
{
    int n_bits = 65 - exb_leading_zeros((uint64_t)s->n);
    if (!exb_indices_are_inside(s->index, s->n, s->n_bins))
        return EXBLAS_EINVAL;
    int64_t *rank = exb_memory_get((size_t)s->n * sizeof *rank + segment_bytes(s, s->n));
    int64_t *table = calloc((size_t)1 << n_bits, sizeof *table);
    bool fits = rank && table;
    if (fits) {
        s->rank = rank;
        set_segments(s, rank + s->n, s->n);
        add_segments(s, rank_indices(s, n_bits, table, rank));
    }
    exb_memory_put(rank);
    free(table);
    return fits ? EXBLAS_OK : EXBLAS_ENOMEM;
}

static EXB_NOINLINE exblas_status add_and_round(scatter *s)
{
    bool by_cells = s->n_bins / 2 <= s->n && exb_method_current()->filter;
    return by_cells ? add_by_cells(s) : add_by_segments(s);
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
    scatter s = {.n = n, .x = x, .index = index, .n_bins = n_bins, .y = y, .least = UINT64_MAX};
    exblas_status status;
    EXB_GUARDED(status = add_and_round(&s));
    return status;
}
