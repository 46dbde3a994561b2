/* Running sums: each one is rounded once. */
#include "enclose.h"

#include "core.h"
#include "core/fpenv.h"
#include "core/method.h"

static outcome run_integers(const line *x, const element *e, char *out, int64_t out_stride)
{
    int128 total = 0;
    outcome o = DONE;
    for (int64_t i = 0; i < x->n && o == DONE; i++) {
        total += integer_at(&x->element, x->at + i * x->stride);
        o = store_integer(e, out + i * out_stride, total);
    }
    return o;
}

/* A running sum, s + c but for a bound. Each term p is added as (s, q) = two_sum(s, p), without
 * error, and c = fl(c + q), whose error is at most u |c|, u = 2^-53: so b = sum |c_i| over all
 * terms bounds what is left out by u b. Computed, b is too small by less than 2^-19 of it for the
 * numbers of a line, fewer than 2^32, each of one or two terms. */
typedef struct {
    double s, c, b;
} running;

EXB_INLINE void add_term(running *a, double p)
{
    double q;
    a->s = exb_two_sum(a->s, p, &q);
    a->c += q;
    a->b += exb_fabs(a->c);
}

/* Those of a chunk. certain: |s| where the result is certified but for the range of s, else 0. */
typedef struct {
    double s[CHUNK], c[CHUNK], b[CHUNK], result[CHUNK], certain[CHUNK];
} prefixes;

static void run_chunk(running *a, prefixes *p, const line *x, int64_t begin, int n)
{
    double piece[2][CHUNK];
    int n_pieces = line_pieces(x, begin, n, piece);
    for (int i = 0; i < n; i++) {
        add_term(a, piece[0][i]);
        if (n_pieces == 2)
            add_term(a, piece[1][i]);
        p->s[i] = a->s;
        p->c[i] = a->c;
        p->b[i] = a->b;
    }
}

static double bound_of(double b)
{
    return b * (0x1p-53 * (1 + 0x1p-19));
}

/* As exb_certify_d each; a loop that compilers make vectors of. */
static void certify_all(prefixes *p, int n)
{
    for (int i = 0; i < n; i++) {
        exb_bracket b = exb_bracket_of(p->s[i], p->c[i], bound_of(p->b[i]));
        p->result[i] = b.lo;
        p->certain[i] = b.lo == b.hi ? exb_fabs(p->s[i]) : 0;
    }
}

/* A line whose running sums are asked for: the exact one of its first n_added numbers, and the
 * least magnitude of the first n_seen but zeros. */
typedef struct {
    const line *x;
    int format;
    exblas_acc sum;
    int64_t n_added, n_seen;
    double least;
} prefix_of;

static line part_of(const line *x, int64_t begin, int64_t end)
{
    return (line){x->element, x->at + begin * x->stride, end - begin, x->stride};
}

/* All terms so far are multiples of g = 2^(k - 52), 2^k <= least. If u b <= 2^-55 least, every |c|
 * was below 2^53 g, and no addition to it rounded (exb_sum_lost_nothing). */
static bool is_exact(prefix_of *q, double b, int64_t n)
{
    while (q->n_seen < n) {
        int64_t end = n - q->n_seen < CHUNK ? n : q->n_seen + CHUNK;
        line more = part_of(q->x, q->n_seen, end);
        q->least = fmin(q->least, line_least(&more));
        q->n_seen = end;
    }
    return b == 0 || exb_sum_lost_nothing(bound_of(b), q->least);
}

/* The sum of the first n numbers, the last of them number i of a chunk, where filters leave it. */
static double decide(prefix_of *q, const prefixes *p, int i, int64_t n)
{
    exb_enclosure v = {p->s[i], p->c[i], bound_of(p->b[i]), p->b[i] == 0};
    double result;
    if (exb_method_current()->filter && n < (int64_t)1 << 32) {
        if (enclosure_round(v, q->format, &result))
            return result;
        v.exact = is_exact(q, p->b[i], n);
        if (v.exact && enclosure_round(v, q->format, &result))
            return result;
    }
    line more = part_of(q->x, q->n_added, n);
    line_add(&q->sum, &more);
    q->n_added = n;
    return exblas_acc_to_format(&q->sum, q->format);
}

static EXB_NOINLINE void run_floats(const line *x, const element *e, char *out, int64_t out_stride,
                                    int format)
{
    running a = {0, 0, 0};
    prefix_of q = {.x = x, .format = format, .least = DBL_MAX};
    prefixes p;
    bool tries = exb_method_current()->filter && x->n < (int64_t)1 << 32 && format == EXBLAS_DOUBLE;
    for (int64_t begin = 0; begin < x->n; begin += CHUNK) {
        int n = x->n - begin < CHUNK ? (int)(x->n - begin) : CHUNK;
        run_chunk(&a, &p, x, begin, n);
        if (tries)
            certify_all(&p, n);
        for (int i = 0; i < n; i++, out += out_stride)
            store_float(e, out,
                        tries && exb_certifiable(p.certain[i]) ? p.result[i]
                                                               : decide(&q, &p, i, begin + i + 1));
    }
}

static outcome run_line(const array *x, const array *out, int64_t i, int64_t k, int format)
{
    const element *e = &out->element;
    outcome o = DONE;
    for (int part = 0; part < x->element.n_parts && o == DONE; part++) {
        line l = line_along(x, 1, x->data + i * x->stride[0] + k * x->stride[2], part);
        char *at = out->data + i * out->stride[0] + k * out->stride[2] + part * e->n_bytes;
        if (e->kind == FLOAT)
            EXB_GUARDED(run_floats(&l, e, at, out->stride[1], format));
        else
            o = run_integers(&l, e, at, out->stride[1]);
    }
    return o;
}

static outcome run_all(const array *x, const array *out, int format)
{
    outcome o = DONE;
    for (int64_t i = 0; i < x->shape[0]; i++)
        for (int64_t k = 0; k < x->shape[2] && o == DONE; k++)
            o = run_line(x, out, i, k, format);
    return o;
}

/* cumsum(x, out, format): running sums along the second of three axes, each rounded once. */
PyObject *core_cumsum(PyObject *module, PyObject *arguments)
{
    PyObject *source[2];
    int format;
    array a[2];
    outcome o = DONE;
    if (!PyArg_ParseTuple(arguments, "OOi", &source[0], &source[1], &format) ||
        !arrays_open(2, a, source, 1))
        return NULL;
    bool fits =
        a[0].n_dims == 3 && a[1].n_dims == 3 && a[0].element.n_parts == a[1].element.n_parts;
    for (int i = 0; i < 3; i++)
        fits = fits && a[0].shape[i] == a[1].shape[i];
    if (fits) {
        Py_BEGIN_ALLOW_THREADS;
        o = run_all(&a[0], &a[1], format);
        Py_END_ALLOW_THREADS;
    }
    arrays_close(2, a);
    return fits ? result_of(o)
                : PyErr_Format(PyExc_ValueError, "out has another shape than the result");
}
