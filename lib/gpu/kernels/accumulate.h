/* Long accumulators of kernels: shared ones in local memory, and the way from words to a result. */
#pragma once

#include "gpu/kernels/local_words.h"

/* The flags of the counters behind n_words words. */
EXB_INLINE exb_u32 exb_special_of_counters(const exb_i64 *word, int n_words)
{
    exb_u32 special = 0;
    for (int j = 0; j < EXB_N_COUNTERS; j++)
        special |= word[n_words + j] != 0 ? 1u << j : 0u;
    return special;
}

/* Makes normalised words of a finite sum non-negative; its sign before. */
EXB_INLINE int exb_words_magnitude(exb_i64 *word, int n_words)
{
    bool negative = word[n_words - 1] < 0;
    if (negative) {
        exb_words_negate(word, n_words);
        exb_words_normalize(word, n_words);
    }
    return exb_words_top(word, n_words) < 0 ? 0 : negative ? -1 : 1;
}

/* RN of the sum, or of its root if `root` (of a sum that is not negative), of private words in
 * any redundant form; they are changed. */
EXB_INLINE exb_real exb_round_words(exb_i64 *word, int first, int n_words, exb_u32 special,
                                    bool root)
{
    exb_format f = exb_format_real();
    exb_leading m;
    int exp2 = exb_window_exp2(first);
    if (exb_special_is_nan(special))
        return EXB_NAN_REAL;
    if (special)
        return exb_signed_real(f.infinity, (special & EXB_HAS_NEG_INF) != 0);
    exb_words_normalize(word, n_words);
    bool negative = exb_words_magnitude(word, n_words) < 0;
    bool found = root ? exb_leading_of_root(word, n_words, exp2, &m)
                      : exb_leading_of_words(word, n_words, exp2, &m);
    return found ? exb_signed_real(exb_encode_leading(f, &m), negative) : 0;
}
