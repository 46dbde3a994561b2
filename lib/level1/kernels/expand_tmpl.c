/* Exact sums of a chunk by expansions that spill into a long accumulator
 * (kernel_slots.h), one expansion per lane: the published scheme and the named methods
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
 * accurate BLAS library" (2015), section 3.
 * Types: s d. */
#include "core/simd/element_simd.h"
#include "core/simd/expansion_simd.h"
#include "core/kernel.h"
#include "level1/reduce.h"

typedef struct {
    exb_v term[EXB_EXPANSION_MAX];
    exb_superacc *acc;
    int64_t n_spills; /* that are left */
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
    if (EXB_UNLIKELY(v_any_nonzero(rest))) {
        spill(e->acc, rest);
        e->n_spills--;
    }
}

/* Gives the lanes of x in the mask to the accumulator. */
EXB_INLINE exb_v divert(expansion *e, exb_v x, unsigned mask)
{
    spill(e->acc, v_zero_lanes(x, ~mask));
    e->n_spills--;
    return v_zero_lanes(x, mask);
}

EXB_INLINE void push_term(expansion *e, int n_terms, bool early_exit, exb_v x)
{
    unsigned large = v_outside(x, 0, EXB_PRODUCT_MOST);
    if (EXB_UNLIKELY(large))
        x = divert(e, x, large);
    push(e, n_terms, early_exit, x);
}

/* The products of the lanes in the mask, exactly. True if one was not just 0: sparse
 * data should stay here. */
static bool divert_products(exb_superacc *acc, exb_v x, exb_v y, unsigned mask)
{
    double a[EXB_LANES], b[EXB_LANES];
    bool any = false;
    v_store(a, x);
    v_store(b, y);
    for (int i = 0; i < EXB_LANES; i++) {
        bool is_zero = (a[i] == 0 && isfinite(b[i])) || (b[i] == 0 && isfinite(a[i]));
        if ((mask >> i & 1) && !is_zero) {
            exb_superacc_add_product(acc, a[i], b[i]);
            any = true;
        }
    }
    return any;
}

EXB_INLINE void push_product(expansion *e, int n_terms, bool early_exit, exb_v x, exb_v y)
{
    if (EXB_IS_S) { /* exact: 48 bits, exponents within 2^+-300 */
        push_term(e, n_terms, early_exit, v_mul(x, y));
        return;
    }
    exb_v r;
    exb_v p = v_two_prod(x, y, &r);
    unsigned outside = v_outside(p, EXB_PRODUCT_LEAST, EXB_PRODUCT_MOST);
    if (!EXB_HAVE_FMA)
        outside |= v_outside(r, 0, EXB_PRODUCT_MOST);
    if (EXB_UNLIKELY(outside)) {
        if (divert_products(e->acc, x, y, outside))
            e->n_spills--;
        p = v_zero_lanes(p, outside);
        r = v_zero_lanes(r, outside);
    }
    push(e, n_terms, early_exit, p);
    push(e, n_terms, early_exit, r);
}

EXB_INLINE void add_terms(expansion *e, int n_terms, bool early_exit, exb_term term, exb_v x,
                          exb_v y)
{
    if (term == EXB_TERM_XY)
        push_product(e, n_terms, early_exit, x, y);
    else
        push_term(e, n_terms, early_exit, term == EXB_TERM_ABS_X ? v_abs(x) : x);
}

EXB_INLINE int64_t expand(exb_term term, int n_terms, bool early_exit, const exb_t(reduction) *r,
                          int64_t n_spills, exb_superacc *acc)
{
    expansion e = {.acc = acc, .n_spills = n_spills};
    bool has_y = term == EXB_TERM_XY;
    int64_t i = 0, n = r->n;
    for (int j = 0; j < n_terms; j++)
        e.term[j] = v_zero();
    for (; i + EXB_LANES <= n && e.n_spills >= 0; i += EXB_LANES)
        add_terms(&e, n_terms, early_exit, term, v_load_real(r->x + i),
                  has_y ? v_load_real(r->y + i) : v_zero());
    if (i < n && n - i < EXB_LANES) {
        add_terms(&e, n_terms, early_exit, term, v_load_few_real(r->x + i, n - i),
                  has_y ? v_load_few_real(r->y + i, n - i) : v_zero());
        i = n;
    }
    for (int j = 0; j < n_terms; j++)
        spill(acc, e.term[j]);
    return i;
}

/* One instance per kind of term, so that the loop has no branch on it. */
EXB_INLINE int64_t expand_terms(int n_terms, bool early_exit, const exb_t(reduction) *r,
                                int64_t n_spills, exb_superacc *acc)
{
    return EXB_FOR_TERM(expand, r->term, n_terms, early_exit, r, n_spills, acc);
}

/* One instance per named method: the number of terms is a constant in each, so
 * that they stay in registers. */
int64_t exb_ti(expand)(int n_terms, bool early_exit, int64_t n_spills, exb_term term, int64_t n,
                       const exb_real *x, const exb_real *y, exb_superacc *acc)
{
    const exb_t(reduction) r = {term, n, x, 1, y, 1};
    switch (n_terms + (early_exit ? 10 : 0)) {
    case 2:
        return expand_terms(2, false, &r, n_spills, acc);
    case 3:
        return expand_terms(3, false, &r, n_spills, acc);
    case 4:
        return expand_terms(4, false, &r, n_spills, acc);
    case 5:
        return expand_terms(5, false, &r, n_spills, acc);
    case 6:
        return expand_terms(6, false, &r, n_spills, acc);
    case 7:
        return expand_terms(7, false, &r, n_spills, acc);
    case 14:
        return expand_terms(4, true, &r, n_spills, acc);
    case 16:
        return expand_terms(6, true, &r, n_spills, acc);
    case 18:
        return expand_terms(8, true, &r, n_spills, acc);
    default:
        return expand_terms(8, false, &r, n_spills, acc);
    }
}
