/* Products of a few elements: what is before and behind the kernel small_product, which computes
 * them in blocks.
 * Types: s d c z. */
#include "core/arith/float_unit.h"
#include "core/memory.h"
#include "core/thread.h"
#include "level1/reduce.h"
#include "level3/fallback.h"
#include "level3/kernels/small.h"
#include "level3/way.h"

/* Whole strips of rows, and of columns, of any width. */
enum {
    BLOCK = 48 / EXB_PARTS,
    MOST = EXB_SMALL_MOST / EXB_PARTS, /* rows of a block */
    COLUMNS = 36,
    MOST_BLOCKS = EXB_SMALL_ORDER / COLUMNS + 1
};

/* The numbers of n vectors of k elements as lines of memory: their length, how many, how far apart.
 */
static void find_lines(const exb_p(elements) *x, int64_t n, int64_t k, int64_t line[3])
{
    bool by_vectors = x->ls == EXB_PARTS;
    line[0] = EXB_PARTS * (by_vectors ? k : n);
    line[1] = by_vectors ? n : k;
    line[2] = by_vectors ? x->vs : x->ls;
    if (line[0] == line[2]) {
        line[0] *= line[1];
        line[1] = 1;
    }
}

/* The largest magnitude. NaN need not show: sums with it are not certified. */
static double find_peak(const exb_p(elements) *x, int64_t n, int64_t k)
{
    int64_t line[3];
    find_lines(x, n, k, line);
    return exb_t_kernels()->line_peak(line[0], line[1], line[2], x->p);
}

/* Of floats. */
static int find_unit(const exb_p(elements) *x, int64_t n, int64_t k)
{
    int64_t line[3];
    int32_t bit = exb_lowest_bit(0);
    find_lines(x, n, k, line);
    for (int64_t i = 0; i < line[1]; i++)
        bit = exb_least_bit(
            exb_lowest_bit_of(line[0], (const float *)(const void *)(x->p + i * line[2]), 1), bit);
    return exb_unit_of(bit);
}

/* --- blocks ----------------------------------------------------------------- */

typedef struct {
    exb_t(output) *o;
    exb_small all; /* what blocks have in common; `first` of the first one */
    exb_p(elements) a[2], b[2];
    int64_t n, k; /* columns; elements of a vector of A or B */
    int64_t n_row_blocks, n_column_blocks;
    double row_peak[2][MOST_BLOCKS], column_peak[2][MOST_BLOCKS];
} blocks;

/* Rows are cut into blocks of BLOCK, the last with up to EXB_SMALL_MOST; columns into blocks of
 * COLUMNS. */
static int64_t count_row_blocks(int64_t n)
{
    return n <= MOST ? 1 : 1 + exb_tasks_of(n - MOST, BLOCK);
}

static exb_range block_range(int64_t n, int64_t n_blocks, int64_t size, int64_t block)
{
    return (exb_range){block * size, block + 1 < n_blocks ? (block + 1) * size : n};
}

/* Returns the largest of the peaks, or NaN, and the least. */
static double find_peaks(const exb_p(elements) *x, int64_t n, int64_t n_blocks, int64_t size,
                         int64_t k, double *peak, double *least)
{
    double most = 0;
    *least = DBL_MAX;
    if (n_blocks == 1)
        return *peak = *least = find_peak(x, n, k);
    for (int64_t block = 0; block < n_blocks; block++) {
        exb_range r = block_range(n, n_blocks, size, block);
        exb_p(elements) some = exb_p(elements_from)(*x, r.begin, 0);
        peak[block] = find_peak(&some, r.end - r.begin, k);
        most = peak[block] <= most ? most : peak[block];
        *least = peak[block] < *least ? peak[block] : *least;
    }
    return most;
}

