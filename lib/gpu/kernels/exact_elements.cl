/* Elements of a matrix product one by one, exactly: those that a faster engine has left open.
 * Options: EXB_IS_S. */
#include "gpu/kernels/linear_finish.h"

enum { COPIES = 4, ENTRIES = EXB_ACC_ENTRIES };

/* What one item does when all products are in the accumulators and merged. */
EXB_INLINE exb_real elements_result(EXB_LOCAL const exb_i64 *merged, double alpha, double beta,
                                    double c)
{
    exb_i64 sum[ENTRIES];
    for (int i = 0; i < ENTRIES; i++)
        sum[i] = merged[i];
    return finish_linear(alpha, sum, exb_special_of_counters(sum, EXB_PRODUCT_WORDS), beta, c);
}

/* C = RN(alpha A B + beta C) for the elements list[t], t < *count: e stands for row i0 + e % m and
 * column j0 + e / m. Term l of row i of A is a[i * avs + l * als], of column j of B b[j * bvs + l *
 * bls]; C is column-major. Groups take elements in turn. */
EXB_KERNEL void exact_elements(EXB_PLACE(const exb_real, a), exb_i64 avs, exb_i64 als,
                               EXB_PLACE(const exb_real, b), exb_i64 bvs, exb_i64 bls, exb_i64 k,
                               exb_i64 m, exb_i64 i0, exb_i64 j0, double alpha, double beta,
                               EXB_PLACE(exb_real, c), exb_i64 ldc, EXB_PLACE(const exb_u32, list),
                               EXB_PLACE(const exb_u32, count))
{
    EXB_TAKE(const exb_real, a);
    EXB_TAKE(const exb_real, b);
    EXB_TAKE(exb_real, c);
    EXB_TAKE(const exb_u32, list);
    EXB_TAKE(const exb_u32, count);
    EXB_LOCAL_ARRAY(exb_i64, words, COPIES * ENTRIES);
    EXB_LOCAL_ARRAY(exb_i64, merged, ENTRIES);
    int id = exb_local_id(0), size = exb_local_size(0);
    for (exb_u32 t = exb_group_id(0); t < *count; t += exb_n_groups(0)) {
        exb_i64 i = i0 + list[t] % m, j = j0 + list[t] / m;
        exb_u32 special = 0;
        for (int w = id; w < COPIES * ENTRIES; w += size)
            words[w] = 0;
        exb_barrier();
        for (exb_i64 l = id; l < k; l += size)
            special |= exb_local_add_product(words + id % COPIES, COPIES, a[i * avs + l * als],
                                             b[j * bvs + l * bls]);
        exb_local_add_special(words + id % COPIES, COPIES, EXB_PRODUCT_WORDS, special);
        exb_barrier();
        for (int w = id; w < ENTRIES; w += size)
            merged[w] = exb_local_merged_word(words, COPIES, 1, COPIES, EXB_PRODUCT_WORDS, w);
        exb_barrier();
        EXB_GLOBAL exb_real *to = c + j * ldc + i;
        if (id == 0)
            *to = elements_result(merged, alpha, beta, beta != 0 ? *to : 0);
        exb_barrier();
    }
}
