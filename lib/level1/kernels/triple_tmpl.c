/* The second filter (kernel_slots.h): triple.h's step in every lane, 16 operations a number, 24 a
 * product.
 * Types: s d. */
#include "core/arith/triple.h"
#include "core/simd/element_simd.h"
#include "core/simd/triple_simd.h"
#include "core/kernel.h"

enum { CHAINS = 2 /* enough for the latency of eight additions */ };

EXB_INLINE exb_vtriple add_term(exb_term term, exb_vtriple a, exb_v x, exb_v y)
{
    exb_v r = v_zero();
    if (term != EXB_TERM_XY)
        return v_triple_add(a, term == EXB_TERM_ABS_X ? v_abs(x) : x, r, false);
    exb_v p = EXB_IS_S ? v_mul(x, y) : v_two_prod(x, y, &r);
    return v_triple_add(a, p, r, !EXB_IS_S);
}

EXB_INLINE void triple(exb_term term, int64_t n, const exb_real *x, const exb_real *y,
                       exb_triples *sum)
{
    exb_vtriple a[CHAINS] = {{v_load(sum->s), v_load(sum->c), v_load(sum->d), v_load(sum->w)}};
    bool has_y = term == EXB_TERM_XY;
    int64_t i = 0;
    for (int j = 1; j < CHAINS; j++)
        a[j] = (exb_vtriple){v_zero(), v_zero(), v_zero(), v_zero()};
    for (; i + CHAINS * EXB_LANES <= n; i += CHAINS * EXB_LANES)
        for (int j = 0; j < CHAINS; j++)
            a[j] = add_term(term, a[j], v_load_real(x + i + j * EXB_LANES),
                            has_y ? v_load_real(y + i + j * EXB_LANES) : v_zero());
    for (; i + EXB_LANES <= n; i += EXB_LANES)
        a[0] = add_term(term, a[0], v_load_real(x + i), has_y ? v_load_real(y + i) : v_zero());
    if (i < n)
        a[0] = add_term(term, a[0], v_load_few_real(x + i, n - i),
                        has_y ? v_load_few_real(y + i, n - i) : v_zero());
    for (int j = 1; j < CHAINS; j++)
        a[0] = v_triple_join(a[0], a[j]);
    v_store(sum->s, a[0].s);
    v_store(sum->c, a[0].c);
    v_store(sum->d, a[0].d);
    v_store(sum->w, a[0].w);
}

void exb_ti(triple)(exb_term term, int64_t n, const exb_real *x, const exb_real *y,
                    exb_triples *sum)
{
    EXB_FOR_TERM(triple, term, n, x, y, sum);
}

void exb_ti(triple_sum)(const exb_triples *lanes, exb_triple *sum)
{
    exb_vtriple a = v_triple_join_lanes(
        (exb_vtriple){v_load(lanes->s), v_load(lanes->c), v_load(lanes->d), v_load(lanes->w)});
    *sum = (exb_triple){v_first(a.s), v_first(a.c), v_first(a.d), v_first(a.w)};
}

double exb_ti(least)(int64_t n, const exb_real *x)
{
    return v_least(v_least_magnitudes(n, x));
}
