#include "lapack/refinement.h"

#include "core/arith/anchor.h"
#include "core/arith/round.h"
#include "core/method.h"
#include "lapack/exponents.h"

#include <stdlib.h>

bool exb_refinement_init(exb_refinement *f, const exb_scaled_system *s, const exb_inverse_bound *v,
                         exb_format format)
{
    size_t n = (size_t)s->n;
    *f = (exb_refinement){.system = s, .bound = v, .format = format, .n_results = s->n};
    f->c = malloc((EXB_MOST_TERMS + 2) * n * sizeof *f->c);
    if (!f->c || !exb_residual_init(&f->residual, s->n, s->s, &s->layout)) {
        exb_refinement_free(f);
        return false;
    }
    f->work = f->c + n;
    f->term = f->work + n;
    return true;
}

void exb_refinement_free(exb_refinement *f)
{
    exb_residual_free(&f->residual);
    free(f->c);
    f->c = NULL;
}

static double *term_at(const exb_refinement *f, int k)
{
    return f->term + (int64_t)k * f->system->n;
}

/* |term_i - (R r)_i| for the computed residual. */
static double product_error(const exb_refinement *f, int64_t i)
{
    return exb_inverse_product_error(f->bound, i) * f->residual.most + 0x1p-700;
}

/* The next term, and a bound on |R r|_max. */
static void compute_term(exb_refinement *f)
{
    double *term = term_at(f, f->n_terms);
    exb_inverse_apply(f->bound, f->residual.value, term, f->work);
    f->most = 0;
    for (int64_t i = 0; i < f->system->n; i++) {
        double m = exb_fabs(term[i]) + product_error(f, i);
        f->most = m > f->most ? m : f->most;
    }
    f->n_terms++;
}

/* What component i of the solution may differ by from the sum of its terms; widened for the
 * roundings here and those of `most`. */
static double error_of(const exb_refinement *f, int64_t i)
{
    double rest = f->bound->rest[i] * f->most;
    double unknown = exb_inverse_sum(f->bound, i) * f->residual.error;
    return (product_error(f, i) + rest + unknown) * (1 + 0x1p-40);
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

/* The terms of result j times the factor, added up exactly; scaling loses at most 2^-1074 of each.
 */
static void add_terms(const exb_refinement *f, int64_t j, double factor, exb_superacc *acc)
{
    int64_t begin = f->v ? 0 : j, end = f->v ? f->system->n : j + 1;
    for (int k = 0; k < f->n_terms; k++)
        for (int64_t i = begin; i < end; i++)
            exb_superacc_add_product(acc, term_at(f, k)[i] * factor,
                                     f->v ? f->v[i * f->n_results + j] : 1);
}

/* RN is monotone: equal results at both ends of the interval hold for all of it. -0 is not +0. */
static bool round_exactly(const exb_refinement *f, int64_t j, double factor, double e, double *x)
{
    exb_product_acc sum;
    add_terms(f, j, factor, exb_product_acc_init(&sum));
    exb_superacc_add(&sum.acc, -e);
    double lo = exb_superacc_round(f->format, &sum.acc);
    exb_superacc_add(&sum.acc, e);
    exb_superacc_add(&sum.acc, e);
    double hi = exb_superacc_round(f->format, &sum.acc);
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

/* Result j is a multiple by 2^exponent; false if that is not in reach. */
static bool has_exponent(const exb_refinement *f, int64_t j, int *exp2)
{
    *exp2 = f->exp2 + (f->v ? 0 : f->system->column[j]);
    return *exp2 <= 1000 && *exp2 >= -1000;
}

/* Component j of V y: what it may differ by from that of the terms, which is *about. */
static double error_of_product(const exb_refinement *f, int64_t j, double *about)
{
    double e = 0;
    *about = 0;
    for (int64_t i = 0; i < f->system->n; i++) {
        double v = f->v[i * f->n_results + j];
        e += exb_fabs(v) * error_of(f, i);
        *about += v * term_at(f, 0)[i];
    }
    return e * (1 + 0x1p-18);
}

/* Component j times 2^exp2 as h + l +- e, a plain test first. The scaling by a power of two loses
 * less than 2^-1020 to underflow, for which both tests have room. */
static bool round_component(const exb_refinement *f, int64_t j, double *x)
{
    int exp2;
    double lost = 0, h, e, l = 0;
    if (!has_exponent(f, j, &exp2))
        return false;
    double factor = exb_pow2(exp2);
    if (f->v) {
        e = error_of_product(f, j, &h);
        *x = 0;
        if (e == 0) /* column j of V' is 0 */
            return true;
    } else {
        e = error_of(f, j);
        h = term_at(f, 0)[j];
        l = add_corrections(f, j, &lost) * factor;
    }
    e *= factor;
    h *= factor;
    if (!f->v && round_enclosure(f->format, h, l, e + lost * factor * (1 + 0x1p-40), x))
        return true;
    if (!(e < exb_fabs(h + l) * exb_pow2(1 - f->format.n_bits)) || !exb_certifiable(h + l))
        return false;
    return round_exactly(f, j, factor, e * (1 + 0x1p-50) + EXB_UNDERFLOW_LOSS, x);
}

/* All residuals are 0: the terms are the solution. Rounded only where scaling is exact. */
static bool round_sum(const exb_refinement *f, int64_t j, double *x)
{
    exb_product_acc sum;
    int exp2;
    if (!has_exponent(f, j, &exp2))
        return false;
    double factor = exb_pow2(exp2), back = exb_pow2(-exp2);
    for (int64_t i = f->v ? 0 : j; i < (f->v ? f->system->n : j + 1); i++)
        for (int k = 0; k < f->n_terms; k++)
            if (term_at(f, k)[i] * factor * back != term_at(f, k)[i])
                return false;
    add_terms(f, j, factor, exb_product_acc_init(&sum));
    *x = exb_superacc_round(f->format, &sum.acc);
    return true;
}

static int64_t round_wanted(exb_refinement *f, bool *wanted, double *x,
                            bool (*round)(const exb_refinement *f, int64_t j, double *x))
{
    int64_t n_left = 0;
    for (int64_t j = 0; j < f->n_results; j++) {
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

/* What is not known of the residual is in the way of more terms, or will soon be. */
static bool needs_exact(const exb_refinement *f, double before)
{
    const exb_residual *r = &f->residual;
    bool helps = r->error < 0x1p-20 * r->most && f->most < before;
    return !r->exact && (!helps || !exb_method_current()->filter);
}

void exb_refine(exb_refinement *f, const double *c, bool *wanted, double *x)
{
    f->n_terms = 0;
    exb_residual_start(&f->residual, c);
    compute_term(f);
    double before = INFINITY;
    while (f->n_terms < EXB_MOST_TERMS) {
        bool renewed = needs_exact(f, before);
        if (!renewed && !(f->most < before))
            return;
        if (!renewed)
            exb_residual_subtract(&f->residual, term_at(f, f->n_terms - 1));
        else if (!exb_residual_make_exact(&f->residual, f->n_terms, f->term))
            return;
        if (exb_residual_is_zero(&f->residual)) {
            round_wanted(f, wanted, x, round_sum);
            return;
        }
        before = renewed ? INFINITY : f->most;
        compute_term(f);
        if (round_wanted(f, wanted, x, round_component) == 0)
            return;
    }
}
