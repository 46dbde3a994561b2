#include "lapack/inverse_bound.h"

#include "core/memory.h"
#include "core/partition.h"
#include "lapack/plain_dot.h"
#include "lapack/plain_update.h"
#include "lapack/residual_rows.h"

#include <stdlib.h>

/* Elements of R and its factors are below this, so that what underflows, a few times n^3 2^-1074,
 * stays below the 2^-700 that bounds are widened by. */
#define LARGEST 0x1p100
#define UNDERFLOW_LOSS 0x1p-700

/* More than the relative roundings of sums of n < 2^31 terms, none negative, thrice over. */
#define WIDENED (1 + 0x1p-18)

/* y = |M| x for a lower triangle, of which `unit` says that the diagonal is 1 and not stored. */
static void multiply_lower(int64_t n, const double *m, bool unit, const double *x, double *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = exb_plain_magnitude(unit ? i : i + 1, m + i * n, x) + (unit ? x[i] : 0);
}

static void multiply_upper(int64_t n, const double *m, const double *x, double *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = exb_plain_magnitude(n - i, m + i * n + i, x + i);
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

/* rest = |X_U| |X_L| f / (1 - |f|_max) with f = F e, in the order of P. The three vectors have n
 * elements. Elements of X_L, X_U and U are at most sums of their rows, those of L at most 1. */
static bool bound_factors(exb_inverse_bound *v, double *x, double *y, double *f)
{
    const exb_plain_factors *p = &v->factors;
    int64_t n = v->n;
    double g = exb_plain_factors_error(n), norm = 0;
    for (int64_t i = 0; i < n; i++)
        x[i] = 1;
    multiply_lower(n, p->lower, false, x, y);
    multiply_upper(n, p->upper, y, v->spread);
    raise_to_one(n, v->spread);
    multiply_upper(n, p->lu, v->spread, x);
    if (!are_small(n, y) || !are_small(n, v->spread) || !are_small(n, x))
        return false;
    for (int64_t i = 0; i < n; i++)
        y[i] += 2 * x[i];
    multiply_lower(n, p->lu, true, y, f);
    for (int64_t i = 0; i < n; i++) {
        f[i] = g * f[i] * WIDENED + UNDERFLOW_LOSS;
        if (!(f[i] < 0.9))
            return false;
        norm = f[i] > norm ? f[i] : norm;
    }
    multiply_lower(n, p->lower, false, f, x);
    multiply_upper(n, p->upper, x, v->rest);
    for (int64_t i = 0; i < n; i++)
        v->rest[i] = v->rest[i] / (1 - norm) * WIDENED + UNDERFLOW_LOSS;
    return true;
}

/* X_U X_L by blocks, without the zeros of both, negated. */
static void multiply_triangles(int64_t n, const exb_plain_factors *p, double *product)
{
    enum { ROWS = 128, COLUMNS = 256 };
    memset(product, 0, (size_t)(n * n) * sizeof *product);
    for (int64_t i = 0; i < n; i += ROWS)
        for (int64_t j = 0; j < n; j += COLUMNS) {
            int64_t k = i > j ? i : j;
            exb_plain_update(exb_least(ROWS, n - i), exb_least(COLUMNS, n - j), n - k,
                             p->upper + i * n + k, n, p->lower + k * n + j, n, product + i * n + j,
                             n, p->work);
        }
}

/* R = X_U X_L P, by way of `work`. */
static void multiply_out(exb_inverse_bound *v, double *work)
{
    const exb_plain_factors *p = &v->factors;
    int64_t n = v->n;
    multiply_triangles(n, p, work);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            v->r[i * n + p->order[j]] = -work[i * n + j];
}

/* From the sums of the rows of |R S - I|, in `rest`. */
static bool bound_rows(exb_inverse_bound *v)
{
    double norm = 0;
    for (int64_t i = 0; i < v->n; i++) {
        double sum = v->rest[i], spread = 0;
        for (int64_t j = 0; j < v->n; j++)
            spread += exb_fabs(v->r[i * v->n + j]);
        v->spread[i] = spread;
        if (!(sum < 0.49))
            return false;
        v->rest[i] = sum * WIDENED + UNDERFLOW_LOSS;
        norm = v->rest[i] > norm ? v->rest[i] : norm;
    }
    for (int64_t i = 0; i < v->n; i++)
        v->rest[i] = v->rest[i] / (1 - norm) * WIDENED;
    return are_small(v->n * v->n, v->r);
}

static bool bound_product(exb_inverse_bound *v, const double *s)
{
    size_t n = (size_t)v->n;
    v->r = exb_memory_get(n * n * sizeof *v->r);
    double *work = exb_memory_get(n * n * sizeof *work);
    bool done = v->r && work;
    if (done)
        multiply_out(v, work);
    exb_memory_put(work);
    return done && exb_residual_rows(v->n, v->r, s, v->rest) && bound_rows(v);
}

bool exb_inverse_bound_init(exb_inverse_bound *v, int64_t n, const double *s)
{
    *v = (exb_inverse_bound){.n = n};
    double *work = malloc(5 * (size_t)n * sizeof *work);
    bool done = false;
    v->rest = work;
    v->spread = work + n;
    if (work && exb_plain_factors_init(&v->factors, n, s))
        done = bound_factors(v, work + 2 * n, work + 3 * n, work + 4 * n) || bound_product(v, s);
    if (!done)
        exb_inverse_bound_free(v);
    return done;
}

void exb_inverse_bound_free(exb_inverse_bound *v)
{
    exb_plain_factors_free(&v->factors);
    exb_memory_put(v->r);
    free(v->rest);
    v->r = v->rest = NULL;
}

/* y = M x of a matrix or of its triangle. */
typedef enum { WHOLE, LOWER, UPPER } triangle;

static void multiply(int64_t n, const double *m, triangle t, const double *x, double *y)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t first = t == UPPER ? i : 0, last = t == LOWER ? i + 1 : n;
        y[i] = exb_plain_dot(last - first, m + i * n + first, x + first);
    }
}