/* Every block's numbers are in the kernel's range. */
static bool are_in_range(blocks *w)
{
    const exb_p(product) *p = &w->o->product;
    double scale = 2 * (double)p->k;
    bool are = true;
    for (int h = 0; h < w->all.n_halves && are; h++) {
        double least_a, least_b;
        double a =
            find_peaks(&w->a[h], p->m, w->n_row_blocks, BLOCK, w->k, w->row_peak[h], &least_a);
        double b = find_peaks(&w->b[h], w->n, w->n_column_blocks, COLUMNS, w->k, w->column_peak[h],
                              &least_b);
        are = scale * (least_a * least_b) >= EXB_SMALL_LEAST_PEAK &&
              scale * (a * b) <= EXB_SMALL_MOST_PEAK;
    }
    return are;
}

/* Rows of a column whose bits are set; their parts lie side by side. */
static void store_rows(const exb_t(output) *o, exb_block b, int64_t j, const exb_real *r,
                       uint64_t rows)
{
    exb_real *c = exb_t(target_at)(&o->c, b.i0, b.j0 + j);
    if (rows == exb_first_bits(b.m)) {
        memcpy(c, r, (size_t)(EXB_PARTS * b.m) * sizeof *c);
        return;
    }
    for (; rows; rows &= rows - 1) {
        int at = EXB_PARTS * __builtin_ctzll(rows);
        memcpy(c + at, r + at, EXB_PARTS * sizeof *c);
    }
}

/* The elements of which a part is open. */
static uint64_t open_elements(uint64_t open)
{
    uint64_t elements = EXB_IS_COMPLEX ? 0 : open;
    for (int i = 0; EXB_IS_COMPLEX && open != 0; i++, open >>= 2)
        elements |= (uint64_t)((open & 3) != 0) << i;
    return elements;
}

/* The imaginary part on a Hermitian diagonal is +0, whatever the kernel makes of what is there. */
static void clear_diagonal(exb_block b, int64_t j, exb_real *r)
{
    int64_t at = 2 * (b.j0 + j - b.i0) + 1;
    if (at > 0 && at < 2 * b.m)
        r[at] = 0;
}

/* What is certified goes to C; of the uncertified elements those that are wanted are left. */
static int64_t store_block(const exb_t(output) *o, exb_block b, exb_real *r, uint64_t *uncertified)
{
    int64_t count = 0;
    for (int64_t j = 0; j < b.n; j++) {
        if (EXB_IS_COMPLEX && o->hermitian)
            clear_diagonal(b, j, r + j * EXB_SMALL_MOST);
        uint64_t wanted = exb_t(wanted_rows)(o, b.i0, (int)b.m, b.j0 + j);
        uncertified[j] = open_elements(uncertified[j]) & wanted;
        store_rows(o, b, j, r + j * EXB_SMALL_MOST, wanted & ~uncertified[j]);
        count += uncertified[j] ? __builtin_popcountll(uncertified[j]) : 0;
    }
    return count;
}

static void set_block(const blocks *w, exb_block b, exb_small *q)
{
    *q = w->all;
    q->diagonal = (int)(b.j0 - b.i0);
    q->m = EXB_PARTS * (int)b.m;
    q->n = (int)b.n;
    q->first += q->of_rows ? b.i0 : b.j0;
    for (int h = 0; h < q->n_halves; h++) {
        const exb_p(elements) *x = &w->a[h], *y = &w->b[h];
        double peak = w->row_peak[h][b.i0 / BLOCK] * w->column_peak[h][b.j0 / COLUMNS];
        q->peak = peak <= q->peak ? q->peak : peak;
        q->half[h] = (exb_small_factors){
            x->p + b.i0 * x->vs, y->p + b.j0 * y->vs, x->vs, x->ls, y->vs, y->ls};
    }
}

/* All sums of a block's products are doubles, in any order: multiples of a 2^u whose magnitudes are
 * below 2^(u + 53), where k times the peak is, rounded or not. Numbers of 16 bits are like that,
 * and many sums of theirs are ties of floats or zeros, which no bound decides; with more bits, of
 * which the first numbers tell, such sums are rare. */
