/* The sum of the groups' accumulators (exact.cl), rounded. One group. Options: EXB_IS_S. */
#include "gpu/kernels/accumulate.h"

EXB_KERNEL void exact_finish(int root, int n_groups, EXB_PLACE(const exb_u32, decided),
                             EXB_PLACE(const exb_i64, partial), EXB_PLACE(exb_real, result))
{
    EXB_TAKE(const exb_u32, decided);
    EXB_TAKE(const exb_i64, partial);
    EXB_TAKE(exb_real, result);
    EXB_LOCAL_ARRAY(exb_i64, total, EXB_ACC_ENTRIES);
    int end = *decided ? 0 : n_groups;
    for (int i = exb_local_id(0); i < EXB_ACC_ENTRIES; i += exb_local_size(0))
        total[i] = exb_global_merged_word(partial, 1, EXB_ACC_ENTRIES, end, EXB_PRODUCT_WORDS, i);
    exb_barrier();
    if (exb_local_id(0) == 0 && !*decided) {
        exb_i64 word[EXB_ACC_ENTRIES];
        for (int i = 0; i < EXB_ACC_ENTRIES; i++)
            word[i] = total[i];
        *result = exb_round_words(word, EXB_PRODUCT_FIRST, EXB_PRODUCT_WORDS,
                                  exb_special_of_counters(word, EXB_PRODUCT_WORDS), root != 0);
    }
}
