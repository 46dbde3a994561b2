/* Substitution with a lower triangle, x_i = RN((alpha b_i - sum of t_ij x_j) / t_ii): the residual
 * is exact, the quotient is rounded once. b lies in x. Each right-hand side has a row of groups,
 * its x `next` elements after the one before. An upper triangle is a lower one read from its end, a
 * transposed one has its strides exchanged: strides may be negative.
 *
 * Each row left has compensated sums of its products with the unknowns known so far: 4 numbers,
 * number q of row i at q * n + i. trsv_solve takes the next rows one after the other, trsv_update
 * brings the rows below them up to date. Options: EXB_IS_S, EXB_TERMS, EXB_EARLY_EXIT. */
#include "gpu/kernels/finish_words.h"
#include "gpu/kernels/share.h"
#include "gpu/kernels/sums.h"

/* Rounds row i's unknown from its sums, if they decide it. */
EXB_INLINE bool from_sums(exb_sums v, exb_i64 i, double alpha, double b, bool unit, double t,
                          exb_real *r)
{
    exb_enclosure sum = exb_sums_enclosure(v, i);
    sum.h = -sum.h;
    sum.l = -sum.l;
    exb_enclosure residual =
        exb_enclosure_add(exb_affine_of(alpha, exb_enclosure_exact(b), 0, 0), sum);
    return exb_round_enclosure(unit ? residual : exb_quotient_of(residual, t), r);
}

/* The item's share of the sum of -t[j] x[j] for j < n, and alpha b. */
EXB_INLINE void add_residual(EXB_LOCAL exb_i64 *words, int n_accs, exb_i64 n,
                             EXB_GLOBAL const exb_real *t, exb_i64 step,
                             EXB_GLOBAL const exb_real *x, exb_i64 incx, double alpha, double b)
{
    int id = exb_local_id(0), size = exb_local_size(0);
    exb_share s = exb_share_of(words + id % n_accs, n_accs);
    for (exb_i64 j = id; j < n; j += size)
        exb_share_add_product(&s, -(double)t[j * step], x[j * incx]);
    if (id == 0)
        exb_share_add_product(&s, alpha, b);
    exb_share_end(&s);
}

/* Rows first ... first + count - 1, one group. filter = 0: there are no sums, all is exact. words:
 * the accumulators and one entry more. */
EXB_KERNEL void trsv_solve(exb_i64 n, exb_i64 first, exb_i64 count, int unit, int filter,
                           int n_accs, EXB_PLACE(const exb_real, t), exb_i64 t_row, exb_i64 t_col,
                           EXB_PLACE(exb_real, x), exb_i64 incx, exb_i64 next, double alpha,
                           EXB_PLACE(double, sums) EXB_LOCAL_ARG(exb_i64, words))
{
    EXB_TAKE(const exb_real, t);
    EXB_TAKE(exb_real, x);
    EXB_TAKE(double, sums);
    EXB_LOCAL_BLOCK(exb_i64, words);
    x += exb_group_id(1) * next;
    sums += 4 * n * exb_group_id(1);
    int id = exb_local_id(0), size = exb_local_size(0);
    EXB_LOCAL exb_i64 *decided = words + EXB_ACC_ENTRIES * n_accs;
    for (exb_i64 i = first; i < first + count; i++) {
        double b = x[i * incx], pivot = unit ? 1 : t[i * t_row + i * t_col];
        exb_real r = 0;
        exb_barrier(); /* all have read b */
        if (id == 0) {
            *decided =
                filter && from_sums(exb_sums_load(sums + i, n), i, alpha, b, unit != 0, pivot, &r);
            if (*decided)
                x[i * incx] = r;
        }
        exb_barrier();
        bool exact = !*decided;
        for (int w = id; exact && w < EXB_ACC_ENTRIES * n_accs; w += size)
            words[w] = 0;
        exb_barrier();
        if (exact)
            add_residual(words, n_accs, i, t + i * t_row, t_col, x, incx, alpha, b);
        exb_barrier();
        if (exact && id == 0) {
            exb_sum_words sum;
            exb_sum_words_take(&sum, words, n_accs, 1, n_accs);
            x[i * incx] =
                unit ? exb_finish_words(&sum, 1, 0, 0) : exb_quotient_of_words(&sum, pivot);
        }
        exb_barrier();
        for (exb_i64 k = i + 1 + id; filter && k < first + count; k += size)
            exb_sums_store(sums + k, n,
                           exb_sums_add_product(exb_sums_load(sums + k, n),
                                                t[k * t_row + i * t_col], x[i * incx]));
    }
}

/* Rows from first + count on: adds their products with the count unknowns just found. */
EXB_KERNEL void trsv_update(exb_i64 n, exb_i64 first, exb_i64 count, EXB_PLACE(const exb_real, t),
                            exb_i64 t_row, exb_i64 t_col, EXB_PLACE(const exb_real, x),
                            exb_i64 incx, exb_i64 next, EXB_PLACE(double, sums))
{
    EXB_TAKE(const exb_real, t);
    EXB_TAKE(const exb_real, x);
    EXB_TAKE(double, sums);
    exb_i64 i = first + count + exb_global_id(0);
    x += exb_group_id(1) * next;
    sums += 4 * n * exb_group_id(1);
    if (i >= n)
        return;
    exb_sums v = exb_sums_load(sums + i, n);
    for (exb_i64 j = first; j < first + count; j++)
        v = exb_sums_add_product(v, t[i * t_row + j * t_col], x[j * incx]);
    exb_sums_store(sums + i, n, v);
}
