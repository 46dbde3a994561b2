/* Which engine computes a product.
 * Types: s d. */
#include "level3/product.h"

#include "core/partition.h"
#include "core/thread.h"
#include "level3/engine.h"

/* --- few elements with many terms: a scalar product each ------------------- */

/* Packing would cost more than the products. */
static bool is_few(const exb_t(product) * p)
{
    bool in_order = !p->a.gather && !p->b.gather && p->a.ls == 1 && p->b.ls == 1;
    int64_t most = in_order ? EXB_BLOCK_WORDS : 4;
    return p->m <= most && p->n <= most && p->m * p->n <= most && p->k >= 2048;
}

/* Nothing is known of any element, and the vector filter has not been tried. */
static void each_by_itself(const exb_t(product) * p)
{
    static const double nothing[EXB_BLOCK_WORDS]; /* scales of 0 */
    exb_block b = {.m = (int)p->m, .n = (int)p->n, .ld = 64, .row_scale = nothing};
    b.col_scale = nothing;
    if (p->stats)
        p->stats->engine = "filter";
    p->take(p->output, &b);
}

/* --- small blocks on the stack: compensated, or nothing known ------------- */

typedef struct {
    const exb_t(product) * p;
    int64_t n_row_blocks;
} blocks;

static void small_block(void *ctx, int64_t t)
{
    const blocks *q = ctx;
    const exb_t(product) *p = q->p;
    int64_t i = t % q->n_row_blocks * EXB_SMALL_BLOCK, j = t / q->n_row_blocks * EXB_SMALL_BLOCK;
    int m = (int)(p->m - i < EXB_SMALL_BLOCK ? p->m - i : EXB_SMALL_BLOCK);
    int n = (int)(p->n - j < EXB_SMALL_BLOCK ? p->n - j : EXB_SMALL_BLOCK);
    if (p->wanted && !p->wanted(p->output, i, m, j, n))
        return;
    if (p->method->filter) {
        exb_t(compensated_block)(p, i, m, j, n, p->take, p->output);
        return;
    }
    static const double nothing[EXB_SMALL_BLOCK]; /* scales of 0 */
    exb_block b = {i, j, m, n, EXB_SMALL_BLOCK, .last = true};
    b.row_scale = b.col_scale = nothing;
    p->take(p->output, &b);
}

static void small_blocks(const exb_t(product) * p)
{
    if (p->stats)
        p->stats->engine = "general";
    blocks q = {p, (p->m + EXB_SMALL_BLOCK - 1) / EXB_SMALL_BLOCK};
    int64_t n_tasks = q.n_row_blocks * ((p->n + EXB_SMALL_BLOCK - 1) / EXB_SMALL_BLOCK);
    double work = (double)p->m * (double)p->n * (double)(p->k + 1);
    exb_parallel_for(exb_partition_count(work, n_tasks), n_tasks, small_block, &q);
}

#if EXB_IS_S
static bool by_residues(const exb_t(product) * p)
{
    (void)p; /* chains are faster for floats */
    return false;
}
#else
static bool by_residues(const exb_t(product) * p)
{
    bool fast, forced = p->method->engine == EXB_ENGINE_RESIDUE;
    const exb_residue_kernels *kernels = exb_residue_current(&fast);
    int n_moduli = fast || forced ? exb_t(residue_choose)(p, forced) : 0;
    return n_moduli && exb_t(residue_run)(p, kernels, n_moduli);
}
#endif

void exb_t(product_run)(const exb_t(product) * p)
{
    exb_engine engine = p->method->engine;
    if (p->method->filter && p->k > 0) {
        if (engine == EXB_ENGINE_ANY && is_few(p)) {
            each_by_itself(p);
            return;
        }
        if ((engine == EXB_ENGINE_ANY || engine == EXB_ENGINE_RESIDUE) && by_residues(p))
            return;
        if (engine != EXB_ENGINE_GENERAL && exb_t(chain_run)(p))
            return;
    }
    small_blocks(p);
}
