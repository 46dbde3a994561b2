/* Triangular systems with many right-hand sides: kernels solve_sides and solve_complex_sides
 * (kernel_slots.h).
 *
 * The products of side i with n terms are chains (chain.h) of one run: let p be the largest
 * coefficient times the largest known unknown, x = n p with two roundings, and F = 4 ufp(x) =
 * ufp(4x), ufp(x) being the power of two with ufp(x) <= x < 2 ufp(x). sum |t x| and every prefix
 * are at most n p, below x (1 + 2^-51) < F, which is what chain.h asks for after a division by F.
 * So
 *
 *   doubles   S from 3 F and corrections L: off by at most exb_chain_bound_anchored(n, n) F
 *   floats    products are exact, one chain from 0: at most exb_chain_bound_plain(n) F
 *
 * ufp(x) = q - fl((1 - u) q), q = fl((2^52 + 1) x), u = 2^-53 (Rump, SIAM J. Sci. Comput. 31
 * (2009), algorithm 3.5), is a power of two, 0 for x = 0, or NaN, which certifies nothing, if q
 * overflows. Small numbers: x may lose 2^-1074 to underflow, for which the factor of 2 in F has
 * room; S and h are exact as always, corrections lose 2^-1075 each, and F = 0 only if products are
 * below 2^-1074. EXB_PRODUCT_LOSS is above all that.
 *
 * The residual: p0 + r0 = alpha b by two_prod (r0 = 0 for alpha = 1, -1, and of floats), p0 - sum -
 * kept = s + c +- E, s by two_sum, whose errors r1 and r2 are exact; c = fl(c1 + c2), c1 = fl(fl(r1
 * - L) + r0), c2 = fl(r2 - l).
 *
 * The quotient as in solve_rows_tmpl.c: q0 = fl(s g), g = inverse, rem = s - q0 divisor with one
 * rounding, f = fl(fl(rem + c) g), and (q0, f) is off by at most E |g| (1 + 4u) + 2^-98 |q0| +
 * 2^-51 |f|. What underflows in E |g| the rounding test has (certify.h).
 *
 * An exact zero stays one: no products, nothing kept, b = 0.
 *
 * Real unknowns wait for each other. So that the chains of a row need not wait for the unknown
 * before it, its product p + r = t x, by two_prod, is taken away at last, and the bound does not
 * wait for anything:
 *
 *   s0 + r1 = p0 - sum, s1 + r2 = s0 - h, s + r3 = s1 - p exactly
 *   c = fl(fl(c1 + c2) + fl(r3 - r))
 *
 * |L| <= n 2^-52 F, |r1| <= u |s0| <= u (1 + u) |s1| + u |h|, |r0| <= u |p0| <= u (1 + u) |s0| + u
 * F (if n = 0, without F), |r2| <= u |s1|, |r3| <= u |s|, |r| <= u |p| <= u |s1| + u (1 + u) |s|.
 * So the magnitudes of c's six parts add up to at most Y + 3u |s|, Y = 8u |s1| + 4u |h| + 2 |l| + n
 * 2^-51 F, and its roundings to 4u (1 + 3u) of that: s + c is off by E = chain's bound + e +
 * EXB_PRODUCT_LOSS + 4u (1 + 3u) (Y + 3u |s|). By |rem| <= 3u |s| (1 + u), |f| <= (1 + 2^-49) |g|
 * (Y + 6u |s|), and |g s| <= (1 + 2u) |q0|. (q0, f) is off by E |g|
 * (1 + 4u) + 2^-103 |q0| + 2^-51 |f|, of which the rounding test takes 1 + 2^-50 times, and 2^-51
 * |f| more. That is below
 *
 *   |g| (chain's bound + e + EXB_PRODUCT_LOSS + 2^-49 Y) (1 + 2^-40) + 2^-98 |q0|
 *
 * with a factor of 2 to spare for the roundings of the last term. An undivided residual has q0 = s,
 * f = c, g = 1. The unknown is fl(q0 + f), known before it is certified: the ends of the rounding
 * test are on both sides of it.
 *
 * Complex quotients: quotient_simd.h. Without a last product 2^-49 Y leaves E the room for u |c|.
 * Types: s d. */
