/* What enclosures leave uncertified. A small block that is dense with such elements is computed
 * again, against two anchors. What is left then, and elements that are few, are computed by
 * themselves.
 * Types: s d c z. */
#include "level3/fallback.h"

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

static void compute_few(const exb_t(output) *o, const exb_enclosures *found, const uint64_t *open,
                        exb_block b)
{
    for (int64_t j = b.j0; j < b.j0 + b.n; j++)
        for (uint64_t rows = open_rows(found, open, b, j); rows; rows &= rows - 1)
            exb_t(compute_element)(o, found->i0 + b.i0 + __builtin_ctzll(rows),
                                   found->j0 / o->n_sums + j);
}

void exb_t(fall_back)(const exb_t(output) *o, const exb_enclosures *found, uint64_t *open)
{
    int n = found->n / o->n_sums, columns = EXB_SUB_COLUMNS / o->n_sums;
    for (int j = 0; j < n; j += columns)
        for (int i = 0; i < found->m; i += EXB_SUB_ROWS) {
            exb_block b = {i, j, exb_least(found->m - i, EXB_SUB_ROWS), exb_least(n - j, columns)};
            int count = count_open(found, open, b);
            if (o->product.method->filter && is_dense(count, b))
                count = compute_again(o, found, open, b, count);
            if (count > 0)
                compute_few(o, found, open, b);
        }
}
