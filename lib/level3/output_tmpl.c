/* A product as C: the flow goes from the engine's enclosures to elements, which are rounded column
 * by column, CHUNK rows at once; the set of those that are not certified goes to fallback.h.
 * Types: s d c z. */
#include "level3/call.h"
#include "level3/fallback.h"
#include "level3/way.h"

enum { CHUNK = EXB_COLUMN /* rows at once: what the finish kernel takes */ };

/* A column of each part; a part whose other part is not finite is NaN if it `spoils`. */
EXB_INLINE void widen_column(bool spoils, int n, const exb_real *c, int64_t step,
                             double out[2][CHUNK])
{
    for (int r = 0; r < n; r++, c += step) {
        double re = c[0], im = c[EXB_PARTS - 1];
        out[0][r] = spoils && !(fabs(im) <= DBL_MAX) ? (double)NAN : re;
        if (EXB_IS_COMPLEX)
            out[1][r] = spoils && !(fabs(re) <= DBL_MAX) ? (double)NAN : im;
    }
}

/* Old values as doubles, where they lie or in buffer, with zeros up to whole vectors; beta = 0:
 * nothing. With complex beta a part spoils the other, because beta.im = 0 times that is NaN. */
static void find_old(const exb_t(output) *o, int64_t i, int n, int64_t j, double buffer[2][CHUNK],
                     const double *old[EXB_PARTS])
{
    const bool spoils = EXB_IS_COMPLEX && !o->real_beta;
    const exb_real *c = exb_t(target_at)(&o->c, i, j);
    const int64_t step = o->c.view.rs * EXB_PARTS, diagonal = o->hermitian ? j - i : -1;
    for (int part = 0; part < EXB_PARTS; part++)
        old[part] = exb_is_zero(o->beta) ? NULL : buffer[part];
    if (exb_is_zero(o->beta))
        return;
#if !EXB_IS_S && !EXB_IS_COMPLEX
    if (step == 1 && n % 8 == 0) {
        old[0] = c;
        return;
    }
#endif
    if (step == EXB_PARTS)
        widen_column(spoils, n, c, EXB_PARTS, buffer);
    else
        widen_column(spoils, n, c, step, buffer);
    if (EXB_IS_COMPLEX && diagonal >= 0 && diagonal < n) {
        buffer[0][diagonal] = c[diagonal * step];
        buffer[1][diagonal] = 0;
    }
    for (int r = n; r % 8 != 0; r++)
        buffer[0][r] = buffer[1][r] = 0;
}

/* Rounds what it can of rows i ... i + n - 1, those in `rows`, of element column j; returns what is
 * uncertified. */
static uint64_t round_rows(const exb_t(output) *o, const exb_enclosures *found, int i, int n, int j,
                           uint64_t rows)
{
    int64_t i0 = found->i0 + i, column = found->j0 / o->n_sums + j;
    uint64_t wanted = exb_t(wanted_rows)(o, i0, n, column) & rows, uncertified = 0;
    exb_real r[EXB_PARTS][CHUNK];
    double buffer[2][CHUNK];
    const double *old[EXB_PARTS];
    exb_column k, other;
    if (wanted == 0)
        return 0;
    find_old(o, i0, n, column, buffer, old);
    k.alpha = o->alpha.re;
    k.beta = o->beta.re;
    for (int part = 0; part < EXB_PARTS; part++) {
        exb_set_column(&k, found, i, o->n_sums * j + part);
        k.c = old[part];
        k.other = NULL;
        if (o->n_sums > EXB_PARTS || o->alpha.im != 0 || o->beta.im != 0) {
            double sign = part == 0 ? -1 : 1;
            exb_set_column(&other, found, i, o->n_sums * (j + 1) - 1 - part);
            other.c = old[EXB_PARTS - 1 - part];
            other.alpha = sign * o->alpha.im;
            other.beta = sign * o->beta.im;
            other.exchanged = false;
            k.other = &other;
        }
        uint64_t failed = exb_kernels_current()->EXB_PART.finish(n, &k, r[part]);
        int64_t diagonal = column - i0;
        if (part == 1 && o->hermitian && diagonal >= 0 && diagonal < n) {
            r[part][diagonal] = 0;
            failed &= ~((uint64_t)1 << diagonal);
        }
        uncertified |= failed;
    }
    exb_t(store_column)(o, i0, n, column, r[0], wanted & ~uncertified);
    return wanted & uncertified;
}

