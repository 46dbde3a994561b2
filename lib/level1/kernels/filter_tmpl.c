/* The compensated filter for sums and dots: an enclosure of the sum of a chunk
 * (kernels.h), one compensated sum per lane. Cost per element: 8 operations for a
 * sum, 12 for a dot (10 in single precision), all vectorised.
 * Types: s d. */
#include "core/arith/compensated.h"
#include "core/simd/compensated_simd.h"
#include "core/simd/element_simd.h"
#include "core/kernel.h"

enum {
    STEP = EXB_UNROLL * EXB_LANES,
    /* Up to here scalars are faster than joining lanes; those of numbers know ties. */
    FEW_PRODUCTS = EXB_LANES,
    FEW_NUMBERS = 2 * EXB_LANES + EXB_LANES / 2
};

EXB_INLINE exb_vcomp add_term(exb_term term, exb_vcomp a, exb_v x, exb_v y)
{
    if (term == EXB_TERM_X)
        return v_comp_add(a, x);
    if (term == EXB_TERM_ABS_X)
        return v_comp_add(a, v_abs(x));
    return EXB_IS_S ? v_comp_add(a, v_mul(x, y)) : v_comp_add_product(a, x, y);
}

EXB_INLINE exb_comp scalar_step(exb_term term, exb_comp a, double x, double y)
{
    if (term == EXB_TERM_X)
        return exb_comp_add(a, x, 0);
    if (term == EXB_TERM_ABS_X)
        return exb_comp_add(a, __builtin_fabs(x), 0);
    double r = 0;
    double p = EXB_IS_S ? x * y : exb_two_prod(x, y, &r);
    return exb_comp_add(a, p, r);
}

/* Few terms: two scalar lanes, no vectors to join. */
EXB_INLINE exb_enclosure few(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    bool has_y = term == EXB_TERM_XY;
    exb_comp a = {0, 0, 0}, b = {0, 0, 0};
    int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
        a = scalar_step(term, a, x[i], has_y ? (double)y[i] : 0);
        b = scalar_step(term, b, x[i + 1], has_y ? (double)y[i + 1] : 0);
    }
    if (i < n)
        a = scalar_step(term, a, x[i], has_y ? (double)y[i] : 0);
    a = exb_comp_add(a, b.s, b.c);
    return exb_compensated_enclosure(a.s, a.c, a.w + b.w, n / 2 + 2, EXB_IS_S || !has_y || n == 0);
}

/* Few numbers with the additions to c made exact, (c, e) = two_sum(c, q), and w =
 * sum |e|: what is left out is sum e, at most w (1 + 2^-40), and w = 0 proves that
 * the sum is s + c. */
EXB_INLINE exb_comp add_exactly(exb_comp a, double x)
{
    double q, e;
    a.s = exb_two_sum(a.s, x, &q);
    a.c = exb_two_sum(a.c, q, &e);
    a.w += __builtin_fabs(e);
    return a;
}

EXB_INLINE exb_enclosure few_exactly(exb_term term, int64_t n, const exb_real *x)
{
    bool magnitudes = term == EXB_TERM_ABS_X;
    exb_comp a = {0, 0, 0}, b = {0, 0, 0};
    double e;
    int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
        a = add_exactly(a, magnitudes ? __builtin_fabs(x[i]) : x[i]);
        b = add_exactly(b, magnitudes ? __builtin_fabs(x[i + 1]) : x[i + 1]);
    }
    if (i < n)
        a = add_exactly(a, magnitudes ? __builtin_fabs(x[i]) : x[i]);
    a = add_exactly(a, b.s);
    a.c = exb_two_sum(a.c, b.c, &e);
    double w = a.w + b.w + __builtin_fabs(e);
    return (exb_enclosure){a.s, a.c, w * (1 + 0x1p-40), w == 0};
}

/* Sums of few numbers do end in ties (1 + 2^-53, decimals, integers): if the
 * enclosure does not look decided, it is made exact if possible. */
EXB_INLINE exb_enclosure few_numbers(exb_term term, int64_t n, const exb_real *x)
{
    exb_enclosure v = few(term, n, x, x);
    bool decided = v.h + (v.l - 2 * v.e) == v.h + (v.l + 2 * v.e);
    return decided ? v : few_exactly(term, n, x);
}

EXB_INLINE exb_enclosure many(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    exb_vcomp a[EXB_UNROLL];
    bool has_y = term == EXB_TERM_XY;
    int64_t i = 0;
    for (int j = 0; j < EXB_UNROLL; j++)
        a[j] = v_comp_zero();
    for (; i + STEP <= n; i += STEP)
        for (int j = 0; j < EXB_UNROLL; j++)
            a[j] = add_term(term, a[j], v_load_real(x + i + j * EXB_LANES),
                            has_y ? v_load_real(y + i + j * EXB_LANES) : v_zero());
    for (; i + EXB_LANES <= n; i += EXB_LANES)
        a[0] = add_term(term, a[0], v_load_real(x + i), has_y ? v_load_real(y + i) : v_zero());
    if (i < n)
        a[0] = add_term(term, a[0], v_load_few_real(x + i, n - i),
                        has_y ? v_load_few_real(y + i, n - i) : v_zero());
    for (int j = 1; j < EXB_UNROLL; j++)
        a[0] = v_comp_join(a[0], a[j]);
    exb_vcomp all = v_comp_join_lanes(a[0]);
    /* A lane of a[0] takes n / STEP terms, up to UNROLL - 1 of the rest, a part, UNROLL - 1 joins
     * and those with other lanes. The terms of a sum are those of all lanes, but a rounding error
     * in one lane is at most a share of that lane's w. */
    int64_t n_lane = n / STEP + 2 * EXB_UNROLL + EXB_LANE_JOINS;
    return exb_compensated_enclosure(v_first(all.s), v_first(all.c), v_first(all.w), n_lane,
                                     EXB_IS_S || !has_y);
}

EXB_INLINE exb_enclosure filter(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    if (n > (term == EXB_TERM_XY ? FEW_PRODUCTS : FEW_NUMBERS))
        return many(term, n, x, y);
    return term == EXB_TERM_XY ? few(term, n, x, y) : few_numbers(term, n, x);
}

exb_enclosure exb_ti(filter)(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    switch (term) {
    case EXB_TERM_X:
        return filter(EXB_TERM_X, n, x, y);
    case EXB_TERM_ABS_X:
        return filter(EXB_TERM_ABS_X, n, x, y);
    default:
        return filter(EXB_TERM_XY, n, x, y);
    }
}
