/* Compiled for each instruction set; the compiler's vectors keep the text one. */
#include "comparators.h"

#include <math.h>
#include <string.h>

enum { LANES = 8, UNROLL = 4, STEP = LANES * UNROLL };

typedef double vec __attribute__((vector_size(8 * LANES)));
typedef int64_t ivec __attribute__((vector_size(8 * LANES)));

#define GLUE2(a, b) a##b
#define GLUE(a, b) GLUE2(a, b)

static inline vec load(const double *x)
{
    vec v;
    memcpy(&v, x, sizeof v);
    return v;
}

static inline vec all(double x)
{
    return (vec){0} + x;
}

static inline vec choose(ivec mask, vec a, vec b)
{
    return (vec)((mask & (ivec)a) | (~mask & (ivec)b));
}

static inline vec magnitude(vec a)
{
    return (vec)((ivec)a & INT64_MAX);
}

static inline vec larger(vec a, vec b)
{
    return choose(a > b, a, b);
}

/* a + b = s + error */
static inline vec two_sum(vec a, vec b, vec *error)
{
    vec s = a + b, t = s - a;
    *error = (a - (s - t)) + (b - t);
    return s;
}

static inline double two_sum_1(double a, double b, double *error)
{
    double s = a + b, t = s - a;
    *error = (a - (s - t)) + (b - t);
    return s;
}

static double add_lanes(vec v)
{
    double s = 0;
    for (int j = 0; j < LANES; j++)
        s += v[j];
    return s;
}

static double pairwise(int64_t n, const double *x)
{
    if (n <= 128)
        return GLUE(plain_, EXB_ISA).sum(n, x);
    int64_t half = n / 2 / STEP * STEP;
    return pairwise(half, x) + pairwise(n - half, x + half);
}

/* Of |s| and |x| the larger one tells what was lost. */
static inline void neumaier_add(vec *s, vec *c, vec x)
{
    vec t = *s + x;
    *c += choose(magnitude(*s) >= magnitude(x), (*s - t) + x, (x - t) + *s);
    *s = t;
}

/* Lanes of sums and corrections, as one sum in twice the precision. */
static double compensated_total(const vec *s, const vec *c, int n_vectors)
{
    double sum = 0, correction = 0, error;
    for (int j = 0; j < n_vectors; j++)
        for (int l = 0; l < LANES; l++) {
            sum = two_sum_1(sum, s[j][l], &error);
            correction += error + c[j][l];
        }
    return sum + correction;
}

static vec partial(int64_t n, const double *x)
{
    vec v = {0};
    memcpy(&v, x, (size_t)n * sizeof *x);
    return v;
}

static double neumaier(int64_t n, const double *x)
{
    vec s[UNROLL] = {{0}}, c[UNROLL] = {{0}};
    int64_t i = 0;
    for (; i + STEP <= n; i += STEP)
        for (int j = 0; j < UNROLL; j++)
            neumaier_add(&s[j], &c[j], load(x + i + j * LANES));
    for (; i + LANES <= n; i += LANES)
        neumaier_add(&s[0], &c[0], load(x + i));
    neumaier_add(&s[0], &c[0], partial(n - i, x + i));
    return compensated_total(s, c, UNROLL);
}

