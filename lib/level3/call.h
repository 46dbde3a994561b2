/* A call of Level 3: what its matrices are, as views of what BLAS stores. */
#ifndef EXB_CALL_H
#define EXB_CALL_H

#include "core/check/check.h"
#include "level3/output.h"
#include "level3/source.h"

/* C (m x n) = RN(alpha A B + beta C): a has the rows of A, b the rows of the transpose of B, of k
 * elements each, or of k in each of two matrices side by side. alpha and beta point to the parts
 * that the caller gave, one if marked as real; they are looked at in the default floating-point
 * environment only, under DAZ a subnormal alpha would compare equal to 0. No beta: 0. */
typedef struct {
    exb_t(source) a, b;
    int64_t m, n, k;
    const exb_real *alpha, *beta;
    exb_t(output) output; /* c, flags, n_sums */
} exb_t(call);

/* The scalars and no flags; sources, sizes and C are to be set. Nothing else is cleared (source.h).
 */
EXB_INLINE void exb_t(call_init)(exb_t(call) *call, const exb_real *alpha, const exb_real *beta)
{
    exb_t(output) *o = &call->output;
    call->alpha = alpha;
    call->beta = beta;
    o->real_alpha = o->real_beta = o->hermitian = false;
    o->n_sums = 0;
    o->c.region = EXB_REGION_ALL;
}

/* Computes it; BLAS's quick returns included. Sets the floating-point environment. */
void exb_t(call_run)(exb_t(call) *call, const exb_site *site);

/* For routines with more to do: enters the environment, calls run(ctx), leaves it. */
void exb_t(call_guarded)(const exb_site *site, void (*run)(void *ctx, exb_call_stats *stats),
                         void *ctx);

/* Inside: the scalars' values; the operands and the product. */
exb_complex exb_t(scalar_at)(const exb_real *p, bool is_real);
void exb_t(call_prepare)(exb_t(call) *call, exb_call_stats *stats);
void exb_t(call_compute)(exb_t(call) *call, exb_call_stats *stats);

EXB_INLINE const exb_real *exb_t(parts_of)(const exb_scalar *s)
{
#if EXB_IS_COMPLEX
    return *s;
#else
    return s;
#endif
}

/* Where C goes, in either layout. */
EXB_INLINE void exb_t(call_set_c)(exb_t(call) *call, bool by_rows, exb_real *c, int64_t ldc)
{
    call->output.c.p = c;
    call->output.c.view = exb_view_full(by_rows, ldc);
}

#endif
