#include "lapack/inverse_bound.h"

#include "core/memory.h"
#include "core/partition.h"
#include "lapack/plain_dot.h"
#include "lapack/residual_columns.h"

#include <stdlib.h>

/* Elements of R and its factors are below this, so that what underflows, a few times n^3 2^-1074,
 * stays below the 2^-700 that bounds are widened by. */
#define LARGEST 0x1p100
#define UNDERFLOW_LOSS 0x1p-700

/* What residues may leave open of a row of R S - I. */
#define OPEN 0.05

/* More than the relative roundings of sums of n < 2^31 terms, none negative, thrice over. */
#define WIDENED (1 + 0x1p-18)

/* y += |m| x, for x >= 0. */
static void add_magnitudes(int64_t n, const double *m, double x, double *y)
{
    for (int64_t j = 0; j < n; j++)
        y[j] += exb_fabs(m[j]) * x;
}

/* y = |M'| x for a lower triangle, of which `unit` says that the diagonal is 1 and not stored. */
static void multiply_lower(int64_t n, const double *m, bool unit, const double *x, double *y)
{
    memset(y, 0, (size_t)n * sizeof *y);
    for (int64_t i = 0; i < n; i++) {
        add_magnitudes(unit ? i : i + 1, m + i * n, x[i], y);
        y[i] += unit ? x[i] : 0;
    }
}

static void multiply_upper(int64_t n, const double *m, const double *x, double *y)
{
    memset(y, 0, (size_t)n * sizeof *y);
    for (int64_t i = 0; i < n; i++)
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

/* spread = |X_L'| |X_U'| e, and l = |L'| e, u = |U'| l. Elements of the factors are at most what is
 * summed here, those of L at most 1. */
static bool set_spread(exb_inverse_bound *v, double *l, double *u, double *work)
{
    const exb_plain_factors *p = &v->factors;
    int64_t n = v->n;
    for (int64_t i = 0; i < n; i++)
        work[i] = 1;
    multiply_lower(n, p->lu, true, work, l);
    multiply_upper(n, p->lu, l, u);
    multiply_upper(n, p->upper, work, v->rest);
    raise_to_one(n, v->rest);
    multiply_lower(n, p->lower, false, v->rest, work);
    for (int64_t i = 0; i < n; i++) {
        v->spread[p->order[i]] = work[i];
        v->most = work[i] > v->most ? work[i] : v->most;
    }
    return are_small(n, u) && are_small(n, v->rest) && are_small(n, work);
}

/* From the bounds of the factors: g |X_L'| (l + 2 |X_U'| u). */
static bool bound_factors(exb_inverse_bound *v, const double *l, const double *u, double *x,
                          double *y)
{
    const exb_plain_factors *p = &v->factors;
    int64_t n = v->n;
    double g = exb_plain_factors_error(n);
    multiply_upper(n, p->upper, u, x);
    for (int64_t i = 0; i < n; i++)
        x[i] = g * (l[i] + 2 * x[i]);
    multiply_lower(n, p->lower, false, x, y);
    return set_rest(v, y);
}

/* P S'. */
static void permute(const exb_inverse_bound *v, const double *s, double *ps)
{
    enum { SIDE = 16 };
    int64_t n = v->n;
    for (int64_t j0 = 0; j0 < n; j0 += SIDE)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = j0; j < exb_least(n, j0 + SIDE); j++)
                ps[i * n + j] = s[j * n + v->factors.order[i]];
}

/* From what P S' X_U is: |X_L'| (g l + |W'| e). The part of |W'| e that residues leave open is
 * multiplied by the sums of |X_L'|. */
static bool bound_product(exb_inverse_bound *v, const double *s, const double *l, double *x,
                          double *y)
{
    const exb_plain_factors *p = &v->factors;
    int64_t n = v->n;
    double g = exb_plain_factors_error(n), most = 1;
    double *ps = exb_memory_get((size_t)(n * n) * sizeof *ps);
    for (int64_t i = 0; i < n; i++)
        x[i] = 1;
    multiply_lower(n, p->lower, false, x, y);
    for (int64_t i = 0; i < n; i++)
        most = y[i] > most ? y[i] : most;
    if (ps)
        permute(v, s, ps);
    bool done = ps && exb_residual_columns(n, ps, p->upper, p->lu, OPEN / most, x);
    exb_memory_put(ps);
    for (int64_t i = 0; i < n && done; i++)
        x[i] += g * l[i];
    if (done)
        multiply_lower(n, p->lower, false, x, y);
    return done && set_rest(v, y);
}

bool exb_inverse_bound_init(exb_inverse_bound *v, int64_t n, const double *s)
{
    *v = (exb_inverse_bound){.n = n};
    double *work = malloc(6 * (size_t)n * sizeof *work);
    bool done = false;
    v->rest = work;
    v->spread = work + n;
    if (work && exb_plain_factors_init(&v->factors, n, s)) {
        double *l = work + 2 * n, *u = l + n, *x = u + n, *y = x + n;
        done = set_spread(v, l, u, x) &&
               (bound_factors(v, l, u, x, y) || bound_product(v, s, l, x, y));
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
        const double *r = m + i * n;
        for (int64_t j = first; j < last; j++)
            y[j] += (r[j] * x[i] + r[n + j] * x[i + 1]) +
                    (r[2 * n + j] * x[i + 2] + r[3 * n + j] * x[i + 3]);
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
    return ((double)v->n / 2 + 16) * 0x1p-53 * v->spread[i] * WIDENED;
}

/* |S^-1 d|_i <= |R d|_i + rest_i |R d|_max, and |R| e is at most `spread`. */
double exb_inverse_sum(const exb_inverse_bound *v, int64_t i)
{
    return (v->spread[i] + v->rest[i] * v->most) * WIDENED;
}
