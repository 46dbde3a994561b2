#include "check.h"

#include "exact.h"
#include "format.h"
#include "random.h"
#include "tree.h"

#include <math.h>
#include <stdlib.h>

enum { N_KINDS = 4, N_RUNS = 48, N_SPAN_RUNS = 12 };

static const fprev_adder adders[] = {
    {0, false}, {1, false}, {2, false}, {3, false}, {FPREV_UNCUT, false},
    {0, true},  {1, true},  {2, true},  {3, true},  {FPREV_UNCUT, true},
};
enum { N_ADDERS = sizeof adders / sizeof *adders };

static double random_term(fprev_type type, int kind, uint64_t *state)
{
    if (kind == 3) /* half an ulp of 1, or less */
        return fprev_round(type,
                           ldexp(1 + fprev_random_unit(state), -fprev_formats[type].precision - 1));
    int spread = fprev_formats[type].max_exp < 100 ? 3 : 12;
    double x = fprev_random_unit(state) + 0x1p-30;
    if (kind != 1 && fprev_random(state) & 1)
        x = -x;
    if (kind == 2)
        x = ldexp(x, (int)fprev_random_below(state, 2 * spread) - spread);
    return fprev_round(type, x);
}

void fprev_random_terms(const fprev_function *f, int k, uint64_t *state, double *a, double *b)
{
    int kind = k % N_KINDS;
    for (int64_t i = 0; i < f->n_terms; i++) {
        a[i] = random_term(f->type, kind, state);
        if (b)
            b[i] = kind == 3 ? 1 : random_term(f->type, kind, state);
    }
    if (kind == 3)
        a[fprev_random_below(state, f->n_terms)] = 1;
}

static double exact_sum(const fprev_function *f, const double *a, const double *b)
{
    fprev_exact e;
    fprev_exact_clear(&e);
    for (int64_t i = 0; i < f->n_terms; i++)
        fprev_exact_add(&e, f->absolute ? fabs(a[i]) : a[i], f->product ? b[i] : 1, FPREV_NO_CUT);
    return fprev_exact_round(&e, f->result_type, true);
}

/* In one block, of which value is the beginning. */
typedef struct {
    long double *value;
    double *a, *b;
} buffers;

static bool allocate(buffers *s, const fprev_probe *p, const fprev_tree *t)
{
    size_t n = (size_t)p->f->n_terms, n_nodes = t ? (size_t)t->n_nodes : 0;
    s->value = malloc(n_nodes * sizeof *s->value + 2 * n * sizeof *s->a);
    if (!s->value)
        return false;
    s->a = (double *)(s->value + n_nodes);
    s->b = s->a + n;
    return true;
}

static double expected(const fprev_tree *t, const fprev_function *f, const fprev_adder *adder,
                       const buffers *s)
{
    return t ? fprev_tree_evaluate(t, f, adder, s->a, s->b, s->value) : exact_sum(f, s->a, s->b);
}

static double sum_of_absolutes(const fprev_function *f, const buffers *s)
{
    double sum = 0;
    for (int64_t i = 0; i < f->n_terms; i++)
        sum += fabs(f->product ? s->a[i] * s->b[i] : s->a[i]);
    return sum;
}

/* An error of the last rounding and errors of errors: 2u |sum| + 4n u^2 sum of absolutes. The
 * proven bounds have n^2, which random data does not come near. */
static double compensated_bound(const fprev_function *f, double exact, double sum)
{
    double u = ldexp(1, -fprev_formats[f->result_type].precision);
    return 2 * u * fabs(exact) + 4 * (double)f->n_terms * u * u * sum;
}

static void one_run(fprev_probe *p, const fprev_tree *t, const fprev_adder *adder, const buffers *s,
                    bool by_one, fprev_replay *r)
{
    double got = fprev_probe_on(p, s->a, s->b);
    double again = fprev_probe_call(p), want = expected(t, p->f, adder, s);
    r->runs++;
    r->unstable += got != again;
    r->mismatches += got != want; /* zeros of either sign are the same sum */
    double exact = exact_sum(p->f, s->a, s->b), sum = sum_of_absolutes(p->f, s);
    r->unfaithful += by_one && fabs(got - exact) > compensated_bound(p->f, exact, sum);
    r->error += fabs(got - exact) / sum / N_RUNS;
    r->tree_error += fabs(want - exact) / sum / N_RUNS;
}

