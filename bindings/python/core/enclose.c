#include "enclose.h"
#include "integers.h"

#include <math.h>

/* Of an integer below 2^127, as two doubles if it is their sum. */
static exb_enclosure integer_enclosure(int128 x)
{
    double h = (double)x, l = (double)(x - (int128)h);
    return (int128)h + (int128)l == x ? (exb_enclosure){h, l, 0, true} : exb_enclosure_unknown();
}

/* Chunks of other numbers than floats and doubles go through doubles. */
static exb_enclosure chunk_enclosure(exb_term term, const line *x, const line *y, int64_t i, int n)
{
    double p[2][CHUNK], q[2][CHUNK];
    int n_p = line_pieces(x, i, n, p), n_q = 1;
    exb_enclosure v = exb_enclosure_exact(0);
    if (term == EXB_TERM_XY)
        n_q = line_pieces(y, i, n, q);
    if (term == EXB_TERM_ABS_X && n_p == 2)
        return exb_enclosure_unknown();
    for (int j = 0; j < n_p; j++)
        for (int k = 0; k < n_q; k++)
            v = exb_enclosure_add(v, exb_denclosure_of(term, n, p[j], 1, q[k], 1));
    return v;
}

exb_enclosure line_enclosure(exb_term term, const line *x, const line *y)
{
    int64_t incx, incy = 0;
    const line *other = term == EXB_TERM_XY ? y : x;
    int128 value;
    if (x->element.kind != FLOAT && term == EXB_TERM_X)
        return integer_enclosure(line_integer_sum(x));
    if (x->element.kind != FLOAT && other->element.kind != FLOAT && term == EXB_TERM_XY &&
        line_integer_dot(x, other, &value))
        return integer_enclosure(value);
    if (line_is_vector(x, 8, &incx) && line_is_vector(other, 8, &incy))
        return exb_denclosure_of(term, x->n, (const void *)x->at, incx, (const void *)other->at,
                                 incy);
    if (line_is_vector(x, 4, &incx) && line_is_vector(other, 4, &incy))
        return exb_senclosure_of(term, x->n, (const void *)x->at, incx, (const void *)other->at,
                                 incy);
    exb_enclosure v = exb_enclosure_exact(0);
    for (int64_t i = 0; i < x->n; i += CHUNK) {
        int n = x->n - i < CHUNK ? (int)(x->n - i) : CHUNK;
        v = exb_enclosure_add(v, chunk_enclosure(term, x, other, i, n));
    }
    return v;
}

/* Lane k += x[k] + y[k]: of terms and their errors as they are, of two terms as RN(x + y) and its
 * error, which is one step for two. */
EXB_INLINE void add_terms(lanes *a, int n, const double *x, const double *y, bool are_two)
{
    for (int k = 0; k < n; k++) {
        double r = y[k], p = are_two ? exb_two_sum(x[k], y[k], &r) : x[k];
        exb_comp sum = exb_comp_add((exb_comp){a->s[k], a->c[k], a->w[k]}, p, r);
        a->s[k] = sum.s;
        a->c[k] = sum.c;
        a->w[k] = sum.w;
    }
}

void lanes_add(lanes *a, const line *x, bool has_next, int64_t next, bool exactly)
{
    static const double none[LANES];
    double piece[2][CHUNK];
    int64_t step;
    bool is_there = line_is_vector(x, 8, &step) && step == 1 && next % 8 == 0;
    int n = (int)x->n, n_pieces = is_there ? 1 : line_pieces(x, 0, n, piece);
    const double *p = is_there ? (const void *)x->at : piece[0];
    if (is_there && has_next && !exactly) {
        add_terms(a, n, p, p + next / 8, true);
        return;
    }
    if (!exactly)
        add_terms(a, n, p, n_pieces == 1 ? none : piece[1], false);
    for (int i = 0; exactly && i < n_pieces; i++, p = piece[1])
        for (int k = 0; k < n; k++) {
            exact_sum sum = {a->s[k], a->c[k], a->w[k]};
            exact_sum_add(&sum, p[k]);
            a->s[k] = sum.s;
            a->c[k] = sum.c;
            a->w[k] = sum.b;
        }
    line other = {x->element, x->at + next, x->n, x->stride};
    if (has_next)
        lanes_add(a, &other, false, 0, exactly);
}

