/* Products of a few elements in one pass: kernel small_product (kernel_slots.h).
 *
 * All sums have one anchor, so nothing is scaled, and operands are read where they lie. Let 2^E be
 * a power of two above x = 2 k peak, computed with two roundings: sum |a b| <= k peak, hence every
 * prefix of a sum, is below 2^(E - 1) (1 + 2^-51). Divided by 2^E that is what chain.h asks for,
 * and its argument holds for one run of k products.
 *
 * Doubles: S from 3 2^E and corrections L, with |S - 3 2^E + L - sum| at most
 * exb_chain_bound_anchored(k, k) 2^E. Floats: products are exact, one chain of k additions, |S -
 * sum| at most k u (1 + k u) sum |a b|, u = 2^-53, and sum |a b| at most k peak.
 *
 * A complex element (ar, ai) of A times (br, bi) is, in lanes of the parts, (ar, ai) br + (-ai, ar)
 * bi: two products for each of its lanes, so that a sum has k terms again.
 *
 * Nothing is flushed. A correction below the normal range is off by 2^-1075 at most, which is below
 * 2^-106 2^E, since E >= -800. NaN and Inf make S NaN, which is not certified.
 * Types: s d. */
#include "core/arith/anchor.h"
#include "core/kernel.h"
#include "core/partition.h"
#include "level3/chain.h"
#include "level3/kernels/chain_simd.h"
#include "core/simd/round_simd.h"
#include "level3/kernels/small.h"
#include "level3/operand.h"

/* Sums of floats have one register. */
enum {
    VECTORS = EXB_IS_S ? EXB_CHAIN_VECTORS : EXB_PAIR_VECTORS,
    COLS = EXB_IS_S ? EXB_CHAIN_COLS : EXB_PAIR_COLS,
    ROWS = VECTORS * EXB_LANES,
    MOST_COLS = 8,
    ALL_LANES = (1 << EXB_LANES) - 1
};

/* Strips that are copied have whole width up to COPIED terms; beyond they are one vector wide. */
enum {
    COPIED = 192,
    BUFFER = ROWS * COPIED > EXB_LANES *EXB_SMALL_TERMS ? ROWS *COPIED : EXB_LANES *EXB_SMALL_TERMS
};

typedef struct {
    const exb_small *q;
    exb_t(elements) a[2], b[2]; /* of each half, which has so many terms */
    int terms;
    double (*kept)[2][ROWS]; /* a tile of the first half, where halves are apart */
    const exb_real *c;
    exb_real *r;
    uint64_t *uncertified;
    double anchor, bound;
    int parts;               /* of an element */
    exb_v direct, exchanged; /* signs of the parts of A, and of them exchanged with these */
} product_work;

/* The first n rows of all terms of x, side by side, as `width` rows, the others zeros. */
EXB_INLINE void copy_strip(const product_work *w, exb_t(elements) x, int n, int width,
                           exb_real *buffer)
{
    int is_complex = w->q->is_complex; /* without divisions */
#if !EXB_IS_S
    for (int v = 0; x.vs == 1 && v < width; v += EXB_LANES)
        for (int l = 0; l < w->terms; l++)
            v_store(buffer + l * width + v, v_load_up_to_real(x.p + l * x.ls + v, n - v));
    if (x.vs == 1)
        return;
#endif
    for (int v = 0; v < width; v++) {
        const exb_real *from = x.p + (v >> is_complex) * x.vs + (v & is_complex);
        for (int l = 0; l < w->terms >> is_complex; l++)
            buffer[l * width + v] = v < n ? from[l * x.ls] : 0;
    }
}

/* Rows of A that are computed at once, side by side: in place or copied. The two factors of complex
 * elements (the head of this file) become terms one after the other, the last ones first. */