/* The same of rows i ... i + n - 1 that the engine has left. */
static uint64_t round_left(const exb_t(output) *o, const exb_enclosures *found, int i, int n, int j)
{
    uint64_t left = found->open[j * exb_tile_words(found) + i / CHUNK], uncertified = 0;
    for (int at = 0; left != 0; at += found->strip, left >>= found->strip) {
        int rows = (int)exb_least(n - at, found->strip);
        uncertified |= round_rows(o, found, i + at, rows, j, left & exb_first_bits(rows)) << at;
    }
    return uncertified;
}

bool exb_t(round_found)(const exb_t(output) *o, exb_p(flow) *f, const exb_enclosures *found, int i,
                        int j)
{
    exb_enclosure sum[EXB_MOST_SUMS];
    exb_real r[EXB_PARTS];
    int64_t ci = found->i0 + i, cj = found->j0 / o->n_sums + j;
    bool is_new = !f;
    for (int k = 0; k < o->n_sums; k++) {
        sum[k] = exb_enclosure_at(found, i, o->n_sums * j + k);
        if (f && exb_seems_zero(sum[k]) && exb_p(is_zero_sum)(f, ci, o->n_sums * cj + k)) {
            sum[k] = exb_enclosure_exact(0);
            is_new = true;
        }
    }
    if (!is_new)
        return false;
    exb_t(question) q = exb_t(question_of)(o, ci, cj);
    if (exb_t(line_round)(&q.line, q.is_real, sum, q.c, r))
        return false;
    memcpy(exb_t(target_at)(&o->c, ci, cj), r, sizeof r);
    return true;
}

/* Rounds enclosures to C; returns how many elements are not certified, a bit each. */
static int64_t round_enclosures(const exb_t(output) *o, const exb_enclosures *found,
                                uint64_t bits[EXB_TILE_WORDS])
{
    int64_t count = 0, since = exb_stats_now(o->product.stats);
    int n_words = exb_tile_words(found);
    for (int j = 0; j < found->n / o->n_sums; j++)
        for (int w = 0; w < n_words; w++) {
            int n = (int)exb_least(found->m - w * CHUNK, CHUNK);
            uint64_t *word = &bits[j * n_words + w];
            if (found->open)
                *word = round_left(o, found, w * CHUNK, n, j);
            else
                *word = round_rows(o, found, w * CHUNK, n, j, ~(uint64_t)0);
            count += *word ? __builtin_popcountll(*word) : 0;
        }
    exb_stats_phase(o->product.stats, EXB_PHASE_CERTIFY, &since);
    return count;
}

/* Elements of whose sums some are known to be 0: rounds those that this decides and clears their
 * bits; returns how many. */
static int64_t round_zeros(const exb_t(output) *o, exb_p(flow) *f, const exb_enclosures *found,
                           uint64_t bits[EXB_TILE_WORDS])
{
    int64_t count = 0;
    int n_words = exb_tile_words(found);
    for (int w = 0; w < n_words * found->n / o->n_sums; w++)
        for (uint64_t open = bits[w]; open; open &= open - 1)
            if (exb_t(round_found)(o, f, found, w % n_words * CHUNK + __builtin_ctzll(open),
                                   w / n_words)) {
                bits[w] &= ~(open & -open);
                count++;
            }
    return count;
}

/* The next enclosures of a task, rounded: how many are open to *count. False if there are none. */
static EXB_NOINLINE bool round_next(const exb_t(output) *o, exb_p(task) *t, uint64_t *bits,
                                    int64_t *count)
{
    exb_task_space space;
    if (!exb_p(task_next)(t, &space))
        return false;
    *count = round_enclosures(o, &t->found, bits);
    if (*count > 0)
        *count -= round_zeros(o, t->flow, &t->found, bits);
    return true;
}