static double largest(int64_t n, const double *x)
{
    vec m[UNROLL] = {{0}};
    int64_t i = 0;
    for (; i + STEP <= n; i += STEP)
        for (int j = 0; j < UNROLL; j++)
            m[j] = larger(m[j], magnitude(load(x + i + j * LANES)));
    m[0] = larger(larger(m[0], m[1]), larger(m[2], m[3]));
    double most = 0;
    for (int l = 0; l < LANES; l++)
        most = fmax(most, m[0][l]);
    for (; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* n m <= sigma / 2, sigma a power of two: all slices are multiples of sigma 2^-53, their sums at
 * most sigma, hence exact. What a slice leaves is at most sigma 2^-53. */
static double two_pass(int64_t n, const double *x)
{
    int e;
    double m = largest(n, x);
    if (m == 0)
        return 0;
    frexp(m, &e);
    int n_bits = 64 - __builtin_clzll((unsigned long long)n);
    double sigma1 = ldexp(1, e + n_bits + 1), sigma2 = ldexp(sigma1, n_bits + 1 - 53);
    vec high[UNROLL] = {{0}}, low[UNROLL] = {{0}};
    int64_t i = 0;
    for (; i < n; i += STEP)
        for (int j = 0; j < UNROLL; j++) {
            int64_t left = n - i - j * LANES;
            vec v = left >= LANES ? load(x + i + j * LANES)
                    : left > 0    ? partial(left, x + i + j * LANES)
                                  : all(0);
            vec q = (sigma1 + v) - sigma1;
            high[j] += q;
            low[j] += (sigma2 + (v - q)) - sigma2;
        }
    return add_lanes((high[0] + high[1]) + (high[2] + high[3])) +
           add_lanes((low[0] + low[1]) + (low[2] + low[3]));
}

/* Bins of 40 bits: bin b has the unit 2^(40 b) and takes |x| < 2^(39 + 40 b). A sum that starts
 * at 1.5 2^52 units stays in its binade for 2^10 terms. */
enum { BIN_BITS = 40, BLOCK = 1 << 9, MAX_FOLD = 3, LOWEST_BIN = -24 };

__extension__ typedef __int128 wide;

typedef struct {
    int top; /* bin of slice 0 */
    wide units[MAX_FOLD];
} bins;

static int bin_of(double most)
{
    int e, b = LOWEST_BIN;
    frexp(most, &e); /* most < 2^e */
    if (most > 0 && e - BIN_BITS + 1 > BIN_BITS * LOWEST_BIN)
        b = (e - BIN_BITS + 1 + BIN_BITS * 1000 + BIN_BITS - 1) / BIN_BITS - 1000; /* upwards */
    return b;
}

static void raise_top(bins *b, int top, int n_fold)
{
    int shift = top - b->top;
    if (shift <= 0)
        return;
    for (int k = n_fold - 1; k >= 0; k--)
        b->units[k] = k >= shift ? b->units[k - shift] : 0;
    b->top = top;
}

/* The last bit set: no ties, so that a slice does not depend on the sum so far. */
static inline vec break_ties(vec x)
{
    return (vec)((ivec)x | 1);
}

/* Up to BLOCK * LANES terms: BLOCK / UNROLL for each lane of each vector. */
static inline __attribute__((always_inline)) void add_block(bins *b, int64_t n, const double *x,
                                                            int n_fold)
{
    double unit[MAX_FOLD];
    vec start[MAX_FOLD], s[MAX_FOLD][UNROLL];
    for (int k = 0; k < n_fold; k++) {
        unit[k] = ldexp(1, BIN_BITS * (b->top - k));
        start[k] = all(0x1.8p52 * unit[k]);
        for (int j = 0; j < UNROLL; j++)
            s[k][j] = start[k];
    }
    for (int64_t i = 0; i < n; i += STEP)
        for (int j = 0; j < UNROLL; j++) {
            int64_t left = n - i - j * LANES;
            vec v = left >= LANES ? load(x + i + j * LANES)
                    : left > 0    ? partial(left, x + i + j * LANES)
                                  : all(0);
            for (int k = 0; k < n_fold; k++) {
                vec t = s[k][j] + break_ties(v), q = t - s[k][j];
                s[k][j] = t;
                v -= q;
            }
        }
    for (int k = 0; k < n_fold; k++) {
        double inverse = 1 / unit[k];
        for (int j = 0; j < UNROLL; j++)
            for (int l = 0; l < LANES; l++)
                b->units[k] += (int64_t)((s[k][j][l] - start[k][l]) * inverse);
    }
}

static inline __attribute__((always_inline)) double binned(int64_t n, const double *x, int n_fold)
{
    bins b = {.top = LOWEST_BIN};
    double sum = 0, lost = 0;
    for (int64_t i = 0; i < n; i += BLOCK * LANES) {
        int64_t n_block = n - i < BLOCK * LANES ? n - i : BLOCK * LANES;
        raise_top(&b, bin_of(largest(n_block, x + i)), n_fold);
        add_block(&b, n_block, x + i, n_fold);
    }
    for (int k = 0; k < n_fold; k++) { /* slices may cancel: what additions lose is kept */
        double high = (double)b.units[k], low = (double)(b.units[k] - (wide)high), error;
        int e = BIN_BITS * (b.top - k);
        sum = two_sum_1(sum, ldexp(high, e), &error);
        lost += error + ldexp(low, e);
    }
    return sum + lost;
}

static double binned2(int64_t n, const double *x)
{
    return binned(n, x, 2);
}

static double binned3(int64_t n, const double *x)
{
    return binned(n, x, 3);
}

static inline vec product_error(vec a, vec b, vec p)
{
    vec e;
    for (int l = 0; l < LANES; l++)
        e[l] = fma(a[l], b[l], -p[l]);
    return e;
}

static inline void dot2_add(vec *s, vec *c, vec a, vec b)
{
    vec error, p = a * b;
    *s = two_sum(*s, p, &error);
    *c += error + product_error(a, b, p);
}

static double dot2(int64_t n, const double *x, const double *y)
{
    vec s[UNROLL] = {{0}}, c[UNROLL] = {{0}};
    int64_t i = 0;
    for (; i + STEP <= n; i += STEP)
        for (int j = 0; j < UNROLL; j++)
            dot2_add(&s[j], &c[j], load(x + i + j * LANES), load(y + i + j * LANES));
    for (; i + LANES <= n; i += LANES)
        dot2_add(&s[0], &c[0], load(x + i), load(y + i));
    dot2_add(&s[0], &c[0], partial(n - i, x + i), partial(n - i, y + i));
    return compensated_total(s, c, UNROLL);
}

const comparators GLUE(comparators_, EXB_ISA) = {pairwise, neumaier, two_pass,
                                                 binned2,  binned3,  dot2};