EXB_INLINE exb_t(elements) strip_at(const product_work *w, exb_t(elements) x, int i, int n,
                                    int width, exb_real *buffer)
{
    x.p += (i >> w->q->is_complex) * x.vs;
    if (x.vs != w->parts || n != width) {
        copy_strip(w, x, n, width, buffer);
        x = (exb_t(elements)){buffer, 1, width};
    }
    if (w->parts == 1)
        return x;
    for (int l = w->terms / 2 - 1; l >= 0; l--)
        for (int v = 0; v < width; v += EXB_LANES) {
            exb_v y = v_mul(v_load_real(x.p + l * x.ls + v), w->direct);
            exb_v z = v_mul(v_swap(y, 1), w->exchanged);
            v_same_real(y, y, buffer + 2 * l * width + v); /* stores them */
            v_same_real(z, z, buffer + (2 * l + 1) * width + v);
        }
    return (exb_t(elements)){buffer, 1, width};
}

/* The sums of a tile from row i and column j on: `rows` vectors, of which n rows exist, of `cols`
 * columns. */
typedef struct {
    _Alignas(64) double sum[MOST_COLS][VECTORS][EXB_LANES],
        low[MOST_COLS][VECTORS][EXB_LANES]; /* of doubles */
    const exb_t(elements) *a;               /* the rows, of each half */
    int rows, cols, i, n, j;
} tile_sums;

/* Of the lanes `zero` of vector v of column c those whose products are all 0, without underflow:
 * one factor of each is 0. The other is finite, as the sum is. */
static unsigned zero_products(const product_work *w, const tile_sums *t, int c, int v,
                              unsigned zero)
{
    for (int h = 0; h < w->q->n_halves; h++) {
        const exb_real *a = t->a[h].p + v * EXB_LANES, *b = w->b[h].p + (t->j + c) * w->b[h].vs;
        for (int l = 0; l < w->terms && zero; l++, a += t->a[h].ls)
            if (b[(l >> w->q->is_complex) * w->b[h].ls + (l & w->q->is_complex)] != 0)
                zero &= v_equal(v_load_real(a), v_zero());
    }
    return zero;
}

EXB_INLINE bool is_complex_line(const exb_small *q)
{
    return q->alpha_im != 0 || q->beta_im != 0;
}

/* What the four-product formula has of the other parts; no lane is bad, all have one e. */
EXB_INLINE enclosures other_line(const exb_small *q, enclosures x, exb_v old)
{
    x.h = v_other_parts(x.h);
    x.l = v_other_parts(x.l);
    x.exact = (x.exact & 0x55) << 1 | (x.exact >> 1 & 0x55);
    return affine_lanes(q->alpha_im, x, q->beta_im, v_other_parts(old));
}

/* Rounds alpha and beta times sums and old values by few steps; returns the lanes that are open.
 * other: what im(alpha) multiplies. */
EXB_INLINE unsigned round_scaled(bool is_complex, bool has_c, const exb_small *q, enclosures x,
                                 enclosures other, exb_v old, exb_real *r)
{
    enclosures line;
    add_to_line(true, LINE_COVERED, &line, v_set1(q->alpha), x);
    if (has_c)
        add_to_line(false, LINE_NUMBERS, &line, v_set1(q->beta), (enclosures){.h = old});
    if (is_complex) {
        other.h = v_other_parts(other.h);
        other.l = v_other_parts(other.l);
        add_to_line(false, LINE_COVERED, &line, v_set1(q->alpha_im), other);
        if (has_c)
            add_to_line(false, LINE_NUMBERS, &line, v_set1(q->beta_im),
                        (enclosures){.h = v_other_parts(old)});
    }
    return round_sum(line, r);
}

/* Rounds a vector of enclosures and old values to r, whatever alpha and beta are. */
static EXB_NOINLINE unsigned round_any(const product_work *w, const tile_sums *t, int c, int v,
                                       enclosures x, enclosures other, exb_v old, exb_real *r)
{
    unsigned zero = v_equal(x.h, v_zero()) & v_equal(x.l, v_zero());
    if (zero) {
        zero = zero_products(w, t, c, v, zero);
        x.exact |= zero;
        other.exact |= zero;
    }
    if (w->q->alpha != 1 || w->q->beta != 0)
        x = affine_lanes(w->q->alpha, x, w->q->beta, old);
    if (is_complex_line(w->q))
        x = add_lanes(x, other_line(w->q, other, old));
    return decide_lanes(x, r);
}

