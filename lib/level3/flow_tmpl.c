/* A product's way through the blocks of an engine.
 * Types: s d. */
#include "level3/flow.h"

#include "core/memory.h"
#include "core/thread.h"

void exb_t(flow_init)(exb_t(flow) *f, const exb_t(product) *p)
{
    f->p = p;
    f->n_threads = 1;
    f->block = (exb_block){0};
    f->rows = p->m;
    f->columns = p->n;
    f->panel = p->k;
    f->packed = -1;
    f->memory = NULL;
    atomic_init(&f->sets, NULL);
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
static const uint64_t *make_sets(exb_t(flow) *f)
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
    return sets;
}

bool exb_t(is_zero_sum)(exb_t(flow) *f, int64_t i, int64_t j)
{
    int64_t n_words = exb_tasks_of(f->p->k, 64);
    j = f->p->is_apart ? j / 4 * 2 + j % 2 : j;
    const uint64_t *sets = atomic_load(&f->sets);
    if (!sets && !atomic_exchange(&f->wants_sets, true))
        sets = make_sets(f);
    if (!sets) /* another task makes them, or there is no room */
        return false;
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
    atomic_init(&f->wants_sets, false);
}

/* --- tiles ----------------------------------------------------------------------- */

/* Tile t of the block, rows of tiles one after the other; false if nothing of it is wanted. */
static bool tile_at(const exb_t(flow) *f, int64_t t, exb_block *q)
{
    int64_t n_j = exb_tasks_of(f->block.n, f->tile_columns);
    int64_t i = t / n_j * f->tile_rows, j = t % n_j * f->tile_columns;
    *q = (exb_block){f->block.i0 + i, f->block.j0 + j, exb_least(f->block.m - i, f->tile_rows),
                     exb_least(f->block.n - j, f->tile_columns)};
    return exb_t(product_wants)(f->p, q->i0, q->m, q->j0, q->n);
}

/* The next that no task has taken and of which something is wanted, multiplied through the panel;
 * false if there is none. */
static bool multiply_next(exb_t(task) *t)
{
    exb_t(flow) *f = t->flow;
    do
        t->at = atomic_fetch_add(&f->next, 1);
    while (t->at < f->n_tiles && !tile_at(f, t->at, &t->tile));
    if (t->at >= f->n_tiles)
        return false;
    t->n_found = 0;
    t->n_parts = 1;
    if (f->multiply)
        f->multiply(t);
    return true;
}

bool exb_t(task_next)(exb_t(task) *t, exb_task_space *space)
{
    t->space = space;
    if (t->n_found == t->n_parts && !multiply_next(t))
        return false;
    t->flow->find(t);
    t->n_found++;
    return true;
}

static void advance_task(void *ctx, int64_t number)
{
    exb_t(task) t;
    exb_t(task_begin)(&t, ctx, number);
    while (multiply_next(&t))
        ;
}

/* --- blocks ---------------------------------------------------------------------- */

/* Group t of vectors, rows first. */
static void pack_task(void *ctx, int64_t t)
{
    const exb_t(flow) *f = ctx;
    int64_t since = exb_stats_now(f->p->stats);
    int64_t n_row_groups = exb_tasks_of(f->block.m, EXB_PACK_VECTORS);
    exb_t(vectors) g = {.is_row = t < n_row_groups};
    g.begin = (g.is_row ? t : t - n_row_groups) * EXB_PACK_VECTORS;
    g.n = exb_least((g.is_row ? f->block.m : f->block.n) - g.begin, EXB_PACK_VECTORS);
    g.v0 = (g.is_row ? f->block.i0 : f->block.j0) + g.begin;
    g.operand = g.is_row ? &f->p->a : &f->p->b;
    f->pack(f, &g);
    exb_stats_phase(f->p->stats, EXB_PHASE_CONVERT, &since);
}

/* Columns of one panel stay for the blocks of the next rows. */
static void pack_panel(exb_t(flow) *f)
{
    int64_t n_columns = f->packed == f->block.j0 ? 0 : f->block.n;
    int64_t n_tasks =
        exb_tasks_of(f->block.m, EXB_PACK_VECTORS) + exb_tasks_of(n_columns, EXB_PACK_VECTORS);
    exb_parallel_for(f->n_threads, n_tasks, pack_task, f);
    if (f->panel >= f->p->k)
        f->packed = f->block.j0;
}

/* All panels but for the tiles' products with the last one, which are left to the tasks. */
static void prepare_block(exb_t(flow) *f)
{
    f->n_tiles = exb_count_tiles(f->block.m, f->block.n, f->tile_rows, f->tile_columns);
    for (f->l0 = 0;; f->l0 += f->panel) {
        f->k = exb_least(f->p->k - f->l0, f->panel);
        atomic_store(&f->next, 0);
        if (f->pack)
            pack_panel(f);
        if (exb_t(is_last_panel)(f))
            return;
        exb_parallel_for(f->n_threads, f->n_threads, advance_task, f);
    }
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
    forget_sets(f);
    while (move_to_next(f, b))
        if (exb_t(product_wants)(f->p, b->i0, b->m, b->j0, b->n)) {
            prepare_block(f);
            return true;
        }
    return false;
}

void exb_t(flow_end)(exb_t(flow) *f)
{
    forget_sets(f);
    exb_memory_put(f->memory);
}

bool exb_t(flow_run)(const exb_t(product) *p, exb_product_way way,
                     void (*finish)(void *flow, int64_t number), void *owner)
{
    exb_t(flow) f;
    exb_t(flow_init)(&f, p);
    f.owner = owner;
    if (way == EXB_WAY_GENERAL)
        exb_t(general_begin)(&f);
    else if (way == EXB_WAY_RESIDUE ? !begin_residues(&f) : !exb_t(chain_begin)(&f))
        return false;
    while (exb_t(flow_next_block)(&f))
        exb_parallel_for(f.n_threads, f.n_threads, finish, &f);
    exb_t(flow_end)(&f);
    return true;
}
