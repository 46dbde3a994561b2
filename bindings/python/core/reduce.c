/* Reductions over some axes of an array: each result is the exact value of its formula, rounded
 * once. */
#include "core.h"
#include "enclose.h"
#include "integers.h"

#include "core/fpenv.h"
#include "core/method.h"

#include <exblas/scatter.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum operation_code { SUM, ASUM, NORM, MEAN, VARIANCE, DEVIATION } operation;

/* Nested loops, the outermost first. */
typedef struct {
    int n;
    int64_t length[MAX_DIMS + 1], stride[MAX_DIMS + 1];
} loops;

typedef struct {
    operation operation;
    element element; /* of one part */
    int n_parts;     /* sums of each result */
    const char *data;
    loops kept, reduced;
    int64_t n_terms, n_results;
    const int64_t *count; /* terms that count, for each n_shares results; or NULL: all */
    int n_shares;         /* results that share one count: the parts of a complex one */
    int64_t ddof;
    int format;
    element out_element;
    char *out;
    int64_t out_step; /* in elements */
} reduction;

static void loops_push(loops *l, int64_t length, int64_t stride)
{
    l->length[l->n] = length;
    l->stride[l->n++] = stride;
}

/* Joins loops whose elements lie as those of one. Loops of one turn vanish. */
static void loops_join(loops *l)
{
    loops joined = {0};
    for (int i = 0; i < l->n; i++) {
        int last = joined.n - 1;
        if (l->length[i] == 1)
            continue;
        if (last >= 0 && joined.stride[last] == l->length[i] * l->stride[i]) {
            joined.length[last] *= l->length[i];
            joined.stride[last] = l->stride[i];
        } else {
            loops_push(&joined, l->length[i], l->stride[i]);
        }
    }
    if (joined.n == 0)
        loops_push(&joined, 1, 0);
    *l = joined;
}

/* Any order gives the same sum: the longest strides become the outermost loops, all of them
 * positive. */
static void loops_sort(loops *l, const char **data)
{
    for (int i = 0; i < l->n; i++)
        if (l->stride[i] < 0) {
            *data += (l->length[i] - 1) * l->stride[i];
            l->stride[i] = -l->stride[i];
        }
    for (int i = 1; i < l->n; i++)
        for (int k = i; k > 0 && l->stride[k - 1] < l->stride[k]; k--) {
            int64_t length = l->length[k], stride = l->stride[k];
            l->length[k] = l->length[k - 1];
            l->stride[k] = l->stride[k - 1];
            l->length[k - 1] = length;
            l->stride[k - 1] = stride;
        }
}

/* Offset of turn i of all loops together, in C order. */
static int64_t offset_at(const loops *l, int n_loops, int64_t i)
{
    int64_t offset = 0;
    for (int k = n_loops - 1; k >= 0; k--) {
        offset += i % l->length[k] * l->stride[k];
        i /= l->length[k];
    }
    return offset;
}

static int64_t turns(const loops *l, int n_loops)
{
    int64_t n = 1;
    for (int i = 0; i < n_loops; i++)
        n *= l->length[i];
    return n;
}

/* The terms of a result as lines: number i of them. */
static line line_of(const reduction *r, const char *base, int64_t i, int part)
{
    int last = r->reduced.n - 1;
    line l = {r->element, base + offset_at(&r->reduced, last, i) + part * r->element.n_bytes,
              r->reduced.length[last], r->reduced.stride[last]};
    return l;
}

static int64_t n_lines(const reduction *r)
{
    return turns(&r->reduced, r->reduced.n - 1);
}

static outcome sum_integers(const reduction *r, int64_t i, const char *base)
{
    int128 total = 0;
    for (int64_t k = 0; k < n_lines(r); k++) {
        line l = line_of(r, base, k, 0);
        total += line_integer_sum(&l);
    }
    return store_integer(&r->out_element, r->out + i * r->out_element.n_bytes, total);
}