/* Old values of n <= EXB_LANES rows. */
EXB_INLINE exb_v load_old(const product_work *w, int i, int n, int j)
{
    const exb_real *c = w->c + j * w->q->ldc + i;
    return n < EXB_LANES ? v_load_few_real(c, n) : v_load_real(c);
}

/* Of rows from row i on the imaginary part of a Hermitian diagonal in column j. */
EXB_INLINE uint64_t imaginary_row(const exb_small *q, int i, int j)
{
    int row = 2 * (j + q->diagonal) + 1 - i;
    return row >= 0 && row < 64 ? (uint64_t)1 << row : 0;
}

/* The sums of the first of two halves that are apart. */
static EXB_NOINLINE void keep_tile(const product_work *w, const tile_sums *t)
{
    size_t n = (size_t)(t->rows * EXB_LANES) * sizeof(double);
    for (int c = 0; c < t->cols; c++) {
        memcpy(w->kept[c][0], t->sum[c], n);
        if (!EXB_IS_S)
            memcpy(w->kept[c][1], t->low[c], n);
    }
}

/* The sums Q of the second half as those of both, alpha P + conj(alpha) Q = re(alpha) (P + Q) + i
 * im(alpha) (P - Q); P - Q goes to *other. Both h are exact, as multiples of one unit (of floats
 * one rounding). Each half has k / 2 terms, so that both take k (k / 4 + 1) 2^-105 scale of the
 * bound's k (k / 2 + 4) 2^-105, and the l round by k 2^-105 more. */
EXB_INLINE void join_halves(const product_work *w, int c, int v, enclosures *x, enclosures *other)
{
    exb_v h = v_sub(v_load(&w->kept[c][0][v * EXB_LANES]), v_set1(w->anchor));
    exb_v l = EXB_IS_S ? v_zero() : v_load(&w->kept[c][1][v * EXB_LANES]);
    other->h = v_sub(h, x->h);
    other->l = v_sub(l, x->l);
    x->h = v_add(h, x->h);
    x->l = v_add(l, x->l);
}

/* Vector v of column c; to *other what im(alpha) multiplies. */
EXB_INLINE enclosures sums_of(bool is_apart, const product_work *w, const tile_sums *t, int c,
                              int v, enclosures *other)
{
    exb_v low = EXB_IS_S ? v_zero() : v_load(t->low[c][v]);
    enclosures x = {v_sub(v_load(t->sum[c][v]), v_set1(w->anchor)), low, v_set1(w->bound),
                    EXB_IS_S && w->q->is_exact ? ALL_LANES : 0, 0};
    *other = x;
    if (is_apart)
        join_halves(w, c, v, &x, other);
    return x;
}

/* Vectors of column c with open rows, done anew: all of their r are overwritten. Returns the rows
 * that stay open of those that are wanted. */
static EXB_NOINLINE uint64_t round_open(const product_work *w, const tile_sums *t, int c,
                                        uint64_t open, uint64_t wanted, exb_real *r)
{
    const exb_small *q = w->q;
    uint64_t left = 0;
    for (int v = 0; v < t->rows; v++) {
        int row = v * EXB_LANES;
        if ((open >> row & ALL_LANES) == 0)
            continue;
        bool has_c = q->beta != 0 || q->beta_im != 0;
        exb_v old = has_c ? load_old(w, t->i + row, t->n - row, t->j + c) : v_zero();
        enclosures other, x = sums_of(q->is_apart, w, t, c, v, &other);
        left |= (uint64_t)round_any(w, t, c, v, x, other, old, r + row) << row;
    }
    return left & wanted;
}

