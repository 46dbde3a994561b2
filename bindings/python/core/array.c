#include "integers.h"

#include "core/arith/half.h"

#include <string.h>

/* The letters of the struct module, and Z before them for NumPy's complex numbers. Sizes come from
 * the buffer. */
static bool element_of(element *e, const char *format, int64_t n_bytes)
{
    const char *letter = format ? format : "B";
    bool is_foreign = *letter == '>' || *letter == '!';
    if (strchr("@=<>!", *letter) && *letter)
        letter++;
    e->n_parts = *letter == 'Z' ? 2 : 1;
    letter += *letter == 'Z';
    if (!*letter || letter[1] || (is_foreign && n_bytes > 1))
        return false;
    e->n_bytes = (int)n_bytes / e->n_parts;
    e->kind = strchr("?BHILQN", *letter) ? UNSIGNED : strchr("bhilqn", *letter) ? INTEGER : FLOAT;
    return e->n_parts == 2 ? strchr("fd", *letter) != NULL
                           : strchr("?BHILQNbhilqnefd", *letter) != NULL;
}

static bool is_flat(const Py_buffer *b)
{
    for (int i = 0; b->suboffsets && i < b->ndim; i++)
        if (b->suboffsets[i] >= 0)
            return false;
    return b->ndim <= MAX_DIMS;
}

bool array_open(array *a, PyObject *source, bool writable)
{
    int flags = writable ? PyBUF_RECORDS : PyBUF_RECORDS_RO;
    if (PyObject_GetBuffer(source, &a->buffer, flags))
        return false;
    if (!element_of(&a->element, a->buffer.format, a->buffer.itemsize) || !is_flat(&a->buffer)) {
        PyErr_Format(PyExc_TypeError,
                     "elements of format '%s' are not taken: convert them to doubles",
                     a->buffer.format ? a->buffer.format : "B");
        PyBuffer_Release(&a->buffer);
        return false;
    }
    a->data = a->buffer.buf;
    a->n_dims = a->buffer.ndim;
    for (int i = 0; i < a->n_dims; i++) {
        a->shape[i] = a->buffer.shape[i];
        a->stride[i] = a->buffer.strides[i];
    }
    return true;
}

void array_close(array *a)
{
    PyBuffer_Release(&a->buffer);
}

void arrays_close(int n, array *all)
{
    while (n > 0)
        array_close(&all[--n]);
}

bool arrays_open(int n, array *all, PyObject *const *source, int written)
{
    for (int i = 0; i < n; i++)
        if (!array_open(&all[i], source[i], i == written)) {
            arrays_close(i, all);
            return false;
        }
    return true;
}

int64_t array_size(const array *a)
{
    int64_t n = 1;
    for (int i = 0; i < a->n_dims; i++)
        n *= a->shape[i];
    return n;
}

bool is_float(const array *a, int n_bytes, int n_parts)
{
    return a->element.kind == FLOAT && a->element.n_bytes == n_bytes &&
           a->element.n_parts == n_parts;
}

bool is_contiguous(const array *a)
{
    int64_t step = a->element.n_bytes * a->element.n_parts;
    if (array_size(a) == 0)
        return true;
    for (int i = a->n_dims - 1; i >= 0; i--) {
        if (a->shape[i] > 1 && a->stride[i] != step)
            return false;
        step *= a->shape[i];
    }
    return (uintptr_t)a->data % (uintptr_t)a->element.n_bytes == 0;
}

line line_along(const array *a, int axis, const char *at, int part)
{
    line l = {a->element, at + part * a->element.n_bytes, a->shape[axis], a->stride[axis]};
    l.element.n_parts = 1;
    return l;
}

const void *line_lowest(const line *l)
{
    return l->stride < 0 && l->n > 0 ? l->at + (l->n - 1) * l->stride : l->at;
}

#define TO double
#define FROM float
#include "load_tmpl.h"
#define FROM double
#include "load_tmpl.h"

/* Wide integers as 2^32 high + low; the rest as it is: 3 2^51 + x has the bits of 3 2^51, plus x.
 */
