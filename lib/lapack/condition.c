#include "lapack/condition.h"

#include <stdlib.h>

typedef struct {
    const exb_scaled_system *s;
    const exb_inverse_bound *inverse;
    double *x, *y, *work;
} estimate;

static void scale_vector(int64_t n, const int *exp2, double *x)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = ldexp(x[i], exp2[i]);
}

/* y = A^-T x, which changes x; A^-1 = D_column R D_row. */
static void apply_inverse_transposed(const estimate *e)
{
    scale_vector(e->s->n, e->s->column, e->x);
    exb_inverse_apply_transposed(e->inverse, e->x, e->y, e->work);
    scale_vector(e->s->n, e->s->row, e->y);
}

/* The component of A^-1 y that is the largest; x and y change. */
static int64_t largest_of_solution(const estimate *e)
{
    int64_t at = 0;
    scale_vector(e->s->n, e->s->row, e->y);
    exb_inverse_apply(e->inverse, e->y, e->x, e->work);
    scale_vector(e->s->n, e->s->column, e->x);
    for (int64_t i = 0; i < e->s->n; i++)
        at = exb_fabs(e->x[i]) > exb_fabs(e->x[at]) ? i : at;
    return at;
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
    int64_t n = e->s->n, at = -1;
    double best = 0;
    for (int64_t i = 0; i < n; i++)
        e->x[i] = 1 / (double)n;
    for (int step = 0; step < MOST_STEPS; step++) {
        int64_t last = at;
        apply_inverse_transposed(e);
        double sum = take_signs(e);
        if (step > 0 && !(sum > best))
            break;
        best = sum;
        at = largest_of_solution(e);
        if (at == last)
            break;
        memset(e->x, 0, (size_t)n * sizeof *e->x);
        e->x[at] = 1;
    }
    return best;
}

/* |A|, about. */
static double norm_of(const exb_scaled_system *s, double *factor)
{
    double norm = 0;
    for (int64_t j = 0; j < s->n; j++)
        factor[j] = ldexp(1, -s->column[j]);
    for (int64_t i = 0; i < s->n; i++) {
        const double *row = s->s + i * s->layout.ld;
        double sum = 0;
        for (int w = 0; w < s->layout.n_words; w++, row += s->n)
            for (int64_t j = 0; j < s->n; j++)
                sum += exb_fabs(row[j] * s->layout.scale[w]) * factor[j];
        sum = ldexp(sum, -s->row[i]);
        norm = sum > norm ? sum : norm;
    }
    return norm;
}

double exb_condition(const exb_scaled_system *s, const exb_inverse_bound *v)
{
    int64_t n = s->n;
    double *x = malloc(3 * (size_t)n * sizeof *x);
    if (!x)
        return INFINITY;
    estimate e = {s, v, x, x + n, x + 2 * n};
    double condition = norm_of(s, x) * inverse_norm(&e);
    free(x);
    return condition <= DBL_MAX ? condition : INFINITY; /* NaN: beyond the range on the way */
}
