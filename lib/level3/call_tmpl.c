/* Types: s d c z. */
#include "level3/call.h"

#include "core/fpenv.h"
#include "element/line.h"

exb_complex exb_t(scalar_at)(const exb_real *p, bool is_real)
{
    if (!p)
        return (exb_complex){0, 0};
    return (exb_complex){p[0], EXB_IS_COMPLEX && !is_real ? (double)p[EXB_PARTS - 1] : 0};
}

/* The transpose of everything: results are best written along columns. The loop becomes vectors;
 * copies of structs would take a tenth of a product of 8 x 8. */
static void transpose_call(exb_t(call) *call)
{
    char *a = (char *)&call->a, *b = (char *)&call->b, byte;
    int64_t m = call->m;
    for (size_t i = 0; i < sizeof call->a; b[i++] = byte) {
        byte = a[i];
        a[i] = b[i];
    }
    call->m = call->n;
    call->n = m;
    call->output.c = exb_t(target_transposed)(&call->output.c);
}

void exb_t(call_prepare)(exb_t(call) *call, exb_call_stats *stats)
{
    exb_t(output) *o = &call->output;
    if (o->c.view.rs != 1)
        transpose_call(call);
    if (o->n_sums == 0)
        o->n_sums = EXB_PARTS;
    call->a.role = EXB_AS_ROWS;
    call->b.role = EXB_AS_COLUMNS;
    call->b.n_sums = o->n_sums;
    exb_t(operand_of)(&call->a, &o->product.a);
    exb_t(operand_of)(&call->b, &o->product.b);
    o->product.stats = stats;
    o->alpha = exb_t(scalar_at)(call->alpha, o->real_alpha);
    o->beta = exb_t(scalar_at)(call->beta, o->real_beta);
}

EXB_NOINLINE void exb_t(call_compute)(exb_t(call) *call, exb_call_stats *stats)
{
    exb_t(call_prepare)(call, stats);
    exb_t(output) *o = &call->output;
    int64_t k = call->a.n_matrices * call->k;
    bool is_empty = exb_is_zero(o->alpha) || k == 0;
    if (is_empty && exb_is_one(o->beta))
        return;
    if (is_empty) { /* neither A nor B nor alpha counts */
        k = 0;
        o->alpha = (exb_complex){1, 0};
    }
    exb_t(output_run)(o, call->m, call->n, k);
}

void exb_t(call_guarded)(const exb_site *site, void (*run)(void *ctx, exb_call_stats *stats),
                         void *ctx)
{
    exb_fpenv env;
    exb_call_stats memory;
    exb_fpenv_enter(&env);
    exb_call_stats *stats = exb_stats_begin_call(&memory);
    run(ctx, stats);
    exb_stats_end_call(stats, site->routine);
    exb_fpenv_leave(&env);
}

static void compute_call(void *ctx, exb_call_stats *stats)
{
    exb_t(call_compute)(ctx, stats);
}

void exb_t(call_run)(exb_t(call) *call, const exb_site *site)
{
    if (call->m > 0 && call->n > 0)
        exb_t(call_guarded)(site, compute_call, call);
}
