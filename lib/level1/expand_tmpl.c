/* Exact sums of a chunk by expansions that spill into a long accumulator
 * (kernels.h), one expansion per lane: the published scheme and the named methods
 * fpe2 ... fpe8, fpe4ee, fpe6ee, fpe8ee.
 *
 * Numbers that expansions cannot hold exactly go to the accumulator directly, so
 * that no input is special:
 * - a term of magnitude above 2^960 (or Inf, NaN): with at most 2^12 terms a chunk, at
 *   most 2 pushes each, no expansion term exceeds 2^974;
 * - a product of doubles outside [2^-960, 2^960] whose factors are not 0, where
 *   two_prod is not exact.
 * Without FMA a factor of 2^996 and more makes the product's error NaN (eft.h),
 * which is looked for there.
 *
 * Source: Iakymchuk, Collange, Defour, Graillat, "ExBLAS: Reproducible and
 * accurate BLAS library" (2015), section 3. */
#include "core/element_simd.h"
#include "core/expansion.h"
#include "core/kernels.h"

typedef struct {
    exb_v term[EXB_EXPANSION_MAX];
    exb_superacc *acc;
} expansion;

EXB_INLINE void spill(exb_superacc *acc, exb_v x)
{
    double lane[EXB_LANES];
    v_store(lane, x);
    for (int i = 0; i < EXB_LANES; i++)
        if (lane[i] != 0)
            exb_superacc_add(acc, lane[i]);
}

EXB_INLINE void push(expansion *e, int n_terms, bool early_exit, exb_v x)
{
    exb_v rest = exb_expansion_add(e->term, n_terms, early_exit, x);
    if (EXB_UNLIKELY(v_any_nonzero(rest)))
        spill(e->acc, rest);
}

/* Gives the lanes of x in the mask to the accumulator. */
EXB_INLINE exb_v divert(expansion *e, exb_v x, unsigned mask)
{
    spill(e->acc, v_zero_lanes(x, ~mask));
    return v_zero_lanes(x, mask);
}

EXB_INLINE void push_term(expansion *e, int n_terms, bool early_exit, exb_v x)
{
    unsigned large = v_outside(x, 0, 0x1p960);
    if (EXB_UNLIKELY(large))
        x = divert(e, x, large);
    push(e, n_terms, early_exit, x);
}

/* The products of the lanes in the mask, exactly; the other lanes of p stay. */
static unsigned divert_products(exb_superacc *acc, exb_v x, exb_v y, unsigned mask)
{
    double a[EXB_LANES], b[EXB_LANES];
    v_store(a, x);
    v_store(b, y);
    for (int i = 0; i < EXB_LANES; i++)
        if (mask >> i & 1)
            exb_superacc_add_product(acc, a[i], b[i]);
    return mask;
}

EXB_INLINE void push_product(expansion *e, int n_terms, bool early_exit, exb_v x, exb_v y)
{
    if (EXB_IS_S) { /* exact: 48 bits, exponents within 2^+-300 */
        push_term(e, n_terms, early_exit, v_mul(x, y));
        return;
    }
    exb_v r;
    exb_v p = v_two_prod(x, y, &r);
    unsigned outside = v_outside(p, 0x1p-960, 0x1p960);
    if (!EXB_HAVE_FMA)
        outside |= v_outside(r, 0, 0x1p960);
    if (EXB_UNLIKELY(outside)) {
        divert_products(e->acc, x, y, outside);
        p = v_zero_lanes(p, outside);
        r = v_zero_lanes(r, outside);
    }
    push(e, n_terms, early_exit, p);
    push(e, n_terms, early_exit, r);
}

EXB_INLINE void step(expansion *e, int n_terms, bool early_exit, exb_term term, exb_v x, exb_v y)
{
    if (term == EXB_TERM_XY)
        push_product(e, n_terms, early_exit, x, y);
    else
        push_term(e, n_terms, early_exit, term == EXB_TERM_ABS_X ? v_abs(x) : x);
}

EXB_INLINE void expand(int n_terms, bool early_exit, exb_term term, int64_t n, const exb_real *x,
                       const exb_real *y, exb_superacc *acc)
{
    expansion e = {.acc = acc};
    bool has_y = term == EXB_TERM_XY;
    int64_t i = 0;
    for (int j = 0; j < n_terms; j++)
        e.term[j] = v_zero();
    for (; i + EXB_LANES <= n; i += EXB_LANES)
        step(&e, n_terms, early_exit, term, v_load_real(x + i),
             has_y ? v_load_real(y + i) : v_zero());
    if (i < n)
        step(&e, n_terms, early_exit, term, v_load_part(x + i, n - i),
             has_y ? v_load_part(y + i, n - i) : v_zero());
    for (int j = 0; j < n_terms; j++)
        spill(acc, e.term[j]);
}

/* One instance per kind of term, so that the loop has no branch on it. */
EXB_INLINE void expand_terms(int n_terms, bool early_exit, exb_term term, int64_t n,
                             const exb_real *x, const exb_real *y, exb_superacc *acc)
{
    if (term == EXB_TERM_X)
        expand(n_terms, early_exit, EXB_TERM_X, n, x, y, acc);
    else if (term == EXB_TERM_ABS_X)
        expand(n_terms, early_exit, EXB_TERM_ABS_X, n, x, y, acc);
    else
        expand(n_terms, early_exit, EXB_TERM_XY, n, x, y, acc);
}

/* One instance per named method: the number of terms is a constant in each, so
 * that they stay in registers. */
void exb_ti(expand)(int n_terms, bool early_exit, exb_term term, int64_t n, const exb_real *x,
                    const exb_real *y, exb_superacc *acc)
{
    switch (n_terms + (early_exit ? 10 : 0)) {
    case 2:
        expand_terms(2, false, term, n, x, y, acc);
        break;
    case 3:
        expand_terms(3, false, term, n, x, y, acc);
        break;
    case 4:
        expand_terms(4, false, term, n, x, y, acc);
        break;
    case 5:
        expand_terms(5, false, term, n, x, y, acc);
        break;
    case 6:
        expand_terms(6, false, term, n, x, y, acc);
        break;
    case 7:
        expand_terms(7, false, term, n, x, y, acc);
        break;
    case 14:
        expand_terms(4, true, term, n, x, y, acc);
        break;
    case 16:
        expand_terms(6, true, term, n, x, y, acc);
        break;
    case 18:
        expand_terms(8, true, term, n, x, y, acc);
        break;
    default:
        expand_terms(8, false, term, n, x, y, acc);
        break;
    }
}
