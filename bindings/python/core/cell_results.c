/* What exact sums give: rounded results, accumulators, and bytes that others add up. */
#include "chunks.h"
#include "enclose.h"

#include <math.h>

enum { SUM, MEAN, VARIANCE, DEVIATION, COUNT };

static double result(const cells *c, int64_t i, int operation, int64_t ddof, int format)
{
    const exblas_cell *x = group(c, i);
    exblas_acc sum = {{0}, 0, 0}, squares = {{0}, 0, 0};
    int64_t n = exblas_cell_count(x);
    double rounded = operation == SUM ? exblas_cell_to_double(x) : 0;
    if (operation == SUM && format == EXBLAS_DOUBLE)
        return rounded;
    if (operation == SUM && format == EXBLAS_SINGLE && narrows_once(rounded))
        return (double)(float)rounded;
    exblas_cell_add_to(x, &sum);
    if (operation == SUM)
        return exblas_acc_to_format(&sum, format);
    if (operation == MEAN)
        return exblas_acc_quotient_to_format(&sum, (double)n, format);
    exblas_cell_add_to(x + 1, &squares);
    exblas_moment m = {n, 1, &squares, {&sum}, {&sum}};
    return operation == VARIANCE ? exblas_moment_to_format(&m, n - ddof, format)
                                 : exblas_moment_root_to_format(&m, n - ddof, format);
}

/* A sum of integers, which two doubles have unless it is too large. */
static outcome write_integer(const exblas_cell *c, const element *e, char *at)
{
    exblas_acc left = {{0}, 0, 0};
    double high = exblas_cell_to_double(c);
    if (!(fabs(high) < 0x1p65))
        return TOO_LARGE;
    exblas_cell_add_to(c, &left);
    exblas_acc_sub(&left, high);
    return store_integer(e, at, (int128)high + (int128)exblas_acc_to_double(&left));
}

static outcome write_all(const cells *c, const array *out, int operation, int64_t ddof, int format)
{
    outcome o = DONE;
    for (int64_t i = 0; i < c->n && o == DONE; i++)
        if (out->element.kind == FLOAT)
            ((double *)(void *)out->data)[i] = result(c, i, operation, ddof, format);
        else if (operation == COUNT)
            ((int64_t *)(void *)out->data)[i] = exblas_cell_count(group(c, i));
        else
            o = write_integer(group(c, i), &out->element, out->data + 8 * i);
    return o;
}

/* write(operation, ddof, format, out): a result for each group, doubles or, of sums of integers and
 * of the rows that were counted, integers of 64 bits. */
PyObject *cells_write(PyObject *self, PyObject *arguments)
{
    const cells *c = (cells *)self;
    PyObject *target;
    int operation, format;
    long long ddof;
    array out;
    outcome o;
    if (!PyArg_ParseTuple(arguments, "iLiO", &operation, &ddof, &format, &target))
        return NULL;
    if (!words_open(&out, target, true, c->n))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    o = write_all(c, &out, operation, ddof, format);
    Py_END_ALLOW_THREADS;
    array_close(&out);
    return result_of(o);
}

/* accumulator(i): the bytes of cell i as those of an accumulator. */
PyObject *cells_accumulator(PyObject *self, PyObject *number)
{
    const cells *c = (cells *)self;
    unsigned char bytes[EXBLAS_ACC_BYTES];
    exblas_acc a = {{0}, 0, 0};
    long long i = PyLong_AsLongLong(number);
    if (i < 0 || i >= c->n * c->n_kept)
        return PyErr_Occurred() ? NULL : result_of(BAD_INDEX);
    exblas_cell_add_to(c->cell + i, &a);
    exblas_acc_export(&a, bytes);
    return PyBytes_FromStringAndSize((const char *)bytes, sizeof bytes);
}