#include "core/kernel.h"
#include "level3/chain.h"
#include "level3/kernels/chain_simd.h"
#include "level2/kernels/quotient_simd.h"
#include "level3/kernels/sides.h"

enum { FLIGHT = 4 /* vectors of sides at once: chains wait for each other */ };

/* A vector of sides before and after its products: F, and S - start + L. */
typedef struct {
    exb_v scale, start, sum, low;
    bool none; /* all coefficients are 0 */
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
    return v_largest(most);
}

/* most: the largest coefficient times 4 n, so that F is ufp(x). */
EXB_INLINE chains start_chains(const exb_sides *k, double most, int i)
{
    exb_v x = v_mul(v_set1(most), v_load(k->peak + i)), q = v_mul(v_set1(0x1p52 + 1), x);
    chains a = {.low = v_zero(), .none = most == 0};
    a.scale = v_sub(q, v_mul(v_set1(1 - 0x1p-53), q));
    a.start = EXB_IS_S ? v_zero() : v_mul(v_set1(EXB_CHAIN_ANCHOR), a.scale);
    a.sum = a.start;
    return a;
}

/* Of F. */
EXB_INLINE double chain_bound(const exb_sides *k)
{
    int n = k->n_terms > 0 ? k->n_terms : 1; /* the bound divides by it */
    return EXB_IS_S ? exb_chain_bound_plain(n) : exb_chain_bound_anchored(n, n);
}

/* alpha b, and what that is off by. */
EXB_INLINE exb_v right_side(const exb_sides *k, exb_v b, exb_v *low)
{
    if (!EXB_IS_S && EXB_UNLIKELY(exb_fabs(k->alpha) != 1))
        return v_two_prod(v_set1(k->alpha), b, low);
    *low = v_zero();
    return v_mul(v_set1(k->alpha), b);
}

/* The products of n_vectors vectors of sides from side i on. */
EXB_INLINE void run_chains(int n_vectors, const exb_sides *k, const exb_real *t, const exb_real *x,
                           int i, chains *a)
{
    double most = 4.0 * k->n_terms * largest_of(k->n_terms, t);
#pragma GCC unroll 4
    for (int v = 0; v < n_vectors; v++)
        a[v] = start_chains(k, most, i + v * EXB_LANES);
    x += i;
    for (int j = 0; j < k->n_terms; j++, x += k->ld) {
        exb_v y = v_set1_real(t[j]);
#pragma GCC unroll 4
        for (int v = 0; v < n_vectors; v++)
            v_chain_add(!EXB_IS_S, v_load_real(x + v * EXB_LANES), y, &a[v].sum, &a[v].low);
    }
}

/* --- real systems ------------------------------------------------------------ */

/* a - b, and what that is off by. */
EXB_INLINE exb_v two_difference(exb_v a, exb_v b, exb_v *error)
{
    exb_v s = v_sub(a, b), q = v_sub(s, a);
    *error = v_sub(v_sub(a, v_sub(s, q)), v_add(q, b));
    return s;
}

/* A vector of sides before its last product: s1, the first two parts of c, and the bound with 2^-49
 * Y as h, l, e. */
EXB_INLINE enclosures start_row(const exb_sides *k, const chains *a, exb_v b, int i)
{
    enclosures v = {.bad = 0};
    exb_v r, low, factor = v_set1(chain_bound(k) + k->n_terms * 0x1p-100);
    v.e = v_add_product(factor, a->scale, v_set1(EXB_PRODUCT_LOSS));
    v.h = two_difference(right_side(k, b, &low), v_sub(a->sum, a->start), &r);
    v.l = v_add(v_sub(r, a->low), low);
    if (k->h) {
        exb_v h = v_load(k->h + i), l = v_load(k->l + i);
        v.h = two_difference(v.h, h, &r);
        v.l = v_add(v.l, v_sub(r, l));
        v.e = v_add(v.e, v_load(k->e + i));
        v.e = v_add_product(v_set1(0x1p-100), v_abs(h), v.e);
        v.e = v_add_product(v_set1(0x1p-48), v_abs(l), v.e);
    }
    v.e = v_add_product(v_set1(0x1p-99), v_abs(v.h), v.e);
    return v;
}

