#include "lapack/residual_strips.h"

#include "core/memory.h"
#include "lapack/plain_sums.h"
#include "lapack/plain_update.h"

typedef exb_residual_strips strips;

enum { WIDTH = EXB_RESIDUAL_WIDTH };

/* x = high + low: the nearest multiple of the unit, and the rest. */
EXB_INLINE void split_number(double unit, double x, double *high, double *low)
{
    double h = (x + 0x1.8p52 * unit) - 0x1.8p52 * unit;
    *low = x - h;
    *high = h;
}

bool exb_residual_strips_init(strips *r, const exb_plain_factors *f, const double *s)
{
    int64_t n = f->n;
    int log2_n = 0;
    while ((int64_t)1 << log2_n < n)
        log2_n++;
    *r = (strips){.factors = f, .n_bits = (53 - log2_n) / 2};
    r->s_high = exb_memory_get((size_t)(2 * n * n + (3 * WIDTH + 1) * n) * sizeof *r->s_high);
    if (!r->s_high)
        return false;
    r->s_low = r->s_high + n * n;
    r->w = r->s_low + n * n;
    r->x_high = r->w + WIDTH * n;
    r->x_low = r->x_high + WIDTH * n;
    r->ones = r->x_low + WIDTH * n;
    for (int64_t i = 0; i < n; i++)
        r->ones[i] = 1;
    exb_kernels_current()->d.transpose(n, n, s, n, r->s_high, n);
    double unit = ldexp(2, -r->n_bits);
    for (int64_t i = 0; i < n * n; i++)
        split_number(unit, r->s_high[i], &r->s_high[i], &r->s_low[i]);
    return true;
}

void exb_residual_strips_free(strips *r)
{
    exb_memory_put(r->s_high);
}

/* X1, X2 and the units of the columns. */
static void split_columns(const strips *r, exb_range columns, double *unit)
{
    const exb_plain_factors *f = r->factors;
    int64_t n = columns.end - columns.begin;
    for (int64_t j = 0; j < n; j++)
        unit[j] = 0x1p-800;
    for (int64_t k = 0; k < columns.end; k++)
        for (int64_t j = 0; j < n; j++)
            unit[j] = fmax(unit[j], exb_fabs(f->upper[k * f->n + columns.begin + j]));
    for (int64_t j = 0; j < n; j++) {
        int exp2;
        frexp(unit[j], &exp2);
        unit[j] = ldexp(1, exp2 - r->n_bits);
    }
    for (int64_t k = 0; k < columns.end; k++)
        for (int64_t j = 0; j < n; j++)
            split_number(unit[j], f->upper[k * f->n + columns.begin + j], &r->x_high[k * n + j],
                         &r->x_low[k * n + j]);
}

/* W -= A X. */
static void subtract_product(const strips *r, exb_range columns, const double *a, const double *x,
                             int64_t ldx)
{
    int64_t m = r->factors->n, n = columns.end - columns.begin;
    exb_plain_update(m, n, columns.end, a, m, x, ldx, r->w, n, r->factors->work);
}

/* W += L, whose row i belongs to row order_i of S'. */
static void add_factor(const strips *r, exb_range columns)
{
    const exb_plain_factors *f = r->factors;
    int64_t n = columns.end - columns.begin;
    for (int64_t i = columns.begin; i < f->n; i++) {
        double *row = r->w + f->order[i] * n;
        int64_t diagonal = i - columns.begin;
        for (int64_t j = 0; j < exb_least(diagonal, n); j++)
            row[j] += f->lu[i * f->n + columns.begin + j];
        if (diagonal < n)
            row[diagonal] += 1;
    }
}

/* W, and the units of the columns. */
static void compute_strip(const strips *r, exb_range columns, double *unit)
{
    const exb_plain_factors *f = r->factors;
    int64_t n = columns.end - columns.begin;
    memset(r->w, 0, (size_t)(f->n * n) * sizeof *r->w);
    split_columns(r, columns, unit);
    subtract_product(r, columns, r->s_high, r->x_high, n);
    add_factor(r, columns);
    subtract_product(r, columns, r->s_high, r->x_low, n);
    subtract_product(r, columns, r->s_low, f->upper + columns.begin, f->n);
}

void exb_residual_strips_sum(const strips *r, exb_range columns, double *sums)
{
    const exb_plain_factors *f = r->factors;
    int64_t n = columns.end - columns.begin, subtractions = exb_tasks_of(f->n, EXB_UPDATE_TERMS);
    double unit[WIDTH], x[WIDTH] = {0}, m = (double)f->n;
    double g =
        (double)(EXB_UPDATE_RUN + EXB_UPDATE_RUNS + 1 + 2 * subtractions) * 0x1p-53 * (1 + 0x1p-20);
    compute_strip(r, columns, unit);
    memset(sums, 0, (size_t)n * sizeof *sums);
    exb_add_magnitudes(f->n, n, r->w, n, r->ones, sums);
    exb_add_magnitudes(columns.end, n, f->upper + columns.begin, f->n, r->ones, x);
    for (int64_t j = 0; j < n; j++) {
        x[j] = m * (m * unit[j] + ldexp(x[j], -r->n_bits));
        sums[j] += g * (sums[j] + x[j]);
    }
}
