/* Residuals divided by elements, each part rounded once:
 *
 *   (r + si) / (a + bi) = ((ra + sb) + (sa - rb)i) / (a^2 + b^2). */
#ifndef EXB_QUOTIENT_PARTS_H
#define EXB_QUOTIENT_PARTS_H

#include "level2/parts.h"

/* A divisor, and of a complex one the square of its magnitude. */
typedef struct {
    exb_complex d;
    exb_enclosure square;
} exb_t(divisor);

EXB_INLINE exb_t(divisor) exb_t(divisor_of)(exb_complex d)
{
    exb_t(divisor) r = {.d = d};
    if (EXB_IS_COMPLEX)
        r.square = exb_enclosure_add(exb_affine_of(d.re, exb_enclosure_exact(d.re), 0, 0),
                                     exb_affine_of(d.im, exb_enclosure_exact(d.im), 0, 0));
    return r;
}

/* An enclosure of the residual divided by d, part by part. */
EXB_INLINE exb_t(value) exb_t(divide)(const exb_t(value) *r, const exb_t(divisor) *d)
{
    exb_t(value) q;
    if (!EXB_IS_COMPLEX) {
        q.part[0] = exb_enclosure_divide(r->part[0], d->d.re);
        return q;
    }
    exb_complex conjugate = {d->d.re, -d->d.im}, none = {0, 0};
    for (int k = 0; k < EXB_PARTS; k++)
        q.part[k] = exb_ratio_of(exb_t(affine)(k, conjugate, r, none, none), d->square);
    return q;
}

/* Part k of the exact residual divided by d. */
EXB_INLINE exb_real exb_t(divide_exact)(int k, exb_t(exact) *r, exb_complex d)
{
    if (!EXB_IS_COMPLEX)
        return exb_round_quotient(&r->part[0].acc, d.re);
    exb_finish_acc numerator;
    exb_product_acc square;
    exb_superacc *n = exb_finish_acc_init(&numerator), *s = exb_product_acc_init(&square);
    exb_superacc_add_scaled(n, d.re, &r->part[k].acc);
    exb_superacc_add_scaled(n, k == 0 ? d.im : -d.im, &r->part[EXB_PARTS - 1 - k].acc);
    exb_superacc_add_product(s, d.re, d.re);
    exb_superacc_add_product(s, d.im, d.im);
    return exb_round_ratio(n, s);
}

#endif
