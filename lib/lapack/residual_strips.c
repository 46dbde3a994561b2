#include "lapack/residual_strips.h"

#include "core/memory.h"
#include "lapack/plain_sums.h"
#include "lapack/plain_update.h"

typedef exb_residual_strips strips;

enum { WIDTH = EXB_RESIDUAL_WIDTH };

bool exb_residual_strips_init(strips *r, const exb_plain_factors *f, const double *s)
{
    int64_t n = f->n;
    *r = (strips){.factors = f};
    r->s = exb_memory_get((size_t)(n * n + (3 * WIDTH + 2) * n) * sizeof *r->s);
    if (!r->s)
        return false;
    r->w = r->s + n * n;
    r->high = r->w + WIDTH * n;
    r->low = r->high + WIDTH * n;
    r->row_sums = r->low + WIDTH * n;
    r->ones = r->row_sums + n;
    for (int64_t i = 0; i < n; i++) {
        r->ones[i] = 1;
        r->row_sums[i] = 0;
    }
    exb_kernels_current()->d.transpose(n, n, s, n, r->s, n);
    exb_add_magnitudes(n, n, r->s, n, r->ones, r->row_sums);
    return true;
}

void exb_residual_strips_free(strips *r)
{
    exb_memory_put(r->s);
    exb_memory_put(r->s_low);
}

/* x = high + low: the nearest multiple of the unit, and the rest. */
EXB_INLINE void split_number(double unit, double x, double *high, double *low)
{
    double h = (x + 0x1.8p52 * unit) - 0x1.8p52 * unit;
    *low = x - h;
    *high = h;
}

bool exb_residual_strips_split(strips *r)
{
    int64_t n = r->factors->n;
    int log2_n = 0;
    while ((int64_t)1 << log2_n < n)
        log2_n++;
    r->s_low = exb_memory_get((size_t)(n * n) * sizeof *r->s_low);
    r->n_bits = (53 - log2_n) / 2;
    double unit = ldexp(2, -r->n_bits);
    for (int64_t i = 0; i < n * n && r->s_low; i++)
        split_number(unit, r->s[i], &r->s[i], &r->s_low[i]);
    return r->s_low;
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
            split_number(unit[j], f->upper[k * f->n + columns.begin + j], &r->high[k * n + j],
                         &r->low[k * n + j]);
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

/* Sums of the computed |w|. x: of what Lemma 1 adds to them, the sums of products. */
static void add_sums(const strips *r, exb_range columns, const double *unit, double *x,
                     double *sums)
{
    const exb_plain_factors *f = r->factors;
    int64_t n = columns.end - columns.begin;
    double m = (double)f->n;
    memset(sums, 0, (size_t)n * sizeof *sums);
    memset(x, 0, (size_t)n * sizeof *x);
    exb_add_magnitudes(f->n, n, r->w, n, r->ones, sums);
    exb_add_magnitudes(columns.end, n, f->upper + columns.begin, f->n,
                       r->s_low ? r->ones : r->row_sums, x);
    for (int64_t j = 0; j < n && r->s_low; j++)
        x[j] = m * (m * unit[j] + ldexp(x[j], -r->n_bits));
}

/* W, in parts with the units of the columns. */
static void compute_strip(const strips *r, exb_range columns, double *unit)
{
    const exb_plain_factors *f = r->factors;
    const double *upper = f->upper + columns.begin;
    int64_t n = columns.end - columns.begin;
    memset(r->w, 0, (size_t)(f->n * n) * sizeof *r->w);
    if (r->s_low) {
        split_columns(r, columns, unit);
        subtract_product(r, columns, r->s, r->high, n);
        add_factor(r, columns);
        subtract_product(r, columns, r->s, r->low, n);
        subtract_product(r, columns, r->s_low, upper, f->n);
    } else {
        add_factor(r, columns);
        subtract_product(r, columns, r->s, upper, f->n);
    }
}

void exb_residual_strips_sum(const strips *r, exb_range columns, double *sums)
{
    int64_t n = columns.end - columns.begin;
    int64_t subtractions = exb_tasks_of(r->factors->n, EXB_UPDATE_TERMS);
    double unit[WIDTH], x[WIDTH];
    compute_strip(r, columns, unit);
    add_sums(r, columns, unit, x, sums);
    double g =
        (double)(EXB_UPDATE_RUN + EXB_UPDATE_RUNS + 1 + 2 * subtractions) * 0x1p-53 * (1 + 0x1p-20);
    for (int64_t j = 0; j < n; j++)
        sums[j] += g * (sums[j] + x[j]);
}
