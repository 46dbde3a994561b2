#include "lapack/inverse_bound.h"

#include "core/kernels.h"
#include "core/partition.h"
#include "lapack/plain_sums.h"
#include "lapack/residual_strips.h"

#include <stdlib.h>

/* Elements of R and its factors are below this, so that what underflows, a few times n^3 2^-1074,
 * stays below the 2^-700 that bounds are widened by. */
#define LARGEST 0x1p100
#define UNDERFLOW_LOSS 0x1p-700

/* More than the relative roundings of sums of n < 2^31 terms, none negative, thrice over. */
#define WIDENED (1 + 0x1p-18)

typedef enum { LOWER, UPPER } triangle;

/* y += |M'| x, x >= 0, for some rows of a triangle, of which `unit` says that the diagonal is 1 and
 * not stored: four at a time beside their square of the diagonal, and that. */
static void add_rows(int64_t n, exb_range rows, const double *m, triangle t, bool unit,
                     const double *x, double *y)
{
    for (int64_t i = rows.begin, next; i < rows.end; i = next) {
        next = exb_least(i + 4, rows.end);
        int64_t first = t == UPPER ? next : 0, last = t == UPPER ? n : i;
        exb_add_magnitudes(next - i, last - first, m + i * n + first, n, x + i, y + first);
        for (int64_t k = i; k < next; k++)
            for (int64_t j = t == UPPER ? k : i; j < (t == UPPER ? next : k + 1); j++)
                y[j] += unit && j == k ? x[k] : exb_fabs(m[k * n + j]) * x[k];
    }
}

/* y = |M'| x. */
static void multiply(int64_t n, const double *m, triangle t, bool unit, const double *x, double *y)
{
    memset(y, 0, (size_t)n * sizeof *y);
    add_rows(n, (exb_range){0, n}, m, t, unit, x, y);
}

/* Of numbers that are not NaN. */
static double largest_of(int64_t n, const double *x)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
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
    multiply(v->n, p->upper, UPPER, false, x, y);
    for (int64_t i = 0; i < v->n; i++)
        y[i] = y[i] < 1 ? 1 : y[i]; /* sums of |x_ij| times these are bounds on the |x_ij| */
    multiply(v->n, p->lower, LOWER, false, y, x);
    for (int64_t i = 0; i < v->n; i++)
        v->spread[p->order[i]] = x[i];
    v->most = largest_of(v->n, x);
    return exb_all_below(v->n, x, LARGEST) && exb_all_below(v->n, y, LARGEST);
}

/* Elements of the factors are at most what is summed here, those of L at most 1. */
static bool set_sums_of_factors(exb_inverse_bound *v, const vectors *t)
{
    const exb_plain_factors *p = &v->factors;
    for (int64_t i = 0; i < v->n; i++)
        t->x[i] = 1;
    multiply(v->n, p->lu, LOWER, true, t->x, t->l);
    multiply(v->n, p->lu, UPPER, false, t->l, t->u);
    return exb_inverse_spread(v, t->x, t->v) && exb_all_below(v->n, t->u, LARGEST);
}

/* From the bounds of the factors: |X_L'| c to y, c = g (l + 2 |X_U'| u). */
static bool bound_factors(exb_inverse_bound *v, const vectors *t)
{
    const exb_plain_factors *p = &v->factors;
    int64_t n = v->n;
    double g = exb_plain_factors_error(n);
    multiply(n, p->upper, UPPER, false, t->u, t->c);
    for (int64_t i = 0; i < n; i++)
        t->c[i] = g * (t->l[i] + 2 * t->c[i]);
    multiply(n, p->lower, LOWER, false, t->c, t->y);
    return set_rest(v, t->y);
}

/* y += |X_L'| c for some columns of X_L' and W. False if an element becomes larger than `most`: y
 * is what it was then. */
static bool add_columns(const exb_inverse_bound *v, exb_range columns, double most,
                        const vectors *t)
{
    int64_t n = v->n;
    memcpy(t->z, t->y, (size_t)n * sizeof *t->y);
    add_rows(n, columns, v->factors.lower, LOWER, false, t->c, t->z);
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

/* |X_L'| (g l + |W'| e), column by column: the first ones as bounded, while sums are small. */
static bool bound_product(exb_inverse_bound *v, const exb_residual_strips *r, const vectors *t)
{
    enum { STEP = 16 };
    exb_range columns = {0, STEP};
    memset(t->y, 0, (size_t)v->n * sizeof *t->y);
    for (; columns.end <= v->n && add_columns(v, columns, 0.2, t); columns.end += STEP)
        columns.begin = columns.end;
    v->first = columns.begin;
    for (; columns.begin < v->n; columns.begin = columns.end) {
        columns.end = exb_least(v->n, columns.begin + EXB_RESIDUAL_WIDTH);
        set_sums(v, r, columns, t);
        if (!add_columns(v, columns, 0.9, t))
            return false;
    }
    return set_rest(v, t->y);
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
