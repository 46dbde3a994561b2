/* The second launch of a reduction. It adds up what the groups of the filter have found
 * (filter.cl). If that decides, its first group writes the result and nothing else is done. If not,
 * or without a filter, it sums exactly, whatever the terms are: every work-item sums its share in
 * an expansion whose residues go to one of the group's long accumulators, every group adds its sum
 * to one in global memory, and the group that is last to do so rounds.
 * Options: EXB_IS_S, EXB_TERMS. */
#include "gpu/kernels/join.h"
#include "gpu/kernels/share.h"
#include "gpu/terms.h"

/* The sum of what n groups have found, in lane[0]. Every group computes the same: those of one
 * launch then agree without having spoken. */
EXB_INLINE void exact_join(EXB_LOCAL exb_enclosure *lane, EXB_GLOBAL const exb_enclosure *found,
                           int n, int id, int size)
{
    exb_enclosure v = exb_enclosure_exact(0);
    for (int i = id; i < n; i += size)
        v = exb_enclosure_add(v, found[i]);
    lane[id] = v;
    exb_barrier();
    exb_join_lanes(lane, id, size);
}

/* Entry i of the sum of the group's accumulators, of which words but the topmost are below 2^53 +
 * 2^5: 2^10 - 1 groups add theirs up in 64 bits. */
EXB_INLINE exb_i64 exact_word(EXB_LOCAL const exb_i64 *words, int n_accs, int i)
{
    exb_i64 w = exb_local_merged_word(words, n_accs, n_accs, i);
    if (i + 1 < EXB_PRODUCT_WORDS)
        w &= (exb_i64)EXB_WORD_MASK;
    if (i > 0 && i < EXB_PRODUCT_WORDS)
        w += exb_local_merged_word(words, n_accs, n_accs, i - 1) >> EXB_WORD_BITS;
    return w;
}

/* *state += the group's accumulators, all of them added up; true for the work-item that is to go on
 * with the sum of all groups. Groups add by atomics, which order nothing else: what a work-item has
 * added is there before its fence ends, all of the group's before the one that counts fences again,
 * and the group that is last to be counted, which reads by atomics, fences before it does so. */
EXB_INLINE bool exact_add(EXB_GLOBAL exb_i64 *state, EXB_LOCAL const exb_i64 *words, int n_accs,
                          int entries, int id, int size)
{
    for (int i = id; i < entries; i += size) {
        exb_i64 w = exact_word(words, n_accs, i);
        if (w != 0)
            exb_atomic_add_global(&state[i], w);
    }
    exb_fence_global();
    exb_barrier();
    bool is_last = false;
    if (id == 0 && entries > 0) {
        exb_fence_global();
        is_last = exb_atomic_add_global(&state[EXB_ACC_ENTRIES], 1) == exb_n_groups(0) - 1;
        exb_fence_global();
    }
    return is_last;
}

/* found: n_found enclosures; 0: nobody has looked, the sum must be exact. state: EXB_ACC_ENTRIES
 * words and a count of groups, all 0; without `finish` the words are the result. */
EXB_KERNEL_OF(4)
void exact(int term, int layout, int form, exb_i64 n, exb_i64 incx, exb_i64 incy, int n_accs,
           int root, int finish, int n_found, EXB_PLACE(const exb_real, x),
           EXB_PLACE(const exb_real, y), EXB_PLACE(const exb_enclosure, found),
           EXB_PLACE(exb_i64, state), EXB_PLACE(exb_real, result) EXB_LOCAL_ARG(exb_i64, words))
{
    EXB_LOCAL_ARRAY(exb_u32, is_last, 1);
    int id = exb_local_id(0), size = exb_local_size(0);
    exb_i64 step = exb_global_size(0);
    EXB_LOCAL exb_enclosure *lane = (EXB_LOCAL exb_enclosure *)words;
    exact_join(lane, found, n_found, id, size);
    exb_real r;
    bool decided = n_found > 0 && exb_round_enclosure(root ? exb_root_of(lane[0]) : lane[0], &r);
    if (decided && exb_global_id(0) == 0)
        *result = r;
    exb_barrier();
    int entries = decided ? 0 : EXB_ACC_ENTRIES;
    exb_i64 end = decided ? 0 : n;
    for (int i = id; i < entries * n_accs; i += size)
        words[i] = 0;
    exb_barrier();
    exb_share s = exb_share_of(words + id % n_accs, n_accs);
    for (exb_i64 i = exb_global_id(0); i < end; i += step) {
        double a = x[EXB_GPU_NUMBER_AT(layout, i, incx, 0)];
        if (form & EXB_GPU_MINUS & ((int)i & 1) << 1)
            a = -a;
        if (term == EXB_GPU_XY)
            exb_share_add_product(&s, a,
                                  y[EXB_GPU_NUMBER_AT(layout, i, incy, form & EXB_GPU_CROSSED)]);
        else
            exb_share_add(&s, term == EXB_GPU_ABS_X ? exb_fabs(a) : a);
    }
    exb_share_end(&s);
    exb_barrier();
    bool mine = exact_add(state, words, n_accs, entries, id, size);
    if (id == 0)
        is_last[0] = mine && finish;
    exb_barrier();
    entries = is_last[0] ? EXB_ACC_ENTRIES : 0;
    for (int i = id; i < entries; i += size)
        words[i] = exb_atomic_add_global(&state[i], 0);
    exb_barrier();
    if (id == 0 && entries > 0) {
        exb_i64 word[EXB_ACC_ENTRIES];
        for (int i = 0; i < EXB_ACC_ENTRIES; i++)
            word[i] = words[i];
        *result = exb_round_words(word, EXB_PRODUCT_FIRST, EXB_PRODUCT_WORDS,
                                  exb_special_of_counters(word, EXB_PRODUCT_WORDS), root != 0);
    }
}
