/* Types: s d. */
#include "level1/reduce.h"

#include "core/partition.h"
#include "core/thread.h"
#include "element/anchored.h"

#include <pthread.h>

static int64_t chunk_size(const exb_t(reduction) *r)
{
    return exb_t(reduction_in_place)(r) ? EXB_CHUNK : EXB_GATHER;
}

static const exb_real *chunk_of_y(const exb_t(reduction) *r, int64_t begin, int64_t n,
                                  exb_real *buffer)
{
    return r->term == EXB_TERM_XY ? exb_t(contiguous)(1, r->y, r->incy, begin, n, buffer) : NULL;
}

/* Any stride: chunk by chunk through compensated sums. */
static exb_enclosure filter_chunks(const exb_t(reduction) *r)
{
    exb_real bx[EXB_GATHER], by[EXB_GATHER];
    exb_enclosure v = exb_enclosure_exact(0);
    int64_t step = chunk_size(r);
    for (int64_t i = 0; i < r->n; i += step) {
        int64_t n = exb_least(step, r->n - i);
        const exb_real *x = exb_t(contiguous)(1, r->x, r->incx, i, n, bx);
        const exb_real *y = chunk_of_y(r, i, n, by);
        v = exb_enclosure_add(v, exb_t_kernels()->filter(r->term, n, x, y));
    }
    return v;
}

/* The largest of a few terms: a guess of the largest, which costs time only if wrong.
 * Products of numbers that are not 0 count as at least 2^-1022, also if they underflow. */
static double sample_terms(const exb_t(reduction) *r)
{
    enum { SAMPLES = 32 };
    double m = 0;
    int64_t stride = r->n / SAMPLES;
    for (int i = 0; i < SAMPLES; i++) {
        double x = r->x[i * stride * r->incx];
        double y = r->term == EXB_TERM_XY ? (double)r->y[i * stride * r->incy] : 1;
        double term = fabs(x * y);
        if (term == 0 && x != 0 && y != 0)
            term = 0x1p-1022;
        m = term > m ? term : m;
    }
    return m;
}

/* A guess from the middle of a chunk, else from everywhere. */
static double guess_largest(const exb_t(reduction) *r)
{
    exb_real bx[EXB_SHORT], by[EXB_SHORT];
    int64_t n = exb_least(r->n, EXB_SHORT), at = (r->n - n) / 2;
    const exb_real *x = exb_t(contiguous)(1, r->x, r->incx, at, n, bx),
                   *y = chunk_of_y(r, at, n, by);
    double m = exb_t_kernels()->largest(r->term, n, x, y ? y : x);
    return r->n > EXB_CHUNK || m == 0 ? sample_terms(r) : m;
}

/* A chunk of numbers, or of complex ones as their parts side by side, and the sums that its kernel
 * finds. */
typedef struct {
    exb_term term;
    int parts;
    int64_t n;
    const exb_real *x, *y;
    exb_anchored found[4];
} chunk;

static double sweep_chunk(void *of, int g)
{
    chunk *c = of;
    int n_sums = c->parts == 1 ? 1 : c->term == EXB_TERM_XY ? 4 : 2;
    double most = 0;
    exb_t_kernels()->anchor(c->term, c->parts, c->n, c->x, c->y, exb_anchor_sigma(g), c->found);
    for (int k = 0; k < n_sums; k++) {
        double m = c->found[k].valid ? c->found[k].m : (double)INFINITY;
        most = m > most ? m : most;
    }
    return most;
}

/* What a filter takes for 0 often is a sum of zeros. Its terms are finite: a product is 0, and no
 * underflow, if a factor is. */
bool exb_t(is_of_zeros)(const exb_t(reduction) *r, exb_enclosure v)
{
    bool products = r->term == EXB_TERM_XY;
    const exb_real *x = r->x, *y = products ? r->y : x;
    int64_t incy = products ? r->incy : r->incx, i = 0;
    if (!exb_seems_zero(v))
        return false;
    while (i < r->n && (x[i * r->incx] == 0 || y[i * incy] == 0))
        i++;
    return i == r->n;
}

/* Adds to v, of each part, against an anchor; unknown if a term is not finite or too large. Of
 * products both runs of a part are added before they are enclosed: exactly one more sum of s -
 * sigma of at most 2^(nu+1) terms, and one more addition to c (anchor.h). */
