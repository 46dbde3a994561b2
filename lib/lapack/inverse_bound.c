#include "lapack/inverse_bound.h"

#include "core/kernels.h"
#include "core/memory.h"
#include "core/partition.h"
#include "lapack/plain_dot.h"
#include "lapack/residual_strips.h"
#include "level1/kernels/plain_lines.h"

#include <stdlib.h>

/* Elements of R and its factors are below this, so that what underflows, a few times n^3 2^-1074,
 * stays below the 2^-700 that bounds are widened by. */
#define LARGEST 0x1p100
#define UNDERFLOW_LOSS 0x1p-700

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
static double largest_of(int64_t n, const double *x)
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
    double *l, *u, *v; /* |L'| e, |U'| l, at least |X_U'| e */
    double *c;         /* at least |W'| e, by way of |L| and |U| */
    double *x, *y, *z; /* working memory */
} vectors;

bool exb_inverse_spread(exb_inverse_bound *v, double *x, double *y)
{
    const exb_plain_factors *p = &v->factors;
    for (int64_t i = 0; i < v->n; i++)
        x[i] = 1;
    multiply_upper(v->n, p->upper, x, y);
    raise_to_one(v->n, y);
    multiply_lower(v->n, p->lower, false, y, x);
    for (int64_t i = 0; i < v->n; i++)
        v->spread[p->order[i]] = x[i];
    v->most = largest_of(v->n, x);
    return are_small(v->n, x) && are_small(v->n, y);
}

/* Elements of the factors are at most what is summed here, those of L at most 1. */
static bool set_sums_of_factors(exb_inverse_bound *v, const vectors *t)
{
    const exb_plain_factors *p = &v->factors;
    for (int64_t i = 0; i < v->n; i++)
        t->x[i] = 1;
    multiply_lower(v->n, p->lu, true, t->x, t->l);
    multiply_upper(v->n, p->lu, t->l, t->u);
    return exb_inverse_spread(v, t->x, t->v) && are_small(v->n, t->u);
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

/* How the sums of columns of |W| become known, from the cheapest way on, in steps of how many
 * columns, and what sums of rows may be by then. */
typedef enum { BOUNDED, PLAIN, SPLIT, WAYS } way;
static const int64_t step_of[WAYS] = {16, 96, EXB_RESIDUAL_WIDTH};
static const double most_of[WAYS] = {0.2, 0.5, 0.9};

/* y += |X_L'| c for some columns of X_L' and W. False if an element becomes larger than `most`: y
 * is what it was then. */
static bool add_columns(const exb_inverse_bound *v, exb_range columns, double most,
                        const vectors *t)
{
    int64_t n = v->n;
    memcpy(t->z, t->y, (size_t)n * sizeof *t->y);
    add_lower(n, columns.begin, columns.end, v->factors.lower, false, t->c, t->z);
    if (!(largest_of(n, t->z) <= most))
        return false;
    memcpy(t->y, t->z, (size_t)n * sizeof *t->y);
    return true;
}

/* g l and the sums of columns of |W|, to c. */
static void set_sums(const exb_inverse_bound *v, const exb_residual_strips *r, exb_range columns,
                     const vectors *t)
{
    double g = exb_plain_factors_error(v->n);
    exb_residual_strips_sum(r, columns, t->c + columns.begin);
    for (int64_t j = columns.begin; j < columns.end; j++)
        t->c[j] = (t->c[j] + g * t->l[j]) * WIDENED + UNDERFLOW_LOSS;
}

/* Adds columns from `first` on, while sums are what they may be; the first that was not added. */
static int64_t add_in_steps(const exb_inverse_bound *v, const exb_residual_strips *r, way w,
                            int64_t first, const vectors *t)
{
    exb_range columns = {first, first};
    while (columns.begin < v->n) {
        columns.end = exb_least(v->n, columns.begin + step_of[w]);
        if (w != BOUNDED)
            set_sums(v, r, columns, t);
        if (!add_columns(v, columns, most_of[w], t))
            break;
        columns.begin = columns.end;
    }
    return columns.begin;
}

/* |X_L'| (g l + |W'| e), column by column. */
static bool bound_product(exb_inverse_bound *v, exb_residual_strips *r, const vectors *t)
{
    memset(t->y, 0, (size_t)v->n * sizeof *t->y);
    v->first = add_in_steps(v, r, BOUNDED, 0, t);
    int64_t first = add_in_steps(v, r, PLAIN, v->first, t);
    if (first < v->n && exb_residual_strips_split(r))
        first = add_in_steps(v, r, SPLIT, first, t);
    return first == v->n && set_rest(v, t->y);
}

/* The first way that proves it. */
static bool bound_inverse(exb_inverse_bound *v, const double *s, const vectors *t)
{
    if (!set_sums_of_factors(v, t))
        return false;
    v->first = v->n;
    if (bound_factors(v, t))
        return true;
    exb_residual_strips r;
    bool done = exb_residual_strips_init(&r, &v->factors, s) && bound_product(v, &r, t);
    exb_residual_strips_free(&r);
    return done;
}

bool exb_inverse_bound_init(exb_inverse_bound *v, int64_t n, const double *s)
{
    enum { ARRAYS = 9 };
    *v = (exb_inverse_bound){.n = n};
    double *work = malloc(ARRAYS * (size_t)n * sizeof *work);
    bool done = false;
    v->rest = work;
    if (work && exb_plain_factors_init(&v->factors, n, s)) {
        v->spread = work + n;
        double *l = v->spread + n;
        vectors t = {l, l + n, l + 2 * n, l + 3 * n, l + 4 * n, l + 5 * n, l + 6 * n};
        done = bound_inverse(v, s, &t);
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

static void multiply_triangle(int64_t n, const double *m, triangle t, const double *x, double *y)
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
    multiply_triangle(v->n, v->factors.lower, LOWER, y, work);
    multiply_triangle(v->n, v->factors.upper, UPPER, work, y);
}

/* Of R x for |x - r| <= 2^-53 |r| + 2^-1074. Two products one after the other are n / 2 + 12
 * operations, n / 2 + 13 with the rounding of r: (n / 2 + 16) 2^-53 of |X_L'| |X_U'| e |r|_max, of
 * which `spread` is all but n 2^-52. */
double exb_inverse_product_error(const exb_inverse_bound *v, int64_t i)
{
    return ((double)v->n / 2 + 16) * 0x1p-53 * v->spread[i] * WIDENED;
}

/* |S^-1 d|_i <= |R d|_i + rest_i |R d|_max; |R| e is at most `spread`. */
double exb_inverse_sum(const exb_inverse_bound *v, int64_t i)
{
    return (v->spread[i] + v->rest[i] * v->most) * WIDENED;
}
