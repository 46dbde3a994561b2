#include "acc/distinct.h"

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

int64_t exb_distinct(int64_t n, exb_index index, int64_t n_bins, int64_t *slot, int64_t *bin,
                     void *scratch)
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
