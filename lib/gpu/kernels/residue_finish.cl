/* From sums modulo N numbers to elements of C: reconstruction, the bound on what was left out,
 * alpha and beta, the rounding test. Options: EXB_IS_S, EXB_LIMBS: limbs (level3/residue.h). */
#include "gpu/device.h"

#include "gpu/residue_table.h"

/* A work-item has elements of two columns, so that what it reads of the table and of the row serves
 * both. */
enum { COLUMNS = 2 };

/* The limbs of the sum over pairs of R P / (p_x p_y), R = r_x p_y + r_y p_x: exact, and congruent
 * to C' modulo P; of the sums at `sum` and `next` elements after it. */
EXB_INLINE void residue_limbs(EXB_GLOBAL const exb_residue_table *table, int n_moduli,
                              EXB_GLOBAL const int *sum, exb_i64 next, exb_i64 plane,
                              double limb[COLUMNS][EXB_LIMBS_MAX])
{
    for (int u = 0; u < COLUMNS; u++)
        for (int j = 0; j < EXB_LIMBS; j++)
            limb[u][j] = 0;
    EXB_UNROLL_2
    for (int i = 0; i < n_moduli; i += 2, sum += 2 * plane) {
        EXB_GLOBAL const exb_table_modulus *m = &table->modulus[i];
        EXB_GLOBAL const exb_table_pair *pair = &table->pair[i / 2];
        double r[COLUMNS];
        for (int u = 0; u < COLUMNS; u++) {
            int other = i + 1 < n_moduli ? sum[u * next + plane] : 0;
            double x = exb_residue_of(sum[u * next], m[0].p, m[0].inverse);
            double y = exb_residue_of(other, m[1].p, m[1].inverse);
            r[u] = exb_fma(x, pair->multiply[0], y * pair->multiply[1]);
        }
        for (int j = 0; j < EXB_LIMBS; j++)
            for (int u = 0; u < COLUMNS; u++)
                limb[u][j] = exb_fma(r[u], pair->limb[j], limb[u][j]);
    }
}

/* Row i of `rows` by column j of `columns`, both arrays of a side, unscaled. h and l are integers:
 * scaling them is exact if the scale is a normal number and nothing overflows; otherwise, or if
 * nothing is known of the row or the column, the value is unknown. */
EXB_INLINE exb_enclosure residue_enclosure(EXB_GLOBAL const double *rows, exb_i64 n_rows, exb_i64 i,
                                           EXB_GLOBAL const double *columns, exb_i64 n_columns,
                                           exb_i64 j, const double *limb)
{
    exb_enclosure v;
    double scale = rows[EXB_SIDE_SCALE * n_rows + i] * columns[EXB_SIDE_SCALE * n_columns + j];
    double lost_1 = columns[EXB_SIDE_LOST_1 * n_columns + j];
    double lost_2 = columns[EXB_SIDE_LOST_2 * n_columns + j];
    v.h = exb_residue_join(EXB_LIMBS, limb, &v.l, &v.e);
    v.e = exb_residue_bound(v.e, rows[EXB_SIDE_INF * n_rows + i], rows[EXB_SIDE_TWO * n_rows + i],
                            rows[EXB_SIDE_LOST_1 * n_rows + i], rows[EXB_SIDE_LOST_2 * n_rows + i],
                            columns[EXB_SIDE_INF * n_columns + j] + (lost_1 != 0 ? 0.5 : 0),
                            columns[EXB_SIDE_TWO * n_columns + j] + lost_2, lost_1, lost_2);
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

/* Rows i0 to i0 + m and columns j0 to j0 + n of C, of whose sums those modulo p_i are at sums[i *
 * plane + j * ld + i]. What the rounding test decides is written; the others are noted: list[t] = j
 * * m + i for t < *count. Sides: rows of A, columns of B. */
EXB_KERNEL void residue_finish(int m, int n, EXB_PLACE(const int, sums), exb_i64 ld, exb_i64 plane,
                               int n_moduli, EXB_CONSTANTS(exb_residue_table, table),
                               EXB_PLACE(const double, rows), exb_i64 n_rows, exb_i64 i0,
                               EXB_PLACE(const double, columns), exb_i64 n_columns, exb_i64 j0,
                               double alpha, double beta, EXB_PLACE(exb_real, c), exb_i64 ldc,
                               EXB_PLACE(exb_i64, list), EXB_PLACE(exb_u32, count))
{
    EXB_TAKE(const int, sums);
    EXB_TAKE_CONSTANTS(exb_residue_table, table);
    EXB_TAKE(const double, rows);
    EXB_TAKE(const double, columns);
    EXB_TAKE(exb_real, c);
    EXB_TAKE(exb_i64, list);
    EXB_TAKE(exb_u32, count);
    exb_i64 i = exb_global_id(0);
    if (i >= m)
        return;
    for (exb_i64 j = (exb_i64)exb_group_id(1) * COLUMNS; j < n;
         j += (exb_i64)exb_n_groups(1) * COLUMNS) {
        double limb[COLUMNS][EXB_LIMBS_MAX];
        /* A last column by itself is read twice. */
        residue_limbs(table, n_moduli, sums + j * ld + i, j + 1 < n ? ld : 0, plane, limb);
        for (int u = 0; u < COLUMNS && j + u < n; u++) {
            exb_real r;
            exb_residue_reduce(EXB_LIMBS, limb[u], table->limb, table->carry, table->inverse);
            exb_enclosure v =
                residue_enclosure(rows, n_rows, i0 + i, columns, n_columns, j0 + j + u, limb[u]);
            EXB_GLOBAL exb_real *to = c + (j0 + j + u) * ldc + i0 + i;
            v = exb_affine_of(alpha, v, beta, beta != 0 ? *to : 0);
            if (exb_round_enclosure(v, &r))
                *to = r;
            else
                list[exb_atomic_add_global_u32(count, 1)] = (j + u) * m + i;
        }
    }
}
