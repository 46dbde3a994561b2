/* Substitution with a lower triangle, x_i = RN((alpha b_i - sum of t_ij x_j) / t_ii): the residual
 * is exact, the quotient is rounded once. b lies in x. Each right-hand side has a row of groups,
 * its x `next` elements after the one before. An upper triangle is a lower one read from its end, a
 * transposed one has its strides exchanged: strides may be negative.
 *
 * Each row left has compensated sums of its products with the unknowns known so far: 4 numbers for
 * each part, number q of row i at q * n + i. trsv_solve takes the next rows one after the other,
 * trsv_update brings the rows below them up to date. Options: EXB_IS_S, EXB_PARTS. */
#include "gpu/kernels/dots.h"
#include "gpu/kernels/finish_parts.h"
#include "gpu/kernels/share.h"

EXB_INLINE exb_dots load_dots(EXB_GLOBAL const double *sums, exb_i64 n)
{
    exb_dots v;
    for (int k = 0; k < EXB_PARTS; k++)
        v.part[k] = exb_sums_load(sums + 4 * k * n, n);
    return v;
}

EXB_INLINE void store_dots(EXB_GLOBAL double *sums, exb_i64 n, exb_dots v)
{
    for (int k = 0; k < EXB_PARTS; k++)
        exb_sums_store(sums + 4 * k * n, n, v.part[k]);
}

/* Part k of alpha b; of b if not `scaled`: without products with 0. */
EXB_INLINE exb_enclosure right_side(int k, int scaled, exb_element alpha, exb_element b)
{
    exb_enclosure v[EXB_PARTS];
    exb_element none = exb_element_of(0, 0);
    for (int q = 0; q < EXB_PARTS; q++)
        v[q] = exb_enclosure_exact(b.part[q]);
    return scaled ? exb_affine_part(k, alpha, v, none, none) : v[k];
}

/* Rounds row i's unknown from its sums, if they decide it. */
EXB_INLINE bool from_sums(exb_dots v, exb_i64 i, int scaled, exb_element alpha, exb_element b,
                          bool unit, exb_element t, exb_real *r)
{
    exb_enclosure residual[EXB_PARTS];
    bool certain = true;
    for (int k = 0; k < EXB_PARTS; k++) {
        exb_enclosure sum = exb_sums_enclosure(v.part[k], EXB_PARTS * i);
        sum.h = -sum.h;
        sum.l = -sum.l;
        residual[k] = exb_enclosure_add(right_side(k, scaled, alpha, b), sum);
    }
    for (int k = 0; k < EXB_PARTS; k++)
        certain =
            exb_round_enclosure(unit ? residual[k] : exb_quotient_part(k, residual, t), &r[k]) &&
            certain;
    return certain;
}

EXB_INLINE void add_to_shares(exb_share *s, exb_element x, exb_element y)
{
    for (int k = 0; k < EXB_PARTS; k++)
        for (int q = 0; q < EXB_PARTS; q++)
            exb_share_add_product(&s[k], exb_left_factor(x, k, q), exb_right_factor(y, k, q));
}

/* The item's share of the sum of -t[j] x[j] for j < n, and alpha b. */
EXB_INLINE void add_residual(EXB_LOCAL exb_i64 *words, int n_accs, exb_i64 n,
                             EXB_GLOBAL const exb_real *t, exb_i64 step, int t_conj,
                             EXB_GLOBAL const exb_real *x, exb_i64 incx, int scaled,
                             exb_element alpha, exb_element b)
{
    int id = exb_local_id(0), size = exb_local_size(0);
    exb_share s[EXB_PARTS];
    for (int k = 0; k < EXB_PARTS; k++)
        s[k] = exb_share_of(words + EXB_ACC_ENTRIES * n_accs * k + id % n_accs, n_accs);
    for (exb_i64 j = id; j < n; j += size) {
        exb_element y = exb_element_at(t, j * step, t_conj);
        for (int k = 0; k < EXB_PARTS; k++)
            y.part[k] = -y.part[k];
        add_to_shares(s, y, exb_element_at(x, j * incx, 0));
    }
    if (id == 0 && scaled)
        add_to_shares(s, alpha, b);
    for (int k = 0; k < EXB_PARTS; k++) {
        if (id == 0 && !scaled)
            exb_share_add(&s[k], b.part[k]);
        exb_share_end(&s[k]);
    }
}

