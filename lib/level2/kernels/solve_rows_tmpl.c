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
 * The quotient of s + c +- E: q0 = fl(s g), g = fl(1 / divisor), is s / divisor but for 2u(1 + u),
 * so that rem = s - q0 divisor has at most 3u|s|, its own rounding 3u^2 |s| or 2^-104 |q0| after
 * the division. f = fl(fl(rem + c) g) errs by u for the sum, 2u(1 + u) for the product: less than
 * 4u|f|. So (q0, f) is off by at most
 *
 *   base + 2^-104 |q0| + 2^-51 |f|,   base = E |g| (1 + 4u),
 *
 * and so is (s, c) of a unit diagonal with g = 1. The unknown is fl(q0 + f), which the next one
 * waits for, not for the rounding test: its ends, for base (1 + 2^-40) + 2^-98 |q0| + 2^-48 |f|,
 * are on both sides of that. The test (certify.h) asks for 2^-51 |f| more than the bound and
 * factors 1 + 2^-50 for rounding. What E leaves to EXB_UNDERFLOW_LOSS is divided, too; the test's
 * own stands in base. The numbers are where nothing else underflows: the test asks it of q0,
 * EXB_DIVISOR_LEAST of the divisor, and s is looked at.
 *
 * Complex systems have a row for each part, side by side in lanes, and two products for an element;
 * their quotients: quotient_simd.h. E has (n + 5) u w, for which that asks.
 *
 * Columns are gone through in groups of GROUP parts: those of a group by the rows below it when it
 * is done, a vector of rows at a time; inside the group each by the group's rows below it.
 * Types: s d. */
#include "core/arith/compensated.h"
#include "core/kernel.h"
#include "core/simd/compensated_simd.h"
#include "level2/kernels/quotient_simd.h"

enum { GROUP = 8 };

_Static_assert(GROUP % EXB_LANES == 0, "a group's rows are whole vectors");

/* Takes the products of a group of columns, whose unknowns begin with number j of all parts, away
 * from rows i ... i + n - 1. */
EXB_INLINE void pass_columns(int parts, const exb_rows *k, int j, const exb_v *factor, int i, int n)
{
    const exb_real *t = (const exb_real *)k->t + j / parts * k->ld + i;
    exb_vcomp a = v_comp_load(k->s + i, k->c + i, k->w + i);
#pragma GCC unroll 8
    for (int l = 0; l < GROUP; l += parts, t += k->ld) {
        exb_v e = v_load_up_to_real(t, n);
        a = v_comp_add_product(a, e, factor[l]);
        if (parts == 2)
            a = v_comp_add_product(a, v_swap(e, 1), factor[l + 1]);
    }
    v_comp_store(a, k->s + i, k->c + i, k->w + i);
}

/* What row parts (re, im) of a column take from its unknown x: -re x_r + im x_i, -im x_r - re x_i.
 */
EXB_INLINE void factors_of(int parts, const exb_real *x, exb_v *factor)
{
    static const double alternating[] = {1, -1, 1, -1, 1, -1, 1, -1};
    factor[0] = v_set1(-(double)x[0]);
    if (parts == 2)
        factor[1] = v_mul(v_set1((double)x[1]), v_load(alternating));
}

EXB_INLINE void pass_group(int parts, const exb_rows *k, int j, const exb_real *x)
{
    exb_v factor[GROUP];
    int i = j + GROUP, n = parts * k->n;
    for (int l = 0; l < GROUP; l += parts)
        factors_of(parts, x + j + l, factor + l);
    for (; i + EXB_LANES <= n; i += EXB_LANES)
        pass_columns(parts, k, j, factor, i, EXB_LANES);
    if (i < n)
        pass_columns(parts, k, j, factor, i, n - i);
}

/* s + c +- e of the rows from i on divided, but for shares of its parts. */
EXB_INLINE enclosures divide(int parts, const exb_rows *k, const divisors *d, int i, enclosures v)
{
    if (parts == 2)
        return complex_quotient(d, d->im, v,
                                (enclosures){v_swap(v.h, 1), v_swap(v.l, 1), v_swap(v.e, 1), 0, 0});
    exb_v g = v_load(k->inverse + i), q = v_mul(v.h, g);
    v.l = v_mul(v_add(remainder_lanes(v.h, q, v_load(k->divisor + i)), v.l), g);
    v.e = v_add_product(v.e, v_mul(v_abs(g), v_set1(1 + 0x1p-40)), v_set1(EXB_UNDERFLOW_LOSS));
    v.h = q;
    return v;
}