/* Lanes, of those whose residual is 0, in which that is exact: no products but with zeros, nothing
 * kept, b = 0. The sum and the last product are zeros then, since the residual is no NaN. */
EXB_INLINE unsigned exact_zeros(const exb_sides *k, const chains *a, exb_v b, int i, double t,
                                exb_v x)
{
    const unsigned all = (1u << EXB_LANES) - 1;
    unsigned zero = a->none ? all : v_equal(v_load(k->peak + i), v_zero());
    zero &= (t == 0 ? all : v_equal(x, v_zero())) & v_equal(b, v_zero());
    if (k->h)
        zero &= v_equal(v_load(k->h + i), v_zero()) & v_equal(v_load(k->l + i), v_zero()) &
                v_equal(v_load(k->e + i), v_zero());
    return zero;
}

#if !EXB_IS_S
/* What s has to be for it and the quotient to be in the rounding test's range, twice over. */
EXB_INLINE unsigned out_of_range(const exb_sides *k, exb_v s)
{
    double d = exb_fabs(k->divisor);
    double least = k->unit || d < 1 ? 1 : d, most = k->unit || d > 1 ? 1 : d;
    return v_outside(s, 2 * EXB_CERTIFIED_LEAST * least, EXB_CERTIFIED_MOST / 2 * most);
}

/* Solves a vector of sides; b is at r, t and x are the last product's. Returns what stays open. */
EXB_INLINE unsigned finish_row(const exb_sides *k, const chains *a, int i, double t, exb_v x,
                               exb_real *r)
{
    exb_v b = v_load_real(r), low, error, p = v_two_prod(v_set1(t), x, &low);
    enclosures v = start_row(k, a, b, i);
    exb_v s = two_difference(v.h, p, &error), c = v_add(v.l, v_sub(error, low));
    exb_v h = s, l = c;
    unsigned zero = v_equal(s, v_zero()), open = out_of_range(k, s);
    if (!k->unit) {
        h = v_mul(s, v_set1(k->inverse));
        l = v_mul(v_add(remainder_lanes(s, h, v_set1(k->divisor)), c), v_set1(k->inverse));
    }
    if (zero)
        zero &= exact_zeros(k, a, b, i, t, x);
    store_unknowns(h, l, zero, r);
    double factor = (k->unit ? 1 : exb_fabs(k->inverse)) * (1 + 0x1p-40);
    exb_v base = v_add_product(v_set1(factor), v.e, v_set1(EXB_UNDERFLOW_LOSS));
    return (open | open_lanes(h, l, base)) & ~zero;
}
#else
/* The same of floats, without low parts: alpha b and t x are doubles, s1 = fl(alpha b - sum), s2 =
 * fl(s1 - fl(h + l)) and s = fl(s2 - t x) are off by u (|s1| + |h + l| + |s2| + |s|) together, q =
 * fl(s g) by 2u |q| (1 + 2u) more, and the ends of the test by u (|q| + e2): asked for is |g|
 * (chain's bound + e + u m) and 4u |q| (1 + 4u), m without |s|. Nothing underflows but beside
 * EXB_UNDERFLOW_LOSS: floats are 0 or above 2^-150. */
