/* Elements of one part, or of two: complex numbers lie as pairs. What is said of an element here is
 * said of each part, in the real expression that follows from
 * (a + bi)(c + di) = (ac - bd) + (ad + bc)i. Options: EXB_PARTS. */
#pragma once

#include "gpu/device.h"

#ifndef EXB_PARTS
#define EXB_PARTS 1
#endif

typedef struct {
    double part[EXB_PARTS];
} exb_element;

EXB_INLINE exb_element exb_element_of(double re, double im)
{
    exb_element e;
    e.part[EXB_PARTS - 1] = im;
    e.part[0] = re;
    return e;
}

/* Element i, or its conjugate. */
EXB_INLINE exb_element exb_element_at(EXB_GLOBAL const exb_real *x, exb_i64 i, int conjugate)
{
    double im = x[EXB_PARTS * i + EXB_PARTS - 1];
    return exb_element_of(x[EXB_PARTS * i], conjugate ? -im : im);
}

EXB_INLINE bool exb_element_is_zero(exb_element e)
{
    return e.part[0] == 0 && e.part[EXB_PARTS - 1] == 0;
}

/* Factor q < EXB_PARTS of x and of y in part k of x y. */
EXB_INLINE double exb_left_factor(exb_element x, int k, int q)
{
    return q > k ? -x.part[q] : x.part[q];
}

EXB_INLINE double exb_right_factor(exb_element y, int k, int q)
{
    return y.part[EXB_PARTS == 1 ? 0 : k ^ q];
}

/* Part k of alpha v + beta c from enclosures of v. */
EXB_INLINE exb_enclosure exb_affine_part(int k, exb_element alpha, const exb_enclosure *v,
                                         exb_element beta, exb_element c)
{
#if EXB_PARTS == 1
    return exb_affine_of(alpha.part[0], v[0], beta.part[0], c.part[0]);
#else
    double sign = k == 0 ? -1 : 1;
    return exb_complex_line(alpha.part[0], v[k], sign * alpha.part[1], v[1 - k], beta.part[0],
                            c.part[k], sign * beta.part[1], c.part[1 - k]);
#endif
}

/* All parts of RN(alpha v + beta c); false if one of them is not certain. */
EXB_INLINE bool exb_round_parts(exb_element alpha, const exb_enclosure *v, exb_element beta,
                                exb_element c, exb_real *r)
{
    bool certain = true;
    for (int k = 0; k < EXB_PARTS; k++)
        certain = exb_round_enclosure(exb_affine_part(k, alpha, v, beta, c), &r[k]) && certain;
    return certain;
}

/* Part k of r / t from enclosures of r: (r conj(t))_k / |t|^2. */
EXB_INLINE exb_enclosure exb_quotient_part(int k, const exb_enclosure *r, exb_element t)
{
#if EXB_PARTS == 1
    return exb_ratio_of(r[0], exb_enclosure_exact(t.part[0]));
#else
    exb_element none = exb_element_of(0, 0), conjugate = exb_element_of(t.part[0], -t.part[1]);
    exb_enclosure square =
        exb_enclosure_add(exb_affine_of(t.part[0], exb_enclosure_exact(t.part[0]), 0, 0),
                          exb_affine_of(t.part[1], exb_enclosure_exact(t.part[1]), 0, 0));
    return exb_ratio_of(exb_affine_part(k, conjugate, r, none, none), square);
#endif
}