static int split_integers(const line *l, const char *at, int n, double piece[2][CHUNK])
{
    int64_t word[CHUNK];
    bool is_signed = l->element.kind == INTEGER;
    line part = {l->element, at, n, l->stride};
    line_words(&part, word);
    if (l->element.n_bytes < 8 || words_bits(word, n, is_signed) <= 51) {
        for (int i = 0; i < n; i++)
            piece[0][i] = exb_from_bits((uint64_t)word[i] + 0x4338000000000000) - 0x1.8p52;
        return 1;
    }
    for (int i = 0; i < n; i++) {
        piece[0][i] = (double)(uint32_t)word[i];
        int64_t high = is_signed ? word[i] >> 32 : (int64_t)((uint64_t)word[i] >> 32);
        piece[1][i] = (double)high * 0x1p32;
    }
    return 2;
}

int line_pieces(const line *l, int64_t begin, int n, double piece[2][CHUNK])
{
    const char *at = l->at + begin * l->stride;
    if (l->element.kind != FLOAT)
        return split_integers(l, at, n, piece);
    if (l->element.n_bytes == 8)
        load_double(piece[0], at, n, l->stride);
    else if (l->element.n_bytes == 4)
        load_float(piece[0], at, n, l->stride);
    else
        for (int i = 0; i < n; i++) {
            uint16_t half;
            memcpy(&half, at + i * l->stride, sizeof half);
            piece[0][i] = (double)exb_widen_f16(half);
        }
    return 1;
}

static int chunk_at(const line *l, int64_t begin)
{
    return l->n - begin < CHUNK ? (int)(l->n - begin) : CHUNK;
}

static void add_integer(exblas_acc *a, int128 x)
{
    exblas_acc_add(a, (double)(uint32_t)x);
    exblas_acc_add(a, (double)(uint32_t)(x >> 32) * 0x1p32);
    exblas_acc_add(a, (double)(uint32_t)(x >> 64) * 0x1p64);
    exblas_acc_add(a, (double)(int32_t)(x >> 96) * 0x1p96);
}

void line_add(exblas_acc *a, const line *l)
{
    double piece[2][CHUNK];
    int64_t increment;
    if (line_is_vector(l, 8, &increment)) {
        exblas_acc_add_vector(a, l->n, line_lowest(l), increment);
    } else if (line_is_vector(l, 4, &increment)) {
        exblas_acc_add_vector_f(a, l->n, line_lowest(l), increment);
    } else if (l->element.kind != FLOAT) {
        add_integer(a, line_integer_sum(l));
    } else {
        for (int64_t i = 0; i < l->n; i += CHUNK) {
            int n = chunk_at(l, i);
            line_pieces(l, i, n, piece);
            exblas_acc_add_vector(a, n, piece[0], 1);
        }
    }
}

void line_add_magnitudes(exblas_acc *a, const line *l)
{
    double piece[2][CHUNK];
    for (int64_t i = 0; i < l->n; i += CHUNK) {
        int n = chunk_at(l, i), n_pieces = line_pieces(l, i, n, piece);
        for (int k = 0; n_pieces == 2 && k < n; k++)
            if (piece[1][k] < 0) { /* then |x| = -high - low */
                piece[0][k] = -piece[0][k];
                piece[1][k] = -piece[1][k];
            }
        if (n_pieces == 1) {
            exblas_acc_add_magnitudes(a, n, piece[0], 1);
        } else {
            exblas_acc_add_vector(a, n, piece[0], 1);
            exblas_acc_add_vector(a, n, piece[1], 1);
        }
    }
}

void line_add_products(exblas_acc *a, const line *x, const line *y)
{
    double p[2][CHUNK], q[2][CHUNK];
    int64_t incx, incy;
    if (line_is_vector(x, 8, &incx) && line_is_vector(y, 8, &incy)) {
        exblas_acc_add_dot(a, x->n, line_lowest(x), incx, line_lowest(y), incy);
        return;
    }
    if (line_is_vector(x, 4, &incx) && line_is_vector(y, 4, &incy)) {
        exblas_acc_add_dot_f(a, x->n, line_lowest(x), incx, line_lowest(y), incy);
        return;
    }
    for (int64_t i = 0; i < x->n; i += CHUNK) {
        int n = chunk_at(x, i), n_p = line_pieces(x, i, n, p), n_q = line_pieces(y, i, n, q);
        for (int j = 0; j < n_p; j++)
            for (int k = 0; k < n_q; k++)
                exblas_acc_add_dot(a, n, p[j], 1, q[k], 1);
    }
}
