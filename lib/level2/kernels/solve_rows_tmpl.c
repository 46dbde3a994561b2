/* Unknowns of a small triangular system, one after the other: kernel solve_rows (kernel_slots.h).
 *
 * Row i starts from s + c, which encloses what is left of the system's first column, with w = |c|,
 * and takes the products of its own columns away, u = 2^-53:
 *
 *   p = fl(t x), r = t x - p;  s' = fl(s - p), q = s - p - s';  d = fl(q - r);
 *   c = fl(c + d);  w = fl(w + |d|)
 *
 * Each d errs by u|d|, each c by u|c|, and |c| is at most the exact sum of the magnitudes in w, up
 * to relative errors of (n + 1) u: n products leave (n + 2) u w (1 + 4nu), the c at the start u w.
 * With n <= EXB_SOLVE_ROWS that is below (n + 4) u w. Products below the normal range lose
 * EXB_PRODUCT_LOSS. With the bound e of what the row started from that is E.
 *
 * Unknowns wait for each other, so the bound does not wait for the last product: w is that without
 * its d, and |d| <= u(|s'| + |p|)(1 + 4u) <= u(2|s'| + |s|)(1 + 7u), of which |s| is known before.
 * |s'| has a share of (n + 4) 2^-105 (1 + 7u), less than 2^-98.9, in E.
 *
 * The quotient of s + c +- E: q0 = fl(s g), g = fl(1 / divisor), is s / divisor but for 2u(1 + u),
 * so that rem = s - q0 divisor has at most 3u|s|, its own rounding 3u^2 |s| or 2^-104 |q0| after
 * the division. f = fl(fl(rem + c) g) errs by u for the sum, 2u(1 + u) for the product: less than
 * 4u|f|. With the share of |s'|, less than 2^-98 |q0|. So (q0, f) is off by at most
 *
 *   base + 2^-98 |q0| + 2^-51 |f|,   base = E's early part times |g| (1 + 4u),
 *
 * and so is (s, c) of a unit diagonal with g = 1. The rounding test of certify.h asks for 2^-51 |f|
 * more and factors 1 + 2^-50 for rounding: 2^-49 |f| + 2^-97 |q0| + base (1 + 2^-40) is above that.
 * What E leaves to EXB_UNDERFLOW_LOSS is divided, too; the test's own stands in base. The numbers
 * are where nothing else underflows: the test asks it of q0, EXB_DIVISOR_LEAST of the divisor, and
 * s is looked at.
 *
 * Columns are gone through in groups of GROUP: those of a group by the rows below it when it is
 * done, a vector of rows at a time; inside the group row by row.
 * Types: s d. */
#include "core/arith/compensated.h"
#include "core/kernel.h"
#include "core/simd/compensated_simd.h"
#include "level2/kernels/solve_rows.h"

enum { GROUP = 8 };

_Static_assert(GROUP % EXB_LANES == 0, "a group's rows are whole vectors");

/* Takes the products of columns j ... j + GROUP - 1 away from the rows below them. */
EXB_INLINE void pass_columns(const exb_rows *k, int j, const exb_v *factor, int i, int n)
{
    const double *t = k->t + j * k->ld + i;
    exb_vcomp a = v_comp_load(k->s + i, k->c + i, k->w + i);
#pragma GCC unroll 8
    for (int l = 0; l < GROUP; l++, t += k->ld)
        a = v_comp_add_product(a, n < EXB_LANES ? v_load_few(t, n) : v_load(t), factor[l]);
    v_comp_store(a, k->s + i, k->c + i, k->w + i);
}

static void pass_group(const exb_rows *k, int j, const exb_real *x)
{
    exb_v factor[GROUP];
    int i = j + GROUP;
    for (int l = 0; l < GROUP; l++)
        factor[l] = v_set1(-(double)x[j + l]);
    for (; i + EXB_LANES <= k->n; i += EXB_LANES)
        pass_columns(k, j, factor, i, EXB_LANES);
    if (i < k->n)
        pass_columns(k, j, factor, i, k->n - i);
}

/* Row i without the products of columns begin ... i - 1: s + c, and in w the bound as far as it is
 * known before the last product. */
EXB_INLINE exb_comp reduce_row(const exb_rows *k, int begin, int i, const exb_real *x)
{
    exb_comp v = {k->s[i], k->c[i], 0};
    double w = k->w[i], last = 0, before = v.s;
    const double *t = k->t + i;
    for (int j = begin; j < i; j++) {
        double q, r, p = exb_two_prod(t[j * k->ld], -(double)x[j], &r);
        before = v.s;
        v.s = exb_two_sum(before, p, &q);
        w += last;
        last = q + r;
        v.c += last;
        last = exb_fabs(last);
    }
    double share = (double)(i + 4) * 0x1p-53;
    v.w = k->e[i] + share * (w + 0x1p-53 * exb_fabs(before)) + 2 * EXB_PRODUCT_LOSS;
    return v;
}

/* s - q d for q within two units of s / d: rounded, once with FMA. */
EXB_INLINE double remainder_of(double s, double q, double d)
{
#if EXB_HAVE_FMA
    return exb_fma(-q, d, s);
#else
    return exb_remainder(s, q, d);
#endif
}

/* If true, *x is RN of what is in h + f +- base and the shares of h and f. */
EXB_INLINE bool round_unknown(double h, double f, double base, exb_real *x)
{
    double e = (base * (1 + 0x1p-40) + EXB_UNDERFLOW_LOSS) + 0x1p-97 * exb_fabs(h);
#if EXB_IS_S
    return exb_certify_s(h, f, e + 0x1p-49 * exb_fabs(f), x);
#else
    e += 0x1p-49 * exb_fabs(f);
    double lo = h + (f - e), hi = h + (f + e);
    *x = lo;
    return lo == hi && exb_certifiable(h);
#endif
}

/* If true, x[i] is unknown i. */
EXB_INLINE bool solve_row(const exb_rows *k, int begin, int i, exb_real *x)
{
    exb_comp v = reduce_row(k, begin, i, x);
    if (k->unit)
        return round_unknown(v.s, v.c, v.w, &x[i]);
    double g = k->inverse[i], q = v.s * g;
    double f = (remainder_of(v.s, q, k->divisor[i]) + v.c) * g;
    return round_unknown(q, f, v.w * exb_fabs(g), &x[i]) && exb_certifiable(v.s);
}

int exb_ti(solve_rows)(const exb_rows *k, int begin, exb_real *x)
{
    int i = begin;
    while (i < k->n) {
        int first = i / GROUP * GROUP, end = first + GROUP < k->n ? first + GROUP : k->n;
        if (i == first && i > 0)
            pass_group(k, first - GROUP, x);
        for (; i < end; i++)
            if (EXB_UNLIKELY(!solve_row(k, first, i, x)))
                return i;
    }
    return k->n;
}
