/* Sums of floats in doubles with a running bound, for filters: two operations a product.
 *
 * A lane holds s and w, and c = 0, as if it were compensated (core/arith/compensated.h). A product
 * of floats is exact in a double (48 bits, at least 2^-298), and so is what an FMA adds:
 *
 *   s = fl(s + x y);   w = fl(w + |x y|)
 *
 * With u = 2^-53 and W = sum |x_i y_i|, each of n additions errs by at most u times the magnitude
 * of its result, which is at most (1+u)^n W, and the computed w is at least W (1-u)^n. So
 *
 *   |exact - s| <= n u (1+u)^n / (1-u)^n w <= n (1 + 2.1 n u) u w <= (n + 1) u w   for n <= 2^25,
 *
 * which is less than what compensated lanes grant, (n + 2) u w. Lanes are merged as those are: the
 * errors of additions enter c, each addition to c errs by at most u times what went into it, and
 * the w of both lanes are added. w = 0 means that all products were 0. Infinities and NaN stay in
 * s.
 *
 * A result that 24 bits hold leaves 29 to spare: n = 2^10 additions and w = 2^10 |s| still decide
 * all but one sum in 2^8. */
#pragma once

#include "gpu/device.h"

#include "core/arith/compensated.h"

/* a += x * y: of doubles compensated. */
EXB_INLINE exb_comp exb_lane_add_product(exb_comp a, double x, double y)
{
#if EXB_IS_S
    a.s = exb_fma(x, y, a.s);
    a.w = exb_fma(exb_fabs(x), exb_fabs(y), a.w);
    return a;
#else
    double r, p = exb_two_prod(x, y, &r);
    return exb_comp_add(a, p, r);
#endif
}
