/* The type _core.Accumulator: exact sums. What a number or an array is, Python decides
 * (_accumulator.py); here they are doubles and buffers. */
#include "core.h"

typedef struct {
    PyObject_HEAD exblas_acc sum;
    double n_added; /* less those subtracted; NaN if unknown */
} accumulator;

static accumulator *of(PyObject *self)
{
    return (accumulator *)self;
}

static exblas_acc *sum_of(PyObject *self)
{
    return &of(self)->sum;
}

/* Without an interpreter's lock, which the stable interface rests on, no other thread changes the
 * accumulator and the argument while a method reads them. */
#ifndef Py_BEGIN_CRITICAL_SECTION2
#define Py_BEGIN_CRITICAL_SECTION2(a, b) {
#define Py_END_CRITICAL_SECTION2() }
#endif
#define METHOD(name)                                                                               \
    static PyObject *name##_alone(PyObject *self, PyObject *x);                                    \
    static PyObject *name(PyObject *self, PyObject *x)                                             \
    {                                                                                              \
        PyObject *result;                                                                          \
        Py_BEGIN_CRITICAL_SECTION2(self, x ? x : self);                                            \
        result = name##_alone(self, x);                                                            \
        Py_END_CRITICAL_SECTION2();                                                                \
        return result;                                                                             \
    }                                                                                              \
    static PyObject *name##_alone

/* The accumulator of an object, or NULL with a TypeError. */
static exblas_acc *sum_of_other(PyObject *self, PyObject *other)
{
    PyObject *base = (PyObject *)Py_TYPE(self);
    int is_one = PyObject_IsInstance(other, base);
    if (is_one == 0)
        PyErr_SetString(PyExc_TypeError, "an accumulator is needed");
    return is_one == 1 ? sum_of(other) : NULL;
}

METHOD(add_double)(PyObject *self, PyObject *x)
{
    double value = PyFloat_AsDouble(x);
    if (value == -1 && PyErr_Occurred())
        return NULL;
    exblas_acc_add(sum_of(self), value);
    Py_RETURN_NONE;
}

METHOD(add_product)(PyObject *self, PyObject *arguments)
{
    double x, y;
    if (!PyArg_ParseTuple(arguments, "dd", &x, &y))
        return NULL;
    exblas_acc_add_product(sum_of(self), x, y);
    Py_RETURN_NONE;
}

/* Real elements only. */
static bool open_real(array *a, PyObject *source)
{
    if (!array_open(a, source, false))
        return false;
    if (a->element.n_parts == 1)
        return true;
    PyErr_SetString(PyExc_TypeError, "an accumulator holds a real number");
    array_close(a);
    return false;
}

/* All lines along the last axis. */
static void add_lines(exblas_acc *sum, const array *a, int axis, const char *at)
{
    if (axis >= a->n_dims - 1) {
        line l = {a->element, at, 1, a->element.n_bytes};
        if (a->n_dims)
            l = line_along(a, axis, at, 0);
        line_add(sum, &l);
        return;
    }
    for (int64_t i = 0; i < a->shape[axis]; i++)
        add_lines(sum, a, axis + 1, at + i * a->stride[axis]);
}

METHOD(add_array)(PyObject *self, PyObject *source)
{
    array a;
    exblas_acc sum = {{0}, 0, 0};
    if (!open_real(&a, source))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    add_lines(&sum, &a, 0, a.data);
    Py_END_ALLOW_THREADS;
    of(self)->n_added += (double)array_size(&a);
    array_close(&a);
    exblas_acc_merge(sum_of(self), &sum);
    Py_RETURN_NONE;
}

METHOD(add_dot)(PyObject *self, PyObject *arguments)
{
    PyObject *first, *second;
    array x, y;
    exblas_acc sum = {{0}, 0, 0};
    if (!PyArg_ParseTuple(arguments, "OO", &first, &second) || !open_real(&x, first))
        return NULL;
    if (!open_real(&y, second)) {
        array_close(&x);
        return NULL;
    }
    bool fits = x.n_dims == 1 && y.n_dims == 1 && x.shape[0] == y.shape[0];
    if (fits) {
        line a = line_along(&x, 0, x.data, 0), b = line_along(&y, 0, y.data, 0);
        Py_BEGIN_ALLOW_THREADS;
        line_add_products(&sum, &a, &b);
        Py_END_ALLOW_THREADS;
        exblas_acc_merge(sum_of(self), &sum);
        of(self)->n_added += (double)x.shape[0];
    }
    array_close(&x);
    array_close(&y);
    if (fits)
        Py_RETURN_NONE;
    return PyErr_Format(PyExc_ValueError, "two vectors of one length are needed");
}

