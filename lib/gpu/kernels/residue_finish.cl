/* From sums modulo N numbers to elements of C: reconstruction, the bound on what was left out,
 * alpha and beta, the rounding test. Options: EXB_IS_S, EXB_LIMBS: limbs (level3/residue.h),
 * EXB_PARTS: 2 for complex elements, whose parts are neighbouring rows of the sums (pack.cl). */
#include "gpu/kernels/element_parts.h"

#include "gpu/residue_table.h"

/* A work-item has two sums at a time, so that what it reads of the table serves both: those of two
 * columns, or the parts of an element. */
enum { SUMS = 2, COLUMNS = SUMS / EXB_PARTS };

/* The limbs of the sum over pairs of R P / (p_x p_y), R = r_x p_y + r_y p_x: exact, and congruent
 * to C' modulo P; of the sums at `sum` and `next` elements after it. */
EXB_INLINE void residue_limbs(EXB_GLOBAL const exb_residue_table *table, int n_moduli,
                              EXB_GLOBAL const int *sum, exb_i64 next, exb_i64 plane,
                              double limb[SUMS][EXB_LIMBS_MAX])
{
    for (int u = 0; u < SUMS; u++)
        for (int j = 0; j < EXB_LIMBS; j++)
            limb[u][j] = 0;
    EXB_UNROLL_2
    for (int i = 0; i < n_moduli; i += 2, sum += 2 * plane) {
        EXB_GLOBAL const exb_table_modulus *m = &table->modulus[i];
        EXB_GLOBAL const exb_table_pair *pair = &table->pair[i / 2];
        double r[SUMS];
        for (int u = 0; u < SUMS; u++) {
            int other = i + 1 < n_moduli ? sum[u * next + plane] : 0;
            double x = exb_residue_of(sum[u * next], m[0].p, m[0].inverse);
            double y = exb_residue_of(other, m[1].p, m[1].inverse);
            r[u] = exb_fma(x, pair->multiply[0], y * pair->multiply[1]);
        }
        for (int j = 0; j < EXB_LIMBS; j++)
            for (int u = 0; u < SUMS; u++)
                limb[u][j] = exb_fma(r[u], pair->limb[j], limb[u][j]);
    }
}

/* A row by a column, unscaled. h and l are integers: scaling them is exact if the scale is a normal
 * number and nothing overflows; otherwise, or if nothing is known of the row or the column, the
 * value is unknown. */
EXB_INLINE exb_enclosure residue_enclosure(EXB_GLOBAL const exb_side *row,
                                           EXB_GLOBAL const exb_side *column, const double *limb)
{
    exb_enclosure v;
    double scale = row->scale * column->scale, lost_1 = column->lost_1, lost_2 = column->lost_2;
    v.h = exb_residue_join(EXB_LIMBS, limb, &v.l, &v.e);
    v.e = exb_residue_bound(v.e, row->inf, row->two, row->lost_1, row->lost_2,
                            column->inf + (lost_1 != 0 ? 0.5 : 0), column->two + lost_2, lost_1,
                            lost_2);
    if (!(scale >= DBL_MIN && scale <= DBL_MAX))
        return exb_enclosure_unknown();
    v.exact = v.e == 0;
    if (v.exact && v.h == 0 && v.l == 0)
        return v;
    v.h *= scale;
    v.l *= scale;
    v.e *= scale;
    return exb_certifiable(v.h) ? v : exb_enclosure_unknown();
}

/* The element of its parts' rows and a column, if its sums decide it. limb: of its parts. */
EXB_INLINE bool residue_element(EXB_GLOBAL const exb_residue_table *table,
                                EXB_GLOBAL const exb_side *row, EXB_GLOBAL const exb_side *column,
                                double limb[EXB_PARTS][EXB_LIMBS_MAX], exb_element alpha,
                                exb_element beta, EXB_GLOBAL exb_real *c)
{
    exb_enclosure v[EXB_PARTS];
    exb_real r[EXB_PARTS];
    exb_element old = exb_element_of(0, 0);
    for (int q = 0; q < EXB_PARTS; q++) {
        exb_residue_reduce(EXB_LIMBS, limb[q], table->limb, table->carry, table->inverse);
        v[q] = residue_enclosure(row + q, column, limb[q]);
    }
    if (!exb_element_is_zero(beta))
        old = exb_element_at(c, 0, 0);
    if (!exb_round_parts(alpha, v, beta, old, r))
        return false;
    for (int q = 0; q < EXB_PARTS; q++)
        c[q] = r[q];
    return true;
}

/* Rows i0 to i0 + m and columns j0 to j0 + n of C, of whose sums those modulo p_q are at sums[q *
 * plane + j * ld + i], of part u of element i in row EXB_PARTS i + u. What the rounding test
 * decides is written; the others are noted: list[t] = j * m + i for t < *count. Sides: rows of A,
 * columns of B. */
EXB_KERNEL_OF(3)
void residue_finish(int m, int n, EXB_PLACE(const int, sums), exb_i64 ld, exb_i64 plane,
                    int n_moduli, EXB_CONSTANTS(exb_residue_table, table),
                    EXB_PLACE(const exb_side, rows), exb_i64 i0, EXB_PLACE(const exb_side, columns),
                    exb_i64 j0, double alpha_re, double alpha_im, double beta_re, double beta_im,
                    EXB_PLACE(exb_real, c), exb_i64 ldc, EXB_PLACE(exb_i64, list),
                    EXB_PLACE(exb_u32, count))
{
    exb_element alpha = exb_element_of(alpha_re, alpha_im), beta = exb_element_of(beta_re, beta_im);
    exb_i64 i = exb_global_id(0);
    if (i >= m)
        return;
    for (exb_i64 j = (exb_i64)exb_group_id(1) * COLUMNS; j < n;
         j += (exb_i64)exb_n_groups(1) * COLUMNS) {
        double limb[SUMS][EXB_LIMBS_MAX];
        /* A last column by itself is read twice. */
        exb_i64 next = EXB_PARTS == 2 ? 1 : j + 1 < n ? ld : 0;
        residue_limbs(table, n_moduli, sums + j * ld + EXB_PARTS * i, next, plane, limb);
        for (int u = 0; u < COLUMNS && j + u < n; u++)
            if (!residue_element(table, rows + EXB_PARTS * (i0 + i), columns + j0 + j + u, &limb[u],
                                 alpha, beta, c + EXB_PARTS * ((j0 + j + u) * ldc + i0 + i)))
                exb_list_uncertified(count, list, (j + u) * m + i);
    }
}
