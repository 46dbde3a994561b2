/* What enclosures leave uncertified. A small block that is dense with such elements is computed
 * anew, of doubles against two anchors; if it still is dense then, by compensated sums, and what
 * these do not certify by sums of three parts, and then exactly, in the block; a filter that has
 * certified little so far is left out. Elements that are few are computed by themselves.
 * Types: s d c z. */
#include "level3/fallback.h"

#include "level3/output_element.h"
#include "level3/triple_block.h"

/* The uncertified elements of a small block: its first row and column among the enclosures, in
 * elements of C. */
typedef struct {
    exb_t(output) *o;
    const exb_uncertified *uncertified;
    int row, column;
    exb_p(triple_block) triple;
    exb_p(exact_block) exact;
} small_block;

static bool is_uncertified(const exb_uncertified *u, int i, int j)
{
    return u->row_bits[(int64_t)j * u->n_words + i / 64] >> (i % 64) & 1;
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
    enum { ENOUGH = 2 * EXB_SMALL_BLOCK * EXB_SMALL_BLOCK };
    return t->n_tried >= ENOUGH && t->n_certified < t->n_tried / 8;
}

static void tally(exb_tally *t, int64_t n_tried, int64_t n_certified)
{
    atomic_fetch_add(&t->n_tried, n_tried);
    atomic_fetch_add(&t->n_certified, n_certified);
}

/* Element (ci, cj) of C from sums of three parts. */
static bool round_triple(small_block *s, int64_t ci, int64_t cj, exb_real *c)
{
    exb_enclosure sum[EXB_MOST_SUMS];
    exb_real r[EXB_PARTS];
    if (is_useless(&s->o->triples))
        return false;
    for (int k = 0; k < s->o->n_sums; k++)
        sum[k] = exb_p(triple_block_element)(&s->triple, ci, s->o->n_sums * cj + k);
    bool certified = exb_t(round_element)(s->o, sum, ci, cj, r);
    tally(&s->o->triples, 1, certified);
    if (certified)
        memcpy(c, r, sizeof r);
    return certified;
}

/* m rows and n columns of C; `found`: their compensated sums, NULL if there are none. */
static void compute_block(small_block *s, const exb_enclosures *found, int m, int n)
{
    int64_t n_tried = 0, n_certified = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            if (!is_uncertified(s->uncertified, s->row + i, s->column + j))
                continue;
            int64_t ci = s->exact.i0 + i, cj = s->exact.j0 / s->o->n_sums + j;
            exb_real *c = exb_t(target_at)(&s->o->c, ci, cj);
            n_tried++;
            if (found && round_anew(s->o, found, i, j))
                n_certified++;
            else if (!round_triple(s, ci, cj, c))
                exb_t(exact_in_block)(s->o, &s->exact, ci, cj, c);
        }
    if (found)
        tally(&s->o->compensated, n_tried, n_certified);
}

/* If more than one in eight is uncertified it pays to compute a small block anew: an element by
 * itself costs several times what it costs in a block. */
enum { DENSE = 8 };

static int count_uncertified(const exb_uncertified *u, int i, int m, int j, int n)
{
    int count = 0;
    for (int jj = j; jj < j + n; jj++)
        for (int ii = i; ii < i + m; ii++)
            count += is_uncertified(u, ii, jj);
    return count;
}

static bool is_dense(int count, exb_block b)
{
    return count * DENSE > b.m * b.n;
}

static exb_block block_in_product(const exb_t(output) *o, const exb_enclosures *found, exb_block b)
{
    return (exb_block){found->i0 + b.i0, found->j0 + o->n_sums * b.j0, b.m, o->n_sums * b.n};
}

/* Packed vectors begin with a strip where the block does. */
static exb_enclosures enclose_twice(const exb_t(output) *o, const exb_enclosures *found,
                                    const exb_uncertified *u, exb_block b, exb_small_space *space)
{
    exb_block in_product = block_in_product(o, found, b);
    if (!found->packed || EXB_SMALL_BLOCK % found->packed->rows != 0 || b.j0 != 0)
        return exb_p(enclose_block_twice)(&o->product, in_product, space);
    uint32_t open[EXB_SMALL_BLOCK];
    for (int64_t j = 0; j < in_product.n; j++)
        open[j] = (uint32_t)(u->row_bits[j / o->n_sums * u->n_words + b.i0 / 64] >> b.i0 % 64);
    return exb_p(enclose_packed_twice)(found, o->product.k, in_product, open, space);
}