/* Rounds a tile; is_complex: alpha or beta is; is_apart: halves are. */
EXB_INLINE void round_tile(bool is_complex, bool is_apart, bool has_c, const product_work *w,
                           const tile_sums *t)
{
    const uint64_t all = ~(uint64_t)0 >> (64 - exb_least(t->n, 64));
    bool is_rounding = EXB_IS_S || EXB_HAVE_FMA;
    for (int c = 0; c < t->cols; c++) {
        const int j = t->j + c;
        const uint64_t wanted = w->q->is_hermitian ? all & ~imaginary_row(w->q, t->i, j) : all;
        exb_real *r = w->r + j * EXB_SMALL_MOST + t->i;
        uint64_t open = is_rounding ? 0 : wanted;
        for (int v = 0; is_rounding && v < t->rows; v++) {
            int row = v * EXB_LANES;
            enclosures other, x = sums_of(is_apart, w, t, c, v, &other);
            exb_v old = has_c ? load_old(w, t->i + row, t->n - row, j) : v_zero();
            unsigned lanes = round_scaled(is_complex, has_c, w->q, x, other, old, r + row);
            open |= (uint64_t)lanes << row;
        }
        open &= wanted;
        is_rounding &= open == 0; /* integers and the like are exact, one after the other */
        if (open && (open = round_open(w, t, c, open, wanted, r)))
            w->uncertified[j] |= open << t->i;
    }
}

static EXB_NOINLINE void finish_tile(const product_work *w, const tile_sums *t)
{
    bool has_c = w->q->beta != 0;
    if (w->q->is_apart)
        round_tile(true, true, has_c, w, t);
    else if (is_complex_line(w->q))
        round_tile(true, false, has_c || w->q->beta_im != 0, w, t);
    else if (has_c)
        round_tile(false, false, true, w, t);
    else
        round_tile(false, false, false, w, t);
}

/* The terms of a tile, without what none of its rows, or columns, has of a triangle. */
EXB_INLINE exb_range terms_of_tile(const product_work *w, int i, int n, int j, int cols)
{
    const exb_small *q = w->q;
    exb_range terms = {0, w->terms >> q->is_complex};
    if (q->terms == EXB_TERMS_FROM_V)
        terms.begin = q->first + (q->of_rows ? i >> q->is_complex : j);
    else if (q->terms == EXB_TERMS_TO_V)
        terms.end = q->first + (q->of_rows ? (i + n - 1) >> q->is_complex : j + cols - 1) + 1;
    return terms;
}

/* Some terms of half h of a tile's sums. */
EXB_INLINE void add_half(int parts, int rows, int cols, const product_work *w, exb_t(elements) a,
                         int h, int j, exb_range terms, exb_v (*sum)[VECTORS],
                         exb_v (*low)[VECTORS])
{
    const int64_t vs = w->b[h].vs, ls = w->b[h].ls;
    const exb_real *b = w->b[h].p + j * vs + terms.begin * ls;
    a.p += terms.begin * parts * a.ls;
    for (const exb_real *end = b + (terms.end - terms.begin) * ls; b != end; b += ls) {
#pragma GCC unroll 2
        for (int part = 0; part < parts; part++, a.p += a.ls) {
            exb_v x[VECTORS];
#pragma GCC unroll 8
            for (int v = 0; v < rows; v++)
                x[v] = v_load_real(a.p + v * EXB_LANES);
#pragma GCC unroll 8
            for (int c = 0; c < cols; c++) {
                exb_v y = v_set1_real(b[c * vs + part]);
#pragma GCC unroll 8
                for (int v = 0; v < rows; v++)
                    v_chain_add(!EXB_IS_S, x[v], y, &sum[c][v], &low[c][v]);
            }
        }
    }
}

/* `rows` vectors of rows from row i on, of which n exist, of columns j ... j + cols - 1. */
EXB_INLINE void tile(int parts, int rows, int cols, const product_work *w, exb_range halves,
                     const exb_t(elements) *a, int i, int n, int j)
{
    exb_v sum[MOST_COLS][VECTORS], low[MOST_COLS][VECTORS];
#pragma GCC unroll 8
    for (int c = 0; c < cols; c++)
#pragma GCC unroll 8
        for (int v = 0; v < rows; v++) {
            sum[c][v] = v_set1(w->anchor);
            low[c][v] = v_zero();
        }
    for (int h = halves.begin; h < halves.end; h++)
        add_half(parts, rows, cols, w, a[h], h, j, terms_of_tile(w, i, n, j, cols), sum, low);
    tile_sums t;
#pragma GCC unroll 8
    for (int c = 0; c < cols; c++)
#pragma GCC unroll 8
        for (int v = 0; v < rows; v++) {
            v_store(t.sum[c][v], sum[c][v]);
            if (!EXB_IS_S)
                v_store(t.low[c][v], low[c][v]);
        }
    t.a = a;
    t.rows = rows;
    t.cols = cols;
    t.i = i;
    t.n = n;
    t.j = j;
    if (halves.end < w->q->n_halves)
        keep_tile(w, &t);
    else
        finish_tile(w, &t);
}

