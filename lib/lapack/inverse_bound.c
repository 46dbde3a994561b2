#include "lapack/inverse_bound.h"

#include "core/kernels.h"
#include "core/memory.h"
#include "core/partition.h"
#include "lapack/inverse_magnitude.h"
#include "lapack/plain_dot.h"
#include "lapack/residual_columns.h"
#include "level1/kernels/plain_lines.h"

#include <stdlib.h>

/* Elements of R and its factors are below this, so that what underflows, a few times n^3 2^-1074,
 * stays below the 2^-700 that bounds are widened by. */
#define LARGEST 0x1p100
#define UNDERFLOW_LOSS 0x1p-700

/* What the magnitude of a product, and what inverses of factors are off by, may add to such sums,
 * which have to stay below 0.9. */
#define MAGNITUDE 0.6
#define DIFFERENCE 0.2

/* What terms may add to sums of rows of which a bound is known from products with vectors. */
#define KNOWN 0.2

/* More than the relative roundings of sums of n < 2^31 terms, none negative, thrice over. */
#define WIDENED (1 + 0x1p-18)

/* y += |m| x, for x >= 0. */
static void add_magnitudes(int64_t n, const double *m, double x, double *y)
{
    for (int64_t j = 0; j < n; j++)
        y[j] += exb_fabs(m[j]) * x;
}

/* The same of four rows, ld apart. */
static void add_four(int64_t n, const double *m, int64_t ld, const double *x, double *y)
{
    exb_kernels_current()->lines->add_magnitudes(n, m, ld, x, y);
}

/* y += |M'| x for rows begin ... end - 1 of a lower triangle, of which `unit` says that the
 * diagonal is 1 and not stored. */
static void add_lower(int64_t n, int64_t begin, int64_t end, const double *m, bool unit,
                      const double *x, double *y)
{
    int64_t i = begin, k;
    for (; i + 4 <= end; i += 4) {
        add_four(i, m + i * n, n, x + i, y);
        for (k = i + 1; k < i + 4; k++)
            add_magnitudes(k - i, m + k * n + i, x[k], y + i);
    }
    for (; i < end; i++)
        add_magnitudes(i, m + i * n, x[i], y);
    for (i = begin; i < end; i++)
        y[i] += unit ? x[i] : exb_fabs(m[i * n + i]) * x[i];
}

/* y = |M'| x for a lower triangle. */
static void multiply_lower(int64_t n, const double *m, bool unit, const double *x, double *y)
{
    memset(y, 0, (size_t)n * sizeof *y);
    add_lower(n, 0, n, m, unit, x, y);
}

static void multiply_upper(int64_t n, const double *m, const double *x, double *y)
{
    int64_t i = 0, k;
    memset(y, 0, (size_t)n * sizeof *y);
    for (; i + 4 <= n; i += 4) {
        add_four(n - i - 4, m + i * n + i + 4, n, x + i, y + i + 4);
        for (k = i; k < i + 4; k++)
            add_magnitudes(i + 4 - k, m + k * n + k, x[k], y + k);
    }
    for (; i < n; i++)
        add_magnitudes(n - i, m + i * n + i, x[i], y + i);
}

/* Are all below LARGEST? False for NaN. */
static bool are_small(int64_t n, const double *x)
{
    bool small = true;
    for (int64_t i = 0; i < n; i++)
        small &= exb_fabs(x[i]) < LARGEST;
    return small;
}

/* Of numbers that are not NaN. */
static double largest(int64_t n, const double *x)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

/* So that sums of |x_ij| times these are bounds on the |x_ij|. */
static void raise_to_one(int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = x[i] < 1 ? 1 : x[i];
}

/* rest = E e / (1 - |E|) from E e, in the order of P; false if |E| is not below 1. */
static bool set_rest(exb_inverse_bound *v, const double *sums)
{
    double norm = 0;
    for (int64_t i = 0; i < v->n; i++) {
        double sum = sums[i] * WIDENED + UNDERFLOW_LOSS;
        if (!(sum < 0.9))
            return false;
        norm = sum > norm ? sum : norm;
        v->rest[v->factors.order[i]] = sum;
    }
    for (int64_t i = 0; i < v->n; i++)
        v->rest[i] = v->rest[i] / (1 - norm) * WIDENED;
    return true;
}

/* Vectors of the factors, each of n elements. */
typedef struct {
    double *l, *u, *v;     /* |L'| e, |U'| l, at least |X_U'| e */
    double *c;             /* at least |W'| e, by way of |L| and |U| */
    double *known;         /* at least each element of a column of |W| */
    double *x, *y, *d, *z; /* working memory */
    double *sums;
} vectors;

