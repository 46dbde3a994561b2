/* Products of a few elements: what is before and behind the kernel small_product, which computes
 * them in blocks.
 * Types: s d c z. */
#include "level3/small_product.h"

#include "core/thread.h"
#include "level1/reduce.h"
#include "level3/fallback.h"
#include "level3/kernels/small.h"
#include "level3/output_element.h"

#if EXB_IS_COMPLEX
bool exb_t(small_product)(exb_t(output) *o)
{
    (void)o; /* gathering the parts costs as much as the engines' way */
    return false;
}
#else

enum {
    MOST_GATHERED = 1024, /* elements of an operand: stacks may be small */
    BLOCK = 48,           /* whole strips of any width */
    MOST_BLOCKS = 4,
    MOST = MOST_BLOCKS * BLOCK
};

/* Vectors of an operand where they lie; those that have to be gathered, in the buffer. */
static void fetch_vectors(const exb_t(operand) *o, int64_t n, int64_t k, exb_real *buffer,
                          exb_t(elements) *out)
{
    for (int64_t v = 0; o->gather && v < n; v += EXB_GATHER_VECTORS)
        o->gather(o->source, v, exb_least(n - v, EXB_GATHER_VECTORS), 0, k, buffer + v * k);
    out->p = o->gather ? buffer : o->in_place.p;
    out->vs = o->gather ? k : o->in_place.vs;
    out->ls = o->gather ? 1 : o->in_place.ls;
}

/* The largest magnitude of n vectors of k elements. NaN need not show: sums with it are not
 * certified. */
static double find_peak(const exb_t(elements) *x, const exb_real *p, int64_t n, int64_t k)
{
    int64_t inner = x->ls == 1 ? k : n, outer = x->ls == 1 ? n : k;
    int64_t step = x->ls == 1 ? x->vs : x->ls;
    if (step == inner) {
        inner *= outer;
        outer = 1;
    }
    return exb_t_kernels()->line_peak(inner, outer, step, p);
}

/* A gathered operand is a triangle or the like, and its product, as LAPACK's block reflectors have
 * them, full of rows of different size: with more of them engines, which scale each, decide more.
 */
static bool fits(const exb_t(operand) *o, int64_t n, int64_t k)
{
    return !o->gather || n * k <= MOST_GATHERED;
}

static int64_t most_vectors(const exb_t(product) *p)
{
    return p->a.gather || p->b.gather ? EXB_SMALL_MOST : MOST;
}

/* Long rows are not copied, as strips are whose rows do not lie side by side. */
static int64_t most_terms(const exb_t(product) *p)
{
    bool by_columns = !p->a.gather && p->a.in_place.vs == 1;
    return by_columns ? EXB_SMALL_TERMS : MOST;
}

/* Packing takes less time than it saves, by measurement on Zen 3 with vectors of 32 bytes, where
 * 100 x 100 x 100 doubles are about as fast in either way, and 40 x 40 x 40 floats, of which the
 * kernel makes a double in all lanes once for every strip of A; of a triangle a quarter of the
 * products count. With vectors of 64 bytes products are read in place: doubles by measurement on
 * Zen 5, floats for want of one. */
static bool packing_pays(const exb_t(output) *o)
{
    const exb_t(product) *p = &o->product;
    double products = (double)p->m * (double)p->n * (double)p->k;
    if (o->c.region != EXB_REGION_ALL)
        products /= 4;
    return products > (EXB_IS_S ? 0x1p17 : 0x1p20) && exb_kernels_current()->tile_rows < 8 &&
           !p->a.gather && !p->b.gather &&
           exb_least(exb_least(p->m, p->n), p->k) >= (EXB_IS_S ? 32 : 16);
}

static bool is_suitable(const exb_t(output) *o)
{
    const exb_t(product) *p = &o->product;
    return p->m <= most_vectors(p) && p->n <= most_vectors(p) && p->k <= most_terms(p) &&
           p->k > 0 && fits(&p->a, p->m, p->k) && fits(&p->b, p->n, p->k) && p->method->filter &&
           p->method->engine == EXB_ENGINE_ANY && (EXB_IS_S || exb_kernels_current()->has_fma) &&
           o->c.view.rs == 1 && fabs(o->alpha.re) <= DBL_MAX && fabs(o->beta.re) <= DBL_MAX &&
           !packing_pays(o);
}

