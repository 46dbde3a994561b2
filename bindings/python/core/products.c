/* Products: the library's dot and gemm where the elements are floats of one type, else
 * accumulators. */
#include "core.h"

#include <string.h>

typedef struct {
    array x, y, out;
} operands;

static bool operands_open(operands *o, PyObject *x, PyObject *y, PyObject *out)
{
    if (!array_open(&o->x, x, false))
        return false;
    if (array_open(&o->y, y, false)) {
        if (array_open(&o->out, out, true))
            return true;
        array_close(&o->y);
    }
    array_close(&o->x);
    return false;
}

static void operands_close(operands *o)
{
    array_close(&o->x);
    array_close(&o->y);
    array_close(&o->out);
}

/* A matrix as gemm takes it. */
typedef struct {
    const void *data;
    int trans;
    int64_t ld;
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
    int64_t size = a->element.n_bytes * a->element.n_parts, m = a->shape[0], n = a->shape[1];
    bool is_aligned = (uintptr_t)a->data % (uintptr_t)a->element.n_bytes == 0;
    *s = (stored){a->data, EXBLAS_NO_TRANS, n > 1 ? n : 1};
    if (m == 0 || n == 0)
        return true;
    if (in_pieces(m, n, size, a->stride[0], a->stride[1], &s->ld))
        return is_aligned;
    s->trans = EXBLAS_TRANS;
    return in_pieces(n, m, size, a->stride[1], a->stride[0], &s->ld) && is_aligned;
}

typedef struct {
    int64_t m, n, k;
    stored a, b;
    double alpha[2], beta[2];
    void *c;
    int64_t ldc;
    element element;
} product;

static void multiply(const product *p)
{
    const float alpha[2] = {(float)p->alpha[0], (float)p->alpha[1]};
    const float beta[2] = {(float)p->beta[0], (float)p->beta[1]};
    if (p->element.n_bytes == 8 && p->element.n_parts == 1)
        excblas_dgemm_64(EXBLAS_ROW_MAJOR, p->a.trans, p->b.trans, p->m, p->n, p->k, p->alpha[0],
                         p->a.data, p->a.ld, p->b.data, p->b.ld, p->beta[0], p->c, p->ldc);
    else if (p->element.n_bytes == 8)
        excblas_zgemm_64(EXBLAS_ROW_MAJOR, p->a.trans, p->b.trans, p->m, p->n, p->k, p->alpha,
                         p->a.data, p->a.ld, p->b.data, p->b.ld, p->beta, p->c, p->ldc);
    else if (p->element.n_parts == 1)
        excblas_sgemm_64(EXBLAS_ROW_MAJOR, p->a.trans, p->b.trans, p->m, p->n, p->k, alpha[0],
                         p->a.data, p->a.ld, p->b.data, p->b.ld, beta[0], p->c, p->ldc);
    else
        excblas_cgemm_64(EXBLAS_ROW_MAJOR, p->a.trans, p->b.trans, p->m, p->n, p->k, alpha,
                         p->a.data, p->a.ld, p->b.data, p->b.ld, beta, p->c, p->ldc);
}

static bool same_element(const element *a, const element *b)
{
    return a->kind == b->kind && a->n_bytes == b->n_bytes && a->n_parts == b->n_parts;
}

static bool shapes_fit(const operands *o)
{
    return o->x.n_dims == 2 && o->y.n_dims == 2 && o->out.n_dims == 2 &&
           o->x.shape[1] == o->y.shape[0] && o->out.shape[0] == o->x.shape[0] &&
           o->out.shape[1] == o->y.shape[1];
}

static PyObject *multiply_operands(const operands *o, product *p)
{
    stored c;
    p->element = o->x.element;
    if (!same_element(&o->x.element, &o->y.element) ||
        !same_element(&o->x.element, &o->out.element) || o->x.element.kind != FLOAT ||
        o->x.element.n_bytes == 2 || !shapes_fit(o)) {
        PyErr_SetString(PyExc_ValueError,
                        "matrices of one type of floats, of fitting shapes, are needed");
        return NULL;
    }
    if (!stored_as(&p->a, &o->x) || !stored_as(&p->b, &o->y) || !stored_as(&c, &o->out) ||
        c.trans != EXBLAS_NO_TRANS) {
        PyErr_SetString(PyExc_ValueError, "neither rows nor columns of a matrix lie in one piece");
        return NULL;
    }
    p->m = o->out.shape[0];
    p->n = o->out.shape[1];
    p->k = o->x.shape[1];
    p->c = o->out.data;
    p->ldc = c.ld;
    Py_BEGIN_ALLOW_THREADS;
    multiply(p);
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}

