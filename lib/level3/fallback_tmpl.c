/* What enclosures leave uncertified. A small block that is dense with such elements is computed
 * again, against two anchors or, without FMA, by compensated sums, unless that has certified little
 * so far. What is left then, and elements that are few, are computed by themselves.
 * Types: s d c z. */
#include "level3/fallback.h"

#include "core/memory.h"
#include "level3/output_element.h"

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
    enum { ENOUGH = 2048 };
    return t->n_tried >= ENOUGH && t->n_certified < t->n_tried / 8;
}

static void tally(exb_tally *t, int64_t n_tried, int64_t n_certified)
{
    atomic_fetch_add(&t->n_tried, n_tried);
    atomic_fetch_add(&t->n_certified, n_certified);
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

static bool has_two_anchors(const exb_t(output) *o)
{
    return exb_kernels_current()->anchored->twice && o->product.k <= EXB_CHAIN_TWICE_MOST;
}

/* Against two anchors, from the vectors that an engine has packed if the block begins with a strip
 * of them, or from its own. */
static exb_enclosures enclose_twice(const exb_t(output) *o, const exb_enclosures *found,
                                    const exb_packed *packed, const exb_uncertified *u, exb_block b,
                                    exb_small_space *space)
{
    exb_block whole = block_in_product(o, found, b);
    exb_enclosures anew = exb_small_enclosures(whole, space);
    uint32_t open[EXB_SUB_COLUMNS];
    exb_packed own;
    for (int64_t j = 0; j < whole.n; j++)
        open[j] =
            (uint32_t)(u->row_bits[(b.j0 + j / o->n_sums) * u->n_words + b.i0 / 64] >> b.i0 % 64);
    bool has_packed = packed && EXB_SUB_ROWS % packed->rows == 0;
    if (has_packed) {
        int64_t column = o->n_sums * b.j0;
        own = *packed;
        own.a += b.i0 * own.step;
        own.b += column * own.step;
        anew.row_scale = found->row_scale + b.i0;
        anew.col_scale = found->col_scale + column;
    } else {
        exb_p(pack_block)(&o->product, whole, space, &own);
    }
    if (own.a)
        exb_p(enclose_twice)(&own, whole, open, space);
    else
        anew.m = anew.n = 0;
    if (!has_packed)
        exb_memory_put((void *)(uintptr_t)own.a);
    return anew;
}

static exb_enclosures enclose_again(const exb_t(output) *o, const exb_enclosures *found,
                                    const exb_packed *packed, const exb_uncertified *u, exb_block b,
                                    exb_small_space *space)
{
    if (has_two_anchors(o))
        return enclose_twice(o, found, packed, u, b, space);
    exb_block whole = block_in_product(o, found, b);
    exb_p(enclose_compensated)(&o->product, whole, space);
    return exb_small_enclosures(whole, space);
}

/* Rounds what another filter certifies of block b, and strikes it from u; returns how many. */
static int round_again(const exb_t(output) *o, const exb_enclosures *anew, const exb_uncertified *u,
                       exb_block b)
{
    int n_certified = 0;
    for (int j = 0; j < anew->n / o->n_sums; j++)
        for (int i = 0; i < anew->m; i++) {
            int row = (int)b.i0 + i, column = (int)b.j0 + j;
            if (!is_uncertified(u, row, column) || !round_anew(o, anew, i, j))
                continue;
            u->row_bits[(int64_t)column * u->n_words + row / 64] &= ~((uint64_t)1 << row % 64);
            n_certified++;
        }
    return n_certified;
}

/* Returns how many of a block's uncertified elements are left. */
static EXB_NOINLINE int compute_again(exb_t(output) *o, const exb_enclosures *found,
                                      const exb_packed *packed, const exb_uncertified *u,
                                      exb_block b, int count)
{
    exb_small_space space;
    if (is_useless(&o->again))
        return count;
    exb_note_way(o->product.stats, EXB_WAY_TWICE);
    exb_enclosures anew = enclose_again(o, found, packed, u, b, &space);
    int left = count - round_again(o, &anew, u, b);
    if (has_two_anchors(o) && is_dense(left, b)) {
        exb_p(find_exact)(&o->product, &anew, space.e);
        left -= round_again(o, &anew, u, b);
    }
    tally(&o->again, count, count - left);
    return left;
}

static void compute_few(const exb_t(output) *o, const exb_enclosures *found,
                        const exb_uncertified *u, exb_block b, exb_fallback_list *list)
{
    for (int64_t j = b.j0; j < b.j0 + b.n; j++)
        for (int64_t i = b.i0; i < b.i0 + b.m; i++) {
            int64_t ci = found->i0 + i, cj = found->j0 / o->n_sums + j;
            if (is_uncertified(u, (int)i, (int)j) && !(list && exb_list_element(list, ci, cj)))
                exb_t(compute_element)(o, &o->product, ci, cj);
        }
}

void exb_t(fall_back)(exb_t(output) *o, const exb_enclosures *found, const exb_packed *packed,
                      const exb_uncertified *u, exb_fallback_list *list)
{
    int n = found->n / o->n_sums, columns = EXB_SUB_COLUMNS / o->n_sums;
    for (int j = 0; j < n; j += columns)
        for (int i = 0; i < found->m; i += EXB_SUB_ROWS) {
            exb_block b = {i, j, exb_least(found->m - i, EXB_SUB_ROWS), exb_least(n - j, columns)};
            int count = count_uncertified(u, i, (int)b.m, j, (int)b.n);
            if (o->product.method->filter && is_dense(count, b))
                count = compute_again(o, found, packed, u, b, count);
            if (count > 0)
                compute_few(o, found, u, b, list);
        }
}