/* --- blocks ----------------------------------------------------------------- */

typedef struct {
    exb_t(output) *o;
    exb_t(elements) a, b;
    int64_t n_row_blocks, n_column_blocks;
    double row_peak[MOST_BLOCKS], column_peak[MOST_BLOCKS];
} blocks;

/* Rows or columns are cut into blocks of BLOCK, the last with up to EXB_SMALL_MOST. */
static int64_t count_blocks(int64_t n)
{
    return n <= EXB_SMALL_MOST ? 1 : 1 + exb_tasks_of(n - EXB_SMALL_MOST, BLOCK);
}

static exb_range block_range(int64_t n, int64_t n_blocks, int64_t block)
{
    return (exb_range){block * BLOCK, block + 1 < n_blocks ? (block + 1) * BLOCK : n};
}

/* Returns the largest of the peaks, or NaN, and the least. */
static double find_peaks(const exb_t(elements) *x, int64_t n, int64_t n_blocks, int64_t k,
                         double *peak, double *least)
{
    double most = 0;
    *least = DBL_MAX;
    if (n_blocks == 1)
        return *peak = *least = find_peak(x, x->p, n, k);
    for (int64_t block = 0; block < n_blocks; block++) {
        exb_range r = block_range(n, n_blocks, block);
        peak[block] = find_peak(x, x->p + r.begin * x->vs, r.end - r.begin, k);
        most = peak[block] <= most ? most : peak[block];
        *least = peak[block] < *least ? peak[block] : *least;
    }
    return most;
}

/* Every block's numbers are in the kernel's range. */
static bool are_in_range(blocks *w)
{
    const exb_t(product) *p = &w->o->product;
    double least_a, least_b, scale = 2 * (double)p->k;
    double most_a = find_peaks(&w->a, p->m, w->n_row_blocks, p->k, w->row_peak, &least_a);
    double most_b = find_peaks(&w->b, p->n, w->n_column_blocks, p->k, w->column_peak, &least_b);
    return scale * (least_a * least_b) >= EXB_SMALL_LEAST_PEAK &&
           scale * (most_a * most_b) <= EXB_SMALL_MOST_PEAK;
}

/* Column j of C, in rows i ... i + m - 1: elements that are certified and wanted. */
static void store_column(const exb_t(output) *o, int64_t i, int64_t m, int64_t j, const exb_real *r,
                         uint64_t certified)
{
    exb_real *c = exb_t(target_at)(&o->c, i, j);
    if (certified == exb_first_bits(m)) {
        memcpy(c, r, (size_t)m * sizeof *c);
        return;
    }
    for (; certified; certified &= certified - 1) {
        int row = __builtin_ctzll(certified);
        c[row] = r[row];
    }
}

/* Results, and then the fallback's space. */
typedef union {
    exb_real r[EXB_SMALL_MOST * EXB_SMALL_MOST];
    exb_small_space space;
} room;

/* What is certified goes to C; of the uncertified elements those that are wanted are left. */
static int64_t store_block(const exb_t(output) *o, exb_block b, const exb_real *r,
                           uint64_t *uncertified)
{
    int64_t count = 0;
    for (int64_t j = 0; j < b.n; j++) {
        uint64_t wanted = exb_t(wanted_rows)(o, b.i0, (int)b.m, b.j0 + j);
        store_column(o, b.i0, b.m, b.j0 + j, r + j * EXB_SMALL_MOST, wanted & ~uncertified[j]);
        uncertified[j] &= wanted;
        count += uncertified[j] ? __builtin_popcountll(uncertified[j]) : 0;
    }
    return count;
}