/* All columns of a strip that have wanted rows. A single vector needs more columns, since chains
 * wait for each other; eight are two fours rather than a six and a two, four two twos. */
EXB_INLINE void sweep_strip_of(int parts, int rows, const product_work *w, const exb_t(elements) *a,
                               int i, int n)
{
    const exb_small *q = w->q;
    const int most = VECTORS * COLS >= 12 ? MOST_COLS : COLS < 4 ? 2 * COLS : COLS;
    const int widest = rows > 1 ? COLS : most;
    const int n_passes = parts == 2 && q->is_apart ? 2 : 1;
    int left, width, first = i / parts - q->diagonal; /* of the elements whose parts the rows are */
    int last = (i + n + parts - 1) / parts - q->diagonal;
    int n_columns = q->is_lower ? (int)exb_least(last, q->n) : q->n;
    for (int j = q->is_upper ? (int)exb_most(first, 0) : 0; j < n_columns; j += width) {
        left = n_columns - j;
        bool in_halves = (widest == 6 && left == 8) || (widest == 3 && left == 4);
        width = left >= widest && !in_halves ? widest
                : left >= 4 && widest > 4    ? 4
                : left >= 2                  ? 2
                                             : 1;
        for (int h = 0; h < n_passes; h++) {
            exb_range halves = {h, h + 1 < n_passes ? 1 : q->n_halves};
            if (width == widest)
                tile(parts, rows, widest, w, halves, a, i, n, j);
            else if (widest > 4 && width == 4)
                tile(parts, rows, 4, w, halves, a, i, n, j);
            else if (width == 2)
                tile(parts, rows, 2, w, halves, a, i, n, j);
            else
                tile(parts, rows, 1, w, halves, a, i, n, j);
        }
    }
}

/* So that there is one text of it for the strips of complex numbers. */
static EXB_NOINLINE void sweep_parts(int rows, const product_work *w, const exb_t(elements) *a,
                                     int i, int n)
{
    if (VECTORS > 2 && rows > 2)
        sweep_strip_of(2, VECTORS, w, a, i, n);
    else if (VECTORS > 1 && rows > 1)
        sweep_strip_of(2, VECTORS > 1 ? 2 : 1, w, a, i, n);
    else
        sweep_strip_of(2, 1, w, a, i, n);
}

static EXB_NOINLINE void sweep_apart(int rows, const product_work *w, const exb_t(elements) *a,
                                     int i, int n)
{
    double kept[MOST_COLS][2][ROWS];
    product_work with_room = *w;
    with_room.kept = kept;
    sweep_parts(rows, &with_room, a, i, n);
}

/* The strip of `rows` vectors from row i on, of which n rows exist. */
EXB_INLINE void compute_strip(int rows, const product_work *w, int i, int n, exb_real *buffer)
{
    exb_t(elements) a[2];
    for (int h = 0; h < w->q->n_halves; h++, buffer += rows * EXB_LANES * w->terms)
        a[h] = strip_at(w, w->a[h], i, n, rows * EXB_LANES, buffer);
    if (w->q->is_apart)
        sweep_apart(rows, w, a, i, n);
    else if (w->parts == 2)
        sweep_parts(rows, w, a, i, n);
    else
        sweep_strip_of(1, rows, w, a, i, n);
}

