/* Products of matrices of signed bytes in 32-bit sums, where no library has them. */
#include "gpu/device.h"

#include "gpu/residue_table.h"

enum { PRODUCT_ROWS = 4, PRODUCT_COLUMNS = 4 };

EXB_INLINE int product_byte(exb_u32 four, int t)
{
    return (int)(signed char)(four >> (8 * t) & 255);
}

EXB_INLINE int product_dot(exb_u32 a, exb_u32 b, int sum)
{
    for (int t = 0; t < 4; t++)
        sum += product_byte(a, t) * product_byte(b, t);
    return sum;
}

/* For each of the planes: sums[j * ld + i] = (add ? itself : 0) + sum over l of a[i * stride + l] *
 * b[j * stride + l], l < 4 k4; strides and planes of a and b in units of four bytes. m, n:
 * multiples of 4. Work-items: blocks of 4 rows and 4 columns of a plane. */
EXB_KERNEL void residue_product(int m, int n, int k4, EXB_PLACE(const exb_u32, a),
                                EXB_PLACE(const exb_u32, b), exb_i64 stride, exb_i64 plane_a,
                                exb_i64 plane_b, EXB_PLACE(int, sums), exb_i64 ld,
                                exb_i64 plane_sums, int n_planes, int add)
{
    exb_i64 blocks = (exb_i64)(m / PRODUCT_ROWS) * (n / PRODUCT_COLUMNS);
    exb_i64 task = exb_global_id(0);
    if (task >= blocks * n_planes)
        return;
    exb_i64 plane = task / blocks, block = task % blocks;
    int i = (int)(block % (m / PRODUCT_ROWS)) * PRODUCT_ROWS;
    int j = (int)(block / (m / PRODUCT_ROWS)) * PRODUCT_COLUMNS;
    EXB_GLOBAL int *to = sums + plane * plane_sums + j * ld + i;
    a += plane * plane_a + i * stride;
    b += plane * plane_b + j * stride;
    int sum[PRODUCT_COLUMNS][PRODUCT_ROWS];
    for (int c = 0; c < PRODUCT_COLUMNS; c++)
        for (int r = 0; r < PRODUCT_ROWS; r++)
            sum[c][r] = add ? to[c * ld + r] : 0;
    for (int q = 0; q < k4; q++)
        for (int c = 0; c < PRODUCT_COLUMNS; c++)
            for (int r = 0; r < PRODUCT_ROWS; r++)
                sum[c][r] = product_dot(a[r * stride + q], b[c * stride + q], sum[c][r]);
    for (int c = 0; c < PRODUCT_COLUMNS; c++)
        for (int r = 0; r < PRODUCT_ROWS; r++)
            to[c * ld + r] = sum[c][r];
}

/* The sums of each plane become their residues, so that another panel of terms can be added.
 * Work-items: elements of all planes. */
EXB_KERNEL void residue_fold(exb_i64 plane, int n_planes, EXB_CONSTANTS(exb_residue_table, table),
                             EXB_PLACE(int, sums))
{
    exb_i64 t = exb_global_id(0);
    if (t >= plane * n_planes)
        return;
    EXB_GLOBAL const exb_table_modulus *m = &table->modulus[t / plane];
    sums[t] = (int)exb_residue_of(sums[t], m->p, m->inverse);
}