/* Rounds what two anchors certify, and strikes it from u; returns how many elements are left.
 * Compensated sums of floats, whose products are exact, take fewer operations. */
static int compute_twice(exb_t(output) *o, const exb_enclosures *found, const exb_uncertified *u,
                         exb_block b, int count, exb_small_space *space)
{
    int left = count;
    if (EXB_IS_S || !exb_kernels_current()->tile_twice || o->product.k > EXB_CHAIN_TWICE_MOST ||
        is_useless(&o->twice))
        return count;
    exb_enclosures anew = enclose_twice(o, found, u, b, space);
    for (int j = 0; j < b.n; j++)
        for (int i = 0; i < b.m; i++) {
            int row = (int)b.i0 + i, column = (int)b.j0 + j;
            if (!is_uncertified(u, row, column) || !round_anew(o, &anew, i, j))
                continue;
            u->row_bits[(int64_t)column * u->n_words + row / 64] &= ~((uint64_t)1 << row % 64);
            left--;
        }
    tally(&o->twice, count, count - left);
    return left;
}

static void compute_dense(exb_t(output) *o, const exb_enclosures *found, const exb_uncertified *u,
                          exb_block b, exb_small_space *space)
{
    int m = (int)b.m, n = (int)b.n;
    small_block s = {.o = o, .uncertified = u, .row = (int)b.i0, .column = (int)b.j0};
    exb_block in_product = block_in_product(o, found, b);
    exb_p(triple_block_init)(&s.triple, &o->product, in_product.i0, in_product.j0);
    exb_p(exact_block_init)(&s.exact, &o->product, in_product.i0, in_product.j0);
    if (is_useless(&o->compensated)) {
        compute_block(&s, NULL, m, n);
    } else {
        exb_enclosures anew = exb_p(enclose_small_block)(&o->product, in_product, space);
        compute_block(&s, &anew, m, n);
    }
    exb_p(exact_block_release)(&s.exact);
    exb_p(triple_block_release)(&s.triple);
}

/* Where no engine was asked the element's own filter is the first. */
static void compute_few(exb_t(output) *o, const exb_enclosures *found, const exb_uncertified *u,
                        exb_block b, exb_fallback_list *list)
{
    for (int64_t j = b.j0; j < b.j0 + b.n; j++)
        for (int64_t i = b.i0; i < b.i0 + b.m; i++) {
            int64_t ci = found->i0 + i, cj = found->j0 / o->n_sums + j;
            if (!is_uncertified(u, (int)i, (int)j) || (list && exb_list_element(list, ci, cj)))
                continue;
            if (!exb_t(compute_element)(o, &o->product, ci, cj, found->last) && !found->h)
                exb_stats_count(o->product.stats, 0, 1);
        }
}

void exb_t(fall_back)(exb_t(output) *o, const exb_enclosures *found, const exb_uncertified *u,
                      exb_fallback_list *list, exb_small_space *space)
{
    int n = found->n / o->n_sums, columns = EXB_SMALL_BLOCK / o->n_sums;
    for (int j = 0; j < n; j += columns)
        for (int i = 0; i < found->m; i += EXB_SMALL_BLOCK) {
            exb_block b = {i, j, exb_least(found->m - i, EXB_SMALL_BLOCK),
                           exb_least(n - j, columns)};
            int count = count_uncertified(u, i, (int)b.m, j, (int)b.n);
            /* Elements that no engine was asked for are dots, each by itself. */
            bool may_be_dense = found->h && o->product.method->filter && !found->last;
            if (may_be_dense && is_dense(count, b))
                count = compute_twice(o, found, u, b, count, space);
            if (may_be_dense && is_dense(count, b))
                compute_dense(o, found, u, b, space);
            else if (count > 0)
                compute_few(o, found, u, b, list);
        }
}
