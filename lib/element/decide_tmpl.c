/* Types: s d c z. */
#include "element/decide.h"

#include "core/partition.h"

#if !EXB_IS_COMPLEX
exb_enclosure exb_t(terms_in_three_parts)(const exb_t(terms) *t, int k)
{
    exb_t(run_space) space;
    exb_t(reduction) run;
    exb_three_parts sum = exb_no_parts();
    for (int64_t at = 0; t->next(t->of, k, &at, &space, &run);)
        if (!exb_t(reduce_triple)(&run, &sum))
            return exb_enclosure_unknown();
    return exb_t(three_parts_enclosure)(&sum);
}

void exb_t(add_terms)(const exb_t(terms) *t, int k, const exb_method *method, bool by_threads,
                      exb_superacc *acc)
{
    exb_t(run_space) space;
    exb_t(reduction) run;
    for (int64_t at = 0; t->next(t->of, k, &at, &space, &run);)
        (by_threads ? exb_t(reduce_exact_threads) : exb_t(reduce_exact))(&run, method, acc);
}
#endif

/* --- three steps -------------------------------------------------------------------- */

static exb_enclosure filter(const exb_t(question) *q, int k)
{
    exb_p(run_space) space;
    exb_p(reduction) run;
    exb_enclosure v = exb_enclosure_exact(0);
    for (int64_t at = 0; q->terms.next(q->terms.of, k, &at, &space, &run);)
        v = exb_enclosure_add(
            v, (q->by_threads ? exb_p(reduce_filter_threads) : exb_p(reduce_filter))(&run));
    return v;
}

static exb_enclosure add_in_three_parts(const exb_t(question) *q, int k)
{
    return exb_p(terms_in_three_parts)(&q->terms, k);
}

static EXB_NOINLINE unsigned decide_by(exb_enclosure (*step)(const exb_t(question) *q, int k),
                                       const exb_t(question) *q, exb_real *r)
{
    exb_enclosure sum[EXB_LINE_SUMS];
    for (int k = 0; k < q->line.n_sums; k++)
        sum[k] = step(q, k);
    return exb_t(decide_known)(q, sum, r);
}

static EXB_NOINLINE void add_exactly(const exb_t(question) *q, unsigned open, exb_real *r)
{
    exb_product_acc storage[EXB_LINE_SUMS];
    exb_superacc *sum[EXB_LINE_SUMS];
    for (int k = 0; k < q->line.n_sums; k++) {
        sum[k] = exb_product_acc_init(&storage[k]);
        exb_p(add_terms)(&q->terms, k, q->method, q->by_threads, sum[k]);
    }
    exb_t(decide_exact)(q, sum, open, r);
}

/* Three parts are for what is exact, which quotients of complex numbers seldom are. */
static bool suits_three_parts(const exb_t(question) *q)
{
    return !EXB_IS_COMPLEX || q->form != EXB_OF_QUOTIENT || !q->divisor;
}

/* The parts in `open`; returns those that stay so. */
static unsigned decide_rest(const exb_t(question) *q, unsigned open, exb_real *r)
{
    exb_real x[EXB_PARTS];
    unsigned rest = decide_by(add_in_three_parts, q, x);
    for (int k = 0; k < EXB_PARTS; k++)
        if ((open & ~rest) >> k & 1)
            r[k] = x[k];
    return open & rest;
}

static exb_decision decide_apart(const exb_t(question) *q, const exb_enclosure *known, exb_real *r)
{
    unsigned open = (1 << EXB_PARTS) - 1;
    if (q->method->filter) {
        open = known ? exb_t(decide_known)(q, known, r) : decide_by(filter, q, r);
        if (!open)
            return EXB_BY_FILTER;
        if (suits_three_parts(q) && !(open = decide_rest(q, open, r)))
            return EXB_BY_THREE_PARTS;
    }
    add_exactly(q, open, r);
    return EXB_EXACTLY;
}

exb_decision exb_t(decide)(const exb_t(question) *q, const exb_enclosure *known, exb_real *r)
{
    exb_real x[EXB_PARTS];
    exb_decision decision = decide_apart(q, known, x);
    memcpy(r, x, sizeof x);
    return decision;
}

/* --- forms -------------------------------------------------------------------------- */

unsigned exb_t(decide_known)(const exb_t(question) *q, const exb_enclosure *sum, exb_real *r)
{
    if (q->form == EXB_OF_ROOT)
        return !exb_round_enclosure(exb_root_of(sum[0]), r);
    if (q->form == EXB_OF_QUOTIENT)
        return exb_t(quotient_round)(&q->line, q->c, q->divisor, sum, r);
    return exb_t(line_round)(&q->line, q->is_real, sum, q->c, r);
}

void exb_t(decide_exact)(const exb_t(question) *q, exb_superacc *const *sum, unsigned open,
                         exb_real *r)
{
    if (q->form == EXB_OF_QUOTIENT)
        exb_t(residual_exactly)(&q->line, q->c, sum);
    for (int k = 0; k < EXB_PARTS; k++)
        if (open >> k & 1)
            r[k] = q->form == EXB_OF_LINE   ? exb_t(line_exactly)(&q->line, k, sum, q->c)
                   : q->form == EXB_OF_ROOT ? exb_round_root(sum[k])
                   : q->divisor             ? exb_t(divide_exactly)(k, sum, q->divisor->d)
                                            : exb_round_superacc(sum[k]);
    if (q->is_real)
        r[EXB_PARTS - 1] = 0;
}

/* --- many --------------------------------------------------------------------------- */

uint64_t exb_t(decide_values)(const exb_line *line, int n, const exb_enclosure *v,
                              const exb_real *y, int64_t incy, exb_real *r)
{
    double h[EXB_DECIDED], l[EXB_DECIDED], e[EXB_DECIDED], old[EXB_DECIDED];
    for (int i = 0; i < exb_round_up(n, 8); i++) {
        exb_enclosure s = i < n ? v[i] : exb_enclosure_exact(0);
        h[i] = s.h;
        l[i] = s.l;
        e[i] = s.exact ? 0 : s.e <= DBL_MIN ? DBL_MIN : s.e; /* 0 says that the value is exact */
        if (!exb_is_zero(line->beta))
            old[i] = i < n ? (double)y[i / EXB_PARTS * EXB_PARTS * incy + i % EXB_PARTS] : 0;
    }
    exb_column column = {.h = h, .l = l, .e = e};
    return exb_t(whole_elements)(exb_t(decide_column)(line, n, &column, old, r));
}