static void filter_anchored(const exb_t(reduction) *r, int parts, bool conjugate, exb_enclosure *v)
{
    exb_real bx[EXB_GATHER], by[EXB_GATHER];
    bool has_y = r->term == EXB_TERM_XY, in_place = exb_t(reduction_in_place)(r);
    int64_t step = chunk_size(r) / parts, scale = in_place ? 1 : parts;
    const exb_t(reduction) guessed = {
        r->term, in_place ? parts * r->n : r->n, r->x, scale * r->incx, r->y, scale * r->incy};
    double m = guess_largest(&guessed);
    if (m == 0 && !has_y && in_place && exb_t_kernels()->peak(1, guessed.n, r->x) == 0)
        return;
    int g = exb_anchor_guess(m);
    /* Products that underflow take a hundred cycles each and decide nothing. */
    bool fits = !has_y || m == 0 || m >= EXB_CERTIFIED_LEAST;
    for (int64_t i = 0; i < r->n && fits; i += step) {
        int64_t n = exb_least(step, r->n - i);
        chunk c = {.term = r->term, .parts = parts, .n = parts * n};
        c.x = exb_t(contiguous)(parts, r->x, r->incx, i, n, bx);
        c.y = has_y ? exb_t(contiguous)(parts, r->y, r->incy, i, n, by) : c.x;
        fits = exb_anchor_fit(&g, EXB_ANCHOR_ANY, sweep_chunk, &c);
        for (int k = 0; k < parts && fits; k++) {
            exb_anchored *a = &c.found[has_y ? 2 * k : k];
            if (has_y && parts == 2) {
                double sign = conjugate == (k == 1) ? -1 : 1;
                a->sum += sign * a[1].sum;
                a->c += sign * a[1].c;
            }
            v[k] = exb_enclosure_add(v[k], exb_anchored_enclosure(a, g, c.n));
        }
    }
    for (int k = 0; k < parts && !fits; k++)
        v[k] = exb_enclosure_unknown();
}

/* The same of floats added up plainly, which nearly always decides. */
static void filter_plainly(const exb_t(reduction) *r, int parts, bool conjugate, exb_enclosure *v)
{
#if EXB_IS_S
    exb_real bx[EXB_GATHER], by[EXB_GATHER];
    double s[4], e[4];
    bool has_y = r->term == EXB_TERM_XY, crossed = has_y && parts == 2;
    int64_t step = chunk_size(r) / parts;
    for (int64_t i = 0; i < r->n; i += step) {
        int64_t n = exb_least(step, r->n - i);
        const exb_real *x = exb_t(contiguous)(parts, r->x, r->incx, i, n, bx);
        const exb_real *y = has_y ? exb_t(contiguous)(parts, r->y, r->incy, i, n, by) : x;
        exb_t_kernels()->plain_parts(r->term, crossed, parts * n, x, y, s, e);
        for (int k = 0; k < parts; k++) {
            int at = crossed ? 2 * k : k;
            if (crossed || parts == 1) {
                s[at] += crossed && conjugate == (k == 1) ? -s[at + 1] : s[at + 1];
                e[at] = exb_bound_up(e[at] + e[at + 1]);
            }
            bool exact = e[at] == 0 && s[at] == s[at];
            v[k] = exb_enclosure_add(v[k], (exb_enclosure){s[at], 0, e[at], exact});
        }
    }
#else
    (void)r, (void)parts, (void)conjugate, (void)v;
#endif
}

static exb_enclosure filter(const exb_t(reduction) *r)
{
    if (r->n < exb_anchor_length())
        return exb_t(reduction_in_place)(r) ? exb_t_kernels()->filter(r->term, r->n, r->x, r->y)
                                            : filter_chunks(r);
    bool of_doubles = r->term == EXB_TERM_XY && !EXB_IS_S;
    exb_enclosure v = exb_enclosure_exact(0);
    if (of_doubles && !exb_kernels_current()->has_fma)
        return filter_chunks(r);
    filter_anchored(r, 1, false, &v);
    /* Numbers beyond all anchors may still have a sum that compensation can follow;
     * products there are better left to the exact path: most are not finite, and
     * arithmetic on those that underflow takes a hundred cycles. */
    return of_doubles || v.e < (double)INFINITY ? v : filter_chunks(r);
}

EXB_NOINLINE exb_enclosure exb_t(reduce_filter)(const exb_t(reduction) *r)
{
    exb_enclosure v = filter(r);
    return exb_t(is_of_zeros)(r, v) ? exb_enclosure_exact(0) : v;
}