static void replay_with(fprev_probe *p, const fprev_tree *t, uint64_t seed,
                        const fprev_adder *adder, const buffers *s, fprev_replay *r)
{
    *r = (fprev_replay){0};
    for (int k = 0; k < N_RUNS && p->status == FPREV_OK; k++) {
        fprev_random_terms(p->f, k, &seed, s->a, s->b);
        /* Compensated sums of rounded products are that only without rounded products. */
        bool by_one = !p->f->product || k / N_KINDS % 2;
        for (int64_t i = 0; !t && by_one && i < p->f->n_terms; i++)
            s->b[i] = 1;
        one_run(p, t, adder, s, by_one, r);
    }
}

void fprev_replay_tree(fprev_probe *p, const fprev_tree *t, uint64_t seed, fprev_adder *adder,
                       fprev_replay *replay)
{
    buffers s;
    *adder = (fprev_adder){FPREV_UNKNOWN, false};
    *replay = (fprev_replay){.runs = 1, .mismatches = 1};
    if (!allocate(&s, p, t)) {
        p->status = FPREV_E_NO_MEMORY;
    } else if (!t || !fprev_has_fused_nodes(t)) {
        replay_with(p, t, seed, adder, &s, replay);
    } else {
        for (int k = 0; k < N_ADDERS && replay->mismatches > 0; k++) {
            replay_with(p, t, seed, &adders[k], &s, replay);
            if (replay->mismatches == 0)
                *adder = adders[k];
        }
    }
    free(s.value);
    fprev_probe_fill(p, p->mask.unit_a, p->mask.unit_b);
}

/* Terms with exponents low ... low + span; from place `half` on, the negatives of what comes
 * before, except for the last; then all shuffled. */
static void wide_terms(const fprev_function *f, int low, int span, uint64_t *state, buffers *s)
{
    int64_t n = f->n_terms, half = (n - 1) / 2;
    for (int64_t i = 0; i < n; i++) {
        int e = low + (int)fprev_random_below(state, span);
        double x = fprev_round(f->type, ldexp(1 + fprev_random_unit(state), e));
        s->a[i] = i >= half && i < 2 * half ? -s->a[i - half] : x;
        s->b[i] = 1;
    }
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = fprev_random_below(state, i + 1);
        double x = s->a[i];
        s->a[i] = s->a[j];
        s->a[j] = x;
    }
}

/* A tie that a far smaller term breaks: errors of errors are not enough. */
static void broken_tie(const fprev_function *f, int top, uint64_t *state, buffers *s)
{
    int64_t n = f->n_terms, first = fprev_random_below(state, n);
    int precision = fprev_formats[f->result_type].precision;
    for (int64_t i = 0; i < n; i++) {
        s->a[i] = 0;
        s->b[i] = 1;
    }
    for (int k = 0; k < 3; k++)
        s->a[(first + k) % n] = ldexp(1, top - (k == 0   ? 0
                                                : k == 1 ? precision
                                                         : 2 * precision + 2));
}

static bool exact_in(fprev_probe *p, int low, int span, uint64_t *state, buffers *s)
{
    for (int k = 0; k < N_SPAN_RUNS; k++) {
        int precision = fprev_formats[p->f->result_type].precision;
        if (k < 4 && p->f->n_terms > 2 && span > 2 * precision + 2)
            broken_tie(p->f, low + span - 1, state, s);
        else
            wide_terms(p->f, low, span, state, s);
        double got = fprev_probe_on(p, s->a, s->b);
        if (p->status == FPREV_E_NAN) /* overflow on the way: not exact, and no more than that */
            p->status = FPREV_OK;
        if (p->status != FPREV_OK || got != exact_sum(p->f, s->a, s->b))
            return false;
    }
    return true;
}

int fprev_exact_span(fprev_probe *p, uint64_t seed, int *full)
{
    const fprev_format *in = &fprev_formats[p->f->type];
    int reserve = ilogb((double)p->f->n_terms) + 2; /* so that no exact sum overflows */
    int low = in->min_exp - in->precision + 1, high = in->max_exp - reserve, widest = 0;
    buffers s;
    *full = high - low;
    if (!allocate(&s, p, NULL))
        p->status = FPREV_E_NO_MEMORY;
    for (int span = in->precision; p->status == FPREV_OK;) {
        int base = span == *full || low + span / 2 > -span / 2 ? low : -span / 2;
        if (base + span > high)
            base = high - span;
        if (!exact_in(p, base, span, &seed, &s))
            break;
        widest = span;
        if (span == *full)
            break;
        span = 2 * span > *full ? *full : 2 * span;
    }
    free(s.value);
    fprev_probe_fill(p, p->mask.unit_a, p->mask.unit_b);
    return widest;
}
