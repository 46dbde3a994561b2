/* Factors of products made whole, packed by columns, and results put where they belong. Of
 * symmetric, Hermitian and triangular matrices a triangle is stored. A complex product is one of
 * real matrices: of (a + bi)(c + di) the parts are
 *
 *   | a -b | | c |
 *   | b  a | | d |
 *
 * so that the left matrix has two rows and two columns for each element, the right one and the
 * result have two rows. Options: EXB_IS_S, EXB_PARTS. */
#include "gpu/kernels/element_parts.h"

EXB_INLINE void put(EXB_GLOBAL exb_real *x, exb_i64 at, exb_element e, bool is_real)
{
    x[EXB_PARTS * at] = (exb_real)e.part[0];
    if (EXB_PARTS == 2)
        x[EXB_PARTS * at + 1] = (exb_real)(is_real ? 0 : e.part[EXB_PARTS - 1]);
}

EXB_INLINE bool is_finite(exb_element e)
{
    return exb_fabs(e.part[0]) <= DBL_MAX && exb_fabs(e.part[EXB_PARTS - 1]) <= DBL_MAX;
}

/* whole = x, of m x n (triangle = 0); or its lower triangle (1) or the upper one (-1), and
 * elsewhere zeros (mirror = 0), its mirror image (1) or the conjugate of that (2), which has a real
 * diagonal, whatever is stored. unit: ones on the diagonal. doubled: behind each column that times
 * i. */
EXB_KERNEL void pack_whole(exb_i64 m, exb_i64 n, int triangle, int unit, int mirror, int doubled,
                           EXB_PLACE(const exb_real, x), exb_i64 row, exb_i64 col, int conjugate,
                           EXB_PLACE(exb_real, whole))
{
    for (exb_i64 e = exb_global_id(0); e < m * n; e += exb_global_size(0)) {
        exb_i64 i = e % m, j = e / m, to = doubled ? e + m * j : e;
        exb_element v = exb_element_of(0, 0);
        if (unit != 0 && i == j)
            v = exb_element_of(1, 0);
        else if ((i - j) * triangle >= 0)
            v = exb_element_at(x, i * row + j * col, conjugate);
        else if (mirror != 0)
            v = exb_element_at(x, j * row + i * col, conjugate != (mirror == 2));
        put(whole, to, v, mirror == 2 && i == j);
        if (doubled)
            put(whole, to + m, exb_element_of(-v.part[EXB_PARTS - 1], v.part[0]), false);
    }
}

/* x = whole, of m x n, or the lower triangle of that; they may be the same. listed: what is not
 * finite in one of its parts is left as it is, and listed: with complex scalars that are real,
 * products of their imaginary part, 0, with an infinite sum or element of C are missing in it; or a
 * zero outside a triangle has met an Inf or NaN. All others are right: no factor of theirs was one.
 */
EXB_KERNEL void pack_store(exb_i64 m, exb_i64 n, int lower, int hermitian, int listed,
                           EXB_PLACE(const exb_real, whole), exb_i64 whole_row, exb_i64 whole_col,
                           EXB_PLACE(exb_real, x), exb_i64 row, exb_i64 col,
                           EXB_PLACE(exb_u32, count), EXB_PLACE(exb_i64, list))
{
    for (exb_i64 e = exb_global_id(0); e < m * n; e += exb_global_size(0)) {
        exb_i64 i = e % m, j = e / m;
        exb_element v = exb_element_at(whole, i * whole_row + j * whole_col, 0);
        if (listed && !is_finite(v))
            exb_list_uncertified(count, list, e);
        else if (!lower || i >= j)
            put(x, i * row + j * col, v, hermitian && i == j);
    }
}
