/* What an element of a result is. Every routine of ExBLAS is one sentence: element i is RN of
 *
 *   a line       alpha s + beta c,
 *   a root       sqrt(s), or
 *   a quotient   (alpha c - s) / d,
 *
 * in exact sums s of terms (runs.h), the old value c of the element, and the caller's scalars.
 * Here are lines and quotients, each from enclosures of the sums and from the sums themselves;
 * which of the two it takes is decided in decide.h.
 *
 * A complex element is two real lines, by the four-product formula. Part k is
 *
 *   re(alpha) s_k -+ im(alpha) s_other + re(beta) c_k -+ im(beta) c_(1 - k),
 *
 * minus in the real part, plus in the imaginary one. Factors 0 count: 0 times Inf is NaN. */
#pragma once

#include "core/arith/enclosure.h"
#include "core/type.h"

/* alpha s + beta c. A scalar that is marked as real has no imaginary part, not even 0. beta = 0: c
 * is not there. An element has n_sums sums, of which part k takes s_k and s_(n_sums - 1 - k):
 *
 *   1   s_0
 *   2   s_0 + s_1 i
 *   4   re(alpha) (s_0 + s_1 i) + im(alpha) i (s_2 + s_3 i)   (her2k) */
typedef struct {
    exb_complex alpha, beta;
    bool real_alpha, real_beta;
    int n_sums;
} exb_line;

enum { EXB_LINE_SUMS = EXB_IS_COMPLEX ? 4 : 2 /* most of an element */ };

/* The sums of both parts, or the parts of an element. */
typedef struct {
    exb_enclosure part[EXB_PARTS];
} exb_t(value);

EXB_INLINE bool exb_is_zero(exb_complex a)
{
    return a.re == 0 && a.im == 0;
}

EXB_INLINE bool exb_is_one(exb_complex a)
{
    return a.re == 1 && a.im == 0;
}

EXB_INLINE exb_line exb_t(line)(exb_complex alpha, exb_complex beta)
{
    return (exb_line){alpha, beta, !EXB_IS_COMPLEX, !EXB_IS_COMPLEX, EXB_PARTS};
}

/* The sums themselves: 1 + 0i times an infinite part would be NaN. */
EXB_INLINE exb_line exb_t(line_of_sums)(void)
{
    return (exb_line){{1, 0}, {0, 0}, true, true, EXB_PARTS};
}

EXB_INLINE exb_t(value) exb_t(value_zero)(void)
{
    exb_t(value) v;
    for (int k = 0; k < EXB_PARTS; k++)
        v.part[k] = exb_enclosure_exact(0);
    return v;
}

/* --- lines ------------------------------------------------------------------------- */

/* Part k from enclosures of the sums. */
EXB_INLINE exb_enclosure exb_t(line_part)(const exb_line *q, int k, const exb_enclosure *sum,
                                          exb_complex c)
{
    double sign = k == 0 ? -1 : 1, own = k == 0 ? c.re : c.im, other = k == 0 ? c.im : c.re;
    if (q->real_alpha && q->real_beta)
        return exb_affine_of(q->alpha.re, sum[k], q->beta.re, own);
    exb_enclosure w = q->real_alpha ? exb_enclosure_exact(0) : sum[q->n_sums - 1 - k];
    return exb_complex_line(q->alpha.re, sum[k], sign * q->alpha.im, w, q->beta.re, own,
                            sign * q->beta.im, other);
}

/* All parts, rounded; returns those that are not certain, a bit each. is_real: the imaginary part
 * is 0. */
EXB_INLINE unsigned exb_t(line_round)(const exb_line *q, bool is_real, const exb_enclosure *sum,
                                      exb_complex c, exb_real *r)
{
    unsigned open = 0;
    if (is_real)
        r[EXB_PARTS - 1] = 0;
    for (int k = 0; k < (is_real ? 1 : EXB_PARTS); k++)
        open |= (unsigned)!exb_round_enclosure(exb_t(line_part)(q, k, sum, c), &r[k]) << k;
    return open;
}

/* The same from exact sums in PRODUCT windows, rounded. */
EXB_INLINE exb_real exb_t(line_exactly)(const exb_line *q, int k, exb_superacc *const *sum,
                                        exb_complex c)
{
    double sign = k == 0 ? -1 : 1, own = k == 0 ? c.re : c.im, other = k == 0 ? c.im : c.re;
    exb_finish_acc storage;
    if (q->real_alpha && q->alpha.re == 1 && exb_is_zero(q->beta))
        return exb_round_superacc(sum[k]);
    exb_superacc *total = exb_finish_acc_init(&storage);
    exb_superacc_add_scaled(total, q->alpha.re, sum[k]);
    if (!q->real_alpha)
        exb_superacc_add_scaled(total, sign * q->alpha.im, sum[q->n_sums - 1 - k]);
    if (!exb_is_zero(q->beta)) {
        exb_superacc_add_product(total, q->beta.re, own);
        if (!q->real_beta)
            exb_superacc_add_product(total, sign * q->beta.im, other);
    }
    return exb_round_superacc(total);
}