/* n results from i on, sweeping over all of their terms at once. */
static outcome sum_columns(const reduction *r, int64_t i, const char *base, int n)
{
    int64_t total[LANES] = {0}, step = r->kept.stride[r->kept.n - 1];
    int n_bits = 0;
    outcome o = DONE;
    for (int64_t k = 0; k < n_lines(r); k++) {
        line l = line_of(r, base, k, 0), row = {l.element, l.at, n, step};
        int most = column_integer_sums(&row, l.n, l.stride, total);
        n_bits = most > n_bits ? most : n_bits;
    }
    bool is_known = n_bits + words_bits(&r->n_terms, 1, true) < 64;
    for (int k = 0; k < n && o == DONE; k++)
        o = is_known ? store_integer(&r->out_element, r->out + (i + k) * r->out_element.n_bytes,
                                     total[k])
                     : sum_integers(r, i + k, base + k * step);
    return o;
}

static bool needs_sum(const reduction *r)
{
    return r->operation != NORM;
}

static bool needs_squares(const reduction *r)
{
    return r->operation == NORM || r->operation >= VARIANCE;
}

static double exact_result(const reduction *r, const char *base, int64_t count)
{
    exblas_acc sum[2] = {{{0}, 0, 0}}, squares = {{0}, 0, 0};
    exblas_moment m = {count, r->n_parts, &squares, {&sum[0], &sum[1]}, {&sum[0], &sum[1]}};
    for (int64_t k = 0; k < n_lines(r); k++)
        for (int part = 0; part < r->n_parts; part++) {
            line l = line_of(r, base, k, part);
            if (r->operation == ASUM)
                line_add_magnitudes(&sum[0], &l);
            else if (needs_sum(r))
                line_add(&sum[part], &l);
            if (needs_squares(r))
                line_add_products(&squares, &l, &l);
        }
    switch (r->operation) {
    case NORM:
        return exblas_acc_root_to_format(&squares, r->format);
    case MEAN:
        return exblas_acc_quotient_to_format(&sum[0], (double)count, r->format);
    case VARIANCE:
        return exblas_moment_to_format(&m, count - r->ddof, r->format);
    case DEVIATION:
        return exblas_moment_root_to_format(&m, count - r->ddof, r->format);
    default:
        return exblas_acc_to_format(&sum[0], r->format);
    }
}

/* What enclosures of a result's sums decide. */
typedef struct {
    exb_enclosure sum[2], squares;
} enclosures;

EXB_INLINE exb_enclosure enclosure_of_result(const reduction *r, const enclosures *v, int64_t count)
{
    int64_t left = count - r->ddof;
    switch (r->operation) {
    case NORM:
        return exb_root_of(v->squares);
    case MEAN:
        return exb_ratio_of(v->sum[0], exb_enclosure_exact((double)count));
    case VARIANCE:
    case DEVIATION:
        break;
    default:
        return v->sum[0];
    }
    if (count <= 0 || left <= 0)
        return exb_enclosure_unknown();
    exb_enclosure moment = moment_enclosure(count, v->squares, r->n_parts, v->sum, v->sum);
    moment = moment_quotient(moment, count, left);
    return r->operation == VARIANCE ? moment : exb_root_of(moment);
}

static int64_t count_of(const reduction *r, int64_t i)
{
    return r->count ? r->count[i / r->n_shares] : r->n_terms;
}

static void store_result(const reduction *r, int64_t i, double x)
{
    store_float(&r->out_element, r->out + i * r->out_step * r->out_element.n_bytes, x);
}

/* Those from i on. */
static void store_results(const reduction *r, int64_t i, int n, const double *x)
{
    float *f = (void *)(r->out + i * (int64_t)sizeof *f);
    if (r->out_step == 1 && r->out_element.n_bytes == sizeof *x)
        memcpy(r->out + i * (int64_t)sizeof *x, x, (size_t)n * sizeof *x);
    else if (r->out_step == 1)
        for (int k = 0; k < n; k++)
            f[k] = (float)x[k];
    else
        for (int k = 0; k < n; k++)
            store_result(r, i + k, x[k]);
}

/* True if result i is decided, and stored. */
EXB_INLINE bool decide(const reduction *r, int64_t i, const enclosures *v)
{
    double result;
    if (!enclosure_round(enclosure_of_result(r, v, count_of(r, i)), r->format, &result))
        return false;
    store_result(r, i, result);
    return true;
}

