/* Sums of products of elements, part by part: one real sum, or the real and the imaginary
 * part of a complex one. */
#ifndef EXB_PARTS_H
#define EXB_PARTS_H

#include "core/arith/enclosed.h"
#include "core/finish.h"

/* Element i is at p[EXB_PARTS * i * inc]. */
typedef struct {
    const exb_real *p;
    int64_t inc;
} exb_t(vector);

typedef struct {
    exb_enclosure part[EXB_PARTS];
} exb_t(value);

/* Exact, in PRODUCT windows. */
typedef struct {
    exb_product_acc part[EXB_PARTS];
} exb_t(exact);

EXB_INLINE const exb_real *exb_t(element)(exb_t(vector) x, int64_t i)
{
    return x.p + EXB_PARTS * i * x.inc;
}

EXB_INLINE exb_t(vector) exb_t(vector_from)(exb_t(vector) x, int64_t i)
{
    return (exb_t(vector)){exb_t(element)(x, i), x.inc};
}

/* The offset of element 0 from a BLAS argument: a negative increment walks backwards from
 * the far end. */
EXB_INLINE int64_t exb_t(first_offset)(int64_t n, int64_t inc)
{
    return inc < 0 && n > 0 ? EXB_PARTS * (1 - n) * inc : 0;
}

EXB_INLINE exb_t(vector) exb_t(vector_of)(const exb_real *x, int64_t n, int64_t inc)
{
    return (exb_t(vector)){x + exb_t(first_offset)(n, inc), inc};
}

EXB_INLINE exb_complex exb_t(load)(const exb_real *p)
{
    return (exb_complex){p[0], EXB_IS_COMPLEX ? (double)p[EXB_PARTS - 1] : 0};
}

EXB_INLINE bool exb_is_zero(exb_complex a)
{
    return a.re == 0 && a.im == 0;
}

EXB_INLINE bool exb_is_one(exb_complex a)
{
    return a.re == 1 && a.im == 0;
}

EXB_INLINE exb_enclosure exb_enclosure_negated(exb_enclosure v)
{
    v.h = -v.h;
    v.l = -v.l;
    return v;
}

EXB_INLINE exb_t(value) exb_t(value_zero)(void)
{
    exb_t(value) v;
    for (int k = 0; k < EXB_PARTS; k++)
        v.part[k] = exb_enclosure_exact(0);
    return v;
}

EXB_INLINE void exb_t(exact_zero)(exb_t(exact) *v)
{
    for (int k = 0; k < EXB_PARTS; k++)
        exb_product_acc_init(&v->part[k]);
}

/* Part k of alpha v + beta c. */
EXB_INLINE exb_enclosure exb_t(affine)(int k, exb_complex alpha, const exb_t(value) *v,
                                       exb_complex beta, exb_complex c)
{
    if (!EXB_IS_COMPLEX)
        return exb_affine_of(alpha.re, v->part[0], beta.re, c.re);
    exb_enclosure re = v->part[0], im = v->part[EXB_PARTS - 1];
    return k == 0 ? exb_complex_line(alpha.re, re, -alpha.im, im, beta.re, c.re, -beta.im, c.im)
                  : exb_complex_line(alpha.re, im, alpha.im, re, beta.re, c.im, beta.im, c.re);
}

/* The same from exact sums, rounded. beta = 0: c counts as 0. */
EXB_INLINE exb_real exb_t(affine_exact)(int k, exb_complex alpha, exb_t(exact) *v, exb_complex beta,
                                        exb_complex c)
{
    double sign = k == 0 ? -1 : 1;
    const double a[2] = {alpha.re, sign * alpha.im}, b[2] = {beta.re, sign * beta.im};
    const double y[2] = {k == 0 ? c.re : c.im, k == 0 ? c.im : c.re};
    exb_superacc *sum[2] = {&v->part[k].acc, &v->part[EXB_PARTS - 1 - k].acc};
    return exb_t(finish_exact)(EXB_PARTS, a, sum, exb_is_zero(beta) ? 0 : EXB_PARTS, b, y);
}

#endif
