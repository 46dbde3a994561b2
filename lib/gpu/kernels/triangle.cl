/* Products with a triangular factor: the whole matrix of it, with zeros, a copy of the other
 * factor, and the elements of the result for which a zero is not nothing. What is made here is
 * packed by columns. Options: EXB_IS_S, EXB_PARTS. */
#include "gpu/kernels/finish_parts.h"
#include "gpu/kernels/share.h"
#include "gpu/kernels/uncertified.h"

EXB_INLINE void put(EXB_GLOBAL exb_real *x, exb_i64 at, exb_element e)
{
    for (int k = 0; k < EXB_PARTS; k++)
        x[EXB_PARTS * at + k] = (exb_real)e.part[k];
}

/* whole = the lower triangle of x, or the upper one; unit: ones on the diagonal. */
EXB_KERNEL void triangle_fill(exb_i64 n, int upper, int unit, EXB_PLACE(const exb_real, x),
                              exb_i64 row, exb_i64 col, int conjugate, EXB_PLACE(exb_real, whole))
{
    EXB_TAKE(const exb_real, x);
    EXB_TAKE(exb_real, whole);
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    for (exb_i64 e = exb_global_id(0); e < n * n; e += step) {
        exb_i64 i = e % n, j = e / n;
        exb_element v = exb_element_of(0, 0);
        if (unit != 0 && i == j)
            v = exb_element_of(1, 0);
        else if (upper != 0 ? i <= j : i >= j)
            v = exb_element_at(x, i * row + j * col, conjugate);
        put(whole, e, v);
    }
}

/* to = x, of m x n. */
EXB_KERNEL void triangle_copy(exb_i64 m, exb_i64 n, EXB_PLACE(const exb_real, x), exb_i64 row,
                              exb_i64 col, EXB_PLACE(exb_real, to))
{
    EXB_TAKE(const exb_real, x);
    EXB_TAKE(exb_real, to);
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    for (exb_i64 e = exb_global_id(0); e < m * n; e += step)
        put(to, e, exb_element_at(x, e % m * row + e / m * col, 0));
}

/* Lists elements e = (e % m, e / m) of c that are not finite: a zero outside the triangle has met
 * an Inf or NaN, perhaps. All others are right: no factor of theirs was one. */
EXB_KERNEL void triangle_survey(exb_i64 m, exb_i64 n, EXB_PLACE(const exb_real, c), exb_i64 c_row,
                                exb_i64 c_col, EXB_PLACE(exb_u32, count), EXB_PLACE(exb_i64, list))
{
    EXB_TAKE(const exb_real, c);
    EXB_TAKE(exb_u32, count);
    EXB_TAKE(exb_i64, list);
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    for (exb_i64 e = exb_global_id(0); e < m * n; e += step) {
        exb_element v = exb_element_at(c, e % m * c_row + e / m * c_col, 0);
        if (!(exb_fabs(v.part[0]) <= DBL_MAX && exb_fabs(v.part[EXB_PARTS - 1]) <= DBL_MAX))
            exb_list_uncertified(count, list, e);
    }
}

/* Part k of RN(alpha v) for the accumulators at word. */
EXB_INLINE exb_real finish(int k, EXB_LOCAL const exb_i64 *word, exb_element alpha)
{
    exb_sum_words sum;
    exb_sum_words_take(&sum, word + k, EXB_PARTS, 0, 1);
#if EXB_PARTS == 1
    return exb_finish_words(&sum, alpha.part[0], 0, 0);
#else
    exb_sum_words other;
    exb_sum_words_take(&other, word + 1 - k, EXB_PARTS, 0, 1);
    exb_element none = exb_element_of(0, 0);
    return exb_finish_part(k, &sum, &other, alpha, none, none);
#endif
}

/* The item's share of the sums of t_l b_l for l = lane, lane + lanes, ... below end, t_l m elements
 * apart. Of element `real` of t there is no imaginary part: not even 0 times Inf. */
EXB_INLINE void add_products(EXB_LOCAL exb_i64 *word, EXB_GLOBAL const exb_real *t, exb_i64 m,
                             EXB_GLOBAL const exb_real *b, exb_i64 lane, exb_i64 lanes, exb_i64 end,
                             exb_i64 real)
{
    exb_share s[EXB_PARTS];
    for (int k = 0; k < EXB_PARTS; k++)
        s[k] = exb_share_of(word + k, EXB_PARTS);
    for (exb_i64 l = lane; l < end; l += lanes) {
        exb_element x = exb_element_at(t, l * m, 0), y = exb_element_at(b, l, 0);
        for (int k = 0; k < EXB_PARTS; k++)
            for (int q = 0; q < EXB_PARTS; q++)
                if (q == 0 || l != real)
                    exb_share_add_product(&s[k], exb_left_factor(x, k, q),
                                          exb_right_factor(y, k, q));
    }
    for (int k = 0; k < EXB_PARTS; k++)
        exb_share_end(&s[k]);
}

/* The elements of the list, *count of them, of C = alpha T B, T of order m: exact sums over the
 * triangle alone. A group shares each. */
EXB_KERNEL_OF(2)
void triangle_exact(exb_i64 m, int upper, int unit, double alpha_re, double alpha_im,
                    EXB_PLACE(const exb_real, whole), EXB_PLACE(const exb_real, b),
                    EXB_PLACE(exb_real, c), exb_i64 c_row, exb_i64 c_col,
                    EXB_PLACE(const exb_u32, count),
                    EXB_PLACE(const exb_i64, list) EXB_LOCAL_ARG(exb_i64, words))
{
    EXB_TAKE(const exb_real, whole);
    EXB_TAKE(const exb_real, b);
    EXB_TAKE(exb_real, c);
    EXB_TAKE(const exb_u32, count);
    EXB_TAKE(const exb_i64, list);
    EXB_LOCAL_BLOCK(exb_i64, words);
    int id = exb_local_id(0), size = exb_local_size(0);
    exb_i64 n = (exb_i64)*count;
    for (exb_i64 at = exb_group_id(0); at < n; at += exb_n_groups(0)) {
        exb_i64 e = list[at], i = e % m, j = e / m;
        exb_i64 begin = upper != 0 ? i : 0, end = upper != 0 ? m : i + 1;
        for (int w = id; w < EXB_ACC_ENTRIES * EXB_PARTS; w += size)
            words[w] = 0;
        exb_barrier();
        add_products(words, whole + EXB_PARTS * i, m, b + EXB_PARTS * j * m, begin + id, size, end,
                     unit != 0 ? i : -1);
        exb_barrier();
        for (int q = id; q < EXB_PARTS; q += size)
            c[EXB_PARTS * (i * c_row + j * c_col) + q] =
                finish(q, words, exb_element_of(alpha_re, alpha_im));
        exb_barrier();
    }
}
