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

/* The largest magnitude, and the sum of all, in eight lanes. */
static double largest_magnitude(int64_t n, const double *x, double *sum_of_all)
{
    enum { LANES = 8 };
    double most[LANES] = {0}, sum[LANES] = {0};
    for (int64_t j = 0; j + LANES <= n; j += LANES)
        for (int l = 0; l < LANES; l++) {
            most[l] = exb_fabs(x[j + l]) > most[l] ? exb_fabs(x[j + l]) : most[l];
            sum[l] += exb_fabs(x[j + l]);
        }
    for (int64_t j = n / LANES * LANES; j < n; j++) {
        most[0] = exb_fabs(x[j]) > most[0] ? exb_fabs(x[j]) : most[0];
        sum[0] += exb_fabs(x[j]);
    }
    for (int l = 1; l < LANES; l++) {
        most[0] = most[l] > most[0] ? most[l] : most[0];
        sum[0] += sum[l];
    }
    *sum_of_all = sum[0];
    return most[0];
}

/* x times 2^exp2 to y; false if a bit is lost. */
static bool scale_elements(int64_t n, int exp2, const double *x, double *y)
{
    double factor = exb_power_of_two(exp2), back = exb_power_of_two(-exp2);
    uint64_t lost = 0;
    for (int64_t j = 0; j < n; j++) {
        y[j] = x[j] * factor;
        lost |= exb_bits(y[j] * back) ^ exb_bits(x[j]);
    }
    return lost == 0;
}

/* most_j: at least |y_j|. */
static void raise(int64_t n, const double *y, double *most)
{
    for (int64_t j = 0; j < n; j++)
        most[j] = exb_fabs(y[j]) > most[j] ? exb_fabs(y[j]) : most[j];
}

/* Scales the rows, and finds the largest element of each column then. */
static bool scale_rows(exb_scaled_system *v, const double *a, double *most)
{
    int64_t n = v->n;
    memset(most, 0, (size_t)n * sizeof *most);
    for (int64_t i = 0; i < n; i++) {
        double *row = v->s + i * n, sum;
        v->row[i] = -exponent_of(largest_magnitude(n, a + i * n, &sum));
        v->norm = sum > v->norm ? sum : v->norm;
        if (!are_factors(1, v->row + i) || !scale_elements(n, v->row[i], a + i * n, row))
            return false;
        raise(n, row, most);
    }
    return true;
}

enum { BLOCK = 16 }; /* columns */

/* Blocks of columns that are not scaled yet: few, where rows are many. */
static int64_t list_blocks(const exb_scaled_system *v, int64_t *list)
{
    int64_t n_listed = 0;
    for (int64_t j = 0; j < v->n; j += BLOCK) {
        int any = 0;
        for (int64_t k = j; k < v->n && k < j + BLOCK; k++)
            any |= v->column[k];
        if (any)
            list[n_listed++] = j;
    }
    return n_listed;
}

/* n elements of a row; the bits that are lost. */
EXB_INLINE uint64_t scale_block(int64_t n, const double *factor, const double *back, double *x)
{
    uint64_t lost = 0;
    for (int64_t j = 0; j < n; j++) {
        double old = x[j];
        x[j] = old * factor[j];
        lost |= exb_bits(x[j] * back[j]) ^ exb_bits(old);
    }
    return lost;
}

static bool scale_columns(exb_scaled_system *v, double *factor, double *back, int64_t *list)
{
    int64_t n = v->n, n_listed = list_blocks(v, list);
    uint64_t lost = 0;
    for (int64_t j = 0; j < n; j++) {
        factor[j] = exb_power_of_two(v->column[j]);
        back[j] = exb_power_of_two(-v->column[j]);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n_listed; k++) {
            int64_t j = list[k];
            double *x = v->s + i * n + j;
            lost |= j + BLOCK <= n ? scale_block(BLOCK, factor + j, back + j, x)
                                   : scale_block(n - j, factor + j, back + j, x);
        }
    return lost == 0;
}

static bool scale_all(exb_scaled_system *v, const double *a, double *work, int64_t *list)
{
    if (!scale_rows(v, a, work))
        return false;
    for (int64_t j = 0; j < v->n; j++)
        v->column[j] = -exponent_of(work[j]);
    return are_factors(v->n, v->column) && scale_columns(v, work, work + v->n, list);
}

bool exb_scaled_system_init(exb_scaled_system *v, int64_t n, const double *a)
{
    size_t size = (size_t)n;
    *v = (exb_scaled_system){.n = n, .layout = {1, n, 1, {1}}};
    v->s = exb_memory_get(size * size * sizeof *v->s);
    v->row = malloc(2 * size * sizeof *v->row);
    double *work = malloc(2 * size * sizeof *work);
    int64_t *list = malloc(size * sizeof *list);
    bool done = v->s && v->row && work && list;
    if (done) {
        v->column = v->row + n;
        done = scale_all(v, a, work, list);
    }
    free(work);
    free(list);
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
        if (!are_factors(1, &e) || !scale_elements(1, e, b + i, c + i))
            return false;
    }
    return true;
}
