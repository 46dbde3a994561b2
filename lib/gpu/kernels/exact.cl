/* Exact sums of any terms: every work-item sums its share in an expansion whose residues go to
 * one of the group's long accumulators; groups leave their sums in global memory and a second
 * kernel adds those and rounds. Options: EXB_IS_S, EXB_TERMS, EXB_EARLY_EXIT. */
#include "gpu/kernels/accumulate.h"
#include "gpu/kernels/expansion.h"
#include "gpu/kernels/terms.h"

/* A work-item's share of a sum. Numbers that an expansion cannot hold exactly go to the
 * accumulator directly, so that no input is special: terms above 2^960 (at most 2^53 of the others
 * keep below overflow), and products of doubles where two_prod is not exact. */
typedef struct {
    exb_expansion e;
    EXB_LOCAL exb_i64 *word;
    int stride;
    exb_u32 special;
} exb_share;

EXB_INLINE void spill(exb_share *s, double x)
{
    if (x != 0)
        s->special |= exb_local_add(s->word, s->stride, EXB_PRODUCT_FIRST, EXB_PRODUCT_WORDS, x);
}

EXB_INLINE void push(exb_share *s, double x)
{
    spill(s, EXB_TERMS > 0 && exb_fabs(x) <= 0x1p960 ? exb_expansion_add(&s->e, x) : x);
}

EXB_INLINE void push_product(exb_share *s, double x, double y)
{
    double r, p = exb_two_prod(x, y, &r);
    if (EXB_IS_S) {
        push(s, x * y);
    } else if (EXB_TERMS > 0 && exb_product_in_range(p)) {
        push(s, p);
        push(s, r);
    } else if (!(x == 0 && exb_fabs(y) <= DBL_MAX) && !(y == 0 && exb_fabs(x) <= DBL_MAX)) {
        s->special |= exb_local_add_product(s->word, s->stride, x, y);
    }
}

/* partial: EXB_ACC_ENTRIES words a group. If *decided all loops are empty: nothing is written. */
EXB_KERNEL void exact(int term, exb_i64 n, exb_i64 incx, exb_i64 incy, int n_accs,
                      EXB_PLACE(const exb_real, x), EXB_PLACE(const exb_real, y),
                      EXB_PLACE(const exb_u32, decided),
                      EXB_PLACE(exb_i64, partial) EXB_LOCAL_ARG(exb_i64, words))
{
    EXB_TAKE(const exb_real, x);
    EXB_TAKE(const exb_real, y);
    EXB_TAKE(const exb_u32, decided);
    EXB_TAKE(exb_i64, partial);
    EXB_LOCAL_BLOCK(exb_i64, words);
    int id = exb_local_id(0), size = exb_local_size(0);
    exb_i64 step = (exb_i64)size * exb_n_groups(0);
    bool needed = *decided == 0;
    int entries = needed ? EXB_ACC_ENTRIES : 0;
    exb_i64 end = needed ? n : 0;
    exb_share s;
    for (int i = id; i < entries * n_accs; i += size)
        words[i] = 0;
    exb_barrier();
    exb_expansion_clear(&s.e);
    s.word = words + id % n_accs;
    s.stride = n_accs;
    s.special = 0;
    for (exb_i64 i = exb_global_id(0); i < end; i += step) {
        double a = x[i * incx];
        if (term == EXB_GPU_XY)
            push_product(&s, a, y[i * incy]);
        else
            push(&s, term == EXB_GPU_ABS_X ? exb_fabs(a) : a);
    }
    for (int j = 0; j < EXB_TERMS; j++)
        spill(&s, s.e.term[j]);
    exb_local_add_special(s.word, s.stride, EXB_PRODUCT_WORDS, s.special);
    exb_barrier();
    for (int i = id; i < entries; i += size)
        partial[(exb_i64)exb_group_id(0) * EXB_ACC_ENTRIES + i] =
            exb_local_merged_word(words, n_accs, 1, n_accs, EXB_PRODUCT_WORDS, i);
}