/* Means whose sum is exact, which may end in a tie. */
static bool decide_exact_mean(const reduction *r, int64_t i, const char *base, exb_enclosure sum)
{
    double least = DBL_MAX, result;
    int64_t count = count_of(r, i);
    if (r->operation != MEAN || count <= 0)
        return false;
    for (int64_t k = 0; k < n_lines(r); k++) {
        line l = line_of(r, base, k, 0);
        least = fmin(least, line_least(&l));
    }
    if (!sum.exact && !exb_sum_lost_nothing(sum.e, least))
        return false;
    if (!exact_quotient(sum, (double)count, r->format, &result))
        return false;
    store_result(r, i, result);
    return true;
}

static bool decide_lines(const reduction *r, int64_t i, const char *base)
{
    const exb_enclosure none = exb_enclosure_exact(0);
    enclosures v = {{none, none}, none};
    exb_term term = r->operation == ASUM ? EXB_TERM_ABS_X : EXB_TERM_X;
    for (int64_t k = 0; k < n_lines(r); k++)
        for (int part = 0; part < r->n_parts; part++) {
            line l = line_of(r, base, k, part);
            if (needs_sum(r))
                v.sum[part] = exb_enclosure_add(v.sum[part], line_enclosure(term, &l, NULL));
            if (needs_squares(r))
                v.squares = exb_enclosure_add(v.squares, line_enclosure(EXB_TERM_XY, &l, &l));
        }
    return decide(r, i, &v) || decide_exact_mean(r, i, base, v.sum[0]);
}

/* The norm of floats as one: the library reads them faster than an enclosure of it does. */
static bool reduce_norm(const reduction *r, int64_t i, const char *base)
{
    line l = line_of(r, base, 0, 0);
    int64_t step;
    if (r->operation != NORM || n_lines(r) != 1 || r->format != EXBLAS_SINGLE ||
        !line_is_vector(&l, 4, &step))
        return false;
    store_result(r, i, (double)excblas_snrm2_64(l.n, line_lowest(&l), step));
    return true;
}

static outcome reduce_one(const reduction *r, int64_t i)
{
    const char *base = r->data + offset_at(&r->kept, r->kept.n, i);
    if (r->out_element.kind != FLOAT)
        return sum_integers(r, i, base);
    if (reduce_norm(r, i, base))
        return DONE;
    if (r->format == EXBLAS_HALF || !decide_lines(r, i, base))
        store_result(r, i, exact_result(r, base, count_of(r, i)));
    return DONE;
}

enum { FEW_TERMS = 32 }; /* of results that blocks of any strides find */

/* How many results from i on, whose terms lie side by side or are few, can be made at once; 0:
 * reduce_one has to. */
static int block_at(const reduction *r, int64_t i)
{
    enum { LEAST = 4, MOST_WORDS = 1 << 30 };
    int last = r->kept.n - 1;
    int64_t left = r->kept.length[last] - i % r->kept.length[last];
    int64_t across = llabs(r->kept.stride[last]), along = r->reduced.stride[r->reduced.n - 1];
    bool are_words = r->out_element.kind != FLOAT;
    if (left < LEAST || (r->n_terms > FEW_TERMS && across >= along) ||
        r->n_terms > (are_words ? MOST_WORDS : EXB_COMPENSATED_MOST / 2) ||
        (!are_words &&
         (r->format == EXBLAS_HALF || r->operation == ASUM || !exb_method_current()->filter)))
        return 0;
    return left < LANES ? (int)left : LANES;
}

/* The sums of n lines, whose terms are r's: plain ones if it is there; false if they are not known.
 */
static bool add_block(const reduction *r, const char *base, int n, lanes sum[2], lanes *squares,
                      plain_lanes *plain)
{
    int64_t step = r->kept.stride[r->kept.n - 1];
    bool is_known = true;
    for (int64_t k = 0; k < n_lines(r); k++)
        for (int part = 0; part < r->n_parts; part++) {
            line l = line_of(r, base, k, part), across = {l.element, l.at, n, step};
            for (int64_t t = 0; t < l.n && is_known; t++) {
                if (!plain && needs_sum(r) && t % 2 == 0)
                    lanes_add(&sum[part], &across, t + 1 < l.n, l.stride, r->operation == SUM);
                is_known = plain ? plain_add(plain, &across)
                                 : !needs_squares(r) || lanes_add_squares(squares, &across);
                across.at += l.stride;
            }
        }
    return is_known;
}