/* The same for part k of sums or of products, which are of two runs. */
static bool is_zero_part(const exb_t(reduction) *r, int k, exb_enclosure v)
{
    bool has_y = r->term == EXB_TERM_XY;
    exb_t(reduction) run = {r->term, r->n, r->x, 2 * r->incx, r->y, 2 * r->incy}, other = run;
    run.x += has_y ? 0 : k;
    run.y += has_y ? k : 0;
    other.x += has_y ? 1 : k;
    other.y += has_y ? 1 - k : 0;
    return exb_t(is_of_zeros)(&run, v) && exb_t(is_of_zeros)(&other, v);
}

static void filter_range(const exb_t(reduction) *r, exb_filter how, exb_enclosure v[2])
{
    v[0] = v[1] = exb_enclosure_exact(0);
    if (how.plainly)
        filter_plainly(r, how.parts, how.conjugate, v);
    else if (how.parts == 1)
        v[0] = exb_t(reduce_filter)(r);
    else
        filter_anchored(r, 2, how.conjugate, v);
    for (int k = 0; k < 2 && how.parts == 2 && !how.plainly; k++)
        if (is_zero_part(r, k, v[k]))
            v[k] = exb_enclosure_exact(0);
}

/* No term but 0 is smaller in magnitude. */
static double least_term(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    double least = exb_t_kernels()->least(n, x);
    return term == EXB_TERM_XY ? least * exb_t_kernels()->least(n, y) : least;
}

EXB_NOINLINE bool exb_t(reduce_triple)(const exb_t(reduction) *r, exb_three_parts *sum)
{
    enum { CALL = 4 }; /* additions that a short call may have beside those of its terms */
    /* Of what is left uncertified, exact sums are what this can decide. They have two parts of 53
     * bits, and their terms, too, if nothing was left out. */
    const double spread = 0x1p106;
    exb_real bx[EXB_GATHER], by[EXB_GATHER];
    int64_t step = chunk_size(r);
    if (sum->n + r->n > EXB_IN_THREE_PARTS)
        return false;
    for (int64_t i = 0; i < r->n; i += step) {
        int64_t n = exb_least(step, r->n - i);
        const exb_real *x = exb_t(contiguous)(1, r->x, r->incx, i, n, bx);
        const exb_real *y = chunk_of_y(r, i, n, by);
        sum->least = fmin(sum->least, least_term(r->term, n, x, y));
        sum->largest = fmax(sum->largest, exb_t_kernels()->largest(r->term, n, x, y));
        if (sum->largest > spread * sum->least)
            return false;
        exb_t_kernels()->triple(r->term, n, x, y, &sum->lanes);
    }
    sum->n += r->n + CALL;
    sum->are_numbers = r->term != EXB_TERM_XY;
    return true;
}

exb_enclosure exb_t(three_parts_enclosure)(const exb_three_parts *sum)
{
    bool exact_terms = EXB_IS_S || sum->are_numbers || sum->least >= EXB_PRODUCT_LEAST;
    return exb_t(triples_enclosure)(&sum->lanes, sum->n, exact_terms,
                                    sum->are_numbers ? sum->least : 0);
}

/* Method superacc: every term straight into the accumulator. */
static void deposit_terms(exb_term term, int64_t n, const exb_real *x, const exb_real *y,
                          exb_superacc *acc)
{
    for (int64_t i = 0; i < n; i++) {
        if (term == EXB_TERM_XY)
            exb_superacc_add_product(acc, x[i], y[i]);
        else
            exb_superacc_add(acc, term == EXB_TERM_X ? (double)x[i] : fabs((double)x[i]));
    }
}

/* Where the terms of an exact sum go. Method auto starts with expansions and changes
 * to bins for good when more than a few vectors of a chunk spill: a spill costs as much
 * as some twenty terms. Hundreds of terms go to bins at once: three parts, which came
 * first, did not know them. The named methods stay with what they are. */
typedef struct {
    const exb_method *method;
    exb_superacc *acc;
    bool expands, uses_bins;
    exb_bins bins;
} exact_sum;

static void add_to_bins(exact_sum *s, exb_term term, int64_t n, const exb_real *x,
                        const exb_real *y)
{
    bool products = term == EXB_TERM_XY && !EXB_IS_S; /* of doubles; of floats they are doubles */
    bool is_full = s->uses_bins && s->bins.n_free < n;
    if (is_full)
        exb_bins_drain(&s->bins, s->acc);
    if (is_full || !s->uses_bins)
        exb_bins_init(&s->bins, products ? EXB_BINS_PRODUCT : EXB_BINS_SUM);
    s->uses_bins = true;
    exb_t_kernels()->bins(&s->bins, term, n, x, y, s->acc);
}