/* n <= ROWS rows from row i on, in a strip as narrow as they allow. */
static void compute_rows(const product_work *w, int i, int n, exb_real *buffer)
{
    _Static_assert(VECTORS <= 3, "strips of one to three vectors");
    bool in_place = w->parts == 1 && n % EXB_LANES == 0;
    for (int h = 0; h < w->q->n_halves; h++)
        in_place &= w->a[h].vs == 1;
    /* Little of a small triangle is computed in vain. */
    bool is_narrow = COLS < 4 && w->q->m <= 32 && (w->q->is_lower || w->q->is_upper);
    if ((w->q->k > COPIED && !in_place) || is_narrow)
        for (int v = 0; v < n; v += EXB_LANES)
            compute_strip(1, w, i + v, (int)exb_least(n - v, EXB_LANES), buffer);
    else if (VECTORS > 2 && n > 2 * EXB_LANES)
        compute_strip(VECTORS, w, i, n, buffer);
    else if (VECTORS > 1 && n > EXB_LANES)
        compute_strip(VECTORS > 1 ? 2 : 1, w, i, n, buffer);
    else
        compute_strip(1, w, i, n, buffer);
}

/* -x, and quiet: after a signalling NaN some processors' maximum forgets what was before it. */
EXB_INLINE exb_v quiet_opposite(exb_v x)
{
    return v_sub(v_zero(), x);
}

/* Of two vectors, since each maximum waits for the one before. */
double exb_ti(line_peak)(int64_t n, int64_t n_lines, int64_t step, const exb_real *x)
{
    exb_v most = v_zero(), other = v_zero();
    for (int64_t line = 0; line < n_lines; line++, x += step) {
        int64_t i = 0;
        for (; i + 2 * EXB_LANES <= n; i += 2 * EXB_LANES) {
            most = v_max_abs(most, quiet_opposite(v_load_real(x + i)));
            other = v_max_abs(other, quiet_opposite(v_load_real(x + i + EXB_LANES)));
        }
        for (; i + EXB_LANES <= n; i += EXB_LANES)
            most = v_max_abs(most, quiet_opposite(v_load_real(x + i)));
        if (i < n)
            other = v_max_abs(other, quiet_opposite(v_load_few_real(x + i, n - i)));
    }
    return v_largest(v_max_abs(most, other));
}

/* (1, s), and (-t, t) for what that made of A, exchanged: s is -1 if A is conjugated, t if B is. */
EXB_INLINE void set_signs(product_work *w)
{
    double s = w->q->conjugate_a ? -1 : 1, t = w->q->conjugate_b ? -1 : 1;
    double direct[EXB_LANES], exchanged[EXB_LANES];
    for (int v = 0; v < EXB_LANES; v++) {
        direct[v] = v % 2 == 0 ? 1 : s;
        exchanged[v] = v % 2 == 0 ? -t : t;
    }
    w->direct = v_load(direct);
    w->exchanged = v_load(exchanged);
}

int exb_ti(small_product)(const exb_small *q, const exb_real *c, exb_real *r, uint64_t *uncertified)
{
    exb_real buffer[BUFFER];
    double scale = exb_pow2(exb_anchor_exponent(2 * q->k * q->peak) + 1);
    product_work w = {.q = q, .c = c, .r = r, .uncertified = uncertified};
    for (int h = 0; h < q->n_halves; h++) {
        const exb_small_factors *x = &q->half[h];
        w.a[h] = (exb_t(elements)){x->a, x->a_vs, x->a_ls};
        w.b[h] = (exb_t(elements)){x->b, x->b_vs, x->b_ls};
    }
    w.terms = q->k >> (q->n_halves - 1);
    w.anchor = EXB_IS_S ? 0 : EXB_CHAIN_ANCHOR * scale;
    /* LINE_COVERED: |h| <= scale, and k corrections of half a unit 2^-51 scale. */
    w.bound = EXB_IS_S ? (1 + 0x1p-40) * 0x1p-53 * q->k * (q->k * q->peak) + 0x1p-49 * scale
                       : scale * (exb_chain_bound_anchored(q->k, q->k) + (q->k + 1) * 0x1p-101);
    int i = 0, count = 0;
    w.parts = q->is_complex ? 2 : 1;
    if (q->is_complex)
        set_signs(&w);
    memset(uncertified, 0, (size_t)q->n * sizeof *uncertified);
    for (; i < q->m; i += ROWS)
        compute_rows(&w, i, (int)exb_least(q->m - i, ROWS), buffer);
    for (int j = 0; j < q->n; j++)
        count += uncertified[j] ? __builtin_popcountll(uncertified[j]) : 0;
    return count;
}
