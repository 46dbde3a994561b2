/* What enclosures leave uncertified. A small block that is dense with such elements is computed
 * again, against two anchors. What is left then, and elements that are few, are computed by
 * themselves, at last: one costs mostly the reading of its row of A, a cache line for every term if
 * rows lie across the columns of a matrix; the rows of all that a block of the product leaves are
 * copied at a fraction of that.
 * Types: s d c z. */
#include "level3/fallback.h"

#include "core/memory.h"
#include "core/thread.h"

/* --- small blocks again ------------------------------------------------------- */

/* The open rows of column j in block b, which are in one word. */
static uint64_t open_rows(const exb_enclosures *found, const uint64_t *open, exb_block b, int64_t j)
{
    return open[j * exb_tile_words(found) + b.i0 / 64] >> b.i0 % 64 & exb_first_bits(b.m);
}

/* If more than one in eight is uncertified it pays to compute a small block anew: an element by
 * itself costs several times what it costs in a block. */
static bool is_dense(int count, exb_block b)
{
    enum { DENSE = 8 };
    return count * DENSE > b.m * b.n;
}

static int count_open(const exb_enclosures *found, const uint64_t *open, exb_block b)
{
    int count = 0;
    for (int64_t j = b.j0; j < b.j0 + b.n; j++)
        count += __builtin_popcountll(open_rows(found, open, b, j));
    return count;
}

/* Rounds what `anew` certifies of block b, and clears its bits; returns how many. */
static int round_again(const exb_t(output) *o, const exb_enclosures *anew,
                       const exb_enclosures *found, uint64_t *open, exb_block b)
{
    int n_certified = 0;
    for (int j = 0; j < b.n; j++)
        for (uint64_t rows = open_rows(found, open, b, b.j0 + j); rows; rows &= rows - 1) {
            uint64_t *word = &open[(b.j0 + j) * exb_tile_words(found) + b.i0 / 64];
            if (!exb_t(round_found)(o, NULL, anew, __builtin_ctzll(rows), j))
                continue;
            *word &= ~((rows & -rows) << b.i0 % 64);
            n_certified++;
        }
    return n_certified;
}

/* Returns how many of a block's uncertified elements are left. */
static EXB_NOINLINE int compute_again(const exb_t(output) *o, const exb_enclosures *found,
                                      uint64_t *open, exb_block b, int count)
{
    exb_task_space space;
    uint32_t wanted[EXB_SUB_COLUMNS];
    exb_block whole = {found->i0 + b.i0, found->j0 + o->n_sums * b.j0, b.m, o->n_sums * b.n};
    exb_note_way(o->product.stats, EXB_WAY_TWICE);
    for (int64_t j = 0; j < whole.n; j++)
        wanted[j] = (uint32_t)open_rows(found, open, b, b.j0 + j / o->n_sums);
    exb_enclosures anew = exb_p(enclose_twice)(&o->product, whole, wanted, &space);
    return count - round_again(o, &anew, found, open, b);
}

/* --- elements by themselves ---------------------------------------------------- */

/* Puts an element aside; false if there is no room. From any thread. */
static bool list_element(exb_fallback_list *list, int64_t i, int64_t j)
{
    int64_t at = atomic_fetch_add_explicit(&list->count, 1, memory_order_relaxed);
    if (at >= EXB_FALLBACK_LIST_MOST)
        return false;
    list->row[at] = i;
    list->column[at] = j;
    return true;
}

static void compute_few(const exb_t(output) *o, const exb_enclosures *found, const uint64_t *open,
                        exb_block b, exb_fallback_list *list)
{
    for (int64_t j = b.j0; j < b.j0 + b.n; j++)
        for (uint64_t rows = open_rows(found, open, b, j); rows; rows &= rows - 1) {
            int64_t ci = found->i0 + b.i0 + __builtin_ctzll(rows), cj = found->j0 / o->n_sums + j;
            if (!list || !list_element(list, ci, cj))
                exb_t(compute_element)(o, &o->product, ci, cj);
        }
}

