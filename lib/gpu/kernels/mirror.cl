/* Symmetric matrices of which one triangle is stored, to whole ones and back. Element (i, j), i >=
 * j, of the triangle is x[i * row + j * col]: an upper one has its strides exchanged. Whole ones
 * are packed. Options: EXB_IS_S. */
#include "gpu/device.h"

/* whole = the triangle and its mirror image. */
EXB_KERNEL void mirror_fill(exb_i64 n, EXB_PLACE(const exb_real, x), exb_i64 row, exb_i64 col,
                            EXB_PLACE(exb_real, whole))
{
    EXB_TAKE(const exb_real, x);
    EXB_TAKE(exb_real, whole);
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    for (exb_i64 e = exb_global_id(0); e < n * n; e += step) {
        exb_i64 i = e % n, j = e / n;
        whole[e] = i >= j ? x[i * row + j * col] : x[j * row + i * col];
    }
}

/* The triangle = that of whole. */
EXB_KERNEL void mirror_store(exb_i64 n, EXB_PLACE(const exb_real, whole), EXB_PLACE(exb_real, x),
                             exb_i64 row, exb_i64 col)
{
    EXB_TAKE(const exb_real, whole);
    EXB_TAKE(exb_real, x);
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    for (exb_i64 e = exb_global_id(0); e < n * n; e += step) {
        exb_i64 i = e % n, j = e / n;
        if (i >= j)
            x[i * row + j * col] = whole[e];
    }
}
