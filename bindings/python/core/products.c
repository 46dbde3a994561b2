/* Products: the library's dot and gemm where the elements are floats of one type, else
 * accumulators. */
#include "core.h"
#include "enclose.h"
#include "integers.h"

#include "core/arith/half.h"
#include "core/fpenv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef union {
    struct {
        array x, y, out;
    };
    array all[3];
} operands;

/* A stack of matrices as gemm takes it. */
typedef struct {
    const void *data;
    int trans;
    int64_t ld, step;
} stored;

/* Rows of n elements with that step, m of them: in one piece, and none over another? */
static bool in_pieces(int64_t m, int64_t n, int64_t size, int64_t row_step, int64_t step,
                      int64_t *ld)
{
    int64_t least = n > 1 ? n : 1;
    *ld = m > 1 ? row_step / size : least;
    return (n <= 1 || step == size) && (m <= 1 || (row_step % size == 0 && *ld >= least));
}

/* Rows or columns must lie in one piece. Of no elements the strides mean nothing. */
static bool stored_as(stored *s, const array *a)
{
    int64_t size = a->element.n_bytes * a->element.n_parts, m = a->shape[1], n = a->shape[2];
    bool is_aligned = (uintptr_t)a->data % (uintptr_t)a->element.n_bytes == 0 &&
                      a->stride[0] % size == 0 && a->stride[0] >= 0;
    *s = (stored){a->data, EXBLAS_NO_TRANS, n > 1 ? n : 1, a->stride[0] / size};
    if (a->shape[0] <= 1)
        s->step = 0;
    if (array_size(a) == 0)
        return true;
    if (in_pieces(m, n, size, a->stride[1], a->stride[2], &s->ld))
        return is_aligned;
    s->trans = EXBLAS_TRANS;
    return in_pieces(n, m, size, a->stride[2], a->stride[1], &s->ld) && is_aligned;
}

/* A matrix as a stack of one. */
static void to_stack(array *a)
{
    if (a->n_dims != 2)
        return;
    for (int i = 2; i > 0; i--) {
        a->shape[i] = a->shape[i - 1];
        a->stride[i] = a->stride[i - 1];
    }
    a->n_dims = 3;
    a->shape[0] = 1;
    a->stride[0] = 0;
}

/* Stacks of matrices of fitting shapes? */
static bool shapes_fit(operands *o)
{
    to_stack(&o->x);
    to_stack(&o->y);
    to_stack(&o->out);
    return o->x.n_dims == 3 && o->y.n_dims == 3 && o->out.n_dims == 3 &&
           o->x.shape[0] == o->out.shape[0] && o->y.shape[0] == o->out.shape[0] &&
           o->x.shape[2] == o->y.shape[1] && o->x.shape[1] == o->out.shape[1] &&
           o->y.shape[2] == o->out.shape[2];
}

/* A pointer without type suits all of them. */
#define MULTIPLY(type, alpha, beta)                                                                \
    excblas_##type##gemm_batch_strided_64(EXBLAS_ROW_MAJOR, a->trans, b->trans, out->shape[1],     \
                                          out->shape[2], n_terms, alpha, a->data, a->ld, a->step,  \
                                          b->data, b->ld, b->step, beta, data, c->ld, c->step,     \
                                          out->shape[0])

static void multiply(const stored *a, const stored *b, const stored *c, const array *out,
                     int64_t n_terms, const double alpha[2], const double beta[2])
{
    void *data = out->data;
    const float alpha_f[2] = {(float)alpha[0], (float)alpha[1]};
    const float beta_f[2] = {(float)beta[0], (float)beta[1]};
    if (out->element.kind == UNSIGNED)
        MULTIPLY(b, exb_narrow_bf16(alpha_f[0]), exb_narrow_bf16(beta_f[0]));
    else if (out->element.n_bytes == 2)
        MULTIPLY(h, exb_narrow_f16(alpha_f[0]), exb_narrow_f16(beta_f[0]));
    else if (out->element.n_bytes == 8 && out->element.n_parts == 1)
        MULTIPLY(d, alpha[0], beta[0]);
    else if (out->element.n_bytes == 8)
        MULTIPLY(z, alpha, beta);
    else if (out->element.n_parts == 1)
        MULTIPLY(s, alpha_f[0], beta_f[0]);
    else
        MULTIPLY(c, alpha_f, beta_f);
}