/* spread = |X_L'| v. Elements of the factors are at most what is summed here, those of L at most 1.
 */
static bool set_spread(exb_inverse_bound *v, const vectors *t)
{
    const exb_plain_factors *p = &v->factors;
    int64_t n = v->n;
    for (int64_t i = 0; i < n; i++)
        t->x[i] = 1;
    multiply_lower(n, p->lu, true, t->x, t->l);
    multiply_upper(n, p->lu, t->l, t->u);
    multiply_upper(n, p->upper, t->x, t->v);
    raise_to_one(n, t->v);
    multiply_lower(n, p->lower, false, t->v, t->x);
    for (int64_t i = 0; i < n; i++) {
        v->spread[p->order[i]] = t->x[i];
        v->apart[i] = 0;
    }
    v->most = largest(n, t->x);
    return are_small(n, t->u) && are_small(n, t->v) && are_small(n, t->x);
}

/* From the bounds of the factors: |X_L'| c to y, c = g (l + 2 |X_U'| u). */
static bool bound_factors(exb_inverse_bound *v, const vectors *t)
{
    const exb_plain_factors *p = &v->factors;
    int64_t n = v->n;
    double g = exb_plain_factors_error(n);
    multiply_upper(n, p->upper, t->u, t->c);
    for (int64_t i = 0; i < n; i++)
        t->c[i] = g * (t->l[i] + 2 * t->c[i]);
    multiply_lower(n, p->lower, false, t->c, t->y);
    return set_rest(v, t->y);
}

/* Most products of X_L' with a vector are small where S is ill-conditioned, because X_U' grows down
 * its rows: y = what the first of them add up to, as long as that is no more than KNOWN. Returns
 * how many; `work` has n elements. */
static int64_t add_known(const exb_inverse_bound *v, const double *c, double *y, double *work)
{
    enum { STEP = 16 };
    int64_t n = v->n, k = 0;
    memset(work, 0, (size_t)n * sizeof *work);
    for (double most = 0; k < n && most <= KNOWN; k += STEP) {
        memcpy(y, work, (size_t)n * sizeof *y);
        add_lower(n, k, exb_least(n, k + STEP), v->factors.lower, false, c, work);
        most = largest(n, work);
    }
    return k - STEP;
}

/* Are magnitudes of all products likely to do, if the sums of the first way are these? They are
 * less than products of magnitudes by a factor of n / 10 or less, where it was looked at; those of
 * some of the columns by one of 15 to 30. */
static bool magnitude_may_do(int64_t n, const double *sums)
{
    return largest(n, sums) < 4 + (double)n / 8;
}

/* q, to q, by way of w; b / (1 - b), to `lower`. False if a or b is not small. What underflows,
 * times what are at most LARGEST, is far below UNDERFLOW_LOSS times v and w, which are at least 1.
 */
static bool set_difference(const exb_inverse_bound *v, const vectors *t, double *w, double *q,
                           double *lower)
{
    const exb_plain_factors *p = &v->factors;
    int64_t n = v->n;
    double g = exb_plain_factors_error(n);
    multiply_upper(n, p->lu, t->v, w);
    double a = g * largest(n, w) * WIDENED + UNDERFLOW_LOSS;
    for (int64_t i = 0; i < n; i++)
        q[i] = 1;
    multiply_lower(n, p->lower, false, q, w);
    raise_to_one(n, w);
    multiply_lower(n, p->lu, true, w, q);
    double b = g * largest(n, q) * WIDENED + UNDERFLOW_LOSS;
    if (!(a < 0.5 && b < 0.5))
        return false;
    a /= 1 - a;
    *lower = b / (1 - b) * WIDENED;
    b *= (1 + a) / (1 - b) * largest(n, t->v);
    for (int64_t i = 0; i < n; i++)
        q[i] = (b * w[i] + a * v->spread[p->order[i]]) * WIDENED;
    return true;
}

/* At least |W_ij| for each i, to `known`: 2 g |X_U'| |U'| e, because elements of L are at most 1.
 */
static void bound_elements(const exb_inverse_bound *v, const vectors *t)
{
    const exb_plain_factors *p = &v->factors;
    int64_t n = v->n;
    double g = exb_plain_factors_error(n);
    for (int64_t i = 0; i < n; i++)
        t->d[i] = 1;
    multiply_upper(n, p->lu, t->d, t->z);
    multiply_upper(n, p->upper, t->z, t->known);
    for (int64_t i = 0; i < n; i++)
        t->known[i] = 2 * g * t->known[i] * WIDENED + UNDERFLOW_LOSS;
}