static void add_chunk(exact_sum *s, exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    const exb_method *m = s->method;
    int64_t done = 0;
    if (m->n_terms == 0) {
        deposit_terms(term, n, x, y, s->acc);
        return;
    }
    if (s->expands && !s->uses_bins)
        done = exb_t_kernels()->expand(m->n_terms, m->early_exit,
                                       m->filter ? 2 + n / 512 : INT64_MAX, term, n, x, y, s->acc);
    if (done < n)
        add_to_bins(s, term, n - done, x + done, term == EXB_TERM_XY ? y + done : y);
}

EXB_NOINLINE void exb_t(reduce_exact)(const exb_t(reduction) *r, const exb_method *method,
                                      exb_superacc *acc)
{
    exb_real bx[EXB_GATHER], by[EXB_GATHER];
    exact_sum s;
    s.method = method;
    s.acc = acc;
    s.expands = !method->filter || r->n < 128 || r->n > EXB_IN_THREE_PARTS;
    s.uses_bins = false;
    int64_t step = chunk_size(r);
    for (int64_t i = 0; i < r->n; i += step) {
        int64_t n = exb_least(step, r->n - i);
        const exb_real *x = exb_t(contiguous)(1, r->x, r->incx, i, n, bx);
        add_chunk(&s, r->term, n, x, chunk_of_y(r, i, n, by));
    }
    if (s.uses_bins)
        exb_bins_drain(&s.bins, acc);
}

/* A reduction split over threads. Ranges are merged in the order in which they end, which cannot
 * show: accumulators merge exactly, and enclosures only have to hold the sum. */
typedef struct {
    const exb_t(reduction) *whole;
    const exb_method *method;
    int n_ranges;
    exb_filter how;
    pthread_mutex_t lock; /* guards the results */
    exb_enclosure v[2];
    exb_superacc *acc;
} split;

static exb_t(reduction) part_of(const split *s, int i)
{
    exb_t(reduction) r = *s->whole;
    exb_range range = exb_partition_range(r.n, s->n_ranges, i);
    r.x += s->how.parts * range.begin * r.incx;
    if (r.term == EXB_TERM_XY)
        r.y += s->how.parts * range.begin * r.incy;
    r.n = range.end - range.begin;
    return r;
}

static void filter_part(void *ctx, int64_t i)
{
    split *s = ctx;
    exb_t(reduction) r = part_of(s, (int)i);
    exb_enclosure v[2];
    filter_range(&r, s->how, v);
    pthread_mutex_lock(&s->lock);
    for (int k = 0; k < s->how.parts; k++)
        s->v[k] = exb_enclosure_add(s->v[k], v[k]);
    pthread_mutex_unlock(&s->lock);
}

static void add_range_exactly(void *ctx, int64_t i)
{
    split *s = ctx;
    exb_t(reduction) r = part_of(s, (int)i);
    exb_product_acc part;
    exb_superacc *a = &part.acc;
    exb_superacc_init(a, part.word, s->acc->first, s->acc->n_words);
    exb_t(reduce_exact)(&r, s->method, a);
    pthread_mutex_lock(&s->lock);
    exb_superacc_merge(s->acc, a);
    pthread_mutex_unlock(&s->lock);
}

static void run_split(split *s, void (*task)(void *, int64_t))
{
    pthread_mutex_init(&s->lock, NULL);
    s->v[0] = s->v[1] = exb_enclosure_exact(0);
    exb_parallel_for(s->n_ranges, s->n_ranges, task, s);
    pthread_mutex_destroy(&s->lock);
}

void exb_t(reduce_filter_by)(const exb_t(reduction) *r, exb_filter how, exb_enclosure v[2])
{
    int n_ranges = exb_partition_count(how.parts * how.parts * (double)r->n, r->n);
    if (n_ranges == 1) {
        filter_range(r, how, v);
        return;
    }
    split s = {.whole = r, .n_ranges = n_ranges, .how = how};
    run_split(&s, filter_part);
    memcpy(v, s.v, sizeof s.v);
}

exb_enclosure exb_t(reduce_filter_threads)(const exb_t(reduction) *r)
{
    exb_enclosure v[2];
    exb_t(reduce_filter_by)(r, (exb_filter){1, false, false}, v);
    return v[0];
}

void exb_t(reduce_exact_threads)(const exb_t(reduction) *r, const exb_method *method,
                                 exb_superacc *acc)
{
    split s = {.whole = r, .method = method, .acc = acc, .how = {.parts = 1}};
    s.n_ranges = exb_partition_count((double)r->n, r->n);
    if (s.n_ranges == 1)
        exb_t(reduce_exact)(r, method, acc);
    else
        run_split(&s, add_range_exactly);
}