static bool same_element(const element *a, const element *b)
{
    return a->kind == b->kind && a->n_bytes == b->n_bytes && a->n_parts == b->n_parts;
}

static bool is_bf16(const element *e)
{
    return e->kind == UNSIGNED && e->n_bytes == 2;
}

/* alpha or beta of numbers of 16 bits; Python has looked at others. */
static bool has_scalar(const element *e, double x)
{
    exb_half_kind kind = is_bf16(e) ? EXB_BF16 : EXB_F16;
    return e->n_bytes > 2 || isnan(x) ||
           (double)exb_widen_half(kind, exb_narrow_half(kind, (float)x)) == x;
}

static PyObject *multiply_operands(operands *o, const double alpha[2], const double beta[2])
{
    stored a, b, c;
    const element *e = &o->x.element;
    if (!same_element(e, &o->y.element) || !same_element(e, &o->out.element) ||
        !(e->kind == FLOAT || is_bf16(e)) || !shapes_fit(o))
        return PyErr_Format(PyExc_ValueError,
                            "matrices of one type of floats, of fitting shapes, are needed");
    if (!has_scalar(e, alpha[0]) || !has_scalar(e, beta[0]))
        return PyErr_Format(PyExc_ValueError,
                            "alpha and beta must be numbers of the matrices' type");
    if (!stored_as(&c, &o->out) || c.trans != EXBLAS_NO_TRANS)
        return PyErr_Format(PyExc_ValueError, "the rows of the result do not lie in one piece");
    if (!stored_as(&a, &o->x) || !stored_as(&b, &o->y))
        return PyLong_FromLong(stored_as(&a, &o->x));
    Py_BEGIN_ALLOW_THREADS;
    multiply(&a, &b, &c, &o->out, o->x.shape[2], alpha, beta);
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}

/* gemm(a, b, c, alpha, beta): c = RN(alpha a b + beta c) element by element; a, b, c matrices, or
 * stacks of them, of one type of floats. Of bfloat16 they are unsigned integers with its bits.
 * None, or 0 or 1 if neither rows nor columns of a or b lie in one piece, and nothing was done. */
PyObject *core_gemm(PyObject *module, PyObject *arguments)
{
    PyObject *source[3], *result;
    double alpha[2], beta[2];
    operands o;
    if (!PyArg_ParseTuple(arguments, "OOO(dd)(dd)", &source[0], &source[1], &source[2], &alpha[0],
                          &alpha[1], &beta[0], &beta[1]) ||
        !arrays_open(3, o.all, source, 2))
        return NULL;
    result = multiply_operands(&o, alpha, beta);
    arrays_close(3, o.all);
    return result;
}

/* Those along an axis of a matrix of a stack; false without memory. */
static bool words_load(words *w, const array *a, int along, const char *at)
{
    int across = 3 - along;
    int64_t n = a->shape[along], n_lines = a->shape[across];
    w->is_signed = a->element.kind == INTEGER;
    w->word = malloc((size_t)(n * n_lines + 1) * sizeof *w->word);
    if (!w->word)
        return false;
    for (int64_t i = 0; i < n_lines; i++) {
        line l = line_along(a, along, at + i * a->stride[across], 0);
        line_words(&l, w->word + i * n);
    }
    w->n_bits = words_bits(w->word, n * n_lines, w->is_signed);
    return true;
}

static outcome integer_products(const operands *o, const words *a, const words *b, char *out)
{
    int64_t n = o->x.shape[2];
    outcome done = DONE;
    for (int64_t i = 0; i < o->x.shape[1]; i++)
        for (int64_t k = 0; k < o->y.shape[2] && done == DONE; k++) {
            wide sum = {0, 0};
            int128 value;
            wide_add_dot(&sum, a, i * n, b, k * n, n);
            done = !wide_value(&sum, &value)
                       ? TOO_LARGE
                       : store_integer(&o->out.element,
                                       out + i * o->out.stride[1] + k * o->out.stride[2], value);
        }
    return done;
}

static outcome multiply_integers(const operands *o, const char *x, const char *y, char *out)
{
    words a = {0}, b = {0};
    outcome done = NO_MEMORY;
    if (words_load(&a, &o->x, 2, x) && words_load(&b, &o->y, 1, y))
        done = integer_products(o, &a, &b, out);
    free(a.word);
    free(b.word);
    return done;
}

