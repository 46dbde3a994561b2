/* A row of a triangular system with many right-hand sides: kernels solve_sides and
 * solve_complex_sides (kernels.h).
 *
 * The products of side i with n terms are chains (chain.h) of one run: let p be the largest
 * coefficient times the largest known unknown, x = fl(n p), and F = 4 ufp(x), ufp(x) being the
 * power of two with ufp(x) <= x < 2 ufp(x). sum |t x| and every prefix are at most n p, below x (1
 * + 2^-51) < F, which is what chain.h asks for after a division by F. So
 *
 *   doubles   S from 3 F and corrections L: off by at most exb_chain_bound_anchored(n, n) F
 *   floats    products are exact, one chain from 0: at most exb_chain_bound_plain(n) F
 *
 * where 2^-800 <= x <= 2^800; other lanes are left open, except those with p = 0, whose sums are 0
 * as they come, F = 0. ufp(x) = |q - fl((1 - u) q)|, q = fl((2^52 + 1) x), u = 2^-53 (Rump, SIAM J.
 * Sci. Comput. 31 (2009), algorithm 3.5).
 *
 * The residual: sign b - sum - kept = s + c +- E, s by two_sum, whose errors r1 and r2 are exact.
 * c = fl(fl(r1 - L) + fl(r2 - l)) has three roundings, at most 2u (1 + u) of the sum of the
 * magnitudes of the two, of which E has 2^-51.
 *
 * The quotient as in solve_rows_tmpl.c: q0 = fl(s g), g = inverse, rem = s - q0 divisor with one
 * rounding, f = fl(fl(rem + c) g), and (q0, f) is off by at most E |g| (1 + 4u) + 2^-98 |q0| +
 * 2^-51 |f|. What underflows in E |g| the rounding test has (certify.h).
 *
 * An exact zero stays one: no products, nothing kept, b = 0.
 *
 * A complex quotient: (v + w i) / (a + b i) has parts (a v + b w) / D and (a w - b v) / D, D = a^2
 * + b^2. With v = s + c +- E of each, products a s, b s by two_prod and their sum by two_sum have
 * exact errors r1, r2, r3; low is the sum of these and of a c, b c: six roundings, each at most u
 * of M, the sum of the five magnitudes, but for terms in u^2. So a numerator is H + low +- E', E' =
 * |a| E + |b| E + 2^-50 M. With q0 = fl(H g), g = inverse, rem = H - q0 square with one rounding
 * and f = fl(fl(fl(rem + low) - fl(q0 D_low)) g) the quotient is off by at most
 *
 *   E' |g| (1 + 4u) + 2^-103 |q0| + 6u^2 (1 + u) |q0| + 8u |f|,
 *
 * the second from D, the third from the roundings of rem and q0 D_low, |D_low| <= 1.5u square;
 * 2^-98 |q0| and 2^-49 |f| are above that, and above what underflows beside H, which is not below
 * EXB_CERTIFIED_LEAST. Products of what is not 0 must be in two_prod's range.
 * Types: s d. */
#include "core/kernel.h"
#include "level3/chain.h"
#include "level3/kernels/chain_simd.h"
#include "level3/kernels/round_simd.h"

uint64_t exb_ti(solve_sides)(int, const exb_sides *, const exb_real *, const exb_real *,
                             exb_real *);

enum { FLIGHT = 4 /* vectors of sides at once: chains wait for each other */ };

#define LEAST_SUM 0x1p-800
#define MOST_SUM 0x1p800

/* A vector of sides before and after its products. */
typedef struct {
    exb_v scale, sum, low; /* scale: F */
    unsigned open, zero;   /* lanes */
} chains;

/* The largest magnitude; a NaN may be dropped. */
EXB_INLINE double largest_of(int n, const exb_real *t)
{
    int j = 0;
    exb_v most = v_zero();
    for (; j + EXB_LANES <= n; j += EXB_LANES)
        most = v_max_abs(most, v_load_real(t + j));
    if (j < n)
        most = v_max_abs(most, v_load_few_real(t + j, n - j));
    for (int half = EXB_LANES / 2; half > 0; half /= 2)
        most = v_max_abs(most, v_swap(most, half));
    return v_first(most);
}

/* largest: of the coefficients. */
EXB_INLINE chains start_chains(const exb_sides *k, double largest, int i)
{
    chains a = {.low = v_zero()};
    exb_v peak = v_load(k->peak + i);
    exb_v x = v_mul(v_set1((double)k->n_terms), v_mul(v_set1(largest), peak));
    exb_v q = v_mul(v_set1(0x1p52 + 1), x);
    exb_v ufp = v_abs(v_sub(q, v_mul(v_set1(1 - 0x1p-53), q)));
    a.zero = largest == 0 || k->n_terms == 0 ? (1u << EXB_LANES) - 1 : v_equal(peak, v_zero());
    a.scale = v_zero_lanes(v_mul(v_set1(4), ufp), a.zero);
    a.open = v_outside(x, LEAST_SUM, MOST_SUM) & ~a.zero;
    a.sum = EXB_IS_S ? v_zero() : v_mul(v_set1(EXB_CHAIN_ANCHOR), a.scale);
    return a;
}