/* Sums and means of floats that float_means takes. */
static bool is_few(const reduction *r)
{
    return r->element.kind == FLOAT && r->element.n_bytes == 4 && r->format == EXBLAS_SINGLE &&
           !needs_squares(r) && r->n_terms > 0 && r->n_terms <= FEW_TERMS && n_lines(r) == 1;
}

/* Do the sums of floats or integers in doubles nearly always decide? */
static bool is_plain(const reduction *r)
{
    int64_t left = r->n_terms - r->ddof;
    bool is_float =
        r->element.kind == FLOAT && r->element.n_bytes <= 4 && r->format == EXBLAS_SINGLE;
    bool is_whole =
        r->element.kind != FLOAT && r->operation != DEVIATION && r->format == EXBLAS_DOUBLE;
    return (is_float || is_whole) && !r->count && (r->operation != SUM || is_few(r)) &&
           (r->operation < VARIANCE ||
            (r->n_parts == 1 && left >= 1 && left <= EXB_COMPENSATED_MOST));
}

/* False if many results of the block are not decided, and *o where they are. Floats are multiples
 * of 2^29 times the g of exb_sum_lost_nothing, so that a 2^-82 w has room to spare for its e. */
static bool reduce_plain(const reduction *r, int64_t i, const char *base, int n, outcome *o)
{
    int64_t step = r->kept.stride[r->kept.n - 1];
    int64_t left = r->operation >= VARIANCE ? r->n_terms - r->ddof : 0;
    bool is_root = r->operation == NORM || r->operation == DEVIATION, is_known[LANES];
    plain_lanes a;
    double result[LANES];
    a.n_terms = r->n_terms;
    a.squares = r->operation != MEAN;
    a.is_whole = r->element.kind != FLOAT;
    line l = line_of(r, base, 0, 0), row = {l.element, l.at, n, step};
    double d = r->operation == MEAN ? (double)r->n_terms : 1;
    if (is_few(r) && float_means(&row, l.n, l.stride, d, result)) {
        store_results(r, i, n, result);
        return true;
    }
    lanes_clear(n, a.s, a.w, a.w);
    if (r->operation == SUM || !add_block(r, base, n, NULL, NULL, &a) ||
        plain_results(&a, n, left, is_root, result, is_known) < n - LANES / 4)
        return false;
    store_results(r, i, n, result);
    for (int k = 0; k < n && *o == DONE; k++) {
        if (is_known[k])
            continue;
        exb_enclosure sum = {a.s[k], 0, 0x1p-82 * a.w[k], false};
        if (a.is_whole || !decide_exact_mean(r, i + k, base + k * step, sum))
            *o = reduce_one(r, i + k);
    }
    return true;
}

static exb_enclosure lane_enclosure(const reduction *r, const lanes *a, int k, int64_t n,
                                    bool exact_terms)
{
    if (r->operation == SUM)
        return (exb_enclosure){a->s[k], a->c[k], sum_bound(a->w[k]), a->w[k] == 0};
    return exb_compensated_enclosure(a->s[k], a->c[k], a->w[k], n, exact_terms);
}

/* The results that loops over lanes find. */
static void decide_lanes(const reduction *r, int n, bool is_known, const lanes *sum,
                         const lanes *squares, double *result, bool *is_result)
{
    int64_t left = r->operation >= VARIANCE ? r->n_terms - r->ddof : 0;
    if (r->operation == SUM)
        lanes_sums(sum, n, r->format, result, is_result);
    if (r->operation == MEAN && !r->count)
        lanes_means(sum, n, r->n_terms, r->format, result, is_result);
    if (!needs_squares(r) || !is_known || r->count || left > EXB_COMPENSATED_MOST ||
        (r->operation >= VARIANCE && left < 1))
        return;
    lanes_moments(sum, squares, n, r->n_terms, left, r->operation != VARIANCE, r->format, result,
                  is_result);
}