/* One part of a product of complex lines: re = x_r y_r - x_i y_i, im = x_r y_i + x_i y_r. A real
 * line has one part. */
static void add_part(exblas_acc *acc, const line x[2], int n_x, const line y[2], int n_y, int part)
{
    for (int i = 0; i < n_x; i++)
        for (int k = 0; k < n_y; k++) {
            exblas_acc term = {{0}, 0, 0};
            if ((i + k) % 2 != part)
                continue;
            line_add_products(&term, &x[i], &y[k]);
            if (i + k == 2)
                exblas_acc_negate(&term);
            exblas_acc_merge(acc, &term);
        }
}

/* The product of a row and a column. */
static void product_element(const operands *o, const char *row, const char *column, char *out,
                            int format)
{
    const element *e = &o->out.element;
    line x[2], y[2];
    for (int part = 0; part < 2; part++) {
        x[part] = line_along(&o->x, 2, row, part);
        y[part] = line_along(&o->y, 1, column, part);
    }
    for (int part = 0; part < e->n_parts; part++) {
        exblas_acc acc = {{0}, 0, 0};
        add_part(&acc, x, o->x.element.n_parts, y, o->y.element.n_parts, part);
        store_float(e, out + part * e->n_bytes, exblas_acc_to_format(&acc, format));
    }
}

static outcome product_all(const operands *o, int format)
{
    outcome done = DONE;
    for (int64_t s = 0; s < o->out.shape[0] && done == DONE; s++) {
        const char *x = o->x.data + s * o->x.stride[0], *y = o->y.data + s * o->y.stride[0];
        char *out = o->out.data + s * o->out.stride[0];
        if (o->out.element.kind != FLOAT) {
            done = multiply_integers(o, x, y, out);
            continue;
        }
        for (int64_t i = 0; i < o->x.shape[1]; i++)
            for (int64_t k = 0; k < o->y.shape[2]; k++)
                product_element(o, x + i * o->x.stride[1], y + k * o->y.stride[2],
                                out + i * o->out.stride[1] + k * o->out.stride[2], format);
    }
    return done;
}

/* product(x, y, out, format): out = x y for matrices, or stacks of them, of any types, each element
 * rounded once, or an exact integer. */
PyObject *core_product(PyObject *module, PyObject *arguments)
{
    PyObject *source[3];
    int format;
    outcome done = DONE;
    operands o;
    if (!PyArg_ParseTuple(arguments, "OOOi", &source[0], &source[1], &source[2], &format) ||
        !arrays_open(3, o.all, source, 2))
        return NULL;
    bool fits = shapes_fit(&o);
    if (fits) {
        Py_BEGIN_ALLOW_THREADS;
        done = product_all(&o, format);
        Py_END_ALLOW_THREADS;
    }
    arrays_close(3, o.all);
    return fits ? result_of(done)
                : PyErr_Format(PyExc_ValueError, "matrices of fitting shapes are needed");
}

/* Part p of row i, where all rows' real parts are before all imaginary ones. */
static line row_part(const array *x, int64_t i, int p)
{
    return line_along(x, 2, x->data + p * x->stride[0] + i * x->stride[1], 0);
}

/* Of x = row i, y = row k the real or imaginary part of x conj(y) is a sum of products, one for
 * each part p of x: x_r y_r + x_i y_i and x_i y_r - x_r y_i. */
typedef struct {
    const array *x;
    int64_t i, k;
    bool imaginary;
} pair;

static int other_part(const pair *q, int p)
{
    return q->imaginary ? 1 - p : p;
}

static bool is_negative(const pair *q, int p)
{
    return q->imaginary && p == 0;
}

/* The moment, with what it points to. */
typedef struct {
    exblas_acc xy, sum[4];
    exblas_moment moment;
} pair_moment;

static void moment_of(const pair *q, pair_moment *m)
{
    int n_parts = (int)q->x->shape[0];
    memset(m, 0, sizeof *m);
    m->moment = (exblas_moment){.n = q->x->shape[2], .n_pairs = n_parts, .xy = &m->xy};
    for (int p = 0; p < n_parts; p++) {
        line a = row_part(q->x, q->i, p), b = row_part(q->x, q->k, other_part(q, p));
        exblas_acc term = {{0}, 0, 0};
        line_add(&m->sum[p], &a);
        line_add(&m->sum[2 + p], &b);
        line_add_products(&term, &a, &b);
        if (is_negative(q, p)) {
            exblas_acc_negate(&term);
            exblas_acc_negate(&m->sum[p]);
        }
        exblas_acc_merge(&m->xy, &term);
        m->moment.x[p] = &m->sum[p];
        m->moment.y[p] = &m->sum[2 + p];
    }
}