/* s, c and E as h, l and e; `exact`: lanes in which it is an exact zero. */
EXB_INLINE enclosures residual_of(const exb_sides *k, const chains *a, int i)
{
    int n = k->n_terms > 0 ? k->n_terms : 1; /* the bound divides by it */
    double bound = EXB_IS_S ? exb_chain_bound_plain(n) : exb_chain_bound_anchored(n, n);
    exb_v start = EXB_IS_S ? v_zero() : v_mul(v_set1(EXB_CHAIN_ANCHOR), a->scale);
    exb_v r, sum = v_sub(a->sum, start), b = v_mul(v_set1(k->sign), v_load(k->b + i));
    enclosures v = {.e = v_mul(v_set1(bound), a->scale)};
    v.h = v_two_sum(b, v_sub(v_zero(), sum), &r);
    v.l = v_sub(r, a->low);
    v.exact = a->zero & v_equal(sum, v_zero()) & v_equal(b, v_zero());
    exb_v lost = v_abs(v.l);
    if (k->h) {
        exb_v h = v_load(k->h + i), l = v_load(k->l + i), e = v_load(k->e + i);
        v.exact &= v_equal(h, v_zero()) & v_equal(l, v_zero()) & v_equal(e, v_zero());
        v.h = v_two_sum(v.h, v_sub(v_zero(), h), &r);
        exb_v c = v_sub(r, l);
        v.l = v_add(v.l, c);
        v.e = v_add(v.e, e);
        lost = v_add(lost, v_abs(c));
    }
    v.e = v_mul(v_add(v.e, v_mul(v_set1(0x1p-51), lost)), v_set1(1 + 0x1p-40));
    return v;
}

/* s - q d for q within two units of s / d. */
EXB_INLINE exb_v remainder_of(exb_v s, exb_v q, exb_v d)
{
#if EXB_HAVE_FMA
    return v_sub(v_zero(), v_fms(q, d, s));
#else
    exb_v low, p = v_two_prod(q, d, &low);
    return v_sub(v_sub(s, p), low);
#endif
}

EXB_INLINE void set_zeros(unsigned lanes, exb_real *r)
{
    for (int lane = 0; lanes >> lane; lane++)
        if (lanes >> lane & 1)
            r[lane] = 0;
}

/* Rounds a vector of sides to r; returns those that stay open. */
EXB_INLINE unsigned round_sides(const exb_sides *k, const chains *a, int i, exb_real *r)
{
    enclosures v = residual_of(k, a, i);
    unsigned zero = v.exact, open = a->open;
    if (!k->unit) {
        exb_v g = v_set1(k->inverse), d = v_set1(k->divisor), q = v_mul(v.h, g);
        open |= v_outside(v.h, EXB_CERTIFIED_LEAST, EXB_CERTIFIED_MOST);
        v.l = v_mul(v_add(remainder_of(v.h, q, d), v.l), g);
        v.e = v_add(v_mul(v.e, v_abs(g)), v_mul(v_set1(0x1p-51), v_abs(v.l)));
        v.e = v_mul(v_add(v.e, v_mul(v_set1(0x1p-98), v_abs(q))), v_set1(1 + 0x1p-40));
        v.h = q;
    }
    open |= decide_inexact(v.h, v.l, v.e, r);
    set_zeros(zero, r);
    return open & ~zero;
}

/* The products of n_vectors vectors of sides from side i on. */
EXB_INLINE void run_chains(int n_vectors, const exb_sides *k, const exb_real *t, const exb_real *x,
                           int i, chains *a)
{
    double largest = largest_of(k->n_terms, t);
#pragma GCC unroll 4
    for (int v = 0; v < n_vectors; v++)
        a[v] = start_chains(k, largest, i + v * EXB_LANES);
    x += i;
    for (int j = 0; j < k->n_terms; j++, x += k->ld) {
        exb_v y = v_set1((double)t[j]);
#pragma GCC unroll 4
        for (int v = 0; v < n_vectors; v++)
            v_chain_add(v_load_real(x + v * EXB_LANES), y, &a[v].sum, &a[v].low);
    }
}

EXB_INLINE uint64_t solve_vectors(int n_vectors, const exb_sides *k, const exb_real *t,
                                  const exb_real *x, int i, exb_real *r)
{
    chains a[FLIGHT];
    uint64_t open = 0;
    run_chains(n_vectors, k, t, x, i, a);
    for (int v = 0; v < n_vectors; v++) {
        int at = i + v * EXB_LANES;
        open |= (uint64_t)round_sides(k, &a[v], at, r + at) << at;
    }
    return open;
}

uint64_t exb_ti(solve_sides)(int n, const exb_sides *k, const exb_real *t, const exb_real *x,
                             exb_real *r)
{
    uint64_t open = 0;
    int i = 0;
    for (; i + (FLIGHT - 1) * EXB_LANES < n; i += FLIGHT * EXB_LANES)
        open |= solve_vectors(FLIGHT, k, t, x, i, r);
    for (; i < n; i += EXB_LANES)
        open |= solve_vectors(1, k, t, x, i, r);
    return n < 64 ? open & (((uint64_t)1 << n) - 1) : open;
}