/* Twice, if need be. Elements of S whose last bits are not there, and the rounding of X_U, may cost
 * that much of sums of rows; the first is sooner done. */
static const struct {
    int n_bits;
    double open;
} attempts[] = {{58, 0.1}, {86, 0.002}};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

/* |W_2'| e, at most, to the elements of c from `first` on. X_U2 may be rounded, of which the bounds
 * on elements, and with them `c` of the vectors, take account. */
static bool enclose_columns(exb_inverse_bound *v, const double *s, int attempt, const vectors *t,
                            double *c)
{
    const exb_plain_factors *p = &v->factors;
    int64_t n = v->n, first = v->first;
    memset(c, 0, (size_t)first * sizeof *c);
    memcpy(c + first, t->known + first, (size_t)(n - first) * sizeof *c);
    multiply_lower(n, p->lower, false, c, t->d);
    exb_residual_room room = {attempts[attempt].n_bits, attempts[attempt].open / largest(n, t->d)};
    exb_residual_problem q = {n, first, s, p->order, p->upper, p->lu, t->known};
    memcpy(t->d, t->known, (size_t)n * sizeof *t->d);
    bool done = exb_residual_columns(&q, room, c);
    for (int64_t i = first; i < n; i++) {
        c[i] = c[i] * WIDENED + UNDERFLOW_LOSS;
        t->c[i] = (t->c[i] + (double)n * (t->known[i] - t->d[i])) * WIDENED;
    }
    return done;
}

/* sums += |X_L2'| c + |c|_max b / (1 - b) w, with b / (1 - b) in `lower`. */
static bool add_columns(exb_inverse_bound *v, const double *s, int attempt, double lower,
                        const double *w, const vectors *t, double *sums)
{
    int64_t n = v->n;
    double *c = t->z;
    if (!enclose_columns(v, s, attempt, t, c))
        return false;
    multiply_lower(n, v->factors.lower, false, c, t->d);
    double apart = largest(n, c) * lower;
    for (int64_t i = 0; i < n; i++)
        sums[i] += t->d[i] + apart * w[i];
    return true;
}

/* The rest, from the sums of the first columns and those that are added to them. */
static bool complete(exb_inverse_bound *v, const double *s, double lower, const double *w,
                     const vectors *t)
{
    bool done = v->first == v->n && set_rest(v, v->apart);
    for (int k = 0; k < ATTEMPTS && v->first < v->n && !done; k++) {
        memcpy(t->sums, v->apart, (size_t)v->n * sizeof *t->sums);
        done = add_columns(v, s, k, lower, w, t, t->sums) && set_rest(v, t->sums);
    }
    return done;
}

/* t, and of |M_1| d the first products of |X_L'| |X_U'| d. */
static bool bound_magnitude(exb_inverse_bound *v, const double *s, bool patient, const vectors *t)
{
    const exb_plain_factors *p = &v->factors;
    int64_t n = v->n;
    double g = exb_plain_factors_error(n), *d = t->d, *w = t->x, *q = t->y, *sums = v->apart, lower;
    if (!set_difference(v, t, w, q, &lower))
        return false;
    for (int64_t i = 0; i < n; i++)
        d[i] = g * t->u[i] * WIDENED + UNDERFLOW_LOSS;
    double most = largest(n, d), lost = exb_inverse_magnitude_error(n) * most;
    if (!(most * largest(n, q) < DIFFERENCE))
        return false;
    multiply_upper(n, p->upper, d, t->z);
    int64_t first = add_known(v, t->z, sums, v->rest);
    v->first = exb_inverse_magnitude(p, first, d, t->z, MAGNITUDE, patient, sums);
    for (int64_t i = 0; i < n; i++)
        sums[i] += most * q[i] + lost * v->spread[p->order[i]];
    bool done = complete(v, s, lower, w, t);
    most = largest(n, q);
    for (int64_t i = 0; i < n; i++)
        d[p->order[i]] = q[i];
    for (int64_t i = 0; i < n; i++)
        v->apart[i] = done ? (d[i] + v->rest[i] * most) * WIDENED : 0;
    return done;
}

