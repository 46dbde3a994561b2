/* What a filter or an engine knows about a real number v, and hands to the
 * finish:
 *
 *   v in [h + l - e, h + l + e],   or, if `exact`, v = h + l.
 *
 * h is the value, l the correction, e the bound on what was left out. Nothing is
 * known if any of the three is Inf or NaN. `exact` is set only where it was
 * proven, never because e came out as 0; then e is 0. It decides ties.
 *
 * Underflow in e and l themselves may be left to the 2^-1020 in the rounding
 * test (certify.h) as long as fewer than 2^50 operations contribute and the
 * enclosure is not scaled up; exb_affine_of adds it before it scales. */
#pragma once

#include "core/arith/certify.h"
#include "core/arith/eft.h"
#include "core/arith/encode.h"

typedef struct {
    double h, l, e;
    int exact; /* 0 or 1; no bool, which kernels' arguments must not have (OpenCL C 1.2, 6.9 k) */
} exb_enclosure;

/* Widens a computed bound by its own rounding: up to eight operations with
 * non-negative operands, 8u < 2^-49 (proof/bound_up.g). */
#define EXB_BOUND_UP (1 + 0x1p-49)

EXB_INLINE double exb_bound_up(double e)
{
    return e * EXB_BOUND_UP;
}

EXB_INLINE exb_enclosure exb_enclosure_exact(double h)
{
    return (exb_enclosure){h, 0, 0, true};
}

EXB_INLINE exb_enclosure exb_enclosure_unknown(void)
{
    return (exb_enclosure){0, 0, (double)INFINITY, false};
}

EXB_INLINE exb_enclosure exb_enclosure_negated(exb_enclosure v)
{
    v.h = -v.h;
    v.l = -v.l;
    return v;
}

/* x + y: h by two_sum, and the two additions of the corrections leave errors
 * that two_sum returns, so that they enter e as they are. */
EXB_INLINE exb_enclosure exb_enclosure_add(exb_enclosure x, exb_enclosure y)
{
    if (x.exact && x.h == 0 && x.l == 0) /* where sums start */
        return y;
    exb_enclosure s;
    double r, e1, e2;
    s.h = exb_two_sum(x.h, y.h, &r);
    double t = exb_two_sum(x.l, y.l, &e1);
    s.l = exb_two_sum(t, r, &e2);
    double lost = exb_fabs(e1) + exb_fabs(e2);
    s.exact = x.exact && y.exact && lost == 0;
    s.e = s.exact ? 0 : exb_bound_up(x.e + y.e + lost);
    return s;
}

/* p + *q = a * b exactly, if true. */
EXB_INLINE bool exb_exact_product(double a, double b, double *p, double *q)
{
    if (a == 0 || b == 0) {
        *p = *q = 0;
        return exb_fabs(a) <= DBL_MAX && exb_fabs(b) <= DBL_MAX;
    }
    *p = exb_two_prod(a, b, q);
    return exb_product_in_range(*p);
}

/* alpha v + beta c, unknown if a product leaves the range in which two_prod is exact. With (p, q) =
 * alpha h, (pc, qc) = beta c and (h', r) = p + pc exact:
 *
 *   alpha v + beta c = h' + (q + alpha l) + (qc + r)  +- |alpha| e.
 *
 * Left out: the rounding of t = alpha l (at most u|t| + 2^-1075) and of three
 * additions (returned by two_sum). v.e may rest on the 2^-1020 of the rounding
 * test, which is multiplied by alpha here, so it is added first (proof/affine.g). */