static bool sums_are_doubles(const blocks *w, exb_block b, const exb_small *q)
{
    int64_t unit = 1000;
    for (int h = 0; EXB_IS_S && h < q->n_halves; h++) {
        exb_p(elements) x = exb_p(elements_from)(w->a[h], b.i0, 0);
        exb_p(elements) y = exb_p(elements_from)(w->b[h], b.j0, 0);
        if (((exb_bits_f((float)x.p[0]) | exb_bits_f((float)y.p[0])) & 0xff) != 0)
            return false;
        unit = exb_least(unit, find_unit(&x, b.m, w->k) + find_unit(&y, b.n, w->k));
    }
    return EXB_IS_S && q->k * q->peak < ldexp(1, (int)exb_least(unit + 53, 1000));
}

/* Returns how many elements are left, those in `uncertified`; -1, and nothing has been done, if it
 * may_leave and leaves many open. */
static EXB_NOINLINE int64_t round_block(blocks *w, exb_block b, bool may_leave,
                                        uint64_t *uncertified)
{
    exb_real r[EXB_SMALL_MOST * COLUMNS];
    exb_small q;
    set_block(w, b, &q);
    q.is_exact = sums_are_doubles(w, b, &q);
    int count =
        exb_t_kernels()->small_product(&q, exb_t(target_at)(&w->o->c, b.i0, b.j0), r, uncertified);
    /* An engine, which scales each vector and leaves less open, is faster then. */
    if (may_leave && count * 16 > b.m * b.n + 32)
        return -1;
    return store_block(w->o, b, r, uncertified);
}

static bool compute_block(blocks *w, exb_block b, bool may_leave)
{
    uint64_t uncertified[EXB_SMALL_MOST];
    int64_t n_left = round_block(w, b, may_leave, uncertified);
    if (n_left < 0)
        return false;
    exb_stats_count(w->o->product.stats, b.m * b.n, n_left);
    if (n_left > 0) {
        exb_enclosures found = {.i0 = b.i0, .j0 = w->o->n_sums * b.j0, .m = (int)b.m};
        found.n = w->o->n_sums * (int)b.n;
        exb_t(fall_back)(w->o, &found, uncertified);
    }
    return true;
}

static exb_block block_at(const blocks *w, int64_t row_block, int64_t column_block)
{
    exb_range i = block_range(w->o->product.m, w->n_row_blocks, BLOCK, row_block);
    exb_range j = block_range(w->n, w->n_column_blocks, COLUMNS, column_block);
    return (exb_block){i.begin, j.begin, i.end - i.begin, j.end - j.begin};
}

static void compute_later(void *ctx, int64_t number)
{
    blocks *w = ctx;
    exb_block b = block_at(w, (number + 1) % w->n_row_blocks, (number + 1) / w->n_row_blocks);
    if (exb_p(product_wants)(&w->o->product, b.i0, b.m, w->o->n_sums * b.j0, w->o->n_sums * b.n))
        compute_block(w, b, false);
}

/* The first block tells whether the others are worth trying. */
static bool compute_blocks(blocks *w)
{
    const exb_p(product) *p = &w->o->product;
    int64_t n_later = w->n_row_blocks * w->n_column_blocks - 1;
    if (!compute_block(w, block_at(w, 0, 0), true))
        return false;
    if (n_later == 0)
        return true;
    double work = (double)p->m * (double)p->n * (double)p->k / 4;
    exb_parallel_for(exb_partition_count(work, n_later), n_later, compute_later, w);
    return true;
}

/* Of triangles, and rows of them, with n vectors: each has one term more, or less, than the one
 * before. */
