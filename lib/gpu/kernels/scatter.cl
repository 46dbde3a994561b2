/* Scatter-add by long accumulators: y_i = RN(y_i + sum of x_k with index_k = i). slots.h
 * describes the accumulators and the flags. Options: EXB_IS_S, EXB_WIDE. */
#include "gpu/kernels/accumulate.h"
#include "gpu/kernels/index_type.h"
#include "gpu/slots.h"

#if EXB_IS_S
enum { FIRST = EXB_SLOT_FIRST_S, N_WORDS = EXB_SLOT_WORDS_S };
#else
enum { FIRST = EXB_SLOT_FIRST_D, N_WORDS = EXB_SLOT_WORDS_D };
#endif
enum { N_ROWS = N_WORDS + EXB_SLOT_EXTRA, DIGIT_BITS = EXB_SLOT_DIGIT_BITS };

/* y + 0 differs from y: -0, or a NaN that may not be the canonical one. */
EXB_INLINE bool is_doubtful(exb_real y)
{
    return y != y || exb_bits((double)y) == (exb_u64)1 << 63;
}

/* EXB_SCATTER_DOUBT: there is a bin whose bits would change by adding terms that are all 0. */
EXB_KERNEL void scatter_doubts(exb_i64 n_bins, EXB_PLACE(const exb_real, y),
                               EXB_PLACE(exb_u32, flags))
{
    EXB_TAKE(const exb_real, y);
    EXB_TAKE(exb_u32, flags);
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    bool found = false;
    for (exb_i64 i = exb_global_id(0); i < n_bins; i += step)
        found = found || is_doubtful(y[i]);
    if (found)
        exb_atomic_max_global_u32(&flags[EXB_SCATTER_DOUBT], 1);
}

EXB_INLINE void add_signed(EXB_GLOBAL exb_i64 *word, exb_u64 magnitude, exb_i64 sign)
{
    if (magnitude != 0)
        exb_atomic_add_global(word, exb_with_sign(magnitude, sign));
}

/* word: of row 0. */
EXB_INLINE void deposit(EXB_GLOBAL exb_i64 *word, exb_i64 stride, double x)
{
    exb_decomposed p = exb_split(x);
    if (!p.is_finite) {
        int kind = exb_parts_are_nan(p) ? EXB_SLOT_NAN
                   : p.negative         ? EXB_SLOT_NEG_INF
                                        : EXB_SLOT_POS_INF;
        exb_atomic_add_global(&word[(N_WORDS + kind) * stride], 1);
        return;
    }
    exb_i64 sign = -(exb_i64)p.negative;
#if EXB_IS_S
    int offset = p.exp2 + 29 - exb_window_exp2(EXB_SUM_FIRST); /* a float has 29 zeros there */
    add_signed(&word[(offset / DIGIT_BITS - FIRST) * stride],
               (p.significand >> 29) << (offset % DIGIT_BITS), sign);
#else
    int offset = p.exp2 - exb_window_exp2(EXB_SUM_FIRST), shift = offset % DIGIT_BITS;
    word += (offset / DIGIT_BITS - FIRST) * stride;
    add_signed(word, p.significand << shift & 0xffffffffu, sign);
    add_signed(word + EXB_SLOT_LOW_BITS / DIGIT_BITS * stride,
               p.significand >> (EXB_SLOT_LOW_BITS - shift), sign);
#endif
}

/* The terms begin ... end - 1 that go to the chunk of bins first ... first + n_chunk - 1. Slot c *
 * n_chunk + b is copy c of bin first + b. */
EXB_KERNEL void scatter_deposit(exb_i64 begin, exb_i64 end, EXB_PLACE(const exb_real, x),
                                EXB_PLACE(const exb_index, index), exb_i64 n_bins, exb_i64 first,
                                exb_i64 n_chunk, int n_copies, EXB_PLACE(const exb_real, y),
                                EXB_PLACE(exb_i64, words), EXB_PLACE(exb_u32, flags))
{
    EXB_TAKE(const exb_real, x);
    EXB_TAKE(const exb_index, index);
    EXB_TAKE(const exb_real, y);
    EXB_TAKE(exb_i64, words);
    EXB_TAKE(exb_u32, flags);
    exb_i64 id = exb_global_id(0), stride = n_chunk * n_copies;
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    EXB_GLOBAL exb_i64 *mine = words + id % n_copies * n_chunk;
    bool count = flags[EXB_SCATTER_DOUBT] != 0;
    for (exb_i64 i = begin + id; i < end; i += step) {
        exb_i64 bin = index[i], slot = bin - first;
        if (bin < 0 || bin >= n_bins)
            exb_atomic_max_global_u32(&flags[EXB_SCATTER_BAD], 1);
        else if (slot >= 0 && slot < n_chunk) {
            deposit(mine + slot, stride, x[i]);
            if (count && is_doubtful(y[bin]))
                exb_atomic_add_global(&mine[(N_WORDS + EXB_SLOT_COUNT) * stride + slot], 1);
        }
    }
}

