/* Accumulators in global memory, EXB_ACC_ENTRIES words each: those of the PRODUCT window,
 * normalised between calls, and the three counters. Options: EXB_IS_S. */
#include "gpu/kernels/accumulate.h"

/* a += b and carries up; b = NULL: carries alone. Sums of a few words do not overflow: |word| stays
 * below 2^63 for those of 2^10 accumulators that were normalised. */
EXB_INLINE void carry_up(EXB_GLOBAL exb_i64 *a, EXB_GLOBAL const exb_i64 *b, bool has_b)
{
    exb_i64 carry = 0;
    for (int i = 0; i < EXB_ACC_ENTRIES; i++) {
        exb_i64 w = exb_wrapping_add(a[i], has_b ? b[i] : 0);
        bool is_inner = i + 1 < EXB_PRODUCT_WORDS;
        w = exb_wrapping_add(w, carry);
        carry = is_inner ? w >> EXB_WORD_BITS : 0;
        a[i] = is_inner ? w & (exb_i64)EXB_WORD_MASK : w;
    }
}

/* a_i += b_i, or a_i normalised if `alone`, for i < n. */
EXB_KERNEL void acc_merge(exb_i64 n, int alone, EXB_PLACE(exb_i64, a), EXB_PLACE(const exb_i64, b))
{
    for (exb_i64 i = exb_global_id(0); i < n; i += exb_global_size(0))
        carry_up(a + i * EXB_ACC_ENTRIES, b + i * EXB_ACC_ENTRIES, alone == 0);
}

/* r_i = RN(acc_i). */
EXB_KERNEL void acc_round(exb_i64 n, EXB_PLACE(const exb_i64, acc), EXB_PLACE(exb_real, r))
{
    for (exb_i64 i = exb_global_id(0); i < n; i += exb_global_size(0)) {
        exb_i64 word[EXB_ACC_ENTRIES];
        for (int j = 0; j < EXB_ACC_ENTRIES; j++)
            word[j] = acc[i * EXB_ACC_ENTRIES + j];
        r[i] = exb_round_words(word, EXB_PRODUCT_FIRST, EXB_PRODUCT_WORDS,
                               exb_special_of_counters(word, EXB_PRODUCT_WORDS), false);
    }
}
