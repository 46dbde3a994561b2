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
    atomic_init(&f->sets, NULL);
    atomic_init(&f->n_zero_sums, 0);
}

size_t exb_t(flow_limit)(const exb_t(flow) *f)
{
    return exb_memory_limit() * (size_t)f->n_threads;
}

void *exb_t(flow_memory)(exb_t(flow) *f, size_t bytes)
{
    if (bytes <= exb_t(flow_limit)(f))
        f->memory = exb_memory_get(bytes);
    return f->memory;
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

static uint64_t word_at(const exb_t(operand) *o, int64_t v, int64_t l, int64_t k)
{
    exb_real buffer[64];
    int64_t n = exb_least(k - l, 64);
    exb_t(elements) e = exb_t(operand_at)(o, v, 1, l, n, buffer);
    uint64_t word = 0;
    for (int64_t t = 0; t < n; t++)
        word |= (uint64_t)(e.p[t * e.ls] != 0) << t;
    return word;
}

/* The sets of a block's rows and of its columns, if there is room. */
static void make_sets(exb_t(flow) *f)
{
    const exb_t(product) *p = f->p;
    int64_t n_words = exb_tasks_of(p->k, 64), m = f->block.m, n = f->block.n;
    size_t bytes = (size_t)((m + n) * n_words) * sizeof(uint64_t);
    uint64_t *sets = bytes <= exb_memory_limit() / 4 ? exb_memory_get(bytes) : NULL;
    for (int64_t w = 0; sets && w < n_words; w++) {
        for (int64_t v = 0; v < m; v++)
            sets[v * n_words + w] = word_at(&p->a, f->block.i0 + v, 64 * w, p->k);
        for (int64_t v = 0; v < n; v++)
            sets[(m + v) * n_words + w] = word_at(&p->b, f->block.j0 + v, 64 * w, p->k);
    }
    atomic_store(&f->sets, sets);
}

/* The same of one sum, up to the first product that is not 0. Many such sums are worth sets. */
static bool is_zero_alone(exb_t(flow) *f, int64_t i, int64_t j)
{
    const exb_t(product) *p = f->p;
    int64_t many = (f->block.m + f->block.n) / 8;
    if (atomic_load(&f->n_zero_sums) > many) /* the sets are being made, or there is no room */
        return false;
    for (int64_t l = 0; l < p->k; l += 64)
        if (word_at(&p->a, i, l, p->k) & word_at(&p->b, j, l, p->k))
            return false;
    if (atomic_fetch_add(&f->n_zero_sums, 1) == many)
        make_sets(f);
    return true;
}

bool exb_t(is_zero_sum)(exb_t(flow) *f, int64_t i, int64_t j)
{
    int64_t n_words = exb_tasks_of(f->p->k, 64);
    const uint64_t *sets = atomic_load(&f->sets);
    if (!sets)
        return is_zero_alone(f, i, j);
    const uint64_t *row = sets + (i - f->block.i0) * n_words;
    const uint64_t *column = sets + (f->block.m + j - f->block.j0) * n_words;
    uint64_t common = 0;
    while (n_words-- > 0)
        common |= *row++ & *column++;
    return common == 0;
}

static void forget_sets(exb_t(flow) *f)
{
    exb_memory_put(atomic_load(&f->sets));
    atomic_init(&f->sets, NULL);
    atomic_init(&f->n_zero_sums, 0);
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