/* Makes room in every slot: all words but the topmost into [0, 2^16). */
EXB_KERNEL void scatter_carry(exb_i64 stride, EXB_PLACE(exb_i64, words))
{
    EXB_TAKE(exb_i64, words);
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    for (exb_i64 slot = exb_global_id(0); slot < stride; slot += step) {
        exb_i64 carry = 0;
        for (int j = 0; j < N_WORDS; j++) {
            exb_i64 v = words[j * stride + slot] + carry;
            carry = v >> DIGIT_BITS;
            words[j * stride + slot] = j < N_WORDS - 1 ? v & 0xffff : v;
        }
    }
}

/* Adds the copies of each bin up in its first slot; |words| grow as with all their terms. */
EXB_KERNEL void scatter_fold(exb_i64 n_chunk, int n_copies, EXB_PLACE(exb_i64, words))
{
    EXB_TAKE(exb_i64, words);
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    for (exb_i64 i = exb_global_id(0); i < n_chunk * N_ROWS; i += step) {
        EXB_GLOBAL exb_i64 *w = words + i / n_chunk * (n_chunk * n_copies) + i % n_chunk;
        exb_i64 sum = 0;
        for (int c = 0; c < n_copies; c++)
            sum += w[c * n_chunk];
        *w = sum;
    }
}

/* 64 signed bits v * 2^offset into words of 53 bits, which they leave below 2^54 each. */
EXB_INLINE void put(exb_i64 *word, exb_i64 v, int offset)
{
    int j = exb_word_index(offset), shift = offset - EXB_WORD_BITS * j;
    word[j] += (exb_i64)((exb_u64)v << shift & EXB_WORD_MASK);
    word[j + 1] += v >> (EXB_WORD_BITS - shift);
}

/* The words of a slot as those of the SUM window; returns whether one was not 0. A digit is below
 * 2^16, and digits do not overlap. */
EXB_INLINE bool widen(EXB_GLOBAL const exb_i64 *slot, exb_i64 stride, exb_i64 *word)
{
    exb_i64 carry = 0, any = 0;
    for (int j = 0; j < EXB_SUM_WORDS; j++)
        word[j] = 0;
    for (int j = 0; j < N_WORDS; j++) {
        exb_i64 v = slot[j * stride] + carry;
        any |= slot[j * stride];
        carry = v >> DIGIT_BITS;
        put(word, j < N_WORDS - 1 ? v & 0xffff : v, DIGIT_BITS * (FIRST + j));
    }
    return any != 0;
}

EXB_INLINE exb_u32 special_of(EXB_GLOBAL const exb_i64 *slot, exb_i64 stride)
{
    exb_i64 counter[EXB_N_COUNTERS];
    for (int j = 0; j < EXB_N_COUNTERS; j++)
        counter[j] = slot[(N_WORDS + j) * stride];
    return exb_special_of_counters(counter, 0);
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

/* The bins of a chunk, each rounded once. stride: of the rows. */
EXB_KERNEL void scatter_round(exb_i64 n_chunk, exb_i64 stride, EXB_PLACE(exb_real, y),
                              EXB_PLACE(const exb_i64, words), EXB_PLACE(const exb_u32, flags))
{
    EXB_TAKE(exb_real, y);
    EXB_TAKE(const exb_i64, words);
    EXB_TAKE(const exb_u32, flags);
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    if (flags[EXB_SCATTER_BAD] != 0)
        return;
    for (exb_i64 i = exb_global_id(0); i < n_chunk; i += step) {
        EXB_GLOBAL const exb_i64 *slot = words + i;
        exb_i64 word[EXB_SUM_WORDS];
        exb_u32 special = special_of(slot, stride);
        /* Without a trace of terms they are none or add 0, which matters for some y alone. */
        if (widen(slot, stride, word) || special || slot[(N_WORDS + EXB_SLOT_COUNT) * stride]) {
            special |= add_output(word, y[i]);
            y[i] = exb_round_words(word, EXB_SUM_FIRST, EXB_SUM_WORDS, special, false);
        }
    }
}
