/* Single elements of a product: for those that an engine could not decide.
 * Types: s d. */
#include "level1/reduce.h"
#include "level3/product.h"

/* The scalar product of parts l0 ... l0 + nl - 1 of row i and column j. */
static exb_t(reduction) pair_terms(const exb_t(product) *p, int64_t i, int64_t j, int64_t l0,
                                   int64_t nl, exb_real *row, exb_real *column)
{
    exb_t(elements) a = exb_t(operand_at)(&p->a, i, 1, l0, nl, row);
    exb_t(elements) b = exb_t(operand_at)(&p->b, j, 1, l0, nl, column);
    return exb_t(dot_of)(nl, a.p, a.ls, b.p, b.ls);
}

/* How many terms go at once: all of dense vectors. */
static int64_t terms_at_once(const exb_t(product) *p)
{
    return p->a.gather || p->b.gather ? EXB_GATHER_TERMS : p->k;
}

enum { ROW = 4096 /* terms of a strided row that are copied for the filter's passes */ };

/* A strided row in order, fetched well ahead: every element is a line of its own. */
static void copy_row(exb_real *out, int64_t n, const exb_real *x, int64_t step)
{
    enum { AHEAD = 24 };
    for (int64_t l = 0; l < n; l++) {
        __builtin_prefetch(x + exb_least(l + AHEAD, n - 1) * step);
        out[l] = x[l * step];
    }
}

static EXB_NOINLINE exb_enclosure filter_strided_row(const exb_t(product) *p, int64_t i, int64_t j)
{
    exb_real row[ROW];
    exb_enclosure sum = exb_enclosure_exact(0);
    for (int64_t l = 0; l < p->k; l += ROW) {
        int64_t nl = exb_least(p->k - l, ROW);
        exb_t(elements) a = exb_t(elements_from)(p->a.in_place, i, l);
        exb_t(elements) b = exb_t(elements_from)(p->b.in_place, j, l);
        copy_row(row, nl, a.p, a.ls);
        exb_t(reduction) r = exb_t(dot_of)(nl, row, 1, b.p, b.ls);
        exb_enclosure v = exb_t(reduce_filter)(&r);
        sum = l == 0 ? v : exb_enclosure_add(sum, v);
    }
    return sum;
}

exb_enclosure exb_t(element_filter)(const exb_t(product) *p, int64_t i, int64_t j)
{
    exb_real row[EXB_GATHER_TERMS], column[EXB_GATHER_TERMS];
    if (!p->a.gather && !p->b.gather && p->a.in_place.ls != 1)
        return filter_strided_row(p, i, j);
    exb_enclosure sum = exb_enclosure_exact(0);
    for (int64_t l = 0; l < p->k; l += terms_at_once(p)) {
        int64_t nl = exb_least(p->k - l, terms_at_once(p));
        exb_t(reduction) r = pair_terms(p, i, j, l, nl, row, column);
        exb_enclosure v = exb_t(reduce_filter)(&r);
        sum = l == 0 ? v : exb_enclosure_add(sum, v);
    }
    return sum;
}

/* In pieces that are contiguous. */
static void add_triples(const exb_t(product) *p, int64_t i, int64_t j, exb_triples *sum)
{
    exb_real row[EXB_GATHER], column[EXB_GATHER], gathered[2][EXB_GATHER_TERMS];
    int64_t step =
        exb_t(are_in_order)(&p->a, &p->b) ? p->k : exb_least(terms_at_once(p), EXB_GATHER);
    for (int64_t l = 0; l < p->k; l += step) {
        int64_t nl = exb_least(p->k - l, step);
        exb_t(reduction) r = pair_terms(p, i, j, l, nl, gathered[0], gathered[1]);
        exb_t_kernels()->triple(EXB_TERM_XY, nl, exb_t(contiguous)(r.x, r.incx, 0, nl, row),
                                exb_t(contiguous)(r.y, r.incy, 0, nl, column), sum);
    }
}

static double least_of_vector(const exb_t(operand) *o, int64_t v, int64_t k)
{
    exb_real buffer[EXB_GATHER_TERMS];
    double least = DBL_MAX;
    for (int64_t l = 0; l < k; l += EXB_GATHER_TERMS) {
        int64_t nl = exb_least(k - l, EXB_GATHER_TERMS);
        exb_t(elements) x = exb_t(operand_at)(o, v, 1, l, nl, buffer);
        for (int64_t t = 0; t < nl; t++)
            least = exb_least_magnitude(least, x.p[t * x.ls]);
    }
    return least;
}

EXB_NOINLINE exb_enclosure exb_t(element_triple)(const exb_t(product) *p, int64_t i, int64_t j)
{
    exb_triples sum = {{0}, {0}, {0}, {0}};
    if (p->k > EXB_TRIPLE_MOST)
        return exb_enclosure_unknown();
    add_triples(p, i, j, &sum);
    bool exact_terms = EXB_IS_S;
    if (!exact_terms && exb_triples_lossless(&sum))
        exact_terms =
            least_of_vector(&p->a, i, p->k) * least_of_vector(&p->b, j, p->k) >= EXB_PRODUCT_LEAST;
    return exb_t(triples_enclosure)(&sum, p->k, exact_terms, 0);
}

/* The terms of an element: those that both vectors have; at most one of the operands tells. */
static int terms_of(const exb_t(product) *p, int64_t i, int64_t j, exb_range runs[2])
{
    if (p->k == 0) /* whatever the operands have */
        return 0;
    if (p->a.runs)
        return p->a.runs(p->a.source, i, runs);
    if (p->b.runs)
        return p->b.runs(p->b.source, j, runs);
    runs[0] = (exb_range){0, p->k};
    return 1;
}

/* Elements of complex operands are gathered in pairs, of which a run may want one. */
static void add_exact(const exb_t(product) *p, int64_t i, int64_t j, exb_range terms,
                      exb_superacc *acc)
{
    exb_real row[EXB_GATHER_TERMS], column[EXB_GATHER_TERMS];
    bool gathers = p->a.gather || p->b.gather;
    int64_t next, begin = gathers ? terms.begin & ~(int64_t)1 : terms.begin;
    for (int64_t l = begin; l < terms.end; l = next) {
        next = exb_least(l + terms_at_once(p), p->k);
        exb_range t = exb_common(terms, (exb_range){l, next});
        exb_t(elements) a = exb_t(operand_at)(&p->a, i, 1, l, next - l, row);
        exb_t(elements) b = exb_t(operand_at)(&p->b, j, 1, l, next - l, column);
        exb_t(reduction) r = exb_t(dot_of)(t.end - t.begin, a.p + (t.begin - l) * a.ls, a.ls,
                                           b.p + (t.begin - l) * b.ls, b.ls);
        exb_t(reduce_exact)(&r, p->method, acc);
    }
}

void exb_t(element_exact)(const exb_t(product) *p, int64_t i, int64_t j, exb_superacc *acc)
{
    exb_range runs[2];
    int n = terms_of(p, i, j, runs);
    for (int k = 0; k < n; k++)
        add_exact(p, i, j, runs[k], acc);
}
