/* Running sums: each one is rounded once. */
#include "enclose.h"
#include "integers.h"

#include "core.h"
#include "core/fpenv.h"
#include "core/method.h"

/* Those of at most CHUNK words, added to *total; false if they may leave the type of out. */
static bool run_words(const words *x, int64_t n, const element *e, int128 *total, char *out,
                      int64_t out_stride)
{
    int64_t sum = (int64_t)*total;
    if ((x->is_signed && e->kind == UNSIGNED) || *total != sum || words_bits(&sum, 1, true) > 61 ||
        words_bits(x->word, n, x->is_signed) > 52) /* 2^52 CHUNK = 2^61 */
        return false;
    for (int64_t i = 0; i < n; i++) {
        sum += x->word[i];
        memcpy(out + i * out_stride, &sum, sizeof sum);
    }
    *total = sum;
    return true;
}

static outcome run_wide(const words *x, int64_t n, const element *e, int128 *total, char *out,
                        int64_t out_stride)
{
    outcome o = DONE;
    for (int64_t i = 0; i < n && o == DONE; i++) {
        *total += word_value(x->word[i], x->is_signed);
        o = store_integer(e, out + i * out_stride, *total);
    }
    return o;
}

static outcome run_integers(const line *x, const element *e, char *out, int64_t out_stride)
{
    int64_t word[CHUNK];
    words w = {word, x->element.kind == INTEGER, 0};
    int128 total = 0;
    outcome o = DONE;
    line l = *x;
    for (int64_t left = x->n; left > 0 && o == DONE; left -= l.n, l.at += l.n * l.stride) {
        l.n = left < CHUNK ? left : CHUNK;
        line_words(&l, word);
        if (!run_words(&w, l.n, e, &total, out, out_stride))
            o = run_wide(&w, l.n, e, &total, out, out_stride);
        out += l.n * out_stride;
    }
    return o;
}

enum { APART = CHUNK + 8 }; /* arrays a page apart would share the cache's lines */

/* A line whose running sums are asked for: the exact one of its first n_added numbers, and all of a
 * chunk. certain: |s| where the result is certified but for the range of s, else 0. */
typedef struct {
    const line *x;
    int format;
    exblas_acc sum;
    int64_t n_added;
    double s[APART], c[APART], b[APART], result[APART], certain[APART], piece[2][CHUNK];
} prefixes;

EXB_INLINE void run_chunk(exact_sum *a, prefixes *p, int64_t begin, int n)
{
    int n_pieces = line_pieces(p->x, begin, n, p->piece);
    for (int i = 0; i < n; i++) {
        exact_sum_add(a, p->piece[0][i]);
        if (n_pieces == 2)
            exact_sum_add(a, p->piece[1][i]);
        p->s[i] = a->s;
        p->c[i] = a->c;
        p->b[i] = a->b;
    }
}

/* The sum of the first n numbers, the last of them number i of a chunk, where filters leave it. */
static double decide(prefixes *p, int i, int64_t n)
{
    exb_enclosure v = {p->s[i], p->c[i], sum_bound(p->b[i]), p->b[i] == 0};
    double result;
    if (exb_method_current()->filter && n < (int64_t)1 << 32 &&
        enclosure_round(v, p->format, &result))
        return result;
    if (p->n_added == 0)
        p->sum = (exblas_acc){{0}, 0, 0};
    line more = {p->x->element, p->x->at + p->n_added * p->x->stride, n - p->n_added, p->x->stride};
    line_add(&p->sum, &more);
    p->n_added = n;
    return exblas_acc_to_format(&p->sum, p->format);
}

/* Those of a chunk that follow each other from out on. */
static void round_chunk(prefixes *p, int64_t begin, int n, const element *e, char *out,
                        int64_t out_stride)
{
    bool tries =
        p->format != EXBLAS_HALF && exb_method_current()->filter && p->x->n < (int64_t)1 << 32;
    if (tries)
        certify_sums(n, p->s, p->c, p->b, p->result, p->certain);
    for (int i = 0; i < n; i++, out += out_stride) {
        bool is_known =
            tries && sum_is_known(p->format, p->result[i], p->certain[i], p->c[i], p->b[i]);
        store_float(e, out, is_known ? p->result[i] : decide(p, i, begin + i + 1));
    }
}

static void run_floats(prefixes *p, const line *x, const element *e, char *out, int64_t out_stride,
                       int format)
{
    exact_sum a = {0, 0, 0};
    p->x = x;
    p->format = format;
    p->n_added = 0;
    for (int64_t begin = 0; begin < x->n; begin += CHUNK) {
        int n = x->n - begin < CHUNK ? (int)(x->n - begin) : CHUNK;
        run_chunk(&a, p, begin, n);
        round_chunk(p, begin, n, e, out + begin * out_stride, out_stride);
    }
}

static outcome run_line(const array *x, const array *out, int64_t i, int64_t k, int format,
                        prefixes *p)
{
    const char *from = x->data + i * x->stride[0] + k * x->stride[2];
    char *at = out->data + i * out->stride[0] + k * out->stride[2];
    for (int part = 0; part < x->element.n_parts; part++, at += out->element.n_bytes) {
        line l = line_along(x, 1, from, part);
        if (out->element.kind != FLOAT)
            return run_integers(&l, &out->element, at, out->stride[1]);
        run_floats(p, &l, &out->element, at, out->stride[1], format);
    }
    return DONE;
}

static EXB_NOINLINE outcome run_all(const array *x, const array *out, int format)
{
    outcome o = DONE;
    prefixes p;
    for (int64_t i = 0; i < x->shape[0]; i++)
        for (int64_t k = 0; k < x->shape[2] && o == DONE; k++)
            o = run_line(x, out, i, k, format, &p);
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
        EXB_GUARDED(o = run_all(&a[0], &a[1], format));
        Py_END_ALLOW_THREADS;
    }
    arrays_close(2, a);
    return fits ? result_of(o)
                : PyErr_Format(PyExc_ValueError, "out has another shape than the result");
}