/* gemm(a, b, c, alpha, beta): c = RN(alpha a b + beta c) element by element; a, b, c matrices of
 * one type of floats whose rows or columns, of c rows, lie in one piece. */
PyObject *core_gemm(PyObject *module, PyObject *arguments)
{
    PyObject *a, *b, *c, *result;
    operands o;
    product p;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOO(dd)(dd)", &a, &b, &c, &p.alpha[0], &p.alpha[1],
                          &p.beta[0], &p.beta[1]) ||
        !operands_open(&o, a, b, c))
        return NULL;
    result = multiply_operands(&o, &p);
    operands_close(&o);
    return result;
}

/* The integer sum of products of two lines, below 2^190 in magnitude, in two parts that do not
 * overflow: high 2^64 + low. */
static outcome integer_dot(const line *x, const line *y, const element *e, char *out)
{
    int128 high = 0, low = 0;
    for (int64_t i = 0; i < x->n; i++) {
        int128 p = integer_at(&x->element, x->at + i * x->stride);
        int128 q = integer_at(&y->element, y->at + i * y->stride);
        /* Of unsigned words q = q' + 2^64 c with |q'| <= 2^63: p q' stays in range. */
        int128 wrapped = (int128)(int64_t)q;
        p *= wrapped;
        high += p >> 64;
        low += (int128)(uint64_t)p;
        if (wrapped != q)
            high += integer_at(&x->element, x->at + i * x->stride);
    }
    high += low >> 64;
    if (high < -1 || high > 0)
        return TOO_LARGE;
    return store_integer(e, out, high * ((int128)1 << 64) + (int128)(uint64_t)low);
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

/* Element (i, k) of x y^T. */
static outcome product_element(const operands *o, int64_t i, int64_t k, char *out, int format)
{
    const element *e = &o->out.element;
    line x[2], y[2];
    for (int part = 0; part < 2; part++) {
        x[part] = line_along(&o->x, 1, o->x.data + i * o->x.stride[0], part);
        y[part] = line_along(&o->y, 1, o->y.data + k * o->y.stride[0], part);
    }
    if (e->kind != FLOAT)
        return integer_dot(&x[0], &y[0], e, out);
    for (int part = 0; part < e->n_parts; part++) {
        exblas_acc acc = {{0}, 0, 0};
        add_part(&acc, x, o->x.element.n_parts, y, o->y.element.n_parts, part);
        store_float(e, out + part * e->n_bytes, exblas_acc_to_format(&acc, format));
    }
    return DONE;
}

static outcome product_all(const operands *o, int format)
{
    outcome done = DONE;
    for (int64_t i = 0; i < o->x.shape[0]; i++)
        for (int64_t k = 0; k < o->y.shape[0] && done == DONE; k++)
            done = product_element(
                o, i, k, o->out.data + i * o->out.stride[0] + k * o->out.stride[1], format);
    return done;
}

/* product(x, y, out, format): out = x y^T for matrices of any types, each element rounded once, or
 * an exact integer. */
PyObject *core_product(PyObject *module, PyObject *arguments)
{
    PyObject *x, *y, *out;
    int format;
    outcome done = DONE;
    operands o;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOi", &x, &y, &out, &format) ||
        !operands_open(&o, x, y, out))
        return NULL;
    bool fits = o.x.n_dims == 2 && o.y.n_dims == 2 && o.out.n_dims == 2 &&
                o.x.shape[1] == o.y.shape[1] && o.out.shape[0] == o.x.shape[0] &&
                o.out.shape[1] == o.y.shape[0];
    if (fits) {
        Py_BEGIN_ALLOW_THREADS;
        done = product_all(&o, format);
        Py_END_ALLOW_THREADS;
    } else {
        PyErr_SetString(PyExc_ValueError, "rows of one length are needed");
    }
    operands_close(&o);
    return fits ? result_of(done) : NULL;
}

static void cross(exblas_acc *acc, const array *x, int64_t i, int64_t k, int imaginary)
{
    int n_parts = x->element.n_parts;
    for (int p = 0; p < n_parts; p++) {
        line a = line_along(x, 1, x->data + i * x->stride[0], p);
        line b = line_along(x, 1, x->data + k * x->stride[0], imaginary ? 1 - p : p);
        exblas_acc term = {{0}, 0, 0};
        line_add_products(&term, &a, &b);
        if (imaginary && p == 0) /* Im(x conj(y)) = x_i y_r - x_r y_i */
            exblas_acc_negate(&term);
        exblas_acc_merge(acc, &term);
    }
}

/* Of the real or imaginary part of x_i conj(x_k): the moment, with what it points to. */
typedef struct {
    exblas_acc xy, sum[4];
    exblas_moment moment;
} pair_moment;

