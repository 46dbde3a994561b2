/* Which engine computes a product, and its way through the blocks.
 * Types: s d. */
#include "level3/engine.h"

#include "core/memory.h"

void exb_t(flow_init)(exb_t(flow) *f, const exb_t(product) *p)
{
    f->p = p;
    f->n_threads = 1;
    f->block = (exb_block){0};
    f->rows = p->m;
    f->columns = p->n;
    f->memory = NULL;
    f->list = NULL;
}

size_t exb_t(flow_limit)(const exb_t(flow) *f)
{
    size_t all = exb_memory_limit() * (size_t)f->n_threads;
    return all > sizeof *f->list ? all - sizeof *f->list : 0;
}

void *exb_t(flow_memory)(exb_t(flow) *f, size_t bytes)
{
    if (bytes <= exb_t(flow_limit)(f))
        f->memory = exb_memory_get(sizeof *f->list + bytes);
    if (!f->memory)
        return NULL;
    f->list = f->memory;
    f->list->count = 0;
    return f->list + 1;
}

/* --- few elements with many terms: a scalar product each ------------------- */

/* Packing would cost more than the products: strips of one or two rows, or of one column, would be
 * zeros for the most part. */
static bool has_few_elements(const exb_t(product) *p)
{
    bool in_order = exb_t(are_in_order)(&p->a, &p->b);
    int64_t most = in_order ? EXB_TILE_WORDS : 4;
    int64_t least_terms = in_order && (p->m <= 2 || p->n == 1) ? 128 : 2048;
    return p->m <= most && p->n <= most && p->m * p->n <= most && p->k >= least_terms;
}

static void prepare_nothing(exb_t(flow) *f)
{
    f->n_tasks = 1;
}

/* Nothing is known of any element, and the vector filter has not been tried. */
static bool find_nothing(exb_t(task) *t)
{
    static const double nothing[EXB_TILE_WORDS]; /* scales of 0 */
    if (t->tile.n > 0)
        return false;
    t->tile = t->flow->block;
    t->found = (exb_enclosures){.m = (int)t->tile.m, .n = (int)t->tile.n, .ld = 64};
    t->found.row_scale = t->found.col_scale = nothing;
    return true;
}

static void begin_dots(exb_t(flow) *f)
{
    static const exb_t(engine) dots = {prepare_nothing, find_nothing};
    f->engine = &dots;
    if (f->p->stats)
        f->p->stats->engine = "filter";
}

/* --- the engine ------------------------------------------------------------ */

static bool begin_residues(exb_t(flow) *f)
{
    bool fast, forced = f->p->method->engine == EXB_ENGINE_RESIDUE;
    const exb_residue_kernels *kernels = exb_residue_current(&fast);
    int n_moduli = fast || forced ? exb_t(residue_choose)(f->p, kernels, forced) : 0;
    return n_moduli && exb_t(residue_begin)(f, exb_residue_permitted(), n_moduli);
}

void exb_t(flow_begin)(exb_t(flow) *f, const exb_t(product) *p)
{
    exb_engine engine = p->method->engine;
    exb_t(flow_init)(f, p);
    if (p->method->filter && p->k > 0) {
        if (engine == EXB_ENGINE_ANY && has_few_elements(p)) {
            begin_dots(f);
            return;
        }
        if ((engine == EXB_ENGINE_ANY || engine == EXB_ENGINE_RESIDUE) && begin_residues(f))
            return;
        if (engine != EXB_ENGINE_GENERAL && exb_t(chain_begin)(f))
            return;
    }
    exb_t(general_begin)(f);
}

/* --- the blocks ------------------------------------------------------------ */

/* The block after b, columns of blocks one after the other; false if there is none. */
static bool move_to_next(const exb_t(flow) *f, exb_block *b)
{
    bool is_first = b->m == 0;
    b->i0 = is_first ? 0 : b->i0 + f->rows;
    if (b->i0 >= f->p->m) {
        b->i0 = 0;
        b->j0 += f->columns;
    }
    b->m = exb_least(f->p->m - b->i0, f->rows);
    b->n = exb_least(f->p->n - b->j0, f->columns);
    return b->m > 0 && b->n > 0;
}

bool exb_t(flow_next_block)(exb_t(flow) *f)
{
    exb_block *b = &f->block;
    while (move_to_next(f, b))
        if (exb_t(product_wants)(f->p, b->i0, b->m, b->j0, b->n)) {
            f->engine->prepare(f);
            return true;
        }
    return false;
}

void exb_t(flow_end)(exb_t(flow) *f)
{
    exb_memory_put(f->memory);
}
