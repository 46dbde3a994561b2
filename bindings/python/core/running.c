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
 * terms bounds what is left out by u b. Computed, b is too small by less than 2^-20 of it for the
 * terms of a line, fewer than 2^32. least: the least magnitude of a term that is not 0. */
typedef struct {
    double s, c, b, least;
} running;

EXB_INLINE void add_term(running *a, double p)
{
    double q;
    a->s = exb_two_sum(a->s, p, &q);
    a->c += q;
    a->b += exb_fabs(a->c);
}

/* All terms so far are multiples of g = 2^(k - 52), 2^k <= least. If u b <= 2^-55 least, every |c|
 * was below 2^53 g, and no addition to it rounded (exb_sum_lost_nothing). */
EXB_INLINE bool is_decided(const running *a, int format, double *r)
{
    exb_enclosure v = {a->s, a->c, a->b * (0x1p-53 * (1 + 0x1p-20)), false};
    if (EXB_LIKELY(enclosure_round(v, format, r)))
        return true;
    v.exact = a->b == 0 || exb_sum_lost_nothing(v.e, a->least);
    return v.exact && enclosure_round(v, format, r);
}

/* The same exactly, of the first n_added numbers. */
typedef struct {
    exblas_acc sum;
    int64_t n_added;
} exact_prefix;

static double prefix(exact_prefix *p, const line *x, int64_t n, int format)
{
    line more = {x->element, x->at + p->n_added * x->stride, n - p->n_added, x->stride};
    line_add(&p->sum, &more);
    p->n_added = n;
    return exblas_acc_to_format(&p->sum, format);
}

static EXB_NOINLINE void run_floats(const line *x, const element *e, char *out, int64_t out_stride,
                                    int format)
{
    running a = {0, 0, 0, DBL_MAX};
    exact_prefix exact = {{{0}, 0, 0}, 0};
    bool tries = exb_method_current()->filter && x->n < (int64_t)1 << 32;
    double piece[2][CHUNK], result;
    for (int64_t begin = 0; begin < x->n; begin += CHUNK) {
        int n = x->n - begin < CHUNK ? (int)(x->n - begin) : CHUNK;
        int n_pieces = line_pieces(x, begin, n, piece);
        for (int k = 0; k < n_pieces * n; k++)
            a.least = exb_least_magnitude(a.least, piece[k / n][k % n]);
        for (int i = 0; i < n; i++, out += out_stride) {
            add_term(&a, piece[0][i]);
            if (n_pieces == 2)
                add_term(&a, piece[1][i]);
            if (!tries || !is_decided(&a, format, &result))
                result = prefix(&exact, x, begin + i + 1, format);
            store_float(e, out, result);
        }
    }
}

static outcome run_all(const array *x, const array *out, int format)
{
    outcome o = DONE;
    const element *e = &out->element;
    for (int64_t i = 0; i < x->shape[0] && o == DONE; i++)
        for (int part = 0; part < x->element.n_parts; part++) {
            line l = line_along(x, 1, x->data + i * x->stride[0], part);
            char *at = out->data + i * out->stride[0] + part * e->n_bytes;
            if (e->kind == FLOAT)
                EXB_GUARDED(run_floats(&l, e, at, out->stride[1], format));
            else
                o = run_integers(&l, e, at, out->stride[1]);
        }
    return o;
}

/* cumsum(x, out, format): running sums of the rows of a matrix, each rounded once. */
PyObject *core_cumsum(PyObject *module, PyObject *arguments)
{
    PyObject *source, *target;
    int format;
    array x, out;
    outcome o = DONE;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOi", &source, &target, &format) ||
        !array_open(&x, source, false))
        return NULL;
    if (!array_open(&out, target, true)) {
        array_close(&x);
        return NULL;
    }
    bool fits = x.n_dims == 2 && out.n_dims == 2 && x.shape[0] == out.shape[0] &&
                x.shape[1] == out.shape[1] && x.element.n_parts == out.element.n_parts;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS;
        o = run_all(&x, &out, format);
        Py_END_ALLOW_THREADS;
    } else {
        PyErr_SetString(PyExc_ValueError, "out has another shape than the result");
    }
    array_close(&x);
    array_close(&out);
    return fits ? result_of(o) : NULL;
}
