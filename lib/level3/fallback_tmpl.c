/* What enclosures leave uncertified. A small block that is dense with such elements is computed
 * again, against two anchors, unless that has certified little so far. What is left then, and
 * elements that are few, are computed by themselves, at last: one costs mostly the reading of its
 * row of A, a cache line for every term if rows lie across the columns of a matrix; the rows of all
 * that a block of the product leaves are copied at a fraction of that.
 * Types: s d c z. */
#include "level3/fallback.h"

#include "core/memory.h"
#include "core/thread.h"

/* --- small blocks again ------------------------------------------------------- */

static bool is_uncertified(const exb_uncertified *u, int64_t i, int64_t j)
{
    return u->row_bits[j * u->n_words + i / 64] >> (i % 64) & 1;
}

/* Element (i, j) of the small block that `found` is, to C; false if that does not certify it. */
static bool round_anew(const exb_t(output) *o, const exb_enclosures *found, int i, int j)
{
    exb_enclosure sum[EXB_MOST_SUMS];
    exb_real r[EXB_PARTS];
    int64_t ci = found->i0 + i, cj = found->j0 / o->n_sums + j;
    exb_t(sums_at)(o, found, i, j, sum);
    if (!exb_t(round_element)(o, sum, ci, cj, r))
        return false;
    memcpy(exb_t(target_at)(&o->c, ci, cj), r, sizeof r);
    return true;
}

/* A filter that has certified little is a waste of time. */
static bool is_useless(const exb_tally *t)
{
    enum { ENOUGH = 2048 };
    return t->n_tried >= ENOUGH && t->n_certified < t->n_tried / 8;
}

/* If more than one in eight is uncertified it pays to compute a small block anew: an element by
 * itself costs several times what it costs in a block. */
static bool is_dense(int count, exb_block b)
{
    enum { DENSE = 8 };
    return count * DENSE > b.m * b.n;
}

static int count_uncertified(const exb_uncertified *u, exb_block b)
{
    int count = 0;
    for (int64_t j = b.j0; j < b.j0 + b.n; j++)
        for (int64_t i = b.i0; i < b.i0 + b.m; i++)
            count += is_uncertified(u, i, j);
    return count;
}

/* Rounds what `anew` certifies of block b, and strikes it from u; returns how many. */
static int round_again(const exb_t(output) *o, const exb_enclosures *anew, const exb_uncertified *u,
                       exb_block b)
{
    int n_certified = 0;
    for (int j = 0; j < b.n; j++)
        for (int i = 0; i < b.m; i++) {
            int64_t row = b.i0 + i, column = b.j0 + j;
            if (!is_uncertified(u, row, column) || !round_anew(o, anew, i, j))
                continue;
            u->row_bits[column * u->n_words + row / 64] &= ~((uint64_t)1 << row % 64);
            n_certified++;
        }
    return n_certified;
}

/* Returns how many of a block's uncertified elements are left. */
static EXB_NOINLINE int compute_again(exb_t(output) *o, const exb_enclosures *found,
                                      const exb_uncertified *u, exb_block b, int count)
{
    exb_small_space space;
    uint32_t open[EXB_SUB_COLUMNS];
    exb_block whole = {found->i0 + b.i0, found->j0 + o->n_sums * b.j0, b.m, o->n_sums * b.n};
    if (is_useless(&o->again))
        return count;
    exb_note_way(o->product.stats, EXB_WAY_TWICE);
    for (int64_t j = 0; j < whole.n; j++)
        open[j] =
            (uint32_t)(u->row_bits[(b.j0 + j / o->n_sums) * u->n_words + b.i0 / 64] >> b.i0 % 64);
    exb_enclosures anew = exb_p(enclose_twice)(&o->product, whole, open, &space);
    int n_certified = round_again(o, &anew, u, b);
    atomic_fetch_add(&o->again.n_tried, count);
    atomic_fetch_add(&o->again.n_certified, n_certified);
    return count - n_certified;
}

/* --- elements by themselves ---------------------------------------------------- */

/* Puts an element aside; false if there is no room. From any thread. */
static bool list_element(exb_fallback_list *list, int64_t i, int64_t j)
{
    int64_t at = atomic_fetch_add_explicit(&list->count, 1, memory_order_relaxed);
    if (at >= EXB_FALLBACK_LIST_MOST)
        return false;
    list->element[at].i = i;
    list->element[at].j = j;
    return true;
}