void exb_t(fall_back)(const exb_t(output) *o, const exb_enclosures *found, uint64_t *open,
                      exb_fallback_list *list)
{
    int n = found->n / o->n_sums, columns = EXB_SUB_COLUMNS / o->n_sums;
    for (int j = 0; j < n; j += columns)
        for (int i = 0; i < found->m; i += EXB_SUB_ROWS) {
            exb_block b = {i, j, exb_least(found->m - i, EXB_SUB_ROWS), exb_least(n - j, columns)};
            int count = count_open(found, open, b);
            if (o->product.method->filter && is_dense(count, b))
                count = compute_again(o, found, open, b, count);
            if (count > 0)
                compute_few(o, found, open, b, list);
        }
}

/* --- the list -------------------------------------------------------------------- */

enum { COPY_ROWS = 16 };

typedef struct {
    const exb_t(output) *o;
    const exb_fallback_list *list;
    exb_p(product) product; /* its rows may be a copy */
    int64_t i0, m, stride;
    exb_real *copy; /* [m][stride] */
    bool *is_asked; /* [m] */
} work;

/* What is asked for of a few rows: their numbers mostly lie side by side in a column. */
static void copy_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    const exb_p(elements) from = w->o->product.a.in_place;
    int64_t begin = t * COPY_ROWS, end = exb_least(begin + COPY_ROWS, w->m), row[COPY_ROWS];
    int n = 0;
    for (int64_t i = begin; i < end; i++)
        if (w->is_asked[i])
            row[n++] = i;
    for (int64_t l = 0; n > 0 && l < w->product.k; l++) {
        const exb_real *x = exb_p(elements_from)(from, w->i0, l).p;
        for (int v = 0; v < n; v++)
            w->copy[row[v] * w->stride + l] = x[row[v] * from.vs];
    }
}

static void compute_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    int64_t since = exb_stats_now(w->product.stats);
    exb_t(compute_element)(w->o, &w->product, w->list->row[t], w->list->column[t]);
    exb_stats_phase(w->product.stats, EXB_PHASE_FALLBACK, &since);
}

/* The rows that are asked for, if there is memory. Each is read three times or more, and once costs
 * about as much as COPY_ROWS together. */
static void copy_rows(work *w, int64_t count, int n_threads)
{
    const exb_p(operand) *a = &w->product.a;
    int64_t n = w->m * w->stride;
    double bytes = (double)n * sizeof(exb_real) + (double)w->m;
    if (!a->gather && a->in_place.ls != 1 && count >= COPY_ROWS && w->product.k >= 64 &&
        bytes <= (double)exb_memory_limit() / 4)
        w->copy = exb_memory_get((size_t)bytes);
    if (!w->copy)
        return;
    w->is_asked = (bool *)(w->copy + n);
    memset(w->is_asked, 0, (size_t)w->m);
    for (int64_t t = 0; t < count; t++)
        w->is_asked[w->list->row[t] - w->i0] = true;
    exb_parallel_for(n_threads, exb_tasks_of(w->m, COPY_ROWS), copy_task, w);
    /* Row i0 is the copy's first; as integers, since the address of row 0 may be nowhere. */
    uintptr_t row_0 = (uintptr_t)w->copy - (uintptr_t)(w->i0 * w->stride) * sizeof(exb_real);
    w->product.a = (exb_p(operand)){.in_place = {(const exb_real *)row_0, w->stride, 1}};
}

void exb_t(compute_listed)(const exb_t(output) *o, exb_p(flow) *f)
{
    work w = {.o = o, .list = f->list, .product = o->product, .i0 = f->block.i0, .m = f->block.m};
    int64_t count = exb_least(f->list->count, EXB_FALLBACK_LIST_MOST);
    if (count == 0)
        return;
    w.stride = w.product.k / 32 * 32 + 48; /* rows of 2^i numbers would share a set of the cache */
    copy_rows(&w, count, f->n_threads);
    exb_parallel_for(f->n_threads, count, compute_task, &w);
    exb_memory_put(w.copy);
    f->list->count = 0;
}