EXB_INLINE unsigned finish_row(const exb_sides *k, const chains *a, int i, double t, exb_v x,
                               exb_real *r)
{
    const double g = k->unit ? 1 : k->inverse, wide = exb_fabs(g) * (1 + 0x1p-40);
    float same[EXB_LANES];
    exb_v b = v_load_real(r), s = v_sub(v_mul(v_set1(k->alpha), b), a->sum), m = v_abs(s);
    exb_v e = v_mul(v_set1(chain_bound(k)), a->scale);
    if (k->h) {
        exb_v h = v_add(v_load(k->h + i), v_load(k->l + i));
        s = v_sub(s, h);
        m = v_add(v_add(m, v_abs(h)), v_abs(s));
        e = v_add(e, v_load(k->e + i));
    }
    exb_v q = v_mul(v_sub(s, v_mul(v_set1(t), x)), v_set1(g));
    (void)v_same_real(q, q, r);
    e = v_mul(v_add_product(v_set1(0x1p-52), m, e), v_set1(wide));
    e = v_add_product(v_set1(0x1p-50), v_abs(q), v_add(e, v_set1(EXB_UNDERFLOW_LOSS)));
    exb_v lo = v_sub(q, e), hi = v_add(q, e);
    unsigned open = ~v_same_real(lo, hi, same), zero = v_equal(q, v_zero());
    zero &= open & ((1u << EXB_LANES) - 1);
    if (zero) {
        zero &= exact_zeros(k, a, b, i, t, x);
        (void)v_same_real(v_zero_lanes(q, zero), q, r);
    }
    return open & ~zero;
}
#endif

/* Row i of n_vectors vectors of sides from side `at` on. */
EXB_INLINE uint64_t solve_vectors(int n_vectors, const exb_sides *k, int i, const exb_real *t,
                                  exb_real *x, int at, double *peak)
{
    static const exb_real none[FLIGHT * EXB_LANES];
    chains a[FLIGHT];
    uint64_t open = 0;
    const exb_real *last = i > 0 ? x + (i - 1) * EXB_ROWS + at : none;
    for (int v = 0; i > 1 && v < n_vectors; v++) {
        double *p = peak + at + v * EXB_LANES;
        v_store(p, v_max_abs(v_load(p), v_load_real(last - EXB_ROWS + v * EXB_LANES)));
    }
    run_chains(n_vectors, k, t, x, at, a);
#pragma GCC unroll 4
    for (int v = 0; v < n_vectors; v++) {
        int side = at + v * EXB_LANES;
        exb_real *r = x + i * EXB_ROWS + side;
        exb_v y = v_load_real(last + v * EXB_LANES);
        double c = i > 0 ? (double)t[i - 1] : 0;
        unsigned lanes = finish_row(k, &a[v], side, c, y, r);
        open |= (uint64_t)(lanes & ((1u << EXB_LANES) - 1)) << side;
    }
    return open;
}

/* How many vectors of sides are next, of n sides: five are three and two, since one alone waits for
 * its chain. */
EXB_INLINE int next_vectors(int n)
{
    int left = (n + EXB_LANES - 1) / EXB_LANES;
    return left == FLIGHT + 1 ? FLIGHT - 1 : left < FLIGHT ? left : FLIGHT;
}

/* f(n, ...), compiled for each n <= FLIGHT. */
#define FOR_VECTORS(f, n, ...)                                                                     \
    ((n) == 4   ? f(4, __VA_ARGS__)                                                                \
     : (n) == 3 ? f(3, __VA_ARGS__)                                                                \
     : (n) == 2 ? f(2, __VA_ARGS__)                                                                \
                : f(1, __VA_ARGS__))

EXB_INLINE uint64_t solve_row(const exb_side_rows *k, int i, const exb_real *t, exb_real *x)
{
    exb_sides row = {.n_terms = i > 0 ? i - 1 : 0, .unit = k->unit, .ld = EXB_ROWS};
    uint64_t open = 0;
    row.peak = k->peak;
    row.alpha = k->alpha;
    row.divisor = k->divisor[i];
    row.inverse = k->inverse[i];
    if (k->h) {
        row.h = k->h + i * k->kept_ld;
        row.l = k->l + i * k->kept_ld;
        row.e = k->e + i * k->kept_ld;
    }
    for (int at = 0, n; at < k->n_sides; at += n * EXB_LANES) {
        n = next_vectors(k->n_sides - at);
        open |= FOR_VECTORS(solve_vectors, n, &row, i, t, x, at, k->peak);
    }
    return k->n_sides < 64 ? open & (((uint64_t)1 << k->n_sides) - 1) : open;
}

int exb_ti(solve_sides)(const exb_side_rows *k, int begin, const exb_real *t, exb_real *x,
                        uint64_t *open)
{
    for (int i = begin; i < k->n; i++) {
        *open = solve_row(k, i, t + i * (i - 1) / 2, x);
        if (EXB_UNLIKELY(*open))
            return i;
    }
    return k->n;
}

