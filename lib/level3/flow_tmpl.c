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
    atomic_init(&f->sets, NULL);
    atomic_init(&f->seeks_sets, false);
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

/* --- sums of zeros ---------------------------------------------------------------

 * No filter tells a sum all of whose products are 0 from what is nearly 0: those of triangles, of
 * blocks on a diagonal, of complex numbers that are real. Bit l of a vector's set says that its
 * element l is not 0; a row and a column that have none in common have such a sum, if it is finite.
 */

static void note_terms(exb_t(vectors) g, int64_t k, int64_t n_words, uint64_t *set)
{
    exb_real buffer[EXB_GATHER_VECTORS * EXB_GATHER_TERMS];
    memset(set, 0, (size_t)(g.n * n_words) * sizeof *set);
    for (int64_t l = 0; l < k; l += EXB_GATHER_TERMS) {
        int64_t n = exb_least(k - l, EXB_GATHER_TERMS);
        exb_t(elements) e = exb_t(operand_at)(g.operand, g.v0, g.n, l, n, buffer);
        for (int64_t v = 0; v < g.n; v++)
            for (int64_t t = 0; t < n; t++)
                set[v * n_words + (l + t) / 64] |= (uint64_t)(e.p[v * e.vs + t * e.ls] != 0)
                                                   << (l + t) % 64;
    }
}

/* The sets of a block's rows and of its columns, which the first task makes that asks; another that
 * asks meanwhile does without. */
static const uint64_t *sets_of(exb_t(flow) *f)
{
    int64_t n_words = exb_tasks_of(f->p->k, 64), n = f->block.m + f->block.n;
    if (!atomic_exchange(&f->seeks_sets, true)) {
        uint64_t *sets = exb_memory_get((size_t)(n * n_words) * sizeof *sets);
        int64_t n_groups = exb_tasks_of(f->block.m, EXB_GATHER_VECTORS) +
                           exb_tasks_of(f->block.n, EXB_GATHER_VECTORS);
        for (int64_t t = 0; sets && t < n_groups; t++) {
            exb_t(vectors) g = exb_t(vectors_at)(f, t, EXB_GATHER_VECTORS);
            note_terms(g, f->p->k, n_words,
                       sets + ((g.is_row ? 0 : f->block.m) + g.begin) * n_words);
        }
        atomic_store(&f->sets, sets);
    }
    return atomic_load(&f->sets);
}

bool exb_t(is_zero_sum)(exb_t(flow) *f, int64_t i, int64_t j)
{
    int64_t n_words = exb_tasks_of(f->p->k, 64);
    const uint64_t *sets = sets_of(f), *row = sets + (i - f->block.i0) * n_words;
    const uint64_t *column = sets + (f->block.m + j - f->block.j0) * n_words;
    uint64_t common = sets ? 0 : 1;
    for (int64_t w = 0; sets && w < n_words; w++)
        common |= row[w] & column[w];
    return common == 0;
}

static void forget_sets(exb_t(flow) *f)
{
    exb_memory_put(atomic_load(&f->sets));
    atomic_init(&f->sets, NULL);
    atomic_init(&f->seeks_sets, false);
}

/* --- blocks ---------------------------------------------------------------------- */

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
    forget_sets(f);
    while (move_to_next(f, b))
        if (exb_t(product_wants)(f->p, b->i0, b->m, b->j0, b->n)) {
            f->prepare(f);
            return true;
        }
    return false;
}

void exb_t(flow_end)(exb_t(flow) *f)
{
    forget_sets(f);
    exb_memory_put(f->memory);
}
