/* Sums by index and of segments. */
#include "core.h"

static bool same_floats(const array *x, const array *y)
{
    return (is_float(x, 8, 1) || is_float(x, 4, 1)) && is_float(y, x->element.n_bytes, 1) &&
           x->n_dims == 1 && y->n_dims == 1 && is_contiguous(x) && is_contiguous(y);
}

typedef exblas_status sums_by(const array *x, const array *index, const array *y);

static exblas_status add_by_index(const array *x, const array *index, const array *y)
{
    if (x->shape[0] != index->shape[0])
        return EXBLAS_EINVAL;
    return x->element.n_bytes == 8
               ? exblas_dscatter_add_64(x->shape[0], (const void *)x->data,
                                        (const void *)index->data, y->shape[0], (void *)y->data)
               : exblas_sscatter_add_64(x->shape[0], (const void *)x->data,
                                        (const void *)index->data, y->shape[0], (void *)y->data);
}

static exblas_status sum_segments(const array *x, const array *offset, const array *y)
{
    int64_t n = y->shape[0];
    if (offset->shape[0] != n + 1 || ((const int64_t *)(const void *)offset->data)[n] > x->shape[0])
        return EXBLAS_EINVAL;
    return x->element.n_bytes == 8 ? exblas_dsegment_sum_64(n, (const void *)offset->data,
                                                            (const void *)x->data, (void *)y->data)
                                   : exblas_ssegment_sum_64(n, (const void *)offset->data,
                                                            (const void *)x->data, (void *)y->data);
}

static PyObject *by(sums_by *function, PyObject *arguments)
{
    PyObject *source[3];
    array o[3];
    exblas_status status = EXBLAS_OK;
    if (!PyArg_ParseTuple(arguments, "OOO", &source[0], &source[1], &source[2]) ||
        !arrays_open(3, o, source, 2))
        return NULL;
    bool fits = is_index(&o[1], 8) && same_floats(&o[0], &o[2]);
    if (fits) {
        Py_BEGIN_ALLOW_THREADS;
        status = function(&o[0], &o[1], &o[2]);
        Py_END_ALLOW_THREADS;
    }
    arrays_close(3, o);
    if (!fits)
        return PyErr_Format(PyExc_TypeError,
                            "vectors of one type of floats and of indices are needed");
    return result_of(status == EXBLAS_OK ? DONE : status == EXBLAS_ENOMEM ? NO_MEMORY : BAD_INDEX);
}

/* scatter_add(x, index, y): y[index[i]] += x[i], each y rounded once. */
PyObject *core_scatter_add(PyObject *module, PyObject *arguments)
{
    return by(add_by_index, arguments);
}

/* segment_sum(x, offset, y): y[i] = the sum of x[offset[i]:offset[i + 1]]. */
PyObject *core_segment_sum(PyObject *module, PyObject *arguments)
{
    return by(sum_segments, arguments);
}