static void multiply_transposed(int64_t n, const double *m, triangle t, const double *x, double *y)
{
    memset(y, 0, (size_t)n * sizeof *y);
    for (int64_t i = 0; i < n; i++) {
        int64_t first = t == UPPER ? i : 0, last = t == LOWER ? i + 1 : n;
        for (int64_t j = first; j < last; j++)
            y[j] += m[i * n + j] * x[i];
    }
}

void exb_inverse_apply(const exb_inverse_bound *v, const double *x, double *y, double *work)
{
    if (v->r) {
        multiply(v->n, v->r, WHOLE, x, y);
        return;
    }
    for (int64_t i = 0; i < v->n; i++)
        y[i] = x[v->factors.order[i]];
    multiply(v->n, v->factors.lower, LOWER, y, work);
    multiply(v->n, v->factors.upper, UPPER, work, y);
}

void exb_inverse_apply_transposed(const exb_inverse_bound *v, const double *x, double *y,
                                  double *work)
{
    if (v->r) {
        multiply_transposed(v->n, v->r, WHOLE, x, y);
        return;
    }
    multiply_transposed(v->n, v->factors.upper, UPPER, x, y);
    multiply_transposed(v->n, v->factors.lower, LOWER, y, work);
    for (int64_t i = 0; i < v->n; i++)
        y[v->factors.order[i]] = work[i];
}

/* Of R x for |x - r| <= 2^-53 |r| + 2^-1074. A sum of n products in eight lanes has at most n / 8 +
 * 15 roundings in each (plain_dot.h: a multiplication, n / 8 and up to 7 additions in a lane, 7 of
 * lanes), two of them one after the other n / 4 + 31 with that of x: (n / 4 + 36) 2^-53 of |X_U|
 * |X_L| e |r|_max, of which `spread` is all but n 2^-52. */
double exb_inverse_product_error(const exb_inverse_bound *v, int64_t i)
{
    return ((double)v->n / 4 + 36) * 0x1p-53 * v->spread[i] * WIDENED;
}
