/* Exact sums of any terms: every work-item sums its share in an expansion whose residues go to
 * one of the group's long accumulators; groups leave their sums in global memory and a second
 * kernel adds those and rounds. Options: EXB_IS_S, EXB_TERMS, EXB_EARLY_EXIT. */
#include "gpu/kernels/share.h"
#include "gpu/terms.h"

/* partial: EXB_ACC_ENTRIES words a group. If *decided all loops are empty: nothing is written. */
EXB_KERNEL_OF(4)
void exact(int term, int layout, int form, exb_i64 n, exb_i64 incx, exb_i64 incy, int n_accs,
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
    for (int i = id; i < entries; i += size)
        partial[(exb_i64)exb_group_id(0) * EXB_ACC_ENTRIES + i] =
            exb_local_merged_word(words, n_accs, 1, n_accs, EXB_PRODUCT_WORDS, i);
}