EXB_INLINE exb_enclosure exb_affine_of(double alpha, exb_enclosure v, double beta, double c)
{
    if (beta == 0 && exb_fabs(alpha) == 1)
        return alpha == 1 ? v : exb_enclosure_negated(v);
    double p, q, pc, qc, r, e1, e2, e3;
    if (!exb_exact_product(alpha, v.h, &p, &q) || !exb_exact_product(beta, c, &pc, &qc))
        return exb_enclosure_unknown();
    exb_enclosure s;
    double t = alpha * v.l;
    s.h = exb_two_sum(p, pc, &r);
    double l1 = exb_two_sum(q, t, &e1);
    double l2 = exb_two_sum(qc, r, &e2);
    s.l = exb_two_sum(l1, l2, &e3);
    double lost = exb_fabs(e1) + exb_fabs(e2) + exb_fabs(e3);
    bool is_sign = exb_fabs(alpha) == 1; /* t = -+l, exactly */
    s.exact = v.exact && (v.l == 0 || is_sign) && lost == 0;
    double scaled = v.exact ? 0 : exb_fabs(alpha) * (v.e + EXB_UNDERFLOW_LOSS);
    s.e = s.exact ? 0 : exb_bound_up(scaled + 0x1p-53 * exb_fabs(t) + lost);
    return s;
}

/* As a sum of zeros comes out of a filter; its terms are finite. */
EXB_INLINE bool exb_seems_zero(exb_enclosure v)
{
    return v.h == 0 && v.l == 0 && !v.exact && v.e <= DBL_MAX;
}

EXB_INLINE bool exb_enclosure_is_finite(exb_enclosure v)
{
    double m = exb_fabs(v.h) + exb_fabs(v.l) + v.e;
    return m <= DBL_MAX;
}

/* One real line of a complex expression: a v + b w + c s + d t for enclosures v, w and
 * numbers s, t. Terms with coefficients 0 vanish where their factors are finite. */
EXB_INLINE exb_enclosure exb_complex_line(double a, exb_enclosure v, double b, exb_enclosure w,
                                          double c, double s, double d, double t)
{
    if (!(exb_fabs(s) <= DBL_MAX && exb_fabs(t) <= DBL_MAX)) /* 0 times Inf counts */
        return exb_enclosure_unknown();
    exb_enclosure r = exb_affine_of(a, v, c, s);
    if (b == 0 && d == 0 && exb_enclosure_is_finite(w))
        return r;
    return exb_enclosure_add(r, exb_affine_of(b, w, d, t));
}

/* Enclosure of v / d for d = h' + l' +- e' with |l'|, e' <= 2^-40 |h'|. Unknown unless |h|, |h'|
 * and the quotient lie in [2^-900, 2^1000], or v is exactly 0.
 *
 * q = RN(h / h'), r = h - q h' exactly (proof/quotient.g), and
 *   v / d = q + (r + l - q l') / d  +- (e + |q| e') / |d|.
 * Let t = fl(q l'), s the computed sum of the three, w = fl(s / h'). t errs by u|t|, each of
 * the two additions by u times its result, at most u(|s| + |t|) and u|s|, the division by
 * u|w|; d in place of h' changes w by less than 2^-38 |w|. Together less than
 * 2^-37 |w| + 2^-51 |t / h'|. Source: the correcting step of division in the Handbook of
 * Floating-Point Arithmetic, section 4.7. */
EXB_INLINE exb_enclosure exb_ratio_of(exb_enclosure v, exb_enclosure d)
{
    double q = v.h / d.h, m = exb_fabs(d.h);
    bool is_near = exb_fabs(d.l) <= 0x1p-40 * m && d.e <= 0x1p-40 * m && exb_certifiable(d.h);
    if (v.exact && v.h == 0 && v.l == 0 && is_near)
        return exb_enclosure_exact(0);
    if (!exb_certifiable(v.h) || !exb_certifiable(q) || !is_near)
        return exb_enclosure_unknown();
    double r = exb_remainder(v.h, q, d.h), t = q * d.l;
    double w = ((r + v.l) - t) / d.h;
    exb_enclosure s = {q, w, 0, v.exact && d.exact && v.l == 0 && d.l == 0 && r == 0};
    /* |d| >= m (1 - 2^-39); the slack of the rounding test is scaled too. */
    double left_out = v.e + exb_fabs(q) * d.e + 0x1p-51 * exb_fabs(t) + 0x1p-1019;
    if (!s.exact)
        s.e = exb_bound_up(left_out / m * (1 + 0x1p-38) + 0x1p-37 * exb_fabs(w));
    return s;
}