static void set_block(const blocks *w, exb_block b, exb_small *q)
{
    const exb_t(output) *o = w->o;
    bool is_diagonal = b.i0 == b.j0;
    q->is_lower = is_diagonal && o->c.region == EXB_REGION_LOWER;
    q->is_upper = is_diagonal && o->c.region == EXB_REGION_UPPER;
    q->m = (int)b.m;
    q->n = (int)b.n;
    q->k = (int)o->product.k;
    q->a_vs = w->a.vs;
    q->a_ls = w->a.ls;
    q->b_vs = w->b.vs;
    q->b_ls = w->b.ls;
    q->ldc = o->c.view.cs;
    q->peak = w->row_peak[b.i0 / BLOCK] * w->column_peak[b.j0 / BLOCK];
    q->alpha = o->alpha.re;
    q->beta = o->beta.re;
}

/* So many open elements of a block cost more than an engine. Engines scale each vector, which
 * leaves less open; they are fast from EXB_SMALL_MOST on. */
static bool leaves_many(const exb_t(product) *p, exb_block b, int count)
{
    int64_t size = exb_most(exb_most(p->m, p->n), p->k);
    return count * (size > EXB_SMALL_MOST ? 32 : 2) > b.m * b.n + 32;
}

/* False, and nothing has been done, if it may_leave and leaves many elements open. */
static EXB_NOINLINE bool compute_block(const blocks *w, exb_block b, bool may_leave)
{
    exb_t(output) *o = w->o;
    room own;
    uint64_t uncertified[EXB_SMALL_MOST];
    exb_small q;
    set_block(w, b, &q);
    int count =
        exb_t_kernels()->small_product(&q, w->a.p + b.i0 * w->a.vs, w->b.p + b.j0 * w->b.vs,
                                       exb_t(target_at)(&o->c, b.i0, b.j0), own.r, uncertified);
    if (may_leave && leaves_many(&o->product, b, count))
        return false;
    int64_t n_left = store_block(o, b, own.r, uncertified);
    exb_stats_count(o->product.stats, b.m * b.n, n_left);
    if (n_left == 0)
        return true;
    exb_enclosures found = {.i0 = b.i0, .j0 = b.j0, .m = (int)b.m, .n = (int)b.n, .h = &q.peak};
    exb_uncertified u = {uncertified, 1, n_left};
    exb_t(fall_back)(o, &found, &u, NULL, &own.space);
    return true;
}

static exb_block block_at(const blocks *w, int64_t row_block, int64_t column_block)
{
    exb_range i = block_range(w->o->product.m, w->n_row_blocks, row_block);
    exb_range j = block_range(w->o->product.n, w->n_column_blocks, column_block);
    return (exb_block){i.begin, j.begin, i.end - i.begin, j.end - j.begin};
}

static void compute_later(void *ctx, int64_t number)
{
    const blocks *w = ctx;
    exb_block b = block_at(w, (number + 1) % w->n_row_blocks, (number + 1) / w->n_row_blocks);
    if (exb_t(product_wants)(&w->o->product, b.i0, b.m, b.j0, b.n))
        compute_block(w, b, false);
}

/* The first block tells whether the others are worth trying. */
static bool compute_blocks(blocks *w)
{
    const exb_t(product) *p = &w->o->product;
    int64_t n_later = w->n_row_blocks * w->n_column_blocks - 1;
    if (!compute_block(w, block_at(w, 0, 0), true))
        return false;
    if (n_later == 0)
        return true;
    double work = (double)p->m * (double)p->n * (double)p->k / 4;
    exb_parallel_for(exb_partition_count(work, n_later), n_later, compute_later, w);
    return true;
}

bool exb_t(small_product)(exb_t(output) *o)
{
    const exb_t(product) *p = &o->product;
    exb_real gathered[2][MOST_GATHERED];
    if (!is_suitable(o))
        return false;
    blocks w; /* whose arrays find_peaks fills */
    w.o = o;
    fetch_vectors(&p->a, p->m, p->k, gathered[0], &w.a);
    fetch_vectors(&p->b, p->n, p->k, gathered[1], &w.b);
    w.n_row_blocks = count_blocks(p->m);
    w.n_column_blocks = count_blocks(p->n);
    if (!are_in_range(&w))
        return false;
    if (p->stats)
        p->stats->engine = "anchor";
    return compute_blocks(&w);
}
#endif