static outcome reduce_block(const reduction *r, int64_t i, const char *base, int n)
{
    lanes sum[2], squares;
    outcome o = DONE;
    if (is_plain(r) && reduce_plain(r, i, base, n, &o))
        return o;
    double result[LANES] = {0};
    bool is_result[LANES] = {false};
    lanes_clear(n, sum[0].s, sum[0].c, sum[0].w);
    if (needs_squares(r)) {
        lanes_clear(n, sum[1].s, sum[1].c, sum[1].w);
        lanes_clear(n, squares.s, squares.c, squares.w);
    }
    bool is_known = add_block(r, base, n, sum, &squares, NULL);
    decide_lanes(r, n, is_known, sum, &squares, result, is_result);
    store_results(r, i, n, result);
    for (int k = 0; k < n && o == DONE; k++) {
        if (is_result[k])
            continue;
        enclosures v = {.sum[0] = lane_enclosure(r, &sum[0], k, r->n_terms, true)};
        if (needs_squares(r)) {
            v.sum[1] = lane_enclosure(r, &sum[1], k, r->n_terms, true);
            v.squares = lane_enclosure(r, &squares, k, 2 * r->n_terms, false);
        }
        const char *at = base + k * r->kept.stride[r->kept.n - 1];
        bool is_new = r->operation != MEAN || r->count; /* to what lanes_means decides */
        if (!is_known ||
            !((is_new && decide(r, i + k, &v)) || decide_exact_mean(r, i + k, at, v.sum[0])))
            o = reduce_one(r, i + k);
    }
    return o;
}

/* Sums of n_results lines of n_terms doubles or floats: number i of line k at data + i term_step +
 * k result_step, in elements. */
typedef struct {
    bool are_double;
    const void *data;
    int64_t n_terms, n_results, term_step, result_step;
    void *result;
} lines;

static void sum_one_by_one(const lines *l)
{
    const double *x = l->data;
    const float *f = l->data;
    for (int64_t k = 0; k < l->n_results; k++)
        if (l->are_double)
            ((double *)l->result)[k] =
                excblas_dsum_64(l->n_terms, x + k * l->result_step, l->term_step);
        else
            ((float *)l->result)[k] =
                excblas_ssum_64(l->n_terms, f + k * l->result_step, l->term_step);
}

/* Short rows of doubles that lie one behind the other. */
static outcome sum_rows(const lines *l)
{
    int64_t *offset = malloc((size_t)(l->n_results + 1) * sizeof *offset);
    if (!offset)
        return NO_MEMORY;
    for (int64_t k = 0; k <= l->n_results; k++)
        offset[k] = k * l->n_terms;
    exblas_status status = exblas_dsegment_sum_64(l->n_results, offset, l->data, l->result);
    free(offset);
    return status == EXBLAS_OK ? DONE : NO_MEMORY;
}

/* The matrix times ones, which the library computes at the speed of memory. Exact: x 1 = x, also
 * for Inf and NaN, and a zero sum is +0 either way. */
static outcome sum_by_product(const lines *l, bool by_columns)
{
    int trans = by_columns ? EXBLAS_TRANS : EXBLAS_NO_TRANS;
    int64_t m = by_columns ? l->n_terms : l->n_results, n = by_columns ? l->n_results : l->n_terms;
    int64_t ld = by_columns ? l->term_step : l->result_step;
    size_t n_bytes = l->are_double ? sizeof(double) : sizeof(float);
    void *one = malloc((size_t)l->n_terms * n_bytes);
    if (!one)
        return NO_MEMORY;
    for (int64_t i = 0; i < l->n_terms; i++)
        if (l->are_double)
            ((double *)one)[i] = 1;
        else
            ((float *)one)[i] = 1;
    if (l->are_double)
        excblas_dgemv_64(EXBLAS_ROW_MAJOR, trans, m, n, 1, l->data, ld, one, 1, 0, l->result, 1);
    else
        excblas_sgemv_64(EXBLAS_ROW_MAJOR, trans, m, n, 1, l->data, ld, one, 1, 0, l->result, 1);
    free(one);
    return DONE;
}

