/* Blocks of enclosures to elements of C, and what the enclosures do not decide. */
#include "level3/output.h"

#include "core/finish.h"
#include "level3/deferred.h"

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

/* May the finish kernel multiply by the scales of rows i ... i + n - 1 and of a column? If all lie
 * between 2^-400 and 2^400, as usual, their products need no look: true for all columns. */
static bool scales_are_usual(const exb_block *b, int i, int n)
{
    double least = DBL_MAX, most = 0;
    for (int r = i; r < i + n; r++) {
        least = b->row_scale[r] < least ? b->row_scale[r] : least;
        most = b->row_scale[r] > most ? b->row_scale[r] : most;
    }
    return least >= 0x1p-400 && most <= 0x1p400;
}

static bool scales_fit(const exb_block *b, int i, int n, int column)
{
    double c = b->col_scale[column];
    if (b->usual_rows && c >= 0x1p-400 && c <= 0x1p400)
        return true;
    for (int r = i; r < i + n; r++) {
        double s = b->row_scale[r] * c;
        if (!(s >= 0x1p-800 && s <= 0x1p800))
            return false;
    }
    return true;
}

/* Rounds rows i ... i + n - 1 of one real column of a block; c has the old values if beta != 0.
 * Returns the rows that are not decided. */
static uint64_t round_column(const exb_block *b, int column, int i, int n, double alpha,
                             double beta, const double *c, exb_real *r)
{
    if (!(fabs(alpha) <= DBL_MAX && fabs(beta) <= DBL_MAX) || !scales_fit(b, i, n, column))
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
    return exb_kernels_current()->EXB_PART.finish(n, &k, r);
}

/* The enclosure of one element of a block. */
static exb_enclosure enclosure_at(const exb_block *b, int i, int column)
{
    int64_t at = (int64_t)column * b->ld + i;
    double s = b->row_scale[i] * b->col_scale[column];
    if (!(s >= 0x1p-800 && s <= 0x1p800))
        return exb_enclosure_unknown();
    double e = b->e ? b->e[at] : fmax(b->row_bound[i], b->col_bound[column]);
    return (exb_enclosure){(b->h[at] - b->anchor) * s, b->l[at] * s, e * s, e == 0};
}

/* alpha * sum + beta * c from enclosures; sum[0] alone for real elements. */
static bool round_element(const exb_t(output) * o, const exb_enclosure *sum, const exb_real *c,
                          exb_real *r)
{
    double c0 = c ? c[0] : 0;
#if EXB_IS_COMPLEX
    double c1 = c ? c[1] : 0;
    exb_enclosure re = exb_enclosure_add(
        exb_enclosure_affine(o->alpha.re, sum[0], o->beta.re, c0),
        exb_enclosure_affine(-o->alpha.im, sum[1], -o->beta.im, c1));
    exb_enclosure im = exb_enclosure_add(exb_enclosure_affine(o->alpha.re, sum[1], o->beta.re, c1),
                                         exb_enclosure_affine(o->alpha.im, sum[0], o->beta.im, c0));
    return exb_round_enclosure(re, &r[0]) && exb_round_enclosure(im, &r[1]);
#else
    return exb_round_enclosure(exb_enclosure_affine(o->alpha.re, sum[0], o->beta.re, c0), r);
#endif
}

static bool beta_is_zero(const exb_t(output) * o)
{
    return o->beta.re == 0 && o->beta.im == 0;
}

static void exact_element(const exb_t(output) * o, const exb_p(product) * from, int64_t i,
                          int64_t j, exb_real *c)
{
    exb_product_acc storage[EXB_PARTS];
    exb_superacc *sum[EXB_PARTS];
    for (int part = 0; part < EXB_PARTS; part++) {
        sum[part] = exb_product_acc_init(&storage[part]);
        exb_p(element_exact)(from, i, EXB_PARTS * j + part, sum[part]);
    }
#if EXB_IS_COMPLEX
    exb_finish_acc total[2];
    const double alpha[2][2] = {{o->alpha.re, -o->alpha.im}, {o->alpha.im, o->alpha.re}};
    const double beta[2][2] = {{o->beta.re, -o->beta.im}, {o->beta.im, o->beta.re}};
    for (int part = 0; part < 2; part++) {
        exb_superacc *acc = exb_finish_acc_init(&total[part]);
        for (int of = 0; of < 2; of++) {
            exb_superacc_add_scaled(acc, alpha[part][of], sum[of]);
            if (!beta_is_zero(o))
                exb_superacc_add_product(acc, beta[part][of], c[of]);
        }
    }
    c[0] = exb_round_superacc(&total[0].acc);
    c[1] = exb_round_superacc(&total[1].acc);
#else
    *c = exb_t(finish_exact)(o->alpha.re, sum[0], o->beta.re, beta_is_zero(o) ? 0 : *c);
#endif
}

