#include "core/enclosure.h"

/* p + *q = a * b exactly, if true. */
static bool exact_product(double a, double b, double *p, double *q)
{
    if (a == 0 || b == 0) {
        *p = *q = 0;
        return __builtin_fabs(a) <= DBL_MAX && __builtin_fabs(b) <= DBL_MAX;
    }
    *p = exb_two_prod(a, b, q);
    return exb_product_in_range(*p);
}

/* With (p, q) = alpha h, (pc, qc) = beta c and (h', r) = p + pc exact:
 *
 *   alpha v + beta c = h' + (q + alpha l) + (qc + r)  +- |alpha| e.
 *
 * Left out: the rounding of t = alpha l (at most u|t| + 2^-1075) and of three
 * additions (returned by two_sum). v.e may rest on the 2^-1020 of the rounding
 * test, which is multiplied by alpha here, so it is added first. */
exb_enclosure exb_enclosure_affine(double alpha, exb_enclosure v, double beta, double c)
{
    if (alpha == 1 && beta == 0)
        return v;
    double p, q, pc, qc, r, e1, e2, e3;
    if (!exact_product(alpha, v.h, &p, &q) || !exact_product(beta, c, &pc, &qc))
        return exb_enclosure_unknown();
    exb_enclosure s;
    double t = alpha * v.l;
    s.h = exb_two_sum(p, pc, &r);
    double l1 = exb_two_sum(q, t, &e1);
    double l2 = exb_two_sum(qc, r, &e2);
    s.l = exb_two_sum(l1, l2, &e3);
    double lost = __builtin_fabs(e1) + __builtin_fabs(e2) + __builtin_fabs(e3);
    s.exact = v.exact && v.l == 0 && lost == 0;
    double scaled = v.exact ? 0 : __builtin_fabs(alpha) * (v.e + 0x1p-1020);
    s.e = s.exact ? 0 : exb_bound_up(scaled + 0x1p-53 * __builtin_fabs(t) + lost);
    return s;
}