/* --- quotients --------------------------------------------------------------------- */

/* (r_0 + r_1 i) / (a + bi) = ((r_0 a + r_1 b) + (r_1 a - r_0 b) i) / (a^2 + b^2). */
typedef struct {
    exb_complex d;
    exb_enclosure square; /* a^2 + b^2 of a complex divisor */
} exb_t(divisor);

EXB_INLINE exb_t(divisor) exb_t(divisor_of)(exb_complex d)
{
    exb_t(divisor) r = {.d = d};
    if (EXB_IS_COMPLEX)
        r.square = exb_enclosure_add(exb_affine_of(d.re, exb_enclosure_exact(d.re), 0, 0),
                                     exb_affine_of(d.im, exb_enclosure_exact(d.im), 0, 0));
    return r;
}

/* The residual alpha c - s as enclosures; scaled: alpha c as a line in c. */
EXB_INLINE exb_t(value)
    exb_t(residual)(const exb_line *scaled, exb_complex c, const exb_enclosure *s)
{
    const exb_enclosure old[2] = {exb_enclosure_exact(c.re), exb_enclosure_exact(c.im)};
    exb_t(value) r;
    for (int k = 0; k < EXB_PARTS; k++)
        r.part[k] = exb_enclosure_add(exb_t(line_part)(scaled, k, old, (exb_complex){0, 0}),
                                      exb_enclosure_negated(s[k]));
    return r;
}

/* The same exactly, in place of s. */
EXB_INLINE void exb_t(residual_exactly)(const exb_line *scaled, exb_complex c,
                                        exb_superacc *const *s)
{
    for (int k = 0; k < EXB_PARTS; k++) {
        exb_superacc_negate(s[k]);
        exb_superacc_add_product(s[k], scaled->alpha.re, k == 0 ? c.re : c.im);
        if (!scaled->real_alpha)
            exb_superacc_add_product(s[k], k == 0 ? -scaled->alpha.im : scaled->alpha.im,
                                     k == 0 ? c.im : c.re);
    }
}

/* A residual divided by d, as enclosures. */
EXB_INLINE exb_t(value) exb_t(divide)(const exb_t(value) *r, const exb_t(divisor) *d)
{
    const exb_complex conjugate = {d->d.re, -d->d.im}, none = {0, 0};
    const exb_line numerator = exb_t(line)(conjugate, none);
    exb_t(value) q;
    if (!EXB_IS_COMPLEX)
        q.part[0] = exb_ratio_of(r->part[0], exb_enclosure_exact(d->d.re));
    for (int k = 0; EXB_IS_COMPLEX && k < EXB_PARTS; k++)
        q.part[k] = exb_ratio_of(exb_t(line_part)(&numerator, k, r->part, none), d->square);
    return q;
}

/* All parts of (alpha c - s) / d, rounded, or of alpha c - s where d is NULL; returns those that
 * are not certain. */
EXB_INLINE unsigned exb_t(quotient_round)(const exb_line *scaled, exb_complex c,
                                          const exb_t(divisor) *d, const exb_enclosure *s,
                                          exb_real *r)
{
    exb_t(value) v = exb_t(residual)(scaled, c, s);
    unsigned open = 0;
    if (d)
        v = exb_t(divide)(&v, d);
    for (int k = 0; k < EXB_PARTS; k++)
        open |= (unsigned)!exb_round_enclosure(v.part[k], &r[k]) << k;
    return open;
}

/* Part k of the exact residual divided by d, rounded. */
EXB_INLINE exb_real exb_t(divide_exactly)(int k, exb_superacc *const *r, exb_complex d)
{
    if (!EXB_IS_COMPLEX)
        return exb_round_quotient(r[0], d.re);
    exb_finish_acc numerator;
    exb_product_acc square;
    exb_superacc *n = exb_finish_acc_init(&numerator), *s = exb_product_acc_init(&square);
    exb_superacc_add_scaled(n, d.re, r[k]);
    exb_superacc_add_scaled(n, k == 0 ? d.im : -d.im, r[EXB_PARTS - 1 - k]);
    exb_superacc_add_product(s, d.re, d.re);
    exb_superacc_add_product(s, d.im, d.im);
    return exb_round_ratio(n, s);
}