/* Enclosure of sqrt(a), unknown unless 2^-900 <= h <= 2^1000 and e <= 2^-26 h
 * (h, l renormalised so that |l| <= u h, u = 2^-53).
 *
 * Let r = RN(sqrt(h)), rem = h - r^2 (exact), D = rem + l, w = D / 2r.
 *   sqrt(h + l) = r + D / 2r - D^2 / (2r (sqrt(h + l) + r)^2).
 * |rem| <= 2u h, so |D| <= 3u h and the last term is at most |D / 2r| * 3u h / 4h (1 + 2^-40) <
 * u |D / 2r|; computing w by a sum, a reciprocal and a product errs by less than 4u|w|. Checked by
 * machine: proof/root.g. For |d| <= e
 *   |sqrt(h + l + d) - sqrt(h + l)| = |d| / (sqrt(h + l + d) + sqrt(h + l)) <= e / 2r (1 + 2^-25),
 * as both roots are at least sqrt(h) sqrt(1 - u - 2^-26) >= r (1 - 2^-26). Together:
 * |sqrt(a) - (r + w)| <= (e / 2r)(1 + 2^-25) + 5u|w|. */
EXB_INLINE exb_enclosure exb_root_of(exb_enclosure a)
{
    double l;
    double h = exb_two_sum(a.h, a.l, &l);
    if (!(h >= EXB_CERTIFIED_LEAST && h <= EXB_CERTIFIED_MOST) || !(a.e <= 0x1p-26 * h))
        return exb_enclosure_unknown();
    double r = exb_sqrt(h);
    double rem = exb_remainder(h, r, r);
    double inverse = 0.5 / r; /* beside the chain to rem; one division for both */
    double w = (rem + l) * inverse;
    double scaled = a.exact ? 0 /* else the slack is scaled, too: as in affine */
                            : (a.e + EXB_UNDERFLOW_LOSS) * (inverse * (1 + 0x1p-25));
    exb_enclosure s = {r, w, 0, a.exact && l == 0 && rem == 0};
    if (!s.exact)
        s.e = exb_bound_up(scaled + 0x1p-50 * exb_fabs(w));
    return s;
}

/* If true, *r = RN(v). The sum h + l of an exact enclosure is rounded by one
 * addition (to float: by rounding to odd first); an exact zero is +0. */
EXB_INLINE bool exb_enclosure_round_d(exb_enclosure v, double *r)
{
    if (v.exact) {
        *r = v.h + v.l;
        if (*r == 0)
            *r = 0;
        return exb_fabs(*r) <= DBL_MAX;
    }
    return exb_certify_d(v.h, v.l, v.e, r);
}

EXB_INLINE bool exb_enclosure_round_s(exb_enclosure v, float *r)
{
    if (v.exact) {
        double s = exb_add_to_odd(v.h, v.l);
        *r = s == 0 ? 0 : (float)s;
        return exb_fabs(s) <= EXB_CERTIFIED_MOST;
    }
    return exb_certify_s(v.h, v.l, v.e, r);
}

/* Whether the sum h + l +- e that a filter found for numbers, not products, is exact. None but
 * zeros is smaller than `least`: all are multiples of g = 2^(k - 52), 2^k <= least, and so is all
 * that filters add up beside the leading part. Of that the magnitudes have a sum of at most w: of
 * compensated sums e >= 2^-53 (n + 2) w (compensated.h), of anchored ones w = n U and e >= 2^-53 n
 * U (anchor.h). So 2^54 e <= least / 2 says that w < 2^52 g, and no addition rounds. */
EXB_INLINE bool exb_sum_lost_nothing(double e, double least)
{
    return least >= EXB_CERTIFIED_LEAST && 0x1p54 * e <= least / 2;
}