#define TO uint32_t
#define FROM uint32_t
#include "load_tmpl.h"

/* All magnitudes but zeros lie from lo to hi, multiples of a g with lo < 2^24 g. With n_lines hi <=
 * 2^29 lo no sum reaches 2^53 g, and none rounds in doubles. most and least: 2 bits(hi) and
 * 2 bits(lo) - 1, of zeros the greatest number. Inf and NaN fail. RN(s / d) is on the side of s / d
 * of all t half way between floats: d t, of 30 bits, is a double, at least 2^-53 |d t| from s
 * unless it is s, and t more than half its gap from s / d. */
bool float_means(const line *x, int64_t n_lines, int64_t step, double d, double *restrict mean)
{
    uint32_t least = UINT32_MAX, most = 0, bits[CHUNK];
    float bound[2], f; /* lo, hi */
    bool is_exact = true;
    int n = (int)x->n;
    for (int64_t i = 0; i < n_lines && is_exact; i++) {
        load_uint32_t(bits, x->at + i * step, n, x->stride);
        for (int k = 0; k < n; k++) {
            uint32_t twice = bits[k] << 1;
            memcpy(&f, &bits[k], sizeof f);
            mean[k] = (i > 0 ? mean[k] : 0) + (double)f;
            most = twice > most ? twice : most;
            least = twice - 1 < least ? twice - 1 : least;
        }
        memcpy(bound, (const uint32_t[]){(least + 1) / 2, most / 2}, sizeof bound);
        is_exact =
            bound[1] <= FLT_MAX && (double)n_lines * (double)bound[1] <= 0x1p29 * (double)bound[0];
    }
    for (int k = 0; k < n; k++)
        mean[k] = (double)(float)(d == 1 ? mean[k] : mean[k] / d);
    return is_exact;
}

void lanes_sums(const lanes *a, int n, int format, double *sum, bool *is_known)
{
    double certain[LANES];
    certify_sums(n, a->s, a->c, a->w, sum, certain);
    for (int k = 0; k < n; k++)
        is_known[k] = sum_is_known(format, sum[k], certain[k], a->c[k], a->w[k]);
}

bool lanes_add_squares(lanes *a, const line *x)
{
    double piece[2][CHUNK], error[LANES];
    int n = (int)x->n;
    if (line_pieces(x, 0, n, piece) == 2)
        return false;
    for (int k = 0; k < n; k++)
        piece[1][k] = exb_two_prod(piece[0][k], piece[0][k], &error[k]);
    add_terms(a, n, piece[1], error, false);
    return true;
}

/* The sum is h + l +- E, E = (n + 2) u w (core/arith/compensated.h), and with q = RN(h / d) the
 * mean is q + (h - q d + l) / d +- E / d. The computed x in place of that quotient errs by less
 * than 5u|x|: an addition, a reciprocal, a product; b has 16u|x|, and (n + 4) u w for E, which
 * bounds its own rounding and that of x +- b. Ranges are those of exb_ratio_of, where nothing
 * underflows but w, for 2^-1000. Without branches: lanes are computed side by side. */
static void bound_means(const lanes *a, int n, double d, double *low, double *restrict high)
{
    double inverse = 1 / d, scale = (d + 4) * 0x1p-53 * inverse;
    for (int k = 0; k < n; k++) {
        double l, h = exb_two_sum(a->s[k], a->c[k], &l), q = h / d;
        double x = (exb_remainder(h, q, d) + l) * inverse;
        bool fits = (exb_fabs(h) <= EXB_CERTIFIED_MOST) & (exb_fabs(q) >= EXB_CERTIFIED_LEAST);
        double b = 0x1p-49 * exb_fabs(x) + scale * a->w[k] + (fits ? 0x1p-1000 : (double)NAN);
        low[k] = q + (x - b);
        high[k] = q + (x + b);
    }
}

