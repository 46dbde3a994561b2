/* Blocks of enclosures to elements of C, and what the enclosures do not decide. */
#include "level3/output.h"

#include "core/finish.h"
#include "level3/deferred.h"
#include "level3/exact_block.h"

enum { CHUNK = 64 /* rows at once: what the finish kernel takes */ };

/* The elements of a block that are still to be computed, a bit each. */
typedef struct {
    uint64_t *row_bits; /* [columns][words] */
    int n_words;
    int64_t count;
} open_set;

static exb_real *element_of(const exb_t(output) * o, int64_t i, int64_t j)
{
    return o->c + (i * o->rs + j * o->cs) * EXB_PARTS;
}

/* The bits of rows i0 ... i0 + n - 1 that are wanted in column j. */
static uint64_t wanted_rows(const exb_t(output) * o, int64_t i0, int n, int64_t j)
{
    uint64_t all = n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
    int64_t diagonal = j - i0;
    if (o->region == EXB_REGION_LOWER && diagonal > 0)
        return diagonal >= n ? 0 : all & ~(((uint64_t)1 << diagonal) - 1);
    if (o->region == EXB_REGION_UPPER && diagonal < n - 1)
        return diagonal < 0 ? 0 : all & (((uint64_t)2 << diagonal) - 1);
    return all;
}

/* If all row scales lie between 2^-400 and 2^400, as usual, those of a column need one look. */
static bool scales_are_usual(const exb_block *b, int i, int n)
{
    double least = DBL_MAX, most = 0;
    for (int r = i; r < i + n; r++) {
        least = b->row_scale[r] < least ? b->row_scale[r] : least;
        most = b->row_scale[r] > most ? b->row_scale[r] : most;
    }
    return least >= 0x1p-400 && most <= 0x1p400;
}

/* The rows whose scale in a column is not one that the finish kernel may multiply by. */
static uint64_t bad_scales(const exb_block *b, int i, int n, int column)
{
    double c = b->col_scale[column];
    uint64_t bad = 0;
    if (b->usual_rows && c >= 0x1p-400 && c <= 0x1p400)
        return 0;
    for (int r = 0; r < n; r++) {
        double s = b->row_scale[i + r] * c;
        bad |= (uint64_t) !(s >= 0x1p-800 && s <= 0x1p800) << r;
    }
    return bad;
}

/* Rounds rows i ... i + n - 1 of one real column of a block; c has the old values if beta != 0.
 * Returns the rows that are not decided. */
static uint64_t round_column(const exb_block *b, int column, int i, int n, double alpha,
                             double beta, const double *c, exb_real *r)
{
    uint64_t bad = bad_scales(b, i, n, column),
             all = n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
    if (!(fabs(alpha) <= DBL_MAX && fabs(beta) <= DBL_MAX) || bad == all)
        return ~(uint64_t)0;
    int64_t at = (int64_t)column * b->ld + i;
    exb_column k = {.h = b->h + at, .l = b->l + at, .row_scale = b->row_scale + i};
    k.col_scale = b->col_scale[column];
    k.anchor = b->anchor;
    if (b->e) {
        k.e = b->e + at;
    } else {
        k.row_bound = b->row_bound + i;
        k.col_bound = b->col_bound[column];
    }
    k.alpha = alpha;
    k.beta = beta;
    k.c = c;
    return exb_kernels_current()->EXB_PART.finish(n, &k, r) | bad;
}

/* Which sum im(alpha) multiplies in a part, and the sign of that product. */
static int other_sum(const exb_t(output) * o, int part)
{
    return o->n_sums - 1 - part;
}

static double sign_of(int part)
{
    return part == 0 ? -1 : 1;
}

static bool is_on_real_diagonal(const exb_t(output) * o, int64_t i, int64_t j)
{
    return o->hermitian && i == j;
}

static bool beta_is_zero(const exb_t(output) * o)
{
    return o->beta.re == 0 && o->beta.im == 0;
}

/* Old values of an element; of none 0. */
static exb_complex old_value(const exb_t(output) * o, int64_t i, int64_t j)
{
    if (beta_is_zero(o))
        return (exb_complex){0, 0};
    const exb_real *c = element_of(o, i, j);
    bool has_imaginary = EXB_IS_COMPLEX && !is_on_real_diagonal(o, i, j);
    return (exb_complex){c[0], has_imaginary ? (double)c[EXB_PARTS - 1] : 0};
}