/* --- complex systems ------------------------------------------------------- */

uint64_t exb_ti(solve_complex_sides)(int, const exb_complex_sides *, const exb_real *,
                                     const exb_real *, const exb_real *, exb_real *, exb_real *);

/* a v; `exact` lanes of v are zeros, which stay, *lost gets the magnitudes of the low parts. */
EXB_INLINE enclosures scaled_by(double a, const enclosures *v, exb_v *lost)
{
    exb_v low, factor = v_set1(a), c = v_mul(factor, v->l);
    enclosures p = {.h = v_two_prod(factor, v->h, &low), .exact = v->exact};
    if (a == 0)
        p.exact |= ~(v_outside(v->h, 0, DBL_MAX) | v_outside(v->e, 0, DBL_MAX));
    p.bad = v_outside(p.h, EXB_PRODUCT_LEAST, EXB_PRODUCT_MOST) & ~p.exact;
    p.l = v_zero_lanes(v_add(low, c), p.exact);
    p.h = v_zero_lanes(p.h, p.exact);
    p.e = v_zero_lanes(v_mul(v_abs(factor), v->e), p.exact);
    *lost = v_zero_lanes(v_add(v_abs(low), v_abs(c)), p.exact);
    return p;
}

/* a v + b w. */
EXB_INLINE enclosures numerator_of(double a, const enclosures *v, double b, const enclosures *w)
{
    exb_v lost_v, lost_w, r;
    enclosures p = scaled_by(a, v, &lost_v), q = scaled_by(b, w, &lost_w), n;
    n.h = v_two_sum(p.h, q.h, &r);
    n.l = v_add(v_add(p.l, q.l), r);
    exb_v lost = v_add(v_add(lost_v, lost_w), v_abs(r));
    n.e = v_add(v_add(p.e, q.e), v_mul(v_set1(0x1p-50), lost));
    n.exact = p.exact & q.exact;
    n.bad = p.bad | q.bad;
    return n;
}

EXB_INLINE unsigned round_quotient(const exb_complex_sides *k, const enclosures *n, exb_real *r)
{
    exb_v g = v_set1(k->inverse), d = v_set1(k->square), q = v_mul(n->h, g);
    exb_v rest = v_add(remainder_of(n->h, q, d), n->l);
    exb_v f = v_mul(v_sub(rest, v_mul(q, v_set1(k->low))), g);
    exb_v e = v_add(v_mul(n->e, g), v_mul(v_set1(0x1p-49), v_abs(f)));
    e = v_mul(v_add(e, v_mul(v_set1(0x1p-98), v_abs(q))), v_set1(1 + 0x1p-40));
    unsigned open = n->bad | v_outside(n->h, EXB_CERTIFIED_LEAST, EXB_CERTIFIED_MOST);
    open |= decide_inexact(q, f, e, r);
    set_zeros(n->exact, r);
    return open & ~n->exact;
}

EXB_INLINE unsigned round_part(const enclosures *v, exb_real *r)
{
    unsigned open = decide_inexact(v->h, v->l, v->e, r);
    set_zeros(v->exact, r);
    return open & ~v->exact;
}

/* A vector of complex sides to re and im; returns those of which a part stays open. */
EXB_INLINE unsigned round_complex(const exb_complex_sides *k, const chains *a, const chains *b,
                                  int i, exb_real *re, exb_real *im)
{
    enclosures v = residual_of(&k->part[0], a, i), w = residual_of(&k->part[1], b, i);
    unsigned open = a->open | b->open;
    if (k->part[0].unit)
        return open | round_part(&v, re) | round_part(&w, im);
    enclosures x = numerator_of(k->re, &v, k->im, &w), y = numerator_of(k->re, &w, -k->im, &v);
    return open | round_quotient(k, &x, re) | round_quotient(k, &y, im);
}

uint64_t exb_ti(solve_complex_sides)(int n, const exb_complex_sides *k, const exb_real *t_re,
                                     const exb_real *t_im, const exb_real *x, exb_real *re,
                                     exb_real *im)
{
    enum { AT_ONCE = FLIGHT / 2 };
    uint64_t open = 0;
    for (int i = 0; i < n; i += AT_ONCE * EXB_LANES) {
        chains a[AT_ONCE], b[AT_ONCE];
        int n_vectors = i + EXB_LANES < n ? AT_ONCE : 1;
        run_chains(n_vectors, &k->part[0], t_re, x, i, a);
        run_chains(n_vectors, &k->part[1], t_im, x, i, b);
        for (int v = 0; v < n_vectors; v++) {
            int at = i + v * EXB_LANES;
            open |= (uint64_t)round_complex(k, &a[v], &b[v], at, re + at, im + at) << at;
        }
    }
    return n < 64 ? open & (((uint64_t)1 << n) - 1) : open;
}
