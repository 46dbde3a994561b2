#include "lapack/scaled_system.h"

#include "core/kernels.h"
#include "core/memory.h"
#include "core/partition.h"
#include "lapack/exponents.h"

#include <stdlib.h>

enum { MOST_EXP2 = 1000 }; /* of a factor: larger ones take two steps, and are not worth them */

static bool are_factors(int64_t n, const int *exp2)
{
    for (int64_t i = 0; i < n; i++)
        if (exp2[i] > MOST_EXP2 || exp2[i] < -MOST_EXP2)
            return false;
    return true;
}

/* x times 2^exp2 and the factors, of which `back` has the reciprocals, to y; false if a bit is
 * lost.
 */
static bool scale_row(int64_t n, int exp2, const double *factor, const double *back,
                      const double *x, double *y)
{
    double f = exb_pow2(exp2), g = exb_pow2(-exp2);
    uint64_t lost = 0;
    for (int64_t j = 0; j < n; j++) {
        y[j] = x[j] * f * factor[j];
        lost |= exb_bits(y[j] * back[j] * g) ^ exb_bits(x[j]);
    }
    return lost == 0;
}

/* The exponents of rows, and of columns for what these make of them, in `most` the largest. */
static bool choose_exponents(exb_scaled_system *v, const double *a, double *most)
{
    int64_t n = v->n;
    memset(most, 0, (size_t)n * sizeof *most);
    for (int64_t i = 0; i < n; i++) {
        const double *row = a + i * n;
        v->row[i] = 1 - exb_top_exp2(exb_kernels_current()->d.line_peak(n, 1, n, row));
        if (!are_factors(1, v->row + i))
            return false;
        double factor = exb_pow2(v->row[i]);
        for (int64_t j = 0; j < n; j++)
            most[j] = exb_fabs(row[j]) * factor > most[j] ? exb_fabs(row[j]) * factor : most[j];
    }
    for (int64_t j = 0; j < n; j++)
        v->column[j] = 1 - exb_top_exp2(most[j]);
    return are_factors(n, v->column);
}

static bool scale_all(exb_scaled_system *v, const double *a, double *factor)
{
    int64_t n = v->n;
    double *back = factor + n;
    v->column = v->row + n;
    bool exact = choose_exponents(v, a, factor);
    for (int64_t j = 0; j < n && exact; j++) {
        factor[j] = exb_pow2(v->column[j]);
        back[j] = exb_pow2(-v->column[j]);
    }
    for (int64_t i = 0; i < n && exact; i++)
        exact = scale_row(n, v->row[i], factor, back, a + i * n, v->s + i * n);
    return exact;
}

bool exb_scaled_system_init(exb_scaled_system *v, int64_t n, const double *a)
{
    size_t size = (size_t)n;
    *v = (exb_scaled_system){.n = n, .layout = {1, n, 1, {1}}};
    v->s = exb_memory_get(size * size * sizeof *v->s);
    v->row = malloc(2 * size * sizeof *v->row);
    double *work = malloc(2 * size * sizeof *work);
    bool done = v->s && v->row && work && scale_all(v, a, work);
    free(work);
    if (!done)
        exb_scaled_system_free(v);
    return done;
}

void exb_scaled_system_free(exb_scaled_system *v)
{
    exb_memory_put(v->s);
    free(v->row);
    v->s = NULL;
    v->row = NULL;
}

bool exb_scale_right(const exb_scaled_system *v, const double *b, double *c, int *right)
{
    const double one = 1;
    bool exact = true;
    *right = -EXB_NO_BITS;
    for (int64_t i = 0; i < v->n; i++)
        *right = (int)exb_most(*right, exb_top_exp2(b[i]) - 1 + v->row[i]);
    *right = *right < -EXB_NO_BITS / 2 ? 0 : *right;
    for (int64_t i = 0; i < v->n && exact; i++) {
        int e = v->row[i] - *right;
        exact = are_factors(1, &e) && scale_row(1, e, &one, &one, b + i, c + i);
    }
    return exact;
}
