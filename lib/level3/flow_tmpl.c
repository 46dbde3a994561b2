/* A product's way through the blocks of an engine.
 * Types: s d. */
#include "level3/flow.h"

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

static bool begin_residues(exb_t(flow) *f)
{
    bool fast, forced = f->p->method->engine == EXB_ENGINE_RESIDUE;
    int n_moduli = exb_t(residue_choose)(f->p, exb_residue_current(&fast), forced);
    return n_moduli && exb_t(residue_begin)(f, exb_residue_permitted(), n_moduli);
}

bool exb_t(flow_begin)(exb_t(flow) *f, const exb_t(product) *p, exb_product_way way)
{
    exb_t(flow_init)(f, p);
    if (way == EXB_WAY_RESIDUE)
        return begin_residues(f);
    if (way == EXB_WAY_CHAIN)
        return exb_t(chain_begin)(f);
    exb_t(general_begin)(f);
    return true;
}

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
            f->prepare(f);
            return true;
        }
    return false;
}

void exb_t(flow_end)(exb_t(flow) *f)
{
    exb_memory_put(f->memory);
}