static outcome sum_lines(const lines *l)
{
    enum {
        SHORT = 48, /* rows of up to that many terms: cheaper one by one than in a product */
        FEW = 2     /* lines, as the parts of complex numbers: they leave a product idle */
    };
    bool by_rows = l->term_step == 1 && l->result_step >= l->n_terms;
    bool by_columns = l->result_step == 1 && l->term_step >= l->n_results;
    if (l->n_results == 2 && l->result_step == 1 && l->term_step % 2 == 0)
        (l->are_double ? excblas_zsum_sub_64 : excblas_csum_sub_64)(l->n_terms, l->data,
                                                                    l->term_step / 2, l->result);
    else if (l->n_results <= FEW || l->n_terms == 0 || (!by_rows && !by_columns))
        sum_one_by_one(l);
    else if (l->are_double && by_rows && l->result_step == l->n_terms && l->n_terms <= SHORT)
        return sum_rows(l);
    else
        return sum_by_product(l, !by_rows);
    return DONE;
}

/* Sums in the type of the elements, one line each. False if that is not what is asked for. */
static bool reduce_lines(const reduction *r, outcome *o)
{
    int n_bytes = r->element.n_bytes, last = r->kept.n - 1;
    lines l = {n_bytes == 8, NULL, r->reduced.length[0], r->kept.length[last], 0, 0, NULL};
    if (r->operation != SUM || r->reduced.n != 1 || r->element.kind != FLOAT || n_bytes == 2 ||
        r->out_element.kind != FLOAT || r->out_element.n_bytes != n_bytes ||
        r->format != (n_bytes == 8 ? EXBLAS_DOUBLE : EXBLAS_SINGLE))
        return false;
    l.term_step = r->reduced.stride[0] / n_bytes;
    l.result_step = r->kept.stride[last] / n_bytes;
    if (r->reduced.stride[0] % n_bytes || (uintptr_t)r->data % (uintptr_t)n_bytes)
        return false;
    for (int k = 0; k <= last; k++)
        if (r->kept.stride[k] % n_bytes)
            return false;
    int64_t n_groups = turns(&r->kept, last);
    *o = DONE;
    for (int64_t i = 0; i < n_groups && *o == DONE; i++) {
        l.data = r->data + offset_at(&r->kept, last, i);
        l.result = r->out + i * l.n_results * n_bytes;
        *o = sum_lines(&l);
    }
    return true;
}

static outcome reduce_all(const reduction *r)
{
    outcome o = DONE;
    for (int64_t i = 0; i < r->n_results && o == DONE;) {
        const char *base = r->data + offset_at(&r->kept, r->kept.n, i);
        int n = block_at(r, i);
        o = n == 0                         ? reduce_one(r, i)
            : r->out_element.kind != FLOAT ? sum_columns(r, i, base, n)
                                           : reduce_block(r, i, base, n);
        i += n ? n : 1;
    }
    return o;
}

/* Sums of floats that are best made many at once: of short columns, and of shorter rows; of floats
 * if float_means takes the first ones. */
static bool is_short_sum(const reduction *r)
{
    enum { SHORT_ROWS = 12, SHORT_COLUMNS = 24 };
    double sum[LANES];
    line l = line_of(r, r->data, 0, 0);
    line row = {l.element, l.at, block_at(r, 0), r->kept.stride[r->kept.n - 1]};
    bool are_rows = llabs(r->kept.stride[r->kept.n - 1]) >= r->reduced.stride[r->reduced.n - 1];
    int columns = is_few(r) ? FEW_TERMS : SHORT_COLUMNS;
    return r->operation == SUM && r->n_terms <= (are_rows ? SHORT_ROWS : columns) &&
           r->out_element.kind == FLOAT && row.n > 0 &&
           (!is_few(r) || float_means(&row, l.n, l.stride, 1, sum));
}

/* Means and short sums of complex rows: those of the real parts, and of the others, for blocks of
 * either. */
static bool reduce_parts(const reduction *r, outcome *o)
{
    int last = r->kept.n - 1;
    if (r->n_shares != 2 || last < 1 || r->kept.length[last] != 2)
        return false;
    reduction part = *r;
    part.kept.n = last;
    part.n_results /= 2;
    part.n_shares = 1;
    part.out_step = 2;
    if (r->operation != MEAN && !is_short_sum(&part))
        return false;
    *o = reduce_all(&part);
    part.data += r->kept.stride[last];
    part.out += r->out_element.n_bytes;
    *o = *o == DONE ? reduce_all(&part) : *o;
    return true;
}