/* A part of alpha * sum + beta * c from enclosures. */
static exb_enclosure part_of(const exb_t(output) * o, const exb_enclosure *sum, exb_complex c,
                             int part)
{
    exb_enclosure v =
        exb_enclosure_affine(o->alpha.re, sum[part], o->beta.re, part == 0 ? c.re : c.im);
    if (!EXB_IS_COMPLEX || (o->real_alpha && o->real_beta))
        return v;
    exb_enclosure w = o->real_alpha ? exb_enclosure_exact(0) : sum[other_sum(o, part)];
    return exb_enclosure_add(v, exb_enclosure_affine(sign_of(part) * o->alpha.im, w,
                                                     sign_of(part) * o->beta.im,
                                                     part == 0 ? c.im : c.re));
}

/* Element (i, j) from enclosures of its sums, to r; false if they do not decide. */
static bool round_element(const exb_t(output) * o, const exb_enclosure *sum, int64_t i, int64_t j,
                          exb_real *r)
{
    exb_complex c = old_value(o, i, j);
    for (int part = 0; part < EXB_PARTS; part++) {
        r[part] = 0;
        if (part == 1 && is_on_real_diagonal(o, i, j))
            break;
        if (!exb_round_enclosure(part_of(o, sum, c, part), &r[part]))
            return false;
    }
    return true;
}

static exb_real exact_part(const exb_t(output) * o, exb_product_acc *sum, exb_complex c, int part)
{
    const double alpha[2] = {o->alpha.re, sign_of(part) * o->alpha.im};
    const double beta[2] = {o->beta.re, sign_of(part) * o->beta.im};
    const double old[2] = {part == 0 ? c.re : c.im, part == 0 ? c.im : c.re};
    exb_superacc *sums[2] = {&sum[part].acc, &sum[other_sum(o, part)].acc};
    int n_values = beta_is_zero(o) ? 0 : EXB_IS_COMPLEX && !o->real_beta ? 2 : 1;
    return exb_t(finish_exact)(EXB_IS_COMPLEX && !o->real_alpha ? 2 : 1, alpha, sums, n_values,
                               beta, old);
}

/* c = alpha sum + beta c, from the exact sums of the parts. */
static void finish_exactly(const exb_t(output) * o, exb_product_acc *sum, int64_t i, int64_t j,
                           exb_real *c)
{
    exb_complex old = old_value(o, i, j);
    for (int part = 0; part < EXB_PARTS; part++)
        c[part] = part == 1 && is_on_real_diagonal(o, i, j) ? 0 : exact_part(o, sum, old, part);
}

static EXB_NOINLINE void exact_element(const exb_t(output) * o, const exb_p(product) * from,
                                       int64_t i, int64_t j, exb_real *c)
{
    exb_product_acc sum[EXB_MOST_SUMS];
    for (int k = 0; k < o->n_sums; k++)
        exb_p(element_exact)(from, i, o->n_sums * j + k, exb_product_acc_init(&sum[k]));
    finish_exactly(o, sum, i, j, c);
}

/* The same in a small block of which many elements are wanted. */
static EXB_NOINLINE void exact_in_block(const exb_t(output) * o, exb_p(exact_block) * b, int64_t i,
                                        int64_t j, exb_real *c)
{
    exb_product_acc sum[EXB_MOST_SUMS];
    for (int k = 0; k < o->n_sums; k++)
        exb_p(exact_block_element)(b, i, o->n_sums * j + k, exb_product_acc_init(&sum[k]));
    finish_exactly(o, sum, i, j, c);
}

/* One element by itself: filter unless that was tried, then exactly. */
static void compute_element(const exb_t(output) * o, const exb_p(product) * from, int64_t i,
                            int64_t j, bool filtered)
{
    exb_real *c = element_of(o, i, j), r[EXB_PARTS];
    if (o->product.method->filter && !filtered) {
        exb_enclosure sum[EXB_MOST_SUMS];
        for (int k = 0; k < o->n_sums; k++)
            sum[k] = exb_p(element_filter)(from, i, o->n_sums * j + k);
        if (round_element(o, sum, i, j, r)) {
            memcpy(c, r, sizeof r);
            return;
        }
    }
    exact_element(o, from, i, j, c);
}

static void close_one(void *output, const exb_p(product) * from, int64_t i, int64_t j)
{
    compute_element(output, from, i, j, false);
}

static void close_element(const exb_t(output) * o, const exb_block *b, int64_t i, int64_t j)
{
    if (!b->deferred || !exb_defer(b->deferred, i, j))
        compute_element(o, &o->product, i, j, b->last);
}

/* The open elements of a small block, given their compensated enclosures. */
typedef struct {
    exb_t(output) * o;
    const open_set *open;
    int row, column; /* of the small block in the open set */
    exb_p(exact_block) exact;
} retry;

