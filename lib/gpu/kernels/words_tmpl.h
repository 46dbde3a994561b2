/* Long accumulators that many work-items add to at once, in local or in global memory: define
 * EXB_SPACE (EXB_LOCAL, EXB_GLOBAL) and EXB_SPACED(name) (exb_local_##name, exb_global_##name),
 * then include. (OpenCL 1.2 has no pointers that fit both.)
 *
 * Word i of an accumulator is at word[i * stride], so that several accumulators can lie
 * interleaved; behind its n_words words it has three counters, of +Inf, -Inf and NaN seen. Words
 * are those of the grid (core/arith/words.h), signed and redundant.
 *
 * Carries. A deposit v, |v| < 2^57, goes to its word by an atomic addition, which returns the old
 * value. Let k(w) = floor((w + 2^59) / 2^60) modulo 16. The work-item whose addition changed k
 * by d = +1 or -1 subtracts d 2^60 from the word and adds d 2^7 to the next one, in the same way.
 *
 * Claim: when all work-items have ended, the words hold the exact sum and |word| <= 2^59. Proof:
 * additions to one word happen in some order. Each one, also a correction, keeps the word correct
 * modulo 2^64, and the value of all words with the carries under way does not change. A deposit
 * changes k by d and owes a correction that changes k by -d, so k plus what is owed stays 0
 * (modulo 16). At the end nothing is owed: k = 0, -2^59 <= w < 2^59. That holds for any
 * interleaving, delays and numbers of work-items; a word that wraps in between comes back. (Two
 * things make d well-defined: |v| < 2^60, and k is looked at modulo 16, as the word itself is
 * modulo 2^64.) The top word is not corrected; it wraps. */

/* What the addition of v to `before` changed k by. */
EXB_INLINE exb_i64 EXB_SPACED(carry)(exb_u64 before, exb_u64 after)
{
    const exb_u64 middle = (exb_u64)1 << 59;
    exb_u64 d = (((after + middle) >> 60) - ((before + middle) >> 60)) & 15;
    return d == 0 ? 0 : d == 1 ? 1 : -1;
}

/* Adds v, |v| < 2^57, or any v to the top word, to word i. */
EXB_INLINE void EXB_SPACED(add_word)(EXB_SPACE exb_i64 *word, int stride, int n_words, int i,
                                     exb_i64 v)
{
    for (; v != 0 && i < n_words; i++) {
        exb_u64 before = (exb_u64)EXB_SPACED(atomic_add)(&word[i * stride], v);
        exb_i64 d = EXB_SPACED(carry)(before, before + (exb_u64)v);
        v = 0;
        if (d != 0 && i + 1 < n_words) {
            EXB_SPACED(atomic_add)(&word[i * stride], (exb_i64)(0 - ((exb_u64)d << 60)));
            v = d * 128;
        }
    }
}

EXB_INLINE void EXB_SPACED(add_pieces)(EXB_SPACE exb_i64 *word, int stride, int n_words,
                                       exb_pieces p, bool negative)
{
    exb_i64 sign = negative ? -1 : 0;
    for (int j = 0; j < 3; j++)
        EXB_SPACED(add_word)
    (word, stride, n_words, p.index + j, exb_with_sign(p.word[j], sign));
}

/* Adds x to an accumulator whose window starts at word `first` of the grid. Returns the flag
 * (EXB_HAS_*) of an x that is not finite, else 0. */
EXB_INLINE exb_u32 EXB_SPACED(add)(EXB_SPACE exb_i64 *word, int stride, int first, int n_words,
                                   double x)
{
    exb_decomposed p = exb_split(x);
    if (!p.is_finite)
        return exb_special_flag(exb_parts_are_nan(p), p.negative);
    EXB_SPACED(add_pieces)
    (word, stride, n_words, exb_pieces_of(0, p.significand, p.exp2 - exb_window_exp2(first)),
     p.negative);
    return 0;
}

/* Adds x * y, exactly, in a PRODUCT window. */
EXB_INLINE exb_u32 EXB_SPACED(add_product)(EXB_SPACE exb_i64 *word, int stride, double x, double y)
{
    exb_decomposed p = exb_split(x), q = exb_split(y);
    bool negative = p.negative != q.negative;
    if (!p.is_finite || !q.is_finite)
        return exb_special_of_product(p, q, negative);
    EXB_SPACED(add_pieces)
    (word, stride, EXB_PRODUCT_WORDS,
     exb_pieces_of_product(exb_mul_high(p.significand, q.significand),
                           p.significand * q.significand,
                           p.exp2 + q.exp2 - exb_window_exp2(EXB_PRODUCT_FIRST)),
     negative);
    return 0;
}

/* Counts what a work-item has met. */
EXB_INLINE void EXB_SPACED(add_special)(EXB_SPACE exb_i64 *word, int stride, int n_words,
                                        exb_u32 special)
{
    for (int j = 0; j < 3; j++)
        if (special >> j & 1)
            EXB_SPACED(atomic_add)(&word[(n_words + j) * stride], 1);
}

/* Entry i < n_words + 3 of the sum of n accumulators that lie `step` apart, nobody adding: of
 * each the lower 53 bits of word i and what lies above in word i - 1. With |word| <= 2^59 and
 * n <= 512 the result is below 2^62 + 2^16 and can be summed in this way again after
 * normalising, or up to 2 times as it is; the top word wraps. */
EXB_INLINE exb_i64 EXB_SPACED(merged_word)(EXB_SPACE const exb_i64 *word, int stride, int step,
                                           int n, int n_words, int i)
{
    exb_u64 sum = 0;
    for (int a = 0; a < n; a++) {
        EXB_SPACE const exb_i64 *w = word + (exb_i64)a * step;
        exb_u64 own = (exb_u64)w[i * stride];
        sum += i + 1 < n_words ? own & EXB_WORD_MASK : own;
        if (i > 0 && i < n_words)
            sum += (exb_u64)(w[(i - 1) * stride] >> EXB_WORD_BITS);
    }
    return (exb_i64)sum;
}

#undef EXB_SPACE
#undef EXB_SPACED
