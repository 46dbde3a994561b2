/* Symmetric, Hermitian and triangular matrices, of which a triangle is stored, as whole ones and
 * back; for products with triangular ones a copy of the other factor, and the elements of the
 * result for which a zero is not nothing. What is made here is packed by columns. Options:
 * EXB_IS_S, EXB_PARTS. */
#include "gpu/kernels/element_parts.h"
#include "gpu/kernels/uncertified.h"

EXB_INLINE void put(EXB_GLOBAL exb_real *x, exb_i64 at, exb_element e, bool is_real)
{
    x[EXB_PARTS * at] = (exb_real)e.part[0];
    if (EXB_PARTS == 2)
        x[EXB_PARTS * at + 1] = (exb_real)(is_real ? 0 : e.part[EXB_PARTS - 1]);
}

/* whole = the lower triangle of x, or the upper one, and elsewhere zeros (mirror = 0), its mirror
 * image (1) or the conjugate of that (2), which has a real diagonal, whatever is stored. unit: ones
 * on the diagonal. */
EXB_KERNEL void triangle_fill(exb_i64 n, int upper, int unit, int mirror,
                              EXB_PLACE(const exb_real, x), exb_i64 row, exb_i64 col, int conjugate,
                              EXB_PLACE(exb_real, whole))
{
    for (exb_i64 e = exb_global_id(0); e < n * n; e += exb_global_size(0)) {
        exb_i64 i = e % n, j = e / n;
        exb_element v = exb_element_of(0, 0);
        if (unit != 0 && i == j)
            v = exb_element_of(1, 0);
        else if (upper != 0 ? i <= j : i >= j)
            v = exb_element_at(x, i * row + j * col, conjugate);
        else if (mirror != 0)
            v = exb_element_at(x, j * row + i * col, conjugate != (mirror == 2));
        put(whole, e, v, mirror == 2 && i == j);
    }
}

/* The lower triangle of x = that of whole. */
EXB_KERNEL void triangle_store(exb_i64 n, EXB_PLACE(const exb_real, whole), EXB_PLACE(exb_real, x),
                               exb_i64 row, exb_i64 col, int hermitian)
{
    for (exb_i64 e = exb_global_id(0); e < n * n; e += exb_global_size(0)) {
        exb_i64 i = e % n, j = e / n;
        if (i >= j)
            put(x, i * row + j * col, exb_element_at(whole, e, 0), hermitian && i == j);
    }
}

/* to = x, of m x n. */
EXB_KERNEL void triangle_copy(exb_i64 m, exb_i64 n, EXB_PLACE(const exb_real, x), exb_i64 row,
                              exb_i64 col, EXB_PLACE(exb_real, to))
{
    for (exb_i64 e = exb_global_id(0); e < m * n; e += exb_global_size(0))
        put(to, e, exb_element_at(x, e % m * row + e / m * col, 0), false);
}

/* Lists elements e = (e % m, e / m) of c that are not finite: a zero outside the triangle has met
 * an Inf or NaN, perhaps. All others are right: no factor of theirs was one. */
EXB_KERNEL void triangle_survey(exb_i64 m, exb_i64 n, EXB_PLACE(const exb_real, c), exb_i64 c_row,
                                exb_i64 c_col, EXB_PLACE(exb_u32, count), EXB_PLACE(exb_i64, list))
{
    for (exb_i64 e = exb_global_id(0); e < m * n; e += exb_global_size(0)) {
        exb_element v = exb_element_at(c, e % m * c_row + e / m * c_col, 0);
        if (!(exb_fabs(v.part[0]) <= DBL_MAX && exb_fabs(v.part[EXB_PARTS - 1]) <= DBL_MAX))
            exb_list_uncertified(count, list, e);
    }
}
