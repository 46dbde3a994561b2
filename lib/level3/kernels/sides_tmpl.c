/* A row of a triangular system with many right-hand sides: kernel solve_sides (kernels.h).
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
    double bound = EXB_IS_S ? exb_chain_bound_plain(k->n_terms)
                            : exb_chain_bound_anchored(k->n_terms, k->n_terms);
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
    for (int lane = 0; zero >> lane; lane++)
        if (zero >> lane & 1)
            r[lane] = 0;
    return open & ~zero;
}

/* n_vectors vectors of sides from side i on. */
EXB_INLINE uint64_t solve_vectors(int n_vectors, const exb_sides *k, double largest,
                                  const exb_real *t, const exb_real *x, int i, exb_real *r)
{
    chains a[FLIGHT];
    uint64_t open = 0;
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
    for (int v = 0; v < n_vectors; v++) {
        int at = i + v * EXB_LANES;
        open |= (uint64_t)round_sides(k, &a[v], at, r + at) << at;
    }
    return open;
}

uint64_t exb_ti(solve_sides)(int n, const exb_sides *k, const exb_real *t, const exb_real *x,
                             exb_real *r)
{
    double largest = largest_of(k->n_terms, t);
    uint64_t open = 0;
    int i = 0;
    for (; i + (FLIGHT - 1) * EXB_LANES < n; i += FLIGHT * EXB_LANES)
        open |= solve_vectors(FLIGHT, k, largest, t, x, i, r);
    for (; i < n; i += EXB_LANES)
        open |= solve_vectors(1, k, largest, t, x, i, r);
    return n < 64 ? open & (((uint64_t)1 << n) - 1) : open;
}