void lanes_means(const lanes *a, int n, int64_t n_terms, int format, double *mean, bool *is_known)
{
    double high[LANES];
    bound_means(a, n, (double)n_terms, mean, high);
    for (int k = 0; k < n; k++)
        is_known[k] = (mean[k] == high[k]) & ((format == EXBLAS_DOUBLE) | narrows_once(mean[k]));
}

/* h + l +- e of the sums of squares, as bound_means has them. */
static void enclose_squares(const lanes *squares, int n, double d, lanes *v)
{
    for (int k = 0; k < n; k++) {
        v->s[k] = exb_two_sum(squares->s[k], squares->c[k], &v->c[k]);
        v->w[k] = (2 * d + 4) * 0x1p-53 * squares->w[k] + 0x1p-1000;
    }
}

/* Of v = d T - S^2 - S'^2 over d left, T = h + l +- e and S = f + m +- g, with (p, q) = d h, (P, Q)
 * = f^2 and (M, r) = p - P, then M - P', exactly:
 *
 *   v = M + (sum r + ((q - sum Q) + (d l - sum 2 f m)))
 *
 * but for d e + sum (2 |f| + g) g (1 + u), for m^2 and for roundings. With |l| <= u h, |m| <= u |f|
 * and sum P <= p (1 + 6u) (Cauchy and Schwarz) the last two are less than 28 u^2 p < 2^-101 p: in
 * u^2 p 9 for d l - sum 2 f m, 2 + 2, 2, 5 + 7 for their sums, 1 for m^2. The quotient is that of
 * bound_means. Ranges: of two_prod, and of exb_ratio_of. If f = 0 so are m, P and Q. */
static void enclose_moments(const lanes *sum, int n, double d, double left, lanes *v)
{
    double by = d * left, inverse = 1 / by;
    for (int k = 0; k < n; k++) {
        double m, other_q, r, q, p = exb_two_prod(d, v->s[k], &q), top = p, rest = 0;
        double l = d * v->c[k], e = d * v->w[k] + 0x1p-100 * p;
        bool is_in_range = p <= EXB_PRODUCT_MOST;
        for (int part = 0; part < 2; part++) {
            double f = exb_two_sum(sum[part].s[k], sum[part].c[k], &m);
            double g = (d + 4) * 0x1p-53 * sum[part].w[k], other_p = exb_two_prod(f, f, &other_q);
            top = exb_two_sum(top, -other_p, &r);
            rest += r;
            q -= other_q;
            l -= 2 * f * m;
            e += (2 * exb_fabs(f) + g) * g;
            is_in_range &= (other_p >= EXB_PRODUCT_LEAST) | (f == 0);
        }
        double h = top / by;
        is_in_range &= (top >= EXB_CERTIFIED_LEAST) & (h >= EXB_CERTIFIED_LEAST);
        v->s[k] = h;
        v->c[k] = (exb_remainder(top, h, by) + (rest + (q + l))) * inverse;
        v->w[k] = 0x1p-49 * exb_fabs(v->c[k]) + e * inverse + (is_in_range ? 0 : (double)NAN);
    }
}

/* As exb_root_of. */
static void enclose_roots(int n, lanes *v)
{
    for (int k = 0; k < n; k++) {
        double l, h = exb_two_sum(v->s[k], v->c[k], &l), r = exb_sqrt(h), inverse = 0.5 / r;
        bool is_in_range =
            (h >= EXB_CERTIFIED_LEAST) & (h <= EXB_CERTIFIED_MOST) & (v->w[k] <= 0x1p-26 * h);
        v->s[k] = r;
        v->c[k] = (exb_remainder(h, r, r) + l) * inverse;
        v->w[k] = 0x1p-49 * exb_fabs(v->c[k]) + v->w[k] * inverse * (1 + 0x1p-24) +
                  (is_in_range ? 0 : (double)NAN);
    }
}

