/* Scatter-add by long accumulators: y_i = RN(y_i + sum of x_k with index_k = i). slots.h
 * describes the accumulators and the flags. Options: EXB_IS_S, EXB_WIDE. */
#include "gpu/kernels/accumulate.h"
#include "gpu/slots.h"

/* Indices of 32 bits, or 64. */
#if defined(EXB_WIDE) && EXB_WIDE
typedef exb_i64 exb_index;
#else
typedef exb_i32 exb_index;
#endif

enum { GROUP_MAX = 256, LEAST_BIT = EXB_IS_S ? 29 : 0 }; /* a float's lower bits are 0 */

/* y + 0 differs from y: -0, or a NaN that may not be the canonical one. */
EXB_INLINE bool is_doubtful(exb_real y)
{
    return y != y || exb_bits((double)y) == (exb_u64)1 << 63;
}

/* The last bit of a finite number other than 0, above the bottom of the window. */
EXB_INLINE int offset_of(exb_decomposed p)
{
    return p.exp2 + LEAST_BIT - exb_window_exp2(EXB_SUM_FIRST);
}

/* The largest of the group's numbers goes to *to. cell: one for each work-item. */
EXB_INLINE void largest(exb_u32 mine, EXB_LOCAL exb_u32 *cell, EXB_GLOBAL exb_u32 *to)
{
    int id = exb_local_id(0);
    exb_u32 most = 0;
    exb_barrier();
    cell[id] = mine;
    exb_barrier();
    for (int i = 0; id == 0 && i < exb_local_size(0); i++)
        most = cell[i] > most ? cell[i] : most;
    if (most > 0)
        exb_atomic_max_global_u32(to, most);
}

/* The first pass: all flags, which are 0 before. */
EXB_KERNEL void scatter_survey(exb_i64 n, EXB_PLACE(const exb_real, x),
                               EXB_PLACE(const exb_index, index), exb_i64 n_bins,
                               EXB_PLACE(const exb_real, y), EXB_PLACE(exb_u32, flags))
{
    EXB_LOCAL_ARRAY(exb_u32, cell, GROUP_MAX);
    exb_u32 flag[EXB_SCATTER_FLAGS];
    for (int f = 0; f < EXB_SCATTER_FLAGS; f++)
        flag[f] = 0;
    for (exb_i64 i = exb_global_id(0); i < n; i += exb_global_size(0)) {
        exb_i64 bin = index[i];
        exb_decomposed p = exb_split(x[i]);
        bool is_number = p.is_finite && p.significand != 0;
        exb_u32 high = is_number ? (exb_u32)offset_of(p) + 1 : 0;
        exb_u32 low = is_number ? (exb_u32)(EXB_SLOT_TOP - offset_of(p)) : 0;
        flag[EXB_SCATTER_BAD] |= bin < 0 || bin >= n_bins;
        flag[EXB_SCATTER_COUNTED] |= !p.is_finite;
        flag[EXB_SCATTER_HIGH] = high > flag[EXB_SCATTER_HIGH] ? high : flag[EXB_SCATTER_HIGH];
        flag[EXB_SCATTER_LOW] = low > flag[EXB_SCATTER_LOW] ? low : flag[EXB_SCATTER_LOW];
    }
    for (exb_i64 i = exb_global_id(0); i < n_bins; i += exb_global_size(0))
        flag[EXB_SCATTER_COUNTED] |= is_doubtful(y[i]);
    for (int f = 0; f < EXB_SCATTER_FLAGS; f++)
        largest(flag[f], cell, &flags[f]);
}

/* word: of row 0. The low bits of shifted numbers are all that is needed of them. */
EXB_INLINE void deposit(const exb_slots *s, EXB_GLOBAL exb_i64 *word, exb_i64 stride, double x)
{
    exb_decomposed p = exb_split(x);
    if (!p.is_finite) {
        int kind = exb_parts_are_nan(p) ? EXB_SLOT_NAN
                   : p.negative         ? EXB_SLOT_NEG_INF
                                        : EXB_SLOT_POS_INF;
        exb_atomic_add_global(&word[(s->n_words + kind) * stride], 1);
        return;
    }
    if (p.significand == 0)
        return;
    exb_u64 bits = p.significand >> LEAST_BIT, mask = ((exb_u64)1 << s->digit) - 1;
    int offset = offset_of(p) - s->base, row = offset / s->digit, shift = offset - row * s->digit;
    for (word += row * stride; bits != 0; word += stride) {
        exb_u64 piece = bits << shift & mask;
        if (piece != 0)
            exb_atomic_add_global(word, exb_with_sign(piece, -(exb_i64)p.negative));
        bits >>= s->digit - shift;
        shift = 0;
    }
}

/* The terms that go to the chunk of bins first ... first + n_chunk - 1. Slot c * n_chunk + b is
 * copy c of bin first + b. */
