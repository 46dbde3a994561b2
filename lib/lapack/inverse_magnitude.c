#include "lapack/inverse_magnitude.h"

#include "core/kernels.h"
#include "core/memory.h"
#include "core/partition.h"
#include "lapack/plain_update.h"
#include "level1/kernels/plain_lines.h"

/* Rows of X_L at a time, and of those where the other factor or they have zeros. */
enum { STEP = EXB_UPDATE_TERMS, SMALL_STEP = 64 };

/* -X_U X_L, n rows of n. */
typedef struct {
    const exb_plain_factors *f;
    double *product;
} work;

/* Rows r, columns c: less the elements of X_U in the columns k times those of X_L in the rows k. */
static void subtract(const work *w, exb_range r, exb_range c, exb_range k)
{
    const exb_plain_factors *f = w->f;
    int64_t n = f->n;
    exb_plain_update(r.end - r.begin, c.end - c.begin, k.end - k.begin,
                     f->upper + r.begin * n + k.begin, n, f->lower + k.begin * n + c.begin, n,
                     w->product + r.begin * n + c.begin, n, f->work);
}

/* Columns k of X_U and rows k of X_L end at k: all rows and columns before k, and those in k. */
static void subtract_step(const work *w, exb_range k)
{
    exb_range before = {0, k.begin};
    subtract(w, before, before, k);
    for (int64_t i = k.begin; i < k.end; i += SMALL_STEP) {
        exb_range part = {i, exb_least(k.end, i + SMALL_STEP)};
        subtract(w, (exb_range){k.begin, part.end}, (exb_range){0, part.end}, part);
        subtract(w, before, (exb_range){k.begin, part.end}, part);
    }
}

/* sums_j = y_j + the sum of |product_ij| x_i; rows and columns from `end` on are zeros. Returns the
 * largest. */
static double add_sums(const work *w, int64_t end, const double *x, const double *y, double *sums)
{
    int64_t n = w->f->n;
    double most = 0;
    memcpy(sums, y, (size_t)n * sizeof *sums);
    int64_t i = 0;
    for (; i + 4 <= end; i += 4)
        exb_kernels_current()->lines->add_magnitudes(end, w->product + i * n, n, x + i, sums);
    for (; i < end; i++)
        for (int64_t j = 0; j < end; j++)
            sums[j] += exb_fabs(w->product[i * n + j]) * x[i];
    for (int64_t j = 0; j < n; j++)
        most = sums[j] > most ? sums[j] : most;
    return most;
}

/* Sums of a step's 64 products are less than those of their magnitudes by a factor of 3 to 15,
 * where it was looked at: is the step worth taking? sums: n elements to work with. */
static bool may_do(const work *w, exb_range k, const double *magnitudes, double limit, double *sums)
{
    int64_t n = w->f->n;
    double most = 0;
    memset(sums, 0, (size_t)n * sizeof *sums);
    for (int64_t i = k.begin; i + 4 <= k.end; i += 4)
        exb_kernels_current()->lines->add_magnitudes(k.end, w->f->lower + i * n, n, magnitudes + i,
                                                     sums);
    for (int64_t j = 0; j < k.end; j++)
        most = sums[j] > most ? sums[j] : most;
    return most <= 16 * limit;
}

int64_t exb_inverse_magnitude(const exb_plain_factors *f, int64_t first, const double *x,
                              const double *magnitudes, double limit, bool patient, double *y)
{
    int64_t n = f->n, end = first, step = patient ? STEP : SMALL_STEP;
    work w = {f, exb_memory_get((size_t)(n * n + 2 * n) * sizeof *w.product)};
    if (!w.product)
        return first;
    double *before = w.product + n * n, *sums = before + n;
    bool within = true;
    memset(w.product, 0, (size_t)(n * n) * sizeof *w.product);
    memcpy(before, y, (size_t)n * sizeof *before);
    for (int64_t k = first; k < n && (within || patient); k += step) {
        exb_range part = {k, exb_least(n, k + step)};
        if (!patient && !may_do(&w, part, magnitudes, limit, sums))
            break;
        subtract_step(&w, part);
        within = add_sums(&w, part.end, x, before, sums) <= limit;
        if (within) {
            memcpy(y, sums, (size_t)n * sizeof *y);
            end = part.end;
        }
    }
    exb_memory_put(w.product);
    return end;
}

/* Each product goes through the roundings of an update (plain_update.h), and one for each update of
 * its element. */
double exb_inverse_magnitude_error(int64_t n)
{
    int64_t subtractions = exb_tasks_of(n, SMALL_STEP);
    double lost = (double)(EXB_UPDATE_RUN + EXB_UPDATE_RUNS + subtractions) * 0x1p-53;
    return lost / (1 - lost) * (1 + 0x1p-20);
}