static double exact_pair(const pair *q, int64_t divisor, bool is_correlation, int format)
{
    pair_moment xy, xx, yy;
    moment_of(q, &xy);
    if (!is_correlation)
        return exblas_moment_to_format(&xy.moment, divisor, format);
    moment_of(&(pair){q->x, q->i, q->i, false}, &xx);
    moment_of(&(pair){q->x, q->k, q->k, false}, &yy);
    return exblas_moment_ratio_to_format(&xy.moment, &xx.moment, &yy.moment, format);
}

/* Enclosures of the sums of each part of the rows, and of their moments, for correlations. */
typedef struct {
    exb_enclosure sum[2], moment;
} row_enclosures;

static exb_enclosure pair_enclosure(const pair *q, const row_enclosures *row)
{
    int n_parts = (int)q->x->shape[0];
    exb_enclosure xy = exb_enclosure_exact(0), x[2], y[2];
    for (int p = 0; p < n_parts; p++) {
        line a = row_part(q->x, q->i, p), b = row_part(q->x, q->k, other_part(q, p));
        exb_enclosure term = line_enclosure(EXB_TERM_XY, &a, &b);
        x[p] = row[q->i].sum[p];
        y[p] = row[q->k].sum[other_part(q, p)];
        if (is_negative(q, p)) {
            term = exb_enclosure_negated(term);
            x[p] = exb_enclosure_negated(x[p]);
        }
        xy = exb_enclosure_add(xy, term);
    }
    return moment_enclosure(q->x->shape[2], xy, n_parts, x, y);
}

/* real: the real part, if the imaginary one is asked for. */
static double rounded_pair(const pair *q, const row_enclosures *row, double real, int64_t divisor,
                           bool is_correlation, int format)
{
    exb_enclosure v = pair_enclosure(q, row);
    double result;
    if (q->imaginary && q->i == q->k && isfinite(real))
        return 0;
    if (is_correlation)
        v = exb_ratio_of(v, exb_root_of(enclosure_product(row[q->i].moment, row[q->k].moment)));
    else if (divisor > 0)
        v = moment_quotient(v, q->x->shape[2], divisor);
    if ((is_correlation || divisor > 0) && enclosure_round(v, format, &result))
        return result;
    return exact_pair(q, divisor, is_correlation, format);
}

static void enclose_rows(const array *x, row_enclosures *row)
{
    for (int64_t i = 0; i < x->shape[1]; i++)
        for (int p = 0; p < x->shape[0]; p++) {
            line l = row_part(x, i, p);
            row[i].sum[p] = line_enclosure(EXB_TERM_X, &l, NULL);
        }
    for (int64_t i = 0; i < x->shape[1]; i++)
        row[i].moment = pair_enclosure(&(pair){x, i, i, false}, row);
}

/* The element below the diagonal is the conjugate of that above. */
static EXB_NOINLINE void moments_all(const array *x, const array *out, row_enclosures *row,
                                     int64_t divisor, bool is_correlation, int format)
{
    const element *e = &out->element;
    enclose_rows(x, row);
    for (int64_t i = 0; i < x->shape[1]; i++)
        for (int64_t k = i; k < x->shape[1]; k++) {
            double r = 0;
            for (int p = 0; p < e->n_parts; p++) {
                pair q = {x, i, k, p == 1};
                r = rounded_pair(&q, row, r, divisor, is_correlation, format);
                char *at = out->data + p * e->n_bytes;
                store_float(e, at + k * out->stride[0] + i * out->stride[1], p ? 0 - r : r);
                store_float(e, at + i * out->stride[0] + k * out->stride[1], r);
            }
        }
}

/* moments(x, out, divisor, is_correlation, format): covariances or correlations of the rows of x,
 * an array of parts, rows and numbers. */