/* What computing e and l +- e rounds is less than 2^-40 e and 2^-51 |l|. */
void lanes_moments(const lanes *sum, const lanes *squares, int n, int64_t n_terms, int64_t left,
                   bool is_root, int format, double *restrict result, bool *restrict is_known)
{
    lanes v;
    enclose_squares(squares, n, (double)n_terms, &v);
    if (left > 0)
        enclose_moments(sum, n, (double)n_terms, (double)left, &v);
    if (is_root)
        enclose_roots(n, &v);
    for (int k = 0; k < n; k++) {
        double e = v.w[k] * (1 + 0x1p-39);
        result[k] = v.s[k] + (v.c[k] - e);
        is_known[k] = (result[k] == v.s[k] + (v.c[k] + e)) &
                      ((format == EXBLAS_DOUBLE) | narrows_once(result[k]));
    }
}

bool plain_add(plain_lanes *a, const line *x)
{
    double piece[2][CHUNK];
    if (line_pieces(x, 0, (int)x->n, piece) == 2)
        return false;
    for (int k = 0; k < (int)x->n; k++) {
        double p = piece[0][k];
        a->s[k] += p;
        a->w[k] += a->squares ? p * p : exb_fabs(p);
    }
    return true;
}

/* Each of n - 1 additions errs by u = 2^-53 of its result, so s by less than (n + 1) u w where w
 * has magnitudes; squares of floats are exact, and their w errs as much. With them |s|, and the sum
 * of magnitudes, are at most the root of n w: s^2 errs by less than 2 (n + 1) u n w, and n w - s^2
 * with its three operations by (3 n + 9) u n w. What x and b themselves round is in 2^-50 |x| and
 * in the last terms. Nothing underflows: squares are multiples of 2^-298, or 0 as b then is.
 * Integers of a size up to 2^53 are exact, and so are s, w and m: b is 0, above NaN. */
static void bound_plain(const plain_lanes *a, int n, int64_t left, double *restrict x,
                        double *restrict b)
{
    double d = (double)a->n_terms, by = left > 0 ? d * (double)left : a->squares ? 1 : d;
    double scale = left > 0 ? d : 1, keep = left > 0 ? 1 : 0;
    double u = (left > 0 ? 3 * d + 16 : d + 4) * (0x1p-53 / by);
    const double *from = a->squares ? a->w : a->s;
    for (int k = 0; k < n; k++) { /* without branches: lanes are computed side by side */
        x[k] = (scale * from[k] - keep * a->s[k] * a->s[k]) / by;
        b[k] = u * (scale * a->w[k]) + 0x1p-50 * exb_fabs(x[k]);
    }
    for (int k = 0; a->is_whole && k < n; k++)
        b[k] = scale * a->w[k] <= 0x1p53 ? 0 : (double)NAN;
}

int plain_results(const plain_lanes *a, int n, int64_t left, bool is_root, double *restrict result,
                  bool *restrict is_known)
{
    double x[LANES], b[LANES];
    bool is_whole = a->is_whole;
    int n_known = 0;
    bound_plain(a, n, left, x, b);
    for (int k = 0; is_whole && k < n; k++) {
        result[k] = is_root ? exb_sqrt(x[k]) : x[k];
        is_known[k] = b[k] == 0;
        n_known += is_known[k];
    }
    for (int k = 0; !is_whole && k < n; k++) {
        double low = x[k] - b[k], high = x[k] + b[k];
        if (is_root) {
            low = exb_sqrt(low) * (1 - 0x1p-52);
            high = exb_sqrt(high) * (1 + 0x1p-51);
        }
        result[k] = (double)(float)high;
        bool has_sign = (low * high > 0) | (b[k] == 0); /* of products of at least 2^-400 */
        is_known[k] = ((double)(float)low == result[k]) & has_sign;
        n_known += is_known[k];
    }
    return n_known;
}