/* One element by itself: filter unless that was tried, then exactly. */
static void compute_element(const exb_t(output) * o, const exb_p(product) * from, int64_t i,
                            int64_t j, bool filtered)
{
    exb_real *c = element_of(o, i, j), r[EXB_PARTS];
    if (o->product.method->filter && !filtered) {
        exb_enclosure sum[EXB_PARTS];
        for (int part = 0; part < EXB_PARTS; part++)
            sum[part] = exb_p(element_filter)(from, i, EXB_PARTS * j + part);
        if (round_element(o, sum, beta_is_zero(o) ? NULL : c, r)) {
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
    const exb_t(output) * o;
    const open_set *open;
    int row, column; /* of the small block in the open set */
} retry;

static bool is_open(const open_set *s, int i, int j)
{
    return s->row_bits[(int64_t)j * s->n_words + i / 64] >> (i % 64) & 1;
}

static void take_retry(void *context, const exb_block *b)
{
    const retry *t = context;
    for (int j = 0; j < b->n / EXB_PARTS; j++)
        for (int i = 0; i < b->m; i++) {
            if (!is_open(t->open, t->row + i, t->column + j))
                continue;
            exb_enclosure sum[EXB_PARTS];
            for (int part = 0; part < EXB_PARTS; part++)
                sum[part] = enclosure_at(b, i, EXB_PARTS * j + part);
            int64_t ci = b->i0 + i, cj = b->j0 / EXB_PARTS + j;
            exb_real *c = element_of(t->o, ci, cj), r[EXB_PARTS];
            if (round_element(t->o, sum, beta_is_zero(t->o) ? NULL : c, r))
                memcpy(c, r, sizeof r);
            else
                exact_element(t->o, &t->o->product, ci, cj, c);
        }
}

/* From this many open elements on it pays to compute a small block anew: an element by itself costs
 * several times what it costs in a block. */
enum { DENSE = EXB_SMALL_BLOCK * EXB_SMALL_BLOCK / 8 };

static int count_open(const open_set *s, int i, int m, int j, int n)
{
    int count = 0;
    for (int jj = j; jj < j + n; jj++)
        for (int ii = i; ii < i + m; ii++)
            count += is_open(s, ii, jj);
    return count;
}

static void close_small(const exb_t(output) * o, const exb_block *b, const open_set *s, int i,
                        int m, int j, int n)
{
    int count = count_open(s, i, m, j, n);
    if (count > DENSE && o->product.method->filter && !b->last) {
        retry t = {o, s, i, j};
        exb_p(compensated_block)(&o->product, b->i0 + i, m, b->j0 + EXB_PARTS * (int64_t)j,
                                 EXB_PARTS * n, take_retry, &t);
        return;
    }
    for (int jj = j; jj < j + n && count; jj++)
        for (int ii = i; ii < i + m; ii++)
            if (is_open(s, ii, jj))
                close_element(o, b, b->i0 + ii, b->j0 / EXB_PARTS + jj);
}

static void close_all(const exb_t(output) * o, const exb_block *b, const open_set *s)
{
    enum { ROWS = EXB_SMALL_BLOCK, COLUMNS = EXB_SMALL_BLOCK / EXB_PARTS };
    int n = b->n / EXB_PARTS;
    for (int j = 0; j < n; j += COLUMNS)
        for (int i = 0; i < b->m; i += ROWS)
            close_small(o, b, s, i, b->m - i < ROWS ? b->m - i : ROWS, j,
                        n - j < COLUMNS ? n - j : COLUMNS);
}

/* Old values as doubles; with complex elements, a part whose other part is not finite is NaN,
 * because beta.im = 0 times that is NaN. */
static void gather_column(const exb_t(output) * o, int64_t i, int n, int64_t j, int part,
                          double *out)
{
    for (int r = 0; r < n; r++) {
        const exb_real *c = element_of(o, i + r, j);
        out[r] = c[part];
#if EXB_IS_COMPLEX
        if (!(fabs((double)c[1 - part]) <= DBL_MAX))
            out[r] = (double)NAN;
#endif
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
    int64_t column = b->j0 / EXB_PARTS + j;
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
        undecided |= round_column(b, EXB_PARTS * j + part, i, n, o->alpha.re, o->beta.re, old,
                                  r[part]);
    }
    scatter_column(o, b->i0 + i, n, column, r, wanted & ~undecided);
    return wanted & undecided;
}

/* Complex alpha or beta: element by element. */
static uint64_t take_chunk_complex(const exb_t(output) * o, const exb_block *b, int i, int n, int j)
{
    int64_t column = b->j0 / EXB_PARTS + j;
    uint64_t wanted = wanted_rows(o, b->i0 + i, n, column), undecided = 0;
    for (int row = 0; row < n; row++) {
        exb_enclosure sum[EXB_PARTS];
        exb_real r[EXB_PARTS], *c = element_of(o, b->i0 + i + row, column);
        if (!(wanted >> row & 1))
            continue;
        for (int part = 0; part < EXB_PARTS; part++)
            sum[part] = enclosure_at(b, i + row, EXB_PARTS * j + part);
        if (round_element(o, sum, beta_is_zero(o) ? NULL : c, r))
            memcpy(c, r, sizeof r);
        else
            undecided |= (uint64_t)1 << row;
    }
    return undecided;
}

static void take(void *output, const exb_block *block)
{
    enum { MOST_WORDS = 4096 }; /* 32 KiB: blocks of up to 2^18 elements */
    const exb_t(output) *o = output;
    exb_block with_rows = *block;
    with_rows.usual_rows = scales_are_usual(block, 0, block->m);
    const exb_block *b = &with_rows;
    uint64_t bits[MOST_WORDS];
    open_set open = {bits, (b->m + CHUNK - 1) / CHUNK, 0};
    exb_call_stats *stats = o->product.stats;
    int64_t since = exb_stats_now(stats);
    bool is_real = o->alpha.im == 0 && o->beta.im == 0;
    for (int j = 0; j < b->n / EXB_PARTS; j++)
        for (int w = 0; w < open.n_words; w++) {
            int n = b->m - w * CHUNK < CHUNK ? b->m - w * CHUNK : CHUNK;
            uint64_t *word = &bits[j * open.n_words + w];
            *word = is_real ? take_chunk(o, b, w * CHUNK, n, j)
                            : take_chunk_complex(o, b, w * CHUNK, n, j);
            if (*word)
                open.count += __builtin_popcountll(*word);
        }
    exb_stats_phase(stats, EXB_PHASE_CERTIFY, &since);
    exb_stats_count(stats, (int64_t)b->m * b->n / EXB_PARTS, open.count);
    if (open.count) {
        close_all(o, b, &open);
        exb_stats_phase(stats, EXB_PHASE_FALLBACK, &since);
    }
}

static bool wanted(const void *output, int64_t i0, int64_t m, int64_t j0, int64_t n)
{
    const exb_t(output) *o = output;
    int64_t j = j0 / EXB_PARTS, end = (j0 + n + EXB_PARTS - 1) / EXB_PARTS;
    return o->region == EXB_REGION_ALL ||
           (o->region == EXB_REGION_LOWER ? i0 + m > j : i0 < end);
}

void exb_t(output_run)(exb_t(output) * o, int64_t m, int64_t n, int64_t k)
{
    o->product.m = m;
    o->product.n = EXB_PARTS * n;
    o->product.k = EXB_PARTS * k;
    o->product.method = exb_method_current();
    o->product.take = take;
    o->product.close = close_one;
    o->product.wanted = wanted;
    o->product.output = o;
    exb_p(product_run)(&o->product);
}