PyObject *core_moments(PyObject *module, PyObject *arguments)
{
    PyObject *source[2];
    long long divisor;
    int is_correlation, format;
    array all[2];
    if (!PyArg_ParseTuple(arguments, "OOLpi", &source[0], &source[1], &divisor, &is_correlation,
                          &format) ||
        !arrays_open(2, all, source, 1))
        return NULL;
    row_enclosures *row = PyMem_Calloc((size_t)all[0].shape[1] + 1, sizeof *row);
    if (row) {
        Py_BEGIN_ALLOW_THREADS;
        EXB_GUARDED(moments_all(&all[0], &all[1], row, divisor, is_correlation, format));
        Py_END_ALLOW_THREADS;
    }
    PyMem_Free(row);
    arrays_close(2, all);
    return result_of(row ? DONE : NO_MEMORY);
}

/* The dot of lines of one type of floats; false of others. */
static bool dot_of_floats(const array *x, const array *y, bool conjugates, double r[2])
{
    const element *e = &x->element;
    line a = line_along(x, 0, x->data, 0), b = line_along(y, 0, y->data, 0);
    int64_t incx, incy, size = e->n_bytes * e->n_parts, n = a.n;
    if (!same_element(e, &y->element) || a.stride % size || b.stride % size ||
        !line_is_vector(&a, e->n_bytes, &incx) || !line_is_vector(&b, e->n_bytes, &incy) ||
        e->n_bytes == 2)
        return false;
    incx /= e->n_parts;
    incy /= e->n_parts;
    const void *p = line_lowest(&a), *q = line_lowest(&b);
    float f[2] = {0, 0};
    if (conjugates && p == q && incx == 1 && incy == 1 && e->n_parts == 2) { /* of |x_i|^2 */
        r[0] = e->n_bytes == 8 ? excblas_ddot_64(2 * n, p, 1, p, 1)
                               : (double)excblas_sdot_64(2 * n, p, 1, p, 1);
        r[1] = 0;
        if (isfinite(r[0]))
            return true;
    }
    if (e->n_parts == 1 && e->n_bytes == 8)
        r[0] = excblas_ddot_64(n, p, incx, q, incy);
    else if (e->n_parts == 1)
        f[0] = excblas_sdot_64(n, p, incx, q, incy);
    else if (e->n_bytes == 8)
        (conjugates ? excblas_zdotc_sub_64 : excblas_zdotu_sub_64)(n, p, incx, q, incy, r);
    else
        (conjugates ? excblas_cdotc_sub_64 : excblas_cdotu_sub_64)(n, p, incx, q, incy, f);
    for (int i = 0; i < e->n_parts && e->n_bytes == 4; i++)
        r[i] = (double)f[i];
    return true;
}

static PyObject *dot_of_lines(const array *x, const array *y, bool conjugates, bool is_numpys)
{
    bool is_known, has_floats = x->element.kind == FLOAT || y->element.kind == FLOAT;
    double part[2];
    int128 value;
    line a = line_along(x, 0, x->data, 0), b = line_along(y, 0, y->data, 0);
    Py_BEGIN_ALLOW_THREADS;
    is_known =
        has_floats ? dot_of_floats(x, y, conjugates, part) : line_integer_dot(&a, &b, &value);
    Py_END_ALLOW_THREADS;
    if (!is_known)
        return NULL;
    return has_floats ? float_result(&x->element, part, is_numpys)
                      : integer_result(is_unsigned(x) && is_unsigned(y), value, is_numpys);
}

/* dot(x, y, conjugates x): of two lines of integers or of floats of one type, as NumPy's scalar if
 * one is NumPy's array, else as a number of Python; NotImplemented for others. */
PyObject *core_dot(PyObject *module, PyObject *arguments)
{
    PyObject *source[2], *result = NULL;
    array o[2];
    int conjugates;
    if (!PyArg_ParseTuple(arguments, "OOp", &source[0], &source[1], &conjugates))
        return NULL;
    if (arrays_open(2, o, source, -1)) {
        bool is_numpys = is_numpy_array(source[0]) || is_numpy_array(source[1]);
        if (o[0].n_dims == 1 && o[1].n_dims == 1 && o[0].shape[0] == o[1].shape[0])
            result = dot_of_lines(&o[0], &o[1], conjugates, is_numpys);
        arrays_close(2, o);
    }
    PyErr_Clear();
    if (!result)
        Py_RETURN_NOTIMPLEMENTED;
    return result;
}
