/* Symmetric and Hermitian matrices of which one triangle is stored, to whole ones and back. Element
 * (i, j), i >= j, of the triangle is x[i * row + j * col], or its conjugate: an upper one has its
 * strides exchanged. Whole ones are packed. Options: EXB_IS_S, EXB_PARTS. */
#include "gpu/kernels/element_parts.h"

/* hermitian: the imaginary part of an element of the diagonal is 0, whatever is stored. */
EXB_INLINE void put(EXB_GLOBAL exb_real *x, exb_i64 at, exb_element e, bool is_real)
{
    x[EXB_PARTS * at] = (exb_real)e.part[0];
    if (EXB_PARTS == 2)
        x[EXB_PARTS * at + 1] = (exb_real)(is_real ? 0 : e.part[EXB_PARTS - 1]);
}

/* whole = the triangle and its mirror image. */
EXB_KERNEL void mirror_fill(exb_i64 n, EXB_PLACE(const exb_real, x), exb_i64 row, exb_i64 col,
                            int conjugate, int hermitian, EXB_PLACE(exb_real, whole))
{
    EXB_TAKE(const exb_real, x);
    EXB_TAKE(exb_real, whole);
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    for (exb_i64 e = exb_global_id(0); e < n * n; e += step) {
        exb_i64 i = e % n, j = e / n;
        bool below = i >= j;
        put(whole, e,
            exb_element_at(x, below ? i * row + j * col : j * row + i * col,
                           below ? conjugate : conjugate != hermitian),
            hermitian && i == j);
    }
}

/* The triangle = that of whole. */
EXB_KERNEL void mirror_store(exb_i64 n, EXB_PLACE(const exb_real, whole), EXB_PLACE(exb_real, x),
                             exb_i64 row, exb_i64 col, int hermitian)
{
    EXB_TAKE(const exb_real, whole);
    EXB_TAKE(exb_real, x);
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    for (exb_i64 e = exb_global_id(0); e < n * n; e += step) {
        exb_i64 i = e % n, j = e / n;
        if (i >= j)
            put(x, i * row + j * col, exb_element_at(whole, e, 0), hermitian && i == j);
    }
}