static void finish_task(void *ctx, int64_t number)
{
    exb_p(flow) *f = ctx;
    exb_t(output) *o = f->owner;
    exb_call_stats *stats = o->product.stats;
    uint64_t bits[EXB_TILE_WORDS];
    int64_t count;
    exb_p(task) t;
    exb_p(task_begin)(&t, f, number);
    while (round_next(o, &t, bits, &count)) {
        exb_stats_count(stats, (int64_t)t.found.m * t.found.n / o->n_sums, count);
        if (count > 0) {
            int64_t since = exb_stats_now(stats);
            exb_t(fall_back)(o, &t.found, bits);
            exb_stats_phase(stats, EXB_PHASE_FALLBACK, &since);
        }
    }
}

/* C = +-sum or C +- sum of doubles: what an engine may round and write. */
static void permit_ending(exb_t(output) *o)
{
    bool is_unit = fabs(o->alpha.re) == 1, is_sum = o->beta.re == 0 || o->beta.re == 1;
    if (EXB_IS_S || EXB_IS_COMPLEX || !is_unit || !is_sum)
        return;
    o->product.sign = o->alpha.re < 0 ? -1 : 1;
    o->product.adds = o->beta.re == 1;
}

static void set_product(exb_t(output) *o, int64_t m, int64_t n, int64_t k)
{
    o->product.m = m;
    o->product.n = o->n_sums * n;
    o->product.k = EXB_PARTS * k;
    o->product.method = exb_method_current();
    o->product.region = o->c.region;
    o->product.n_sums = o->n_sums;
    o->product.is_apart = false;
    o->product.target = NULL;
    o->product.sign = 0;
    if (o->c.view.rs == 1) {
        o->product.target = (char *)exb_t(target_at)(&o->c, 0, 0);
        o->product.element_bytes = EXB_PARTS * sizeof(exb_real);
        o->product.target_step = o->c.view.cs * o->product.element_bytes;
        permit_ending(o);
    }
}

bool exb_t(compute_element)(const exb_t(output) *o, int64_t i, int64_t j)
{
    const exb_p(product_element) element = {&o->product, i, o->n_sums * j};
    exb_t(question) q = exb_t(question_of)(o, i, j);
    q.terms = exb_p(element_terms)(&element);
    return exb_t(decide)(&q, NULL, exb_t(target_at)(&o->c, i, j)) == EXB_BY_FILTER;
}

static void compute_elements(const exb_t(output) *o)
{
    int64_t n = o->product.n / o->n_sums, n_open = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < o->product.m; i++)
            if (exb_t(wanted_rows)(o, i, 1, j))
                n_open += !exb_t(compute_element)(o, i, j);
    exb_stats_count(o->product.stats, o->product.m * n, n_open);
}

/* The chains of four sums: P and Q of re and im, instead of P + Q and P - Q. */
static bool run_apart(exb_t(output) *o)
{
    exb_p(product) p = o->product;
    exb_t(source) columns = *(const exb_t(source) *)p.b.source;
    columns.n_sums = p.n_sums = p.b.n_alike = 2;
    p.b.source = &columns;
    p.n /= 2;
    p.is_apart = true;
    return exb_p(flow_run)(&p, EXB_WAY_CHAIN, finish_task, o);
}

static bool take_way(exb_t(output) *o, exb_product_way way)
{
    exb_note_way(o->product.stats, way);
    if (way == EXB_WAY_SMALL)
        return exb_t(small_product)(o);
    if (way == EXB_WAY_CHAIN && o->n_sums > EXB_PARTS)
        return run_apart(o);
    if (way != EXB_WAY_ELEMENTS)
        return exb_p(flow_run)(&o->product, way, finish_task, o);
    compute_elements(o);
    return true;
}

void exb_t(output_run)(exb_t(output) *o, int64_t m, int64_t n, int64_t k)
{
    int next = 0;
    set_product(o, m, n, k);
    while (!take_way(o, exb_t(way_of)(&o->product, o, &next)))
        ;
}

void exb_t(output_run_in_place)(exb_t(output) *o, int64_t m, int64_t n, int64_t k, bool by_columns,
                                bool backwards)
{
    int64_t n_lines = by_columns ? n : m, length = by_columns ? m : n;
    set_product(o, m, n, k);
    for (int64_t line = 0; line < n_lines; line++)
        for (int64_t t = 0; t < length; t++) {
            int64_t at = backwards ? length - 1 - t : t;
            exb_t(compute_element)(o, by_columns ? at : line, by_columns ? line : at);
        }
}
