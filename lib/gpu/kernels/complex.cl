/* Products of complex matrices as one of real ones: of (a + bi)(c + di) the parts are
 *
 *   | a -b | | c |
 *   | b  a | | d |
 *
 * so the left matrix has two rows and two columns for each element, the right one and the result
 * have two rows. All are packed by columns. Options: EXB_IS_S. */
#define EXB_PARTS 2
#include "gpu/kernels/element_parts.h"
#include "gpu/kernels/uncertified.h"

/* m x n elements, of a left matrix (left) or another one. */
EXB_KERNEL void complex_expand(exb_i64 m, exb_i64 n, int left, EXB_PLACE(const exb_real, x),
                               exb_i64 row, exb_i64 col, int conjugate, EXB_PLACE(exb_real, whole))
{
    for (exb_i64 e = exb_global_id(0); e < m * n; e += exb_global_size(0)) {
        exb_i64 i = e % m, j = e / m;
        exb_element v = exb_element_at(x, i * row + j * col, conjugate);
        exb_real re = (exb_real)v.part[0], im = (exb_real)v.part[1];
        EXB_GLOBAL exb_real *to = whole + 2 * i + (left ? 4 : 2) * m * j;
        to[0] = re;
        to[1] = im;
        if (left) {
            to[2 * m] = -im;
            to[2 * m + 1] = re;
        }
    }
}

/* C = the result of a product. With complex scalars that are real, products of their imaginary
 * part, 0, with an infinite sum or element of C are missing in it: such an element is not finite in
 * one of its parts, is left as it is, and listed. */
EXB_KERNEL void complex_store(exb_i64 m, exb_i64 n, int real_scalars,
                              EXB_PLACE(const exb_real, whole), EXB_PLACE(exb_real, c),
                              exb_i64 c_row, exb_i64 c_col, EXB_PLACE(exb_u32, count),
                              EXB_PLACE(exb_i64, list))
{
    for (exb_i64 e = exb_global_id(0); e < m * n; e += exb_global_size(0)) {
        exb_i64 to = e % m * c_row + e / m * c_col;
        exb_real re = whole[2 * e], im = whole[2 * e + 1];
        bool is_finite = exb_fabs(re) <= DBL_MAX && exb_fabs(im) <= DBL_MAX;
        if (real_scalars || is_finite) {
            c[2 * to] = re;
            c[2 * to + 1] = im;
        } else
            exb_list_uncertified(count, list, e);
    }
}