/* The mean of one line of complex numbers that lie side by side, which are read once. */
static bool reduce_both(const reduction *r, outcome *o)
{
    const exb_enclosure none = exb_enclosure_exact(0);
    exb_enclosure sum[2];
    int64_t step = 0;
    line l = line_of(r, r->data, 0, 0);
    if (r->operation != MEAN || r->n_shares != 2 || r->n_results != 2 || r->reduced.n != 1)
        return false;
    if (line_is_vector(&l, 8, &step) && step == 2)
        exb_dpart_enclosures_of(l.n, (const void *)l.at, sum);
    else if (line_is_vector(&l, 4, &step) && step == 2)
        exb_spart_enclosures_of(l.n, (const void *)l.at, sum);
    else
        return false;
    for (int k = 0; k < 2 && *o == DONE; k++) {
        const char *at = r->data + k * r->kept.stride[0];
        enclosures v = {{sum[k], none}, none};
        if (!decide(r, k, &v) && !decide_exact_mean(r, k, at, sum[k]))
            *o = reduce_one(r, k);
    }
    return true;
}

static EXB_NOINLINE outcome reduce(const reduction *r)
{
    outcome o = DONE;
    if (r->n_results == 0 || reduce_both(r, &o) || reduce_parts(r, &o) ||
        (!is_short_sum(r) && reduce_lines(r, &o)))
        return o;
    return reduce_all(r);
}

/* The loops over an array: axes of the mask are reduced. Parts of complex numbers are one more
 * axis, kept by linear operations and reduced by norms. */
static void plan(reduction *r, const array *x, unsigned long long mask)
{
    r->data = x->data;
    r->element = x->element;
    r->element.n_parts = 1;
    r->n_terms = 1;
    for (int i = 0; i < x->n_dims; i++) {
        loops_push(mask >> i & 1 ? &r->reduced : &r->kept, x->shape[i], x->stride[i]);
        if (mask >> i & 1)
            r->n_terms *= x->shape[i];
    }
    bool keeps_parts = r->operation == SUM || r->operation == MEAN;
    if (x->element.n_parts == 2 && r->operation < VARIANCE)
        loops_push(keeps_parts ? &r->kept : &r->reduced, 2, r->element.n_bytes);
    r->n_parts = r->operation < VARIANCE ? 1 : x->element.n_parts;
    r->n_shares = keeps_parts ? x->element.n_parts : 1;
    r->n_results = turns(&r->kept, r->kept.n);
    loops_join(&r->kept);
    if (r->n_terms > 0)
        loops_sort(&r->reduced, &r->data);
    loops_join(&r->reduced);
    if (r->n_terms == 0)
        r->reduced = (loops){.n = 1};
}

static bool counts_fit(const reduction *r, const array *count)
{
    return count->element.kind == INTEGER && count->element.n_bytes == 8 && is_contiguous(count) &&
           array_size(count) * r->n_shares == r->n_results;
}

static PyObject *reduce_arrays(reduction *r, const array *x, const array *out, const array *count,
                               unsigned long long mask)
{
    outcome o;
    plan(r, x, mask);
    r->out = out->data;
    r->out_step = 1;
    r->out_element = out->element;
    r->out_element.n_parts = 1;
    if (array_size(out) * out->element.n_parts != r->n_results || !is_contiguous(out))
        return PyErr_Format(PyExc_ValueError, "out has another shape than the result");
    if (count && !counts_fit(r, count))
        return PyErr_Format(PyExc_ValueError, "one count for each result is needed, of 64 bits");
    r->count = count ? (const void *)count->data : NULL;
    Py_BEGIN_ALLOW_THREADS;
    EXB_GUARDED(o = reduce(r));
    Py_END_ALLOW_THREADS;
    return result_of(o);
}

/* reduce(operation, x, mask of axes, out, counts or None, ddof, format): out is contiguous. */
PyObject *core_reduce(PyObject *module, PyObject *arguments)
{
    PyObject *source[3], *result;
    int operation;
    unsigned long long mask;
    long long ddof;
    reduction r = {0};
    array a[3];
    if (!PyArg_ParseTuple(arguments, "iOKOOLi", &operation, &source[0], &mask, &source[1],
                          &source[2], &ddof, &r.format))
        return NULL;
    r.operation = (unsigned)operation <= DEVIATION ? (enum operation_code)operation : SUM;
    r.ddof = ddof;
    int n = source[2] == Py_None ? 2 : 3;
    if (!arrays_open(n, a, source, 1))
        return NULL;
    result = reduce_arrays(&r, &a[0], &a[1], n == 3 ? &a[2] : NULL, mask);
    arrays_close(n, a);
    return result;
}