/* The unknown in lanes from `lane` on of v, whose rows begin with number i, to x, certain if true.
 */
EXB_INLINE bool solve_lanes(int parts, const exb_rows *k, const divisors *d, exb_vcomp v, int i,
                            int lane, exb_real *x)
{
    exb_real r[EXB_LANES];
    exb_v share = v_set1((double)(i + lane + 5) * 0x1p-53);
    enclosures q = {v.s, v.c, v_add(v_load(k->e + i), v_set1(2 * EXB_PRODUCT_LOSS)), 0, 0};
    unsigned open = v_outside(v.s, parts == 1 ? EXB_CERTIFIED_LEAST : EXB_NUMERATOR_LEAST,
                              parts == 1 ? EXB_CERTIFIED_MOST : EXB_NUMERATOR_MOST);
    q.e = v_mul(v_add_product(share, v.w, q.e), v_set1(1 + 0x1p-40));
    if (!k->unit) {
        q = divide(parts, k, d, i, q);
        open |= v_outside(q.h, EXB_CERTIFIED_LEAST, EXB_CERTIFIED_MOST);
    }
    store_unknowns(q.h, q.l, 0, r);
    open |= open_lanes(q.h, q.l, v_add_product(v_set1(0x1p-48), v_abs(q.l), q.e));
    for (int part = 0; part < parts; part++)
        x[part] = r[lane + part];
    return (open >> lane & (parts == 1 ? 1 : 3)) == 0;
}

/* The products of the unknown that begins with number j of all parts, from lane `begin` of rows i
 * ... on, away from v. */
EXB_INLINE exb_vcomp take_known(int parts, const exb_rows *k, int j, const exb_real *x, int begin,
                                int i, exb_vcomp v)
{
    int n = parts * k->n - i, end = n < EXB_LANES ? n : EXB_LANES;
    const exb_real *t = (const exb_real *)k->t + j / parts * k->ld + i;
    exb_v factor[2], e = v_load_between_real(t, begin, end);
    factors_of(parts, x + j, factor);
    v = v_comp_add_product(v, e, factor[0]);
    return parts == 1 ? v : v_comp_add_product(v, v_swap(e, 1), factor[1]);
}

/* Unknowns of the group that begins with number `first` of all parts, from `begin` on; returns the
 * first that is not certain, or what follows the group's. */
EXB_INLINE int solve_group(int parts, const exb_rows *k, int first, int begin, exb_real *x)
{
    exb_vcomp v[GROUP / EXB_LANES];
    divisors d = {.re = v_zero()};
    for (int p = 0, i = first; p < GROUP / EXB_LANES; p++, i += EXB_LANES)
        v[p] = v_comp_load(k->s + i, k->c + i, k->w + i);
#pragma GCC unroll 8
    for (int l = 0; l < GROUP; l += parts) {
        int p = l / EXB_LANES, lane = l % EXB_LANES, j = first + l;
        if (j >= parts * k->n)
            break;
        if (parts == 2 && lane == 0)
            d = divisors_of(v_load(k->divisor + j), v_load(k->inverse + j));
        if (j >= parts * begin &&
            EXB_UNLIKELY(!solve_lanes(parts, k, &d, v[p], j - lane, lane, x + j)))
            return j / parts;
        for (int q = p + (lane + parts == EXB_LANES); q < GROUP / EXB_LANES; q++)
            v[q] =
                take_known(parts, k, j, x, q == p ? lane + parts : 0, first + q * EXB_LANES, v[q]);
    }
    return (first + GROUP) / parts;
}

EXB_INLINE int solve(int parts, const exb_rows *k, int begin, exb_real *x)
{
    int i = begin;
    while (i < k->n) {
        int first = parts * i / GROUP * GROUP, end = (first + GROUP) / parts;
        if (parts * i == first && i > 0)
            pass_group(parts, k, first - GROUP, x);
        i = solve_group(parts, k, first, i, x);
        if (EXB_UNLIKELY(i < end && i < k->n))
            return i;
    }
    return k->n;
}

int exb_ti(solve_rows)(const exb_rows *k, int begin, exb_real *x)
{
    return k->is_complex ? solve(2, k, begin, x) : solve(1, k, begin, x);
}
