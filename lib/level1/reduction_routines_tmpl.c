/* sum, asum, nrm2 and dot: filter, certify, exact.
 * Types: s d. */
#include "entry.h"

#include "core/arith/plain.h"
#include "core/fpenv.h"
#include "element/decide.h"

/* Inlined, and without a copy: a load of two numbers that were just stored one by one waits for the
 * stores to end. */
EXB_INLINE bool certified(const exb_enclosure *v, exb_form f, exb_real *result)
{
    if (f == EXB_OF_ROOT)
        return exb_round_enclosure(exb_root_of(*v), result);
    return exb_round_enclosure(*v, result);
}

/* Short vectors go straight to the kernel: the way through threads and chunks would
 * cost as much as the sum. Long ones of floats are added up plainly, which nearly always decides.
 */
static exb_enclosure first_filter(const exb_t(reduction) *r)
{
    if (r->n < exb_anchor_length() && exb_t(reduction_in_place)(r))
        return exb_t_kernels()->filter(r->term, r->n, r->x, r->y);
    exb_enclosure v[2] = {exb_enclosure_unknown()};
    if (EXB_IS_S)
        exb_t(reduce_filter_by)(r, (exb_filter){1, true, false}, v);
    return exb_plain_is_coarse(v[0]) ? exb_t(reduce_filter_threads)(r) : v[0];
}

/* What the first filter, which found v, decides, or a look for zeros alone. */
EXB_INLINE bool certified_by(const exb_t(reduction) *r, const exb_enclosure *v, exb_form f,
                             exb_real *result)
{
    if (certified(v, f, result))
        return true;
    *result = 0;
    return exb_t(is_of_zeros)(r, *v);
}

/* --- short sums, which kernels take from their terms to the result ----------------- */

/* From some number of products on the kernel's look at small factors costs more than it saves,
 * unless it saves the guard. */
static bool is_few(const exb_t(reduction) *r)
{
    return r->n <= EXB_FEW_PRODUCTS ||
           (r->n <= EXB_FEW && (r->term != EXB_TERM_XY || exb_kernels_current()->static_rounding));
}

static bool is_brief(const exb_t(reduction) *r)
{
    return r->n > EXB_FEW && r->n <= EXB_BRIEF && r->term != EXB_TERM_XY;
}

static bool is_short(const exb_t(reduction) *r, exb_form f)
{
    return f == EXB_OF_LINE && exb_t(reduction_in_place)(r) && (is_few(r) || is_brief(r));
}

EXB_INLINE bool short_sum(const exb_kernels *k, const exb_t(reduction) *r, exb_enclosure *v,
                          exb_real *result)
{
    if (r->n <= EXB_FEW)
        return k->EXB_PART.few(r->term, r->n, r->x, r->y, v, result);
    return k->EXB_PART.brief(r->term, r->n, r->x, v, result);
}

/* What the kernel, which found v, leaves open. It has looked for exact sums of numbers. */
static bool certified_after_short(const exb_t(reduction) *r, exb_enclosure v, exb_real *result)
{
    bool numbers = r->term != EXB_TERM_XY, is_known = v.e < (double)INFINITY;
    if (numbers && is_known)
        return false;
    if (!is_known)
        v = first_filter(r);
    return certified_by(r, &v, EXB_OF_LINE, result);
}

/* tried: what a kernel for short sums found, which left it open, or NULL. */
static bool certified_by_filters(const exb_t(reduction) *r, exb_form f, const exb_enclosure *tried,
                                 exb_real *result)
{
    if (!is_short(r, f)) {
        exb_enclosure v = first_filter(r);
        return certified_by(r, &v, f, result);
    }
    if (tried)
        return certified_after_short(r, *tried, result);
    exb_enclosure v;
    return short_sum(exb_kernels_current(), r, &v, result) || certified_after_short(r, v, result);
}

static EXB_NOINLINE exb_real reduce_vectors(const exb_t(reduction) *r, exb_form f,
                                            const exb_enclosure *tried)
{
    const exb_method *method = exb_method_current();
    exb_real result;
    if (method->filter && certified_by_filters(r, f, tried, &result))
        return result;
    const exb_enclosure nothing = exb_enclosure_unknown();
    exb_t(question) q = {.form = f, .by_threads = true, .line = exb_t(line_of_sums)()};
    q.terms = (exb_t(terms)){exb_t(next_of_one), r};
    q.method = method;
    exb_t(decide)(&q, &nothing, &result);
    return result;
}

static EXB_NOINLINE exb_real reduce_guarded(const exb_t(reduction) *r, exb_form f,
                                            const exb_enclosure *tried)
{
    exb_real result;
    EXB_GUARDED(result = reduce_vectors(r, f, tried));
    return result;
}

static exb_real reduce(const exb_t(reduction) *r, exb_form f)
{
    exb_enclosure v;
    exb_real result;
    const exb_kernels *k = exb_kernels_current();
    if (!k->static_rounding || !is_short(r, f) || !exb_method_current()->filter)
        return reduce_guarded(r, f, NULL);
    return short_sum(k, r, &v, &result) ? result : reduce_guarded(r, f, &v);
}

exb_real exb_entry(sum)(int64_t n, const exb_real *x, int64_t incx)
{
    exb_t(reduction) r = {EXB_TERM_X, n, x + exb_first(n, incx), incx, NULL, 0};
    return n <= 0 ? 0 : reduce(&r, EXB_OF_LINE);
}

exb_real exb_t(own_asum)(int64_t n, const exb_real *x, int64_t incx)
{
    exb_t(reduction) r = {EXB_TERM_ABS_X, n, x, incx, NULL, 0};
    return n <= 0 || incx <= 0 ? 0 : reduce(&r, EXB_OF_LINE);
}

/* As netlib 3.10 and later: a negative increment walks backwards, increment 0
 * counts the first element n times. */
exb_real exb_t(own_nrm2)(int64_t n, const exb_real *x, int64_t incx)
{
    const exb_real *first = x + exb_first(n, incx);
    exb_t(reduction) r = exb_t(dot_of)(n, first, incx, first, incx);
    return n <= 0 ? 0 : reduce(&r, EXB_OF_ROOT);
}

exb_real exb_t(own_dot)(int64_t n, const exb_real *x, int64_t incx, const exb_real *y, int64_t incy)
{
    exb_t(reduction) r =
        exb_t(dot_of)(n, x + exb_first(n, incx), incx, y + exb_first(n, incy), incy);
    return n <= 0 ? 0 : reduce(&r, EXB_OF_LINE);
}

exb_real exb_entry(asum)(int64_t n, const exb_real *x, int64_t incx)
{
    return exb_t(own_asum)(n, x, incx);
}

exb_real exb_entry(nrm2)(int64_t n, const exb_real *x, int64_t incx)
{
    return exb_t(own_nrm2)(n, x, incx);
}

exb_real exb_entry(dot)(int64_t n, const exb_real *x, int64_t incx, const exb_real *y, int64_t incy)
{
    return exb_t(own_dot)(n, x, incx, y, incy);
}