static void compute_few(const exb_t(output) *o, const exb_enclosures *found,
                        const exb_uncertified *u, exb_block b, exb_fallback_list *list)
{
    for (int64_t j = b.j0; j < b.j0 + b.n; j++)
        for (int64_t i = b.i0; i < b.i0 + b.m; i++) {
            int64_t ci = found->i0 + i, cj = found->j0 / o->n_sums + j;
            if (is_uncertified(u, i, j) && !(list && list_element(list, ci, cj)))
                exb_t(compute_element)(o, &o->product, ci, cj);
        }
}

void exb_t(fall_back)(exb_t(output) *o, const exb_enclosures *found, const exb_uncertified *u,
                      exb_fallback_list *list)
{
    int n = found->n / o->n_sums, columns = EXB_SUB_COLUMNS / o->n_sums;
    for (int j = 0; j < n; j += columns)
        for (int i = 0; i < found->m; i += EXB_SUB_ROWS) {
            exb_block b = {i, j, exb_least(found->m - i, EXB_SUB_ROWS), exb_least(n - j, columns)};
            int count = count_uncertified(u, b);
            if (o->product.method->filter && is_dense(count, b))
                count = compute_again(o, found, u, b, count);
            if (count > 0)
                compute_few(o, found, u, b, list);
        }
}

/* --- the list -------------------------------------------------------------------- */

typedef struct {
    const exb_t(output) *o;
    const exb_fallback_list *list;
    exb_p(product) product; /* its rows may be a copy */
    int64_t i0, m;
    exb_real *copy; /* [m][k] */
} work;

enum { COPY_ROWS = 16, COPY_TERMS = 64 };

/* A few rows, in pieces that stay in the first-level cache. */
static void copy_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    const exb_p(elements) from = w->o->product.a.in_place;
    int64_t k = w->product.k, begin = t * COPY_ROWS, n = exb_least(w->m - begin, COPY_ROWS);
    for (int64_t l = 0; l < k; l += COPY_TERMS) {
        int64_t nl = exb_least(k - l, COPY_TERMS);
        const exb_real *x = exb_p(elements_from)(from, w->i0 + begin, l).p;
        for (int64_t v = 0; v < n; v++)
            for (int64_t i = 0; i < nl; i++)
                w->copy[(begin + v) * k + l + i] = x[v * from.vs + i * from.ls];
    }
}

static void compute_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    int64_t since = exb_stats_now(w->product.stats);
    exb_t(compute_element)(w->o, &w->product, w->list->element[t].i, w->list->element[t].j);
    exb_stats_phase(w->product.stats, EXB_PHASE_FALLBACK, &since);
}

/* From this many elements on the copy pays: it costs about as much as that many strided rows. */
static bool copy_pays(const exb_p(product) *p, int64_t count, int64_t m)
{
    double bytes = (double)m * (double)p->k * sizeof(exb_real);
    return !p->a.gather && p->a.in_place.ls != 1 && count > m / 4 && p->k >= 64 &&
           bytes <= (double)exb_memory_limit() / 4;
}

void exb_t(compute_listed)(const exb_t(output) *o, exb_p(flow) *f)
{
    work w = {.o = o, .list = f->list, .product = o->product, .i0 = f->block.i0, .m = f->block.m};
    int64_t k = w.product.k, count = exb_least(f->list->count, EXB_FALLBACK_LIST_MOST);
    if (count == 0)
        return;
    if (copy_pays(&o->product, count, w.m))
        w.copy = exb_memory_get((size_t)w.m * (size_t)k * sizeof(exb_real));
    if (w.copy) {
        exb_parallel_for(f->n_threads, exb_tasks_of(w.m, COPY_ROWS), copy_task, &w);
        /* Row i0 is the copy's first; as integers, since the address of row 0 may be nowhere. */
        uintptr_t row_0 = (uintptr_t)w.copy - (uintptr_t)(w.i0 * k) * sizeof(exb_real);
        w.product.a = (exb_p(operand)){.in_place = {(const exb_real *)row_0, k, 1}};
    }
    exb_parallel_for(f->n_threads, count, compute_task, &w);
    exb_memory_put(w.copy);
    f->list->count = 0;
}