/* Part k of the exact residual, divided by the pivot t. */
EXB_INLINE exb_real exact_unknown(int k, EXB_LOCAL const exb_i64 *words, int n_accs, bool unit,
                                  exb_element t)
{
    EXB_LOCAL const exb_i64 *own = words + EXB_ACC_ENTRIES * n_accs * k;
    EXB_LOCAL const exb_i64 *other = words + EXB_ACC_ENTRIES * n_accs * (EXB_PARTS - 1 - k);
    exb_sum_words v;
    exb_sum_words_clear(&v);
    if (!unit)
        return exb_quotient_of_parts(k, &v, own, other, n_accs, n_accs, t);
    exb_sum_words_add(&v, own, n_accs, n_accs, 1);
    return exb_round_words(v.word, EXB_FINISH_FIRST, EXB_FINISH_WORDS, v.special, false);
}

/* Rows first ... first + count - 1, one group. filter = 0: there are no sums, all is exact. words:
 * the accumulators of each part and one entry more. */
EXB_KERNEL_OF(2)
void trsv_solve(exb_i64 n, exb_i64 first, exb_i64 count, int unit, int filter, int n_accs,
                EXB_PLACE(const exb_real, t), exb_i64 t_row, exb_i64 t_col, int t_conj,
                EXB_PLACE(exb_real, x), exb_i64 incx, exb_i64 next, int scaled, double alpha_re,
                double alpha_im, EXB_PLACE(double, sums) EXB_LOCAL_ARG(exb_i64, words))
{
    x += EXB_PARTS * exb_group_id(1) * next;
    sums += 4 * EXB_PARTS * n * exb_group_id(1);
    int id = exb_local_id(0), size = exb_local_size(0), entries = EXB_PARTS * EXB_ACC_ENTRIES;
    exb_element alpha = exb_element_of(alpha_re, alpha_im);
    EXB_LOCAL exb_i64 *decided = words + entries * n_accs;
    for (exb_i64 i = first; i < first + count; i++) {
        exb_element b = exb_element_at(x, i * incx, 0), pivot = exb_element_of(1, 0);
        if (!unit)
            pivot = exb_element_at(t, i * t_row + i * t_col, t_conj);
        exb_real r[EXB_PARTS];
        exb_barrier(); /* all have read b */
        if (id == 0) {
            *decided = filter &&
                       from_sums(load_dots(sums + i, n), i, scaled, alpha, b, unit != 0, pivot, r);
            for (int k = 0; *decided && k < EXB_PARTS; k++)
                x[EXB_PARTS * i * incx + k] = r[k];
        }
        exb_barrier();
        bool exact = !*decided;
        for (int w = id; exact && w < entries * n_accs; w += size)
            words[w] = 0;
        exb_barrier();
        if (exact)
            add_residual(words, n_accs, i, t + EXB_PARTS * i * t_row, t_col, t_conj, x, incx,
                         scaled, alpha, b);
        exb_barrier();
        if (exact && id == 0) {
            for (int k = 0; k < EXB_PARTS; k++)
                r[k] = exact_unknown(k, words, n_accs, unit != 0, pivot);
            for (int k = 0; k < EXB_PARTS; k++)
                x[EXB_PARTS * i * incx + k] = r[k];
        }
        exb_barrier();
        for (exb_i64 k = i + 1 + id; filter && k < first + count; k += size) {
            exb_dots v = load_dots(sums + k, n);
            exb_dots_add_product(&v, exb_element_at(t, k * t_row + i * t_col, t_conj),
                                 exb_element_at(x, i * incx, 0));
            store_dots(sums + k, n, v);
        }
    }
}

/* Rows from first + count on: adds their products with the count unknowns just found. */
EXB_KERNEL void trsv_update(exb_i64 n, exb_i64 first, exb_i64 count, EXB_PLACE(const exb_real, t),
                            exb_i64 t_row, exb_i64 t_col, int t_conj, EXB_PLACE(const exb_real, x),
                            exb_i64 incx, exb_i64 next, EXB_PLACE(double, sums))
{
    exb_i64 i = first + count + exb_global_id(0);
    x += EXB_PARTS * exb_group_id(1) * next;
    sums += 4 * EXB_PARTS * n * exb_group_id(1);
    if (i >= n)
        return;
    exb_dots v = load_dots(sums + i, n);
    for (exb_i64 j = first; j < first + count; j++)
        exb_dots_add_product(&v, exb_element_at(t, i * t_row + j * t_col, t_conj),
                             exb_element_at(x, j * incx, 0));
    store_dots(sums + i, n, v);
}