/* From what P S' X_U is: |X_L'| (g l + |W'| e), and c for the first columns of W. */
static bool bound_product(exb_inverse_bound *v, const double *s, const vectors *t)
{
    const exb_plain_factors *p = &v->factors;
    int64_t n = v->n;
    double g = exb_plain_factors_error(n), *x = t->x, *y = t->y;
    bool done = false;
    v->first = add_known(v, t->c, x, y);
    for (int k = 0; k < ATTEMPTS && v->first < n && !done; k++) {
        if (!enclose_columns(v, s, k, t, x))
            return false;
        for (int64_t i = 0; i < n; i++)
            x[i] = i < v->first ? t->c[i] : x[i] + g * t->l[i];
        multiply_lower(n, p->lower, false, x, y);
        done = set_rest(v, y);
    }
    return done;
}

/* The first way that proves it. */
static bool bound(exb_inverse_bound *v, const double *s, const vectors *t)
{
    if (!set_spread(v, t))
        return false;
    v->first = v->n;
    if (bound_factors(v, t))
        return true;
    bool patient = magnitude_may_do(v->n, t->y);
    bound_elements(v, t);
    return bound_magnitude(v, s, patient, t) || bound_product(v, s, t);
}

bool exb_inverse_bound_init(exb_inverse_bound *v, int64_t n, const double *s)
{
    enum { ARRAYS = 13 };
    *v = (exb_inverse_bound){.n = n};
    double *work = malloc(ARRAYS * (size_t)n * sizeof *work);
    bool done = false;
    v->rest = work;
    if (work && exb_plain_factors_init(&v->factors, n, s)) {
        v->spread = work + n;
        v->apart = v->spread + n;
        double *l = v->apart + n;
        vectors t = {l,         l + n,     l + 2 * n, l + 3 * n, l + 4 * n,
                     l + 5 * n, l + 6 * n, l + 7 * n, l + 8 * n, l + 9 * n};
        done = bound(v, s, &t);
    }
    if (!done)
        exb_inverse_bound_free(v);
    return done;
}

void exb_inverse_bound_free(exb_inverse_bound *v)
{
    exb_plain_factors_free(&v->factors);
    free(v->rest);
    v->rest = NULL;
}

/* y = M x of a triangle, with zeros outside. */
typedef enum { LOWER, UPPER } triangle;

static void multiply(int64_t n, const double *m, triangle t, const double *x, double *y)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t first = t == UPPER ? i : 0, last = t == LOWER ? i + 1 : n;
        y[i] = exb_plain_dot(last - first, m + i * n + first, x + first);
    }
}

/* y = M' x, by four rows at a time: a product goes through at most 3 + n / 4 + 3 operations. */
static void multiply_transposed(int64_t n, const double *m, triangle t, const double *x, double *y)
{
    memset(y, 0, (size_t)n * sizeof *y);
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        int64_t first = t == UPPER ? i : 0, last = t == LOWER ? i + 4 : n;
        exb_kernels_current()->lines->add_products(last - first, m + i * n + first, n, x + i,
                                                   y + first);
    }
    for (; i < n; i++)
        for (int64_t j = t == UPPER ? i : 0; j < (t == LOWER ? i + 1 : n); j++)
            y[j] += m[i * n + j] * x[i];
}

void exb_inverse_apply(const exb_inverse_bound *v, const double *x, double *y, double *work)
{
    multiply_transposed(v->n, v->factors.upper, UPPER, x, y);
    multiply_transposed(v->n, v->factors.lower, LOWER, y, work);
    for (int64_t i = 0; i < v->n; i++)
        y[v->factors.order[i]] = work[i];
}

void exb_inverse_apply_transposed(const exb_inverse_bound *v, const double *x, double *y,
                                  double *work)
{
    for (int64_t i = 0; i < v->n; i++)
        y[i] = x[v->factors.order[i]];
    multiply(v->n, v->factors.lower, LOWER, y, work);
    multiply(v->n, v->factors.upper, UPPER, work, y);
}

/* Of R x for |x - r| <= 2^-53 |r| + 2^-1074. Two products one after the other are n / 2 + 12
 * operations, n / 2 + 13 with the rounding of r: (n / 2 + 16) 2^-53 of |X_L'| |X_U'| e |r|_max, of
 * which `spread` is all but n 2^-52. */
double exb_inverse_product_error(const exb_inverse_bound *v, int64_t i)
{
    double rounding = ((double)v->n / 2 + 16) * 0x1p-53 * v->spread[i];
    return (rounding + v->apart[i]) * WIDENED;
}

/* |S^-1 d|_i <= |R d|_i + rest_i |R d|_max + apart_i |d|_max; |R| e is at most `spread`. */
double exb_inverse_sum(const exb_inverse_bound *v, int64_t i)
{
    return (v->spread[i] + v->rest[i] * v->most + v->apart[i]) * WIDENED;
}