/* --- complex systems ------------------------------------------------------- */

/* s, c and E, without a last product; `exact`: lanes in which that is an exact zero. */
EXB_INLINE enclosures residual_of(const exb_sides *k, const chains *a, exb_v b, int i)
{
    enclosures v = start_row(k, a, b, i);
    v.e = v_mul(v.e, v_set1(1 + 0x1p-40));
    v.exact = v_equal(v.h, v_zero());
    if (v.exact)
        v.exact &= exact_zeros(k, a, b, i, 0, v_zero());
    return v;
}

/* Returns the lanes that stay open; those of exact zeros are 0. */
EXB_INLINE unsigned round_quotient(const divisors *d, exb_v im, const enclosures *v,
                                   const enclosures *w, exb_real *r)
{
    enclosures q = complex_quotient(d, im, *v, *w);
    unsigned zero = (v->exact | v_equal(d->re, v_zero())) & (w->exact | v_equal(im, v_zero()));
    store_unknowns(q.h, q.l, zero, r);
    q.e = v_add_product(v_set1(0x1p-48), v_abs(q.l), q.e);
    return (open_lanes(q.h, q.l, q.e) | v_outside(q.h, EXB_CERTIFIED_LEAST, EXB_CERTIFIED_MOST)) &
           ~zero;
}

/* Lanes that are no exact zeros and cannot be divided. */
EXB_INLINE unsigned no_numerators(const enclosures *v)
{
    return (v_outside(v->h, EXB_NUMERATOR_LEAST, EXB_NUMERATOR_MOST) |
            v_outside(v->e, 0, DBL_MAX)) &
           ~v->exact;
}

/* A vector of complex sides, b before it is known, in re and im; returns those of which a part
 * stays open. Chains by value, so that compilers keep them in registers while they grow. */
static EXB_NOINLINE unsigned round_complex(const exb_complex_sides *k, const divisors *d, chains a,
                                           chains b, int i, exb_real *re, exb_real *im)
{
    enclosures v = residual_of(&k->part[0], &a, v_load_real(re), i);
    enclosures w = residual_of(&k->part[1], &b, v_load_real(im), i);
    if (k->part[0].unit)
        return decide_lanes(v, re) | decide_lanes(w, im);
    unsigned open = no_numerators(&v) | no_numerators(&w);
    open |= round_quotient(d, d->im, &v, &w, re);
    open |= round_quotient(d, v_sub(v_zero(), d->im), &w, &v, im);
    return open & ((1u << EXB_LANES) - 1);
}

/* n_vectors of them from side i on. */
EXB_INLINE uint64_t solve_complex_vectors(int n_vectors, const exb_complex_sides *k,
                                          const exb_real *t_re, const exb_real *t_im,
                                          const exb_real *x, int i, exb_real *re, exb_real *im)
{
    chains a[FLIGHT], b[FLIGHT];
    uint64_t open = 0;
    const divisors d = divisors_of(v_set1(k->re), v_set1(k->im));
    run_chains(n_vectors, &k->part[0], t_re, x, i, a);
    run_chains(n_vectors, &k->part[1], t_im, x, i, b);
#pragma GCC unroll 4
    for (int v = 0; v < n_vectors; v++) {
        int at = i + v * EXB_LANES;
        open |= (uint64_t)round_complex(k, &d, a[v], b[v], at, re + at, im + at) << at;
    }
    return open;
}

uint64_t exb_ti(solve_complex_sides)(int n, const exb_complex_sides *k, const exb_real *t_re,
                                     const exb_real *t_im, const exb_real *x, exb_real *re,
                                     exb_real *im)
{
    uint64_t open = 0;
    for (int i = 0, n_vectors; i < n; i += n_vectors * EXB_LANES) {
        n_vectors = next_vectors(n - i);
        open |= FOR_VECTORS(solve_complex_vectors, n_vectors, k, t_re, t_im, x, i, re, im);
    }
    return n < 64 ? open & (((uint64_t)1 << n) - 1) : open;
}