static void pair_of(pair_moment *p, const array *x, const exblas_acc *sums, int64_t i, int64_t k,
                    int imaginary)
{
    int n_parts = x->element.n_parts;
    memset(p, 0, sizeof *p);
    cross(&p->xy, x, i, k, imaginary);
    p->moment = (exblas_moment){.n = x->shape[1], .n_pairs = n_parts, .xy = &p->xy};
    for (int part = 0; part < n_parts; part++) {
        p->sum[part] = sums[i * n_parts + part];
        p->sum[2 + part] = sums[k * n_parts + (imaginary ? 1 - part : part)];
        if (imaginary && part == 0)
            exblas_acc_negate(&p->sum[part]);
        p->moment.x[part] = &p->sum[part];
        p->moment.y[part] = &p->sum[2 + part];
    }
}

static double rounded_pair(const array *x, const exblas_acc *sums, int64_t i, int64_t k,
                           int imaginary, int64_t divisor, bool is_correlation, int format)
{
    pair_moment xy, xx, yy;
    pair_of(&xy, x, sums, i, k, imaginary);
    if (!is_correlation)
        return exblas_moment_to_format(&xy.moment, divisor, format);
    pair_of(&xx, x, sums, i, i, 0);
    pair_of(&yy, x, sums, k, k, 0);
    return exblas_moment_ratio_to_format(&xy.moment, &xx.moment, &yy.moment, format);
}

static void moments_all(const array *x, const array *out, exblas_acc *sums, int64_t divisor,
                        bool is_correlation, int format)
{
    const element *e = &out->element;
    for (int64_t i = 0; i < x->shape[0]; i++)
        for (int part = 0; part < x->element.n_parts; part++) {
            line l = line_along(x, 1, x->data + i * x->stride[0], part);
            line_add(&sums[i * x->element.n_parts + part], &l);
        }
    for (int64_t i = 0; i < x->shape[0]; i++)
        for (int64_t k = 0; k < x->shape[0]; k++)
            for (int part = 0; part < e->n_parts; part++)
                store_float(e,
                            out->data + i * out->stride[0] + k * out->stride[1] + part * e->n_bytes,
                            rounded_pair(x, sums, i, k, part, divisor, is_correlation, format));
}

/* moments(x, out, divisor, is_correlation, format): covariances or correlations of the rows of x.
 */
PyObject *core_moments(PyObject *module, PyObject *arguments)
{
    PyObject *source, *target, *result = NULL;
    long long divisor;
    int is_correlation, format;
    array x, out;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOLpi", &source, &target, &divisor, &is_correlation,
                          &format) ||
        !array_open(&x, source, false))
        return NULL;
    if (array_open(&out, target, true)) {
        exblas_acc *sums = PyMem_Calloc((size_t)(x.shape[0] * x.element.n_parts) + 1, sizeof *sums);
        if (sums) {
            Py_BEGIN_ALLOW_THREADS;
            moments_all(&x, &out, sums, divisor, is_correlation, format);
            Py_END_ALLOW_THREADS;
        }
        result = result_of(sums ? DONE : NO_MEMORY);
        PyMem_Free(sums);
        array_close(&out);
    }
    array_close(&x);
    return result;
}

/* dot(x, y): of two lines of floats of one type, as a Python float; NotImplemented for others. */
PyObject *core_dot(PyObject *module, PyObject *arguments)
{
    PyObject *first, *second;
    array x, y;
    double result = 0;
    bool is_known = false;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &first, &second) || !array_open(&x, first, false))
        return NULL;
    if (!array_open(&y, second, false)) {
        array_close(&x);
        return NULL;
    }
    if (x.n_dims == 1 && y.n_dims == 1 && x.shape[0] == y.shape[0] && x.element.n_parts == 1) {
        line a = line_along(&x, 0, x.data, 0), b = line_along(&y, 0, y.data, 0);
        int64_t incx, incy;
        const char *p = a.stride < 0 && a.n ? a.at + (a.n - 1) * a.stride : a.at;
        const char *q = b.stride < 0 && b.n ? b.at + (b.n - 1) * b.stride : b.at;
        is_known = true;
        Py_BEGIN_ALLOW_THREADS;
        if (line_is_vector(&a, 8, &incx) && line_is_vector(&b, 8, &incy))
            result = excblas_ddot_64(a.n, (const void *)p, incx, (const void *)q, incy);
        else if (line_is_vector(&a, 4, &incx) && line_is_vector(&b, 4, &incy))
            result = (double)excblas_sdot_64(a.n, (const void *)p, incx, (const void *)q, incy);
        else
            is_known = false;
        Py_END_ALLOW_THREADS;
    }
    array_close(&x);
    array_close(&y);
    if (!is_known)
        Py_RETURN_NOTIMPLEMENTED;
    return PyFloat_FromDouble(result);
}
