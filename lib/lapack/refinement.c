/* Types: d. */
#include "lapack/refinement.h"

#include "core/partition.h"
#include "core/thread.h"
#include "level1/reduce.h"

#include <stdlib.h>

bool exb_refinement_init(exb_refinement *f, const exb_scaled_system *s, const exb_inverse_bound *v,
                         exb_format format)
{
    size_t n = (size_t)s->n;
    *f = (exb_refinement){.system = s, .bound = v, .format = format};
    f->c = malloc((EXB_MOST_TERMS + 3) * n * sizeof *f->c);
    f->residual = malloc(n * sizeof *f->residual);
    if (!f->c || !f->residual) {
        exb_refinement_free(f);
        return false;
    }
    f->rounded = f->c + n;
    f->work = f->rounded + n;
    f->term = f->work + n;
    double work = 4 * (double)n * (double)n;
    f->n_ranges = exb_partition_count(work, s->n);
    return true;
}

void exb_refinement_free(exb_refinement *f)
{
    free(f->c);
    free(f->residual);
    f->c = NULL;
    f->residual = NULL;
}

static double *term_at(const exb_refinement *f, int k)
{
    return f->term + (int64_t)k * f->system->n;
}

/* residual -= S term_k for the last term; the residual's RN. */
static void residual_range(void *ctx, int64_t range)
{
    exb_refinement *f = ctx;
    int64_t n = f->system->n;
    const double *minus_term = f->work;
    const exb_method *method = exb_method_current();
    exb_range r = exb_partition_range(n, f->n_ranges, (int)range);
    for (int64_t i = r.begin; i < r.end; i++) {
        exb_superacc *acc = &f->residual[i].acc;
        exb_dreduction dot = exb_ddot_of(n, f->system->s + i * n, 1, minus_term, 1);
        exb_dreduce_exact(&dot, method, acc);
        exb_superacc_normalize(acc);
        f->rounded[i] = exb_superacc_round_d(acc);
    }
}

/* |term_i - (R r)_i|. */
static double product_error(const exb_refinement *f, int64_t i)
{
    return exb_inverse_product_error(f->bound, i) * f->residual_most + 0x1p-700;
}

/* The next term, and bounds on |r|_max and |R r|_max. */
static void compute_term(exb_refinement *f)
{
    double *term = term_at(f, f->n_terms);
    exb_inverse_apply(f->bound, f->rounded, term, f->work);
    f->most = f->residual_most = 0;
    for (int64_t i = 0; i < f->system->n; i++) {
        double r = exb_fabs(f->rounded[i]);
        f->residual_most = r > f->residual_most ? r : f->residual_most;
    }
    f->residual_most = f->residual_most * (1 + 0x1p-52) + 0x1p-1000;
    for (int64_t i = 0; i < f->system->n; i++) {
        double m = exb_fabs(term[i]) + product_error(f, i);
        f->most = m > f->most ? m : f->most;
    }
    f->n_terms++;
}

/* What component i of the solution may differ by from the sum of its terms; widened for the six
 * roundings here and those of `most`. */
static double error_of(const exb_refinement *f, int64_t i)
{
    double rest = f->bound->rest[i] * f->most;
    return (product_error(f, i) + rest) * (1 + 0x1p-40);
}

static bool round_enclosure(exb_format format, double h, double l, double e, double *x)
{
    float single = 0;
    if (format.n_bits == 53)
        return exb_certify_d(h, l, e, x);
    bool done = exb_certify_s(h, l, e, &single);
    *x = single;
    return done;
}

/* RN of the accumulator in the format, as a double. */
static double round_acc(exb_format format, exb_superacc *acc)
{
    exb_superacc_normalize(acc);
    return format.n_bits == 53 ? exb_superacc_round_d(acc) : (double)exb_superacc_round_s(acc);
}

/* The terms of component j times 2^exp2, added up exactly; scaling loses at most 2^-1074 of each.
 */
static void add_terms(const exb_refinement *f, int64_t j, double factor, exb_superacc *acc)
{
    for (int k = 0; k < f->n_terms; k++)
        exb_superacc_add(acc, term_at(f, k)[j] * factor);
}