static void find_terms(exb_small *q, const exb_p(operand) *o, int64_t n)
{
    exb_range r[2], of_last[2];
    q->terms = EXB_TERMS_ALL;
    q->first = 0;
    if (!o->runs)
        return;
    int run = o->runs(o->source, 0, r) - 1; /* the last of a vector's */
    o->runs(o->source, n - 1, of_last);
    int64_t begin = r[0].begin / EXB_PARTS, end = exb_tasks_of(r[run].end, EXB_PARTS);
    if (exb_tasks_of(of_last[run].end, EXB_PARTS) - end == n - 1)
        q->terms = EXB_TERMS_TO_V;
    else if (of_last[0].begin / EXB_PARTS - begin == n - 1)
        q->terms = EXB_TERMS_FROM_V;
    q->first = q->terms == EXB_TERMS_TO_V ? end - 1 : begin;
}

/* Nothing is cleared, which would take an eighth of a product of 4 x 4. */
static bool multiply(exb_t(output) *o, const exb_p(elements) *a, const exb_p(elements) *b)
{
    const exb_p(operand) *oa = &o->product.a, *ob = &o->product.b;
    blocks w;
    exb_small *q = &w.all;
    w.o = o;
    w.a[0] = *a;
    w.b[0] = *b;
    w.a[1] = oa->second;
    w.b[1] = ob->second;
    q->is_lower = o->c.region == EXB_REGION_LOWER;
    q->is_upper = o->c.region == EXB_REGION_UPPER;
    q->is_complex = EXB_IS_COMPLEX;
    q->is_hermitian = o->hermitian;
    q->is_apart = o->n_sums > EXB_PARTS;
    q->of_rows = exb_t(is_gathered)(oa);
    q->conjugate_a = !q->of_rows && oa->conjugate;
    q->conjugate_b = !exb_t(is_gathered)(ob) && ob->conjugate;
    q->k = (int)o->product.k;
    q->n_halves = w.a[1].p && w.b[1].p ? 2 : 1;
    q->peak = 0;
    q->ldc = EXB_PARTS * o->c.view.cs;
    q->alpha = o->alpha.re;
    q->beta = o->beta.re;
    q->alpha_im = o->alpha.im;
    q->beta_im = o->beta.im;
    w.n = o->product.n / o->n_sums;
    w.k = q->k / EXB_PARTS >> (q->n_halves - 1);
    find_terms(q, q->of_rows ? oa : ob, q->of_rows ? o->product.m : w.n);
    w.n_row_blocks = count_row_blocks(o->product.m);
    w.n_column_blocks = exb_tasks_of(w.n, COLUMNS);
    return are_in_range(&w) && compute_blocks(&w);
}

/* n vectors of a matrix where they lie; others are written out into the buffer. */
static exb_p(elements) fetch_vectors(const exb_p(operand) *o, int64_t n, exb_real *buffer)
{
    if (!exb_t(is_gathered)(o))
        return o->in_place;
    o->write_out(o->source, n, buffer);
    return (exb_p(elements)){buffer, EXB_PARTS, EXB_PARTS * n};
}

/* Of operands that are gathered. */
static EXB_NOINLINE bool multiply_gathered(exb_t(output) *o)
{
    enum { FEW = 700 };
    const exb_p(product) *p = &o->product;
    int64_t of_a = exb_t(is_gathered)(&p->a) ? p->m * p->k : 0;
    int64_t size = of_a + (exb_t(is_gathered)(&p->b) ? p->n / p->n_sums * p->k : 0);
    exb_real few[FEW], *many = size > FEW ? exb_memory_get((size_t)size * sizeof *many) : NULL;
    exb_real *to = size > FEW ? many : few;
    if (!to)
        return false;
    exb_p(elements) a = fetch_vectors(&p->a, p->m, to);
    exb_p(elements) b = fetch_vectors(&p->b, p->n / p->n_sums, to + of_a);
    bool done = multiply(o, &a, &b);
    exb_memory_put(many);
    return done;
}

bool exb_t(small_product)(exb_t(output) *o)
{
    const exb_p(product) *p = &o->product;
    if (exb_t(is_gathered)(&p->a) || exb_t(is_gathered)(&p->b))
        return multiply_gathered(o);
    return multiply(o, &p->a.in_place, &p->b.in_place);
}
