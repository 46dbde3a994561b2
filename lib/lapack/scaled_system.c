#include "lapack/scaled_system.h"

#include "core/memory.h"

#include <stdlib.h>

enum { MOST_EXP2 = 1000 }; /* of a factor: larger ones take two steps, and are not worth them */

/* floor(log2 x), for x > 0, or of 0 a number below all others. */
static int exponent_of(double x)
{
    exb_decomposed d = exb_split(x);
    return d.significand ? d.exp2 + 63 - exb_leading_zeros(d.significand) : -4096;
}

static bool are_factors(int64_t n, const int *exp2)
{
    for (int64_t i = 0; i < n; i++)
        if (exp2[i] > MOST_EXP2 || exp2[i] < -MOST_EXP2)
            return false;
    return true;
}

static void choose_rows(exb_scaled_system *v, const double *a)
{
    for (int64_t i = 0; i < v->n; i++) {
        double most = 0;
        for (int64_t j = 0; j < v->n; j++)
            most = exb_fabs(a[i * v->n + j]) > most ? exb_fabs(a[i * v->n + j]) : most;
        v->row[i] = -exponent_of(most);
    }
}

/* x times 2^exp2 to y; false if a bit is lost. */
static bool scale(int64_t n, int exp2, const double *x, double *y)
{
    double factor = exb_power_of_two(exp2), back = exb_power_of_two(-exp2);
    bool exact = true;
    for (int64_t j = 0; j < n; j++) {
        y[j] = x[j] * factor;
        exact &= y[j] * back == x[j];
    }
    return exact;
}

static bool scale_rows(exb_scaled_system *v, const double *a)
{
    bool exact = are_factors(v->n, v->row);
    for (int64_t i = 0; i < v->n && exact; i++)
        exact = scale(v->n, v->row[i], a + i * v->n, v->s + i * v->n);
    return exact;
}

static void choose_columns(exb_scaled_system *v, double *most)
{
    int64_t n = v->n;
    memset(most, 0, (size_t)n * sizeof *most);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double m = exb_fabs(v->s[i * n + j]);
            most[j] = m > most[j] ? m : most[j];
        }
    for (int64_t j = 0; j < n; j++)
        v->column[j] = -exponent_of(most[j]);
}

static bool scale_columns(exb_scaled_system *v, double *factor, double *back)
{
    int64_t n = v->n;
    bool exact = true;
    for (int64_t j = 0; j < n; j++) {
        factor[j] = exb_power_of_two(v->column[j]);
        back[j] = exb_power_of_two(-v->column[j]);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double old = v->s[i * n + j];
            v->s[i * n + j] = old * factor[j];
            exact &= v->s[i * n + j] * back[j] == old;
        }
    return exact;
}

static bool scale_all(exb_scaled_system *v, const double *a, double *work)
{
    choose_rows(v, a);
    if (!scale_rows(v, a))
        return false;
    choose_columns(v, work);
    return are_factors(v->n, v->column) && scale_columns(v, work, work + v->n);
}

bool exb_scaled_system_init(exb_scaled_system *v, int64_t n, const double *a)
{
    size_t size = (size_t)n;
    *v = (exb_scaled_system){.n = n};
    v->s = exb_memory_get(size * size * sizeof *v->s);
    v->row = malloc(2 * size * sizeof *v->row);
    double *work = malloc(2 * size * sizeof *work);
    bool done = v->s && v->row && work;
    if (done) {
        v->column = v->row + n;
        done = scale_all(v, a, work);
    }
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
    *right = -4096;
    for (int64_t i = 0; i < v->n; i++) {
        int e = exponent_of(b[i]) + v->row[i];
        *right = b[i] != 0 && e > *right ? e : *right;
    }
    *right = *right == -4096 ? 0 : *right;
    for (int64_t i = 0; i < v->n; i++) {
        int e = v->row[i] - *right;
        if (!are_factors(1, &e) || !scale(1, e, b + i, c + i))
            return false;
    }
    return true;
}