static bool is_open(const open_set *s, int i, int j)
{
    return s->row_bits[(int64_t)j * s->n_words + i / 64] >> (i % 64) & 1;
}

/* The sums of element j of row i of a block. */
static void sums_at(const exb_t(output) * o, const exb_block *b, int i, int j, exb_enclosure *sum)
{
    for (int k = 0; k < o->n_sums; k++)
        sum[k] = exb_block_enclosure(b, i, o->n_sums * j + k);
}

static bool decide_retried(const retry *t, const exb_block *b, int i, int j, exb_real *c)
{
    exb_enclosure sum[EXB_MOST_SUMS];
    exb_real r[EXB_PARTS];
    if (!b)
        return false;
    sums_at(t->o, b, i, j, sum);
    if (!round_element(t->o, sum, t->exact.i0 + i, t->exact.j0 / t->o->n_sums + j, r))
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
            exb_real *c = element_of(t->o, ci, cj);
            n_retried++;
            if (decide_retried(t, b, i, j, c))
                n_decided++;
            else
                exact_in_block(t->o, &t->exact, ci, cj, c);
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

static int count_open(const open_set *s, int i, int m, int j, int n)
{
    int count = 0;
    for (int jj = j; jj < j + n; jj++)
        for (int ii = i; ii < i + m; ii++)
            count += is_open(s, ii, jj);
    return count;
}

static void close_small(exb_t(output) * o, const exb_block *b, const open_set *s, int i, int m,
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

static void close_all(exb_t(output) * o, const exb_block *b, const open_set *s)
{
    enum { ROWS = EXB_SMALL_BLOCK };
    int n = b->n / o->n_sums, columns = EXB_SMALL_BLOCK / o->n_sums;
    for (int j = 0; j < n; j += columns)
        for (int i = 0; i < b->m; i += ROWS)
            close_small(o, b, s, i, b->m - i < ROWS ? b->m - i : ROWS, j,
                        n - j < columns ? n - j : columns);
}

/* Old values as doubles; with complex beta, a part whose other part is not finite is NaN,
 * because beta.im = 0 times that is NaN. */
static void gather_column(const exb_t(output) * o, int64_t i, int n, int64_t j, int part,
                          double *out)
{
    for (int r = 0; r < n; r++) {
        exb_complex c = old_value(o, i + r, j);
        double other = part == 0 ? c.im : c.re;
        out[r] = part == 0 ? c.re : c.im;
        if (EXB_IS_COMPLEX && !o->real_beta && !(fabs(other) <= DBL_MAX))
            out[r] = (double)NAN;
    }
}

static void scatter_column(const exb_t(output) * o, int64_t i, int n, int64_t j,
                           exb_real r[EXB_PARTS][CHUNK], uint64_t rows)
{
    exb_real *c = element_of(o, i, j);
    uint64_t all = n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
    if (EXB_PARTS == 1 && o->rs == 1 && rows == all) {
        memcpy(c, r[0], (size_t)n * sizeof *c);
        return;
    }
    for (int row = 0; row < n; row++, c += o->rs * EXB_PARTS)
        if (rows >> row & 1)
            for (int part = 0; part < EXB_PARTS; part++)
                c[part] = r[part][row];
}

/* Rounds what it can of rows i ... i + n - 1 of element column j; returns what is still open. */
static uint64_t take_chunk(const exb_t(output) * o, const exb_block *b, int i, int n, int j)
{
    int64_t column = b->j0 / o->n_sums + j;
    uint64_t wanted = wanted_rows(o, b->i0 + i, n, column);
    exb_real r[EXB_PARTS][CHUNK];
    double old[CHUNK];
    if (wanted == 0)
        return 0;
    uint64_t undecided = 0;
    for (int part = 0; part < EXB_PARTS; part++) {
        if (!beta_is_zero(o)) {
            memset(old, 0, sizeof old);
            gather_column(o, b->i0 + i, n, column, part, old);
        }
        uint64_t failed =
            round_column(b, o->n_sums * j + part, i, n, o->alpha.re, o->beta.re, old, r[part]);
        int64_t diagonal = column - b->i0 - i;
        if (part == 1 && o->hermitian && diagonal >= 0 && diagonal < n) {
            r[part][diagonal] = 0;
            failed &= ~((uint64_t)1 << diagonal);
        }
        undecided |= failed;
    }
    scatter_column(o, b->i0 + i, n, column, r, wanted & ~undecided);
    return wanted & undecided;
}

/* Complex alpha or beta: element by element. */
static uint64_t take_chunk_complex(const exb_t(output) * o, const exb_block *b, int i, int n, int j)
{
    int64_t column = b->j0 / o->n_sums + j;
    uint64_t wanted = wanted_rows(o, b->i0 + i, n, column), undecided = 0;
    for (int row = 0; row < n; row++) {
        exb_enclosure sum[EXB_MOST_SUMS];
        exb_real r[EXB_PARTS];
        if (!(wanted >> row & 1))
            continue;
        sums_at(o, b, i + row, j, sum);
        if (round_element(o, sum, b->i0 + i + row, column, r))
            memcpy(element_of(o, b->i0 + i + row, column), r, sizeof r);
        else
            undecided |= (uint64_t)1 << row;
    }
    return undecided;
}

enum { FEW_WORDS = 128 };

/* bits: a word for each CHUNK rows of a column. */
static void take_with(exb_t(output) * o, const exb_block *block, uint64_t *bits)
{
    exb_block with_rows = *block;
    with_rows.usual_rows = scales_are_usual(block, 0, block->m);
    const exb_block *b = &with_rows;
    open_set open = {bits, (b->m + CHUNK - 1) / CHUNK, 0};
    exb_call_stats *stats = o->product.stats;
    int64_t since = exb_stats_now(stats);
    bool is_real = o->n_sums <= 2 && o->alpha.im == 0 && o->beta.im == 0;
    for (int j = 0; j < b->n / o->n_sums; j++)
        for (int w = 0; w < open.n_words; w++) {
            int n = b->m - w * CHUNK < CHUNK ? b->m - w * CHUNK : CHUNK;
            uint64_t *word = &bits[j * open.n_words + w];
            *word = is_real ? take_chunk(o, b, w * CHUNK, n, j)
                            : take_chunk_complex(o, b, w * CHUNK, n, j);
            if (*word)
                open.count += __builtin_popcountll(*word);
        }
    exb_stats_phase(stats, EXB_PHASE_CERTIFY, &since);
    /* Elements for which no engine was asked are not counted as left open. */
    exb_stats_count(stats, (int64_t)b->m * b->n / o->n_sums, b->h || b->last ? open.count : 0);
    if (open.count) {
        close_all(o, b, &open);
        exb_stats_phase(stats, EXB_PHASE_FALLBACK, &since);
    }
}

static EXB_NOINLINE void take_large(exb_t(output) * o, const exb_block *b)
{
    uint64_t bits[4096]; /* 32 KiB: blocks of up to 2^18 elements */
    take_with(o, b, bits);
}

static EXB_NOINLINE void take_small(exb_t(output) * o, const exb_block *b)
{
    uint64_t bits[FEW_WORDS];
    take_with(o, b, bits);
}

/* Small blocks come from deep inside, and with little stack left. */
static void take(void *output, const exb_block *b)
{
    exb_t(output) *o = output;
    int n_words = (b->m + CHUNK - 1) / CHUNK * (b->n / o->n_sums);
    (n_words <= FEW_WORDS ? take_small : take_large)(o, b);
}

static bool wanted(const void *output, int64_t i0, int64_t m, int64_t j0, int64_t n)
{
    const exb_t(output) *o = output;
    int64_t j = j0 / o->n_sums, end = (j0 + n + o->n_sums - 1) / o->n_sums;
    return o->region == EXB_REGION_ALL || (o->region == EXB_REGION_LOWER ? i0 + m > j : i0 < end);
}

static void set_product(exb_t(output) * o, int64_t m, int64_t n, int64_t k)
{
    o->n_retried = o->n_decided = 0;
    o->product.m = m;
    o->product.n = o->n_sums * n;
    o->product.k = EXB_PARTS * k;
    o->product.method = exb_method_current();
    o->product.take = take;
    o->product.close = close_one;
    o->product.wanted = wanted;
    o->product.output = o;
}

void exb_t(output_run)(exb_t(output) * o, int64_t m, int64_t n, int64_t k)
{
    set_product(o, m, n, k);
    exb_p(product_run)(&o->product);
}

void exb_t(output_run_in_place)(exb_t(output) * o, int64_t m, int64_t n, int64_t k, bool by_columns,
                                bool backwards)
{
    int64_t n_lines = by_columns ? n : m, length = by_columns ? m : n;
    set_product(o, m, n, k);
    for (int64_t line = 0; line < n_lines; line++)
        for (int64_t t = 0; t < length; t++) {
            int64_t at = backwards ? length - 1 - t : t;
            compute_element(o, &o->product, by_columns ? at : line, by_columns ? line : at, false);
        }
}