METHOD(merge)(PyObject *self, PyObject *other)
{
    exblas_acc *sum = sum_of_other(self, other);
    if (!sum)
        return NULL;
    exblas_acc_merge(sum_of(self), sum);
    of(self)->n_added += of(other)->n_added;
    Py_RETURN_NONE;
}

/* Adds to the count of numbers, and returns it. */
METHOD(counted)(PyObject *self, PyObject *n)
{
    double value = PyFloat_AsDouble(n);
    if (value == -1 && PyErr_Occurred())
        return NULL;
    return PyFloat_FromDouble(of(self)->n_added += value);
}

METHOD(scale)(PyObject *self, PyObject *factor)
{
    double f = PyFloat_AsDouble(factor);
    if (f == -1 && PyErr_Occurred())
        return NULL;
    if (exblas_acc_scale(sum_of(self), f) == EXBLAS_OK)
        Py_RETURN_NONE;
    return PyErr_Format(PyExc_OverflowError, "the product does not fit into an accumulator");
}

METHOD(compare)(PyObject *self, PyObject *other)
{
    exblas_acc *sum = sum_of_other(self, other);
    return sum ? PyLong_FromLong(exblas_acc_compare(sum_of(self), sum)) : NULL;
}

METHOD(rounded)(PyObject *self, PyObject *format)
{
    long n_bits = PyLong_AsLong(format);
    if (n_bits == -1 && PyErr_Occurred())
        return NULL;
    return PyFloat_FromDouble(exblas_acc_to_format(sum_of(self), (int)n_bits));
}

METHOD(quotient)(PyObject *self, PyObject *arguments)
{
    double divisor;
    int format;
    if (!PyArg_ParseTuple(arguments, "di", &divisor, &format))
        return NULL;
    return PyFloat_FromDouble(exblas_acc_quotient_to_format(sum_of(self), divisor, format));
}

METHOD(to_bytes)(PyObject *self, PyObject *none)
{
    unsigned char bytes[EXBLAS_ACC_BYTES];
    exblas_acc_export(sum_of(self), bytes);
    return PyBytes_FromStringAndSize((const char *)bytes, sizeof bytes);
}

METHOD(set_bytes)(PyObject *self, PyObject *bytes)
{
    char *data;
    Py_ssize_t n_bytes;
    if (PyBytes_AsStringAndSize(bytes, &data, &n_bytes))
        return NULL;
    if (exblas_acc_import(sum_of(self), (const unsigned char *)data, (size_t)n_bytes) == EXBLAS_OK)
        Py_RETURN_NONE;
    return PyErr_Format(PyExc_ValueError, "not the bytes of an accumulator");
}

static PyMethodDef methods[] = {
    {"_add_double", add_double, METH_O, NULL},
    {"_add_product", add_product, METH_VARARGS, NULL},
    {"_add_array", add_array, METH_O, NULL},
    {"_add_dot", add_dot, METH_VARARGS, NULL},
    {"_merge", merge, METH_O, NULL},
    {"_counted", counted, METH_O, NULL},
    {"_scale", scale, METH_O, NULL},
    {"_compare", compare, METH_O, NULL},
    {"_rounded", rounded, METH_O, NULL},
    {"_quotient", quotient, METH_VARARGS, NULL},
    {"to_bytes", to_bytes, METH_NOARGS,
     "The sum in the library's portable format of 552 bytes: equal sums, equal bytes."},
    {"_set_bytes", set_bytes, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static void release(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc free_object = __extension__(freefunc) PyType_GetSlot(type, Py_tp_free);
    free_object(self);
    Py_DECREF(type);
}

/* Objects begin with all bytes zero: the sum 0. */
static PyType_Slot slots[] = {
    {Py_tp_methods, methods},
    {Py_tp_dealloc, __extension__(void *) release},
    {0, NULL},
};

PyType_Spec accumulator_spec = {"exblas._core.Accumulator", sizeof(accumulator), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
