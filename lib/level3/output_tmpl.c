/* Blocks of enclosures to elements of C: they are rounded column by column, CHUNK rows at once;
 * what the enclosures do not decide is closed by itself (output_open.h).
 * Types: s d c z. */
#include "level3/output_element.h"
#include "level3/output_open.h"

enum { CHUNK = 64 /* rows at once: what the finish kernel takes */ };

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

/* Old values as doubles; with complex beta, a part whose other part is not finite is NaN,
 * because beta.im = 0 times that is NaN. */
static void gather_column(const exb_t(output) * o, int64_t i, int n, int64_t j, int part,
                          double *out)
{
    for (int r = 0; r < n; r++) {
        exb_complex c = exb_t(old_value)(o, i + r, j);
        double other = part == 0 ? c.im : c.re;
        out[r] = part == 0 ? c.re : c.im;
        if (EXB_IS_COMPLEX && !o->real_beta && !(fabs(other) <= DBL_MAX))
            out[r] = (double)NAN;
    }
}

static void scatter_column(const exb_t(output) * o, int64_t i, int n, int64_t j,
                           exb_real r[EXB_PARTS][CHUNK], uint64_t rows)
{
    exb_real *c = exb_t(output_at)(o, i, j);
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
        if (!exb_t(beta_is_zero)(o)) {
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
        exb_t(sums_at)(o, b, i + row, j, sum);
        if (exb_t(round_element)(o, sum, b->i0 + i + row, column, r))
            memcpy(exb_t(output_at)(o, b->i0 + i + row, column), r, sizeof r);
        else
            undecided |= (uint64_t)1 << row;
    }
    return undecided;
}

static void take(void *output, const exb_block *block)
{
    exb_t(output) *o = output;
    uint64_t bits[EXB_BLOCK_WORDS];
    exb_block with_rows = *block;
    with_rows.usual_rows = scales_are_usual(block, 0, block->m);
    const exb_block *b = &with_rows;
    exb_open_set open = {bits, (b->m + CHUNK - 1) / CHUNK, 0};
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
        exb_t(close_open)(o, b, &open);
        exb_stats_phase(stats, EXB_PHASE_FALLBACK, &since);
    }
}

static bool wanted(const void *output, int64_t i0, int64_t m, int64_t j0, int64_t n)
{
    const exb_t(output) *o = output;
    int64_t j = j0 / o->n_sums, end = (j0 + n + o->n_sums - 1) / o->n_sums;
    return o->region == EXB_REGION_ALL || (o->region == EXB_REGION_LOWER ? i0 + m > j : i0 < end);
}

static void close_one(void *output, const exb_p(product) * from, int64_t i, int64_t j)
{
    exb_t(compute_element)(output, from, i, j, false);
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
            exb_t(compute_element)(o, &o->product, by_columns ? at : line, by_columns ? line : at,
                                   false);
        }
}