EXB_KERNEL_OF(6)
void scatter_deposit(exb_i64 n, EXB_PLACE(const exb_real, x), EXB_PLACE(const exb_index, index),
                     exb_i64 first, exb_i64 n_chunk, int n_copies, int base, int digit, int n_words,
                     int n_rows, EXB_PLACE(const exb_real, y), EXB_PLACE(exb_i64, words))
{
    exb_i64 id = exb_global_id(0), stride = n_chunk * n_copies;
    EXB_GLOBAL exb_i64 *mine = words + id % n_copies * n_chunk;
    exb_slots s = {base, digit, n_words, n_rows};
    for (exb_i64 i = id; i < n; i += exb_global_size(0)) {
        exb_i64 bin = index[i], slot = bin - first;
        if (slot >= 0 && slot < n_chunk) {
            deposit(&s, mine + slot, stride, x[i]);
            if (n_rows > n_words && is_doubtful(y[bin]))
                exb_atomic_add_global(&mine[(n_words + EXB_SLOT_TERMS) * stride + slot], 1);
        }
    }
}

/* Adds the copies of each bin up in its first slot; |words| grow as with all their terms. */
EXB_KERNEL void scatter_fold(exb_i64 n_chunk, int n_copies, int n_rows, EXB_PLACE(exb_i64, words))
{
    for (exb_i64 i = exb_global_id(0); i < n_chunk * n_rows; i += exb_global_size(0)) {
        EXB_GLOBAL exb_i64 *w = words + i / n_chunk * (n_chunk * n_copies) + i % n_chunk;
        exb_i64 sum = 0;
        for (int c = 0; c < n_copies; c++)
            sum += w[c * n_chunk];
        *w = sum;
    }
}

/* 64 signed bits v * 2^offset into words of 53 bits: what fits a word is below 2^53, what lies
 * above below 2^63. In the last word the sum itself fits, and what lies above is its sign. */
EXB_INLINE void put(exb_i64 *word, exb_i64 v, int offset)
{
    int j = exb_word_index(offset), shift = offset - EXB_WORD_BITS * j;
    bool is_last = j == EXB_SUM_WORDS - 1;
    word[j] += (exb_i64)((exb_u64)v << shift & (is_last ? ~(exb_u64)0 : EXB_WORD_MASK));
    if (!is_last)
        word[j + 1] += v >> (EXB_WORD_BITS - shift);
}

/* The words of a slot as those of the SUM window; returns whether one was not 0. Digits do not
 * overlap, so that a word gets less than 2^54 from them, and twice from the topmost. */
EXB_INLINE bool widen(const exb_slots *s, EXB_GLOBAL const exb_i64 *slot, exb_i64 stride,
                      exb_i64 *word)
{
    exb_i64 carry = 0, any = 0, mask = ((exb_i64)1 << s->digit) - 1;
    for (int j = 0; j < EXB_SUM_WORDS; j++)
        word[j] = 0;
    for (int j = 0; j < s->n_words; j++) {
        exb_i64 v = slot[j * stride] + carry;
        any |= slot[j * stride];
        carry = v >> s->digit;
        put(word, j < s->n_words - 1 ? v & mask : v, s->base + s->digit * j);
    }
    return any != 0;
}

/* The flags of the counters. */
EXB_INLINE exb_u32 counted_of(const exb_slots *s, EXB_GLOBAL const exb_i64 *slot, exb_i64 stride)
{
    exb_u32 counted = 0;
    for (int j = s->n_words; j < s->n_rows; j++)
        counted |= slot[j * stride] != 0 ? 1u << (j - s->n_words) : 0u;
    return counted;
}

/* Adds y to the words or to the flags. */
EXB_INLINE exb_u32 add_output(exb_i64 *word, double y)
{
    exb_decomposed p = exb_split(y);
    if (!p.is_finite)
        return exb_special_flag(exb_parts_are_nan(p), p.negative);
    exb_i64 sign = -(exb_i64)p.negative;
    exb_pieces t = exb_pieces_of(0, p.significand, p.exp2 - exb_window_exp2(EXB_SUM_FIRST));
    word[t.index] += exb_with_sign(t.word[0], sign);
    word[t.index + 1] += exb_with_sign(t.word[1], sign);
    return 0;
}

/* A bin that its terms change: without a trace of terms there are none or they add 0, which matters
 * for some y alone, whose terms are counted. */
EXB_INLINE void round_bin(const exb_slots *s, EXB_GLOBAL const exb_i64 *slot, exb_i64 stride,
                          EXB_GLOBAL exb_real *y)
{
    exb_i64 word[EXB_SUM_WORDS];
    exb_u32 counted = counted_of(s, slot, stride);
    if (widen(s, slot, stride, word) || counted) {
        exb_u32 special = (counted & ~(1u << EXB_SLOT_TERMS)) | add_output(word, *y);
        *y = exb_round_words(word, EXB_SUM_FIRST, EXB_SUM_WORDS, special, false);
    }
}

/* The bins of a chunk, each rounded once. stride: of the rows. */
EXB_KERNEL void scatter_round(exb_i64 n_chunk, exb_i64 stride, int base, int digit, int n_words,
                              int n_rows, EXB_PLACE(exb_real, y), EXB_PLACE(const exb_i64, words))
{
    exb_slots s = {base, digit, n_words, n_rows};
    for (exb_i64 i = exb_global_id(0); i < n_chunk; i += exb_global_size(0))
        round_bin(&s, words + i, stride, y + i);
}