/* With (p, q) = h h' exactly, a b is p + q + h l' + l h' + l l' but for the bounds. Each of
 * two products and two additions errs by 2^-53 of its result; l l' is left out. Bounds may rest on
 * the 2^-1020 of the rounding test, which is multiplied here: so it is added first. */
exb_enclosure enclosure_product(exb_enclosure a, exb_enclosure b)
{
    exb_enclosure v = exb_enclosure_unknown();
    double q, s = a.h * b.l, t = a.l * b.h;
    if (!exb_exact_product(a.h, b.h, &v.h, &q))
        return exb_enclosure_unknown();
    v.l = q + (s + t);
    double e = a.e + EXB_UNDERFLOW_LOSS, f = b.e + EXB_UNDERFLOW_LOSS;
    double rounding = 0x1p-52 * (exb_fabs(s) + exb_fabs(t)) + 0x1p-53 * exb_fabs(v.l);
    double left_out = exb_fabs(a.l * b.l) + e * (exb_fabs(b.h) + exb_fabs(b.l)) +
                      f * (exb_fabs(a.h) + exb_fabs(a.l) + e);
    v.e = exb_bound_up(exb_bound_up(rounding + left_out));
    return v;
}

exb_enclosure moment_enclosure(int64_t n, exb_enclosure xy, int n_pairs, const exb_enclosure *x,
                               const exb_enclosure *y)
{
    exb_enclosure v = exb_affine_of((double)n, xy, 0, 0);
    for (int i = 0; i < n_pairs; i++) {
        v = exb_enclosure_add(v, exb_enclosure_negated(enclosure_product(x[i], y[i])));
    }
    return v;
}

exb_enclosure moment_quotient(exb_enclosure v, int64_t n, int64_t d)
{
    double by = (double)n * (double)d;
    if (d >= (int64_t)1 << 53)
        return exb_enclosure_unknown();
    if (by < 0x1p53)
        return exb_ratio_of(v, exb_enclosure_exact(by));
    return exb_ratio_of(exb_ratio_of(v, exb_enclosure_exact((double)n)),
                        exb_enclosure_exact((double)d));
}

double line_least(const line *l)
{
    double piece[2][CHUNK], least = DBL_MAX;
    if (l->n > CHUNK || line_pieces(l, 0, (int)l->n, piece) == 2)
        return 0;
    for (int64_t i = 0; i < l->n; i++)
        least = exb_least_magnitude(least, piece[0][i]);
    return least;
}

/* q = RN(h / d) and v / d = q + D / d, D = (h - q d) + l, without error or left undecided; h is
 * RN(v). Against
 * half the gap to q's neighbour on that side, a power of two, D is compared exactly; a float is
 * rounded from q and the sign of D, unless D / d may vanish or lie beyond the neighbour. */
bool exact_quotient(exb_enclosure v, double d, int format, double *r)
{
    double error, l, h = exb_two_sum(v.h, v.l, &l), q = h / d;
    if (!exb_certifiable(h) || !exb_certifiable(q))
        return false;
    double rest = exb_two_sum(exb_remainder(h, q, d), l, &error);
    double next = (rest > 0) == (q > 0) ? exb_away(q) : exb_toward(q);
    double twice = 2 * exb_fabs(rest), gap = exb_fabs(next - q) * d;
    if (error != 0 || 2 * twice > 5 * gap)
        return false;
    bool is_even = exb_bits(q) % 2 == 0;
    *r = twice < gap || (twice == gap && is_even) ? q : next;
    if (format == EXBLAS_SINGLE)
        *r = (double)(float)exb_add_to_odd(q, rest / d);
    bool has_sign = rest == 0 || exb_certifiable(rest);
    return format == EXBLAS_DOUBLE || (format == EXBLAS_SINGLE && has_sign && 2 * twice < 3 * gap);
}
