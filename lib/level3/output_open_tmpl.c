/* What a block leaves open. A small block that is dense with open elements is computed anew by
 * compensated sums, and what these do not decide exactly, in the block; compensated sums that
 * have decided little so far are left out. Elements that are few are computed by themselves.
 * Types: s d c z. */
#include "level3/output_open.h"

#include "level3/deferred.h"
#include "level3/output_element.h"

static void close_element(const exb_t(output) * o, const exb_block *b, int64_t i, int64_t j)
{
    if (!b->deferred || !exb_defer(b->deferred, i, j))
        exb_t(compute_element)(o, &o->product, i, j, b->last);
}

/* The open elements of a small block, given their compensated enclosures. */
typedef struct {
    exb_t(output) * o;
    const exb_open_set *open;
    int row, column; /* of the small block in the open set */
    exb_p(exact_block) exact;
} retry;

static bool is_open(const exb_open_set *s, int i, int j)
{
    return s->row_bits[(int64_t)j * s->n_words + i / 64] >> (i % 64) & 1;
}

static bool decide_retried(const retry *t, const exb_block *b, int i, int j, exb_real *c)
{
    exb_enclosure sum[EXB_MOST_SUMS];
    exb_real r[EXB_PARTS];
    if (!b)
        return false;
    exb_t(sums_at)(t->o, b, i, j, sum);
    if (!exb_t(round_element)(t->o, sum, t->exact.i0 + i, t->exact.j0 / t->o->n_sums + j, r))
        return false;
    memcpy(c, r, sizeof r);
    return true;
}

/* The open elements of a small block of m rows and n columns of C; b: their compensated enclosures,
 * NULL if there are none. */
static void close_retried(retry *t, const exb_block *b, int m, int n)
{
    int64_t n_retried = 0, n_decided = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            if (!is_open(t->open, t->row + i, t->column + j))
                continue;
            int64_t ci = t->exact.i0 + i, cj = t->exact.j0 / t->o->n_sums + j;
            exb_real *c = exb_t(output_at)(t->o, ci, cj);
            n_retried++;
            if (decide_retried(t, b, i, j, c))
                n_decided++;
            else
                exb_t(exact_in_block)(t->o, &t->exact, ci, cj, c);
        }
    if (b) {
        atomic_fetch_add(&t->o->n_retried, n_retried);
        atomic_fetch_add(&t->o->n_decided, n_decided);
    }
}

static void take_retry(void *context, const exb_block *b)
{
    retry *t = context;
    close_retried(t, b, b->m, b->n / t->o->n_sums);
}

/* Compensated sums have decided so little that they are a waste of time. */
static bool is_hopeless(const exb_t(output) * o)
{
    enum { ENOUGH = 2 * EXB_SMALL_BLOCK * EXB_SMALL_BLOCK };
    return o->n_retried >= ENOUGH && o->n_decided < o->n_retried / 8;
}

/* If more than one in eight is open it pays to compute a small block anew: an element by itself
 * costs several times what it costs in a block. */
enum { DENSE = 8 };

static int count_open(const exb_open_set *s, int i, int m, int j, int n)
{
    int count = 0;
    for (int jj = j; jj < j + n; jj++)
        for (int ii = i; ii < i + m; ii++)
            count += is_open(s, ii, jj);
    return count;
}

static void close_small(exb_t(output) * o, const exb_block *b, const exb_open_set *s, int i, int m,
                        int j, int n)
{
    int count = count_open(s, i, m, j, n);
    if (count * DENSE > m * n && o->product.method->filter && !b->last) {
        retry t = {.o = o, .open = s, .row = i, .column = j};
        int64_t i0 = b->i0 + i, j0 = b->j0 + o->n_sums * (int64_t)j;
        exb_p(exact_block_init)(&t.exact, &o->product, i0, j0);
        if (is_hopeless(o))
            close_retried(&t, NULL, m, n);
        else
            exb_p(compensated_block)(&o->product, i0, m, j0, o->n_sums * n, take_retry, &t);
        exb_p(exact_block_release)(&t.exact);
        return;
    }
    for (int jj = j; jj < j + n && count; jj++)
        for (int ii = i; ii < i + m; ii++)
            if (is_open(s, ii, jj))
                close_element(o, b, b->i0 + ii, b->j0 / o->n_sums + jj);
}

void exb_t(close_open)(exb_t(output) * o, const exb_block *b, const exb_open_set *s)
{
    enum { ROWS = EXB_SMALL_BLOCK };
    int n = b->n / o->n_sums, columns = EXB_SMALL_BLOCK / o->n_sums;
    for (int j = 0; j < n; j += columns)
        for (int i = 0; i < b->m; i += ROWS)
            close_small(o, b, s, i, b->m - i < ROWS ? b->m - i : ROWS, j,
                        n - j < columns ? n - j : columns);
}
