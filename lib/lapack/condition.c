#include "lapack/condition.h"

#include "lapack/exponents.h"

#include <stdlib.h>

typedef struct {
    const exb_scaled_system *s;
    const exb_inverse_bound *inverse;
    double *x, *y, *z, *work;
} estimate;

static void scale_vector(int64_t n, const int *exp2, double *x)
{
    for (int64_t i = 0; i < n; i++)
        x[i] *= exb_power_of_two(exp2[i]);
}

/* y = A^-T x, z = A^-1 y; A^-1 = D_column R D_row. Both change what they are given. */
static void apply_inverse_transposed(const estimate *e)
{
    memcpy(e->z, e->x, (size_t)e->s->n * sizeof *e->z);
    scale_vector(e->s->n, e->s->column, e->z);
    exb_inverse_apply_transposed(e->inverse, e->z, e->y, e->work);
    scale_vector(e->s->n, e->s->row, e->y);
}

static void apply_inverse(const estimate *e)
{
    scale_vector(e->s->n, e->s->row, e->y);
    exb_inverse_apply(e->inverse, e->y, e->z, e->work);
    scale_vector(e->s->n, e->s->column, e->z);
}

/* The sum of |y|; y becomes its signs. */
static double take_signs(const estimate *e)
{
    double sum = 0;
    for (int64_t i = 0; i < e->s->n; i++) {
        sum += exb_fabs(e->y[i]);
        e->y[i] = e->y[i] < 0 ? -1 : 1;
    }
    return sum;
}

/* |A^-1| is the largest sum of |A^-T x| over the unit vectors x: uphill from their mean, until a
 * step leads nowhere. */
static double inverse_norm(const estimate *e)
{
    enum { MOST_STEPS = 5 };
    int64_t n = e->s->n, last = -1;
    double best = 0;
    for (int64_t i = 0; i < n; i++)
        e->x[i] = 1 / (double)n;
    for (int step = 0; step < MOST_STEPS; step++) {
        apply_inverse_transposed(e);
        double sum = take_signs(e);
        if (step > 0 && !(sum > best))
            break;
        best = sum;
        apply_inverse(e);
        int64_t at = 0;
        for (int64_t i = 0; i < n; i++)
            at = exb_fabs(e->z[i]) > exb_fabs(e->z[at]) ? i : at;
        if (at == last)
            break;
        last = at;
        memset(e->x, 0, (size_t)n * sizeof *e->x);
        e->x[at] = 1;
    }
    return best;
}

double exb_condition(const exb_scaled_system *s, const exb_inverse_bound *v)
{
    size_t n = (size_t)s->n;
    double *x = malloc(4 * n * sizeof *x);
    if (!x)
        return INFINITY;
    estimate e = {s, v, x, x + n, x + 2 * n, x + 3 * n};
    double condition = s->norm * inverse_norm(&e);
    free(x);
    return condition;
}