/* RN is monotone: equal results at both ends of the interval hold for all of it. -0 is not +0. */
static bool round_exactly(const exb_refinement *f, int64_t j, double factor, double e, double *x)
{
    exb_sum_acc low, high;
    exb_sum_acc_init(&low);
    exb_sum_acc_init(&high);
    add_terms(f, j, factor, &low.acc);
    add_terms(f, j, factor, &high.acc);
    exb_superacc_add(&low.acc, -e);
    exb_superacc_add(&high.acc, e);
    double lo = round_acc(f->format, &low.acc), hi = round_acc(f->format, &high.acc);
    *x = lo;
    return exb_bits(lo) == exb_bits(hi) && exb_fabs(lo) <= DBL_MAX;
}

/* The last terms added up in plain arithmetic, and the errors of that. */
static double add_corrections(const exb_refinement *f, int64_t j, double *error)
{
    double l = 0;
    *error = 0;
    for (int k = f->n_terms - 1; k > 0; k--) {
        double lost;
        l = exb_two_sum(l, term_at(f, k)[j], &lost);
        *error += exb_fabs(lost);
    }
    return l;
}

/* Component j times 2^exp2 as h + l +- e, a plain test first. The scaling by a power of two loses
 * less than 2^-1020 to underflow, for which both tests have room. */
static bool round_component(const exb_refinement *f, int64_t j, double *x)
{
    int exp2 = f->exp2 + f->system->column[j];
    double lost;
    if (exp2 > 1000 || exp2 < -1000)
        return false;
    double factor = exb_power_of_two(exp2);
    double e = error_of(f, j) * factor, h = term_at(f, 0)[j] * factor;
    double l = add_corrections(f, j, &lost) * factor;
    if (round_enclosure(f->format, h, l, e + lost * factor * (1 + 0x1p-40), x))
        return true;
    if (!(e < exb_fabs(h + l)) || !exb_certifiable(h + l))
        return false;
    return round_exactly(f, j, factor, e * (1 + 0x1p-50) + EXB_UNDERFLOW_LOSS, x);
}

/* All residuals are 0: the terms are the solution. Rounded only where scaling is exact. */
static bool round_sum(const exb_refinement *f, int64_t j, double *x)
{
    exb_sum_acc sum;
    int exp2 = f->exp2 + f->system->column[j];
    if (exp2 > 1000 || exp2 < -1000)
        return false;
    double factor = exb_power_of_two(exp2), back = exb_power_of_two(-exp2);
    for (int k = 0; k < f->n_terms; k++) {
        double term = term_at(f, k)[j];
        if (term * factor * back != term)
            return false;
    }
    add_terms(f, j, factor, exb_sum_acc_init(&sum));
    *x = round_acc(f->format, &sum.acc);
    return true;
}

static bool is_exact(const exb_refinement *f)
{
    for (int64_t i = 0; i < f->system->n; i++)
        if (f->rounded[i] != 0 || exb_superacc_sign(&f->residual[i].acc) != 0)
            return false;
    return true;
}

static int64_t round_wanted(exb_refinement *f, bool *wanted, double *x,
                            bool (*round)(const exb_refinement *f, int64_t j, double *x))
{
    int64_t n_left = 0;
    for (int64_t j = 0; j < f->system->n; j++) {
        double result;
        if (wanted[j] && round(f, j, &result)) {
            x[j] = result;
            wanted[j] = false;
            f->n_more += f->n_terms > 3;
        }
        n_left += wanted[j];
    }
    return n_left;
}

static void update_residual(exb_refinement *f)
{
    const double *term = term_at(f, f->n_terms - 1);
    for (int64_t i = 0; i < f->system->n; i++)
        f->work[i] = -term[i];
    exb_parallel_for(f->n_ranges, f->n_ranges, residual_range, f);
}

static void start(exb_refinement *f)
{
    f->n_terms = 0;
    for (int64_t i = 0; i < f->system->n; i++) {
        exb_superacc_add(exb_product_acc_init(&f->residual[i]), f->c[i]);
        f->rounded[i] = f->c[i];
    }
    compute_term(f);
}

void exb_refine(exb_refinement *f, const double *b, bool *wanted, double *x)
{
    if (!exb_scale_right(f->system, b, f->c, &f->exp2))
        return;
    start(f);
    while (f->n_terms < EXB_MOST_TERMS) {
        double before = f->most;
        update_residual(f);
        if (is_exact(f)) {
            round_wanted(f, wanted, x, round_sum);
            return;
        }
        compute_term(f);
        if (round_wanted(f, wanted, x, round_component) == 0 || !(f->most < before))
            return;
    }
}