/* NumPy's types; NULL without NumPy. */
enum { ARRAY, DOUBLE, SINGLE, SIGNED, UNSIGNED_INTEGER, DOUBLES, SINGLES, N_TYPES };
static PyObject *numpy_type[N_TYPES];

PyObject *core_set_numpy(PyObject *module, PyObject *types)
{
    for (int i = N_TYPES - 1; i >= 0;
         i--) { /* ARRAY, which the others are asked for after, is last */
        PyObject *type = PySequence_GetItem(types, i);
        if (!type)
            return NULL;
        __atomic_store_n(&numpy_type[i], type, __ATOMIC_RELEASE);
    }
    Py_RETURN_NONE;
}

bool is_numpy_array(PyObject *x)
{
    return (PyObject *)Py_TYPE(x) == numpy_type[ARRAY];
}

/* NumPy's scalar; takes the value over. */
static PyObject *scalar(int type, PyObject *value)
{
    PyObject *result = value ? PyObject_CallFunctionObjArgs(numpy_type[type], value, NULL) : NULL;
    Py_XDECREF(value);
    return result;
}

PyObject *float_result(const element *e, const double part[2], bool is_numpys)
{
    bool is_complex = e->n_parts == 2;
    PyObject *value =
        is_complex ? PyComplex_FromDoubles(part[0], part[1]) : PyFloat_FromDouble(part[0]);
    if (!is_numpys)
        return value;
    return scalar(e->n_bytes == 8 ? is_complex ? DOUBLES : DOUBLE
                  : is_complex    ? SINGLES
                                  : SINGLE,
                  value);
}

bool is_unsigned(const array *x)
{
    return x->element.kind == UNSIGNED && strcmp(x->buffer.format, "?") != 0;
}

PyObject *integer_result(bool is_unsigned, int128 x, bool is_numpys)
{
    if (is_unsigned ? x < 0 || x > (int128)UINT64_MAX : x != (int128)(int64_t)x)
        return NULL;
    PyObject *value = is_unsigned ? PyLong_FromUnsignedLongLong((unsigned long long)x)
                                  : PyLong_FromLongLong((long long)x);
    return is_numpys ? scalar(is_unsigned ? UNSIGNED_INTEGER : SIGNED, value) : value;
}

typedef struct {
    double real;
    int128 integer;
} total;

static void total_of(const array *x, total *t)
{
    int64_t n = array_size(x);
    line l = {x->element, x->data, n, x->element.n_bytes};
    if (x->element.kind != FLOAT)
        t->integer = line_integer_sum(&l);
    else if (x->element.n_bytes == 8)
        t->real = excblas_dsum_64(n, (const void *)x->data, 1);
    else
        t->real = (double)excblas_ssum_64(n, (const void *)x->data, 1);
}

/* total(x): the sum of all elements of a NumPy array of integers, doubles or floats without gaps,
 * as NumPy's scalar; NotImplemented for everything else. */
PyObject *core_total(PyObject *module, PyObject *source)
{
    array x;
    total t = {0, 0};
    PyObject *result = NULL;
    if (!is_numpy_array(source) || !array_open(&x, source, false)) {
        PyErr_Clear();
        Py_RETURN_NOTIMPLEMENTED;
    }
    bool is_half = x.element.kind == FLOAT && x.element.n_bytes == 2;
    if (is_contiguous(&x) && x.element.n_parts == 1 && !is_half) {
        if (array_size(&x) <= 4096) { /* not worth handing over the lock */
            total_of(&x, &t);
        } else {
            Py_BEGIN_ALLOW_THREADS;
            total_of(&x, &t);
            Py_END_ALLOW_THREADS;
        }
        result = x.element.kind == FLOAT ? float_result(&x.element, (const double[2]){t.real}, true)
                                         : integer_result(is_unsigned(&x), t.integer, true);
    }
    array_close(&x);
    if (!result && !PyErr_Occurred())
        Py_RETURN_NOTIMPLEMENTED;
    return result;
}
