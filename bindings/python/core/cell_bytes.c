/* Exact sums as bytes and as columns of numbers, which others add up. */
#include "chunks.h"

#include <math.h>

/* state(i): a group's cells as exblas_cell_export writes them, one behind the other. */
PyObject *cells_state(PyObject *self, PyObject *number)
{
    const cells *c = (cells *)self;
    unsigned char bytes[2 * EXBLAS_CELL_BYTES];
    size_t n_bytes = 0;
    long long i = PyLong_AsLongLong(number);
    if (i < 0 || i >= c->n)
        return PyErr_Occurred() ? NULL : result_of(BAD_INDEX);
    for (int k = 0; k < c->n_kept; k++)
        n_bytes += exblas_cell_export(group(c, i) + k, bytes + n_bytes);
    return PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)n_bytes);
}

static size_t exported_bytes(const unsigned char *bytes, size_t n_left)
{
    size_t n = n_left < 24 ? 0 : 24 + (size_t)bytes[6] + 256 * (size_t)bytes[7];
    n += n && bytes[5] == 1 ? 24 : 0;
    return n <= n_left ? n : 0;
}

outcome add_cell(exblas_cell *c, const exblas_cell *one)
{
    while (exblas_cell_combine(c, one) == EXBLAS_ENOMEM)
        if (!cell_widen(c, wide_room, NULL))
            return NO_MEMORY;
    return DONE;
}

/* Exported bytes to a cell, whose wide part `room` becomes if it needs one. False with an
 * exception. */
static bool import(exblas_cell *one, exblas_cell_wide *room, const void *bytes, size_t n_bytes)
{
    *one = (exblas_cell){.n_or_wide = 0};
    if (exblas_cell_import(one, bytes, n_bytes) == EXBLAS_OK)
        return true;
    exblas_cell_widen(one, room);
    if (exblas_cell_import(one, bytes, n_bytes) == EXBLAS_OK)
        return true;
    PyErr_SetString(PyExc_ValueError,
                    "not the bytes of an exact sum: damaged, foreign or of another version");
    return false;
}

/* add_state(i, bytes): what state wrote, to a group. */
PyObject *cells_add_state(PyObject *self, PyObject *arguments)
{
    cells *c = (cells *)self;
    const unsigned char *bytes;
    Py_ssize_t n_bytes;
    long long i;
    if (!PyArg_ParseTuple(arguments, "Ly#", &i, &bytes, &n_bytes))
        return NULL;
    if (i < 0 || i >= c->n)
        return result_of(BAD_INDEX);
    size_t n_left = (size_t)n_bytes, n = c->n_kept == 2 ? exported_bytes(bytes, n_left) : n_left;
    exblas_cell one[2];
    exblas_cell_wide room[2];
    if (!import(&one[0], &room[0], bytes, n) ||
        (c->n_kept == 2 && !import(&one[1], &room[1], bytes + n, n_left - n)))
        return NULL;
    outcome o = DONE;
    for (int k = 0; k < c->n_kept && o == DONE; k++) /* only if both are good */
        o = add_cell(group(c, i) + k, &one[k]);
    return result_of(o);
}

/* The sum as three doubles, each RN of what the ones before leave, and the number of terms: one
 * form for each sum. False: there is none, and exported bytes have to do. */
static bool short_form(const exblas_cell *c, double t[3])
{
    exblas_acc left = {{0}, 0, 0};
    exblas_cell narrow = *c;
    bool is_narrow = !exblas_cell_wide_part(c);
    for (int i = 0; i < 3 && is_narrow; i++) {
        t[i] = exblas_cell_to_double(&narrow);
        is_narrow = isfinite(t[i]) && exblas_cell_sub(&narrow, t[i]) == EXBLAS_OK;
    }
    if (is_narrow && exblas_cell_to_double(&narrow) == 0)
        return true;
    exblas_cell_add_to(c, &left);
    for (int i = 0; i < 3; i++) {
        t[i] = exblas_acc_to_double(&left);
        if (!isfinite(t[i]))
            return false;
        exblas_acc_sub(&left, t[i]);
    }
    return exblas_acc_sign(&left) == 0;
}

#define IS_LONG INT64_MIN /* in place of n: exported bytes have to do */

/* Three vectors of doubles and one of integers, with a number for each group. */
typedef array table[4];

static bool table_open(table t, PyObject *columns, bool writable, int64_t n)
{
    for (int i = 0; i < 4; i++) {
        PyObject *column = PyTuple_GetItem(columns, i);
        if (!column || !words_open(&t[i], column, writable, n)) {
            arrays_close(i, t);
            return false;
        }
    }
    return true;
}

static double *double_at(const table t, int k, int64_t i)
{
    return (double *)(void *)t[k].data + i;
}

static int64_t *count_at(const table t, int64_t i)
{
    return (int64_t *)(void *)t[3].data + i;
}

static bool append(PyObject *list, const exblas_cell *one)
{
    unsigned char bytes[EXBLAS_CELL_BYTES];
    size_t n_bytes = exblas_cell_export(one, bytes);
    PyObject *item = PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)n_bytes);
    bool good = item && !PyList_Append(list, item);
    Py_XDECREF(item);
    return good;
}

/* write_columns(k, (t0, t1, t2, n)): the short forms of the cells k of all groups. Returns a list
 * of the exported bytes of those without one, whose n is -2^63. */
PyObject *cells_write_columns(PyObject *self, PyObject *arguments)
{
    const cells *c = (cells *)self;
    PyObject *columns, *longs;
    table t;
    int k;
    if (!PyArg_ParseTuple(arguments, "iO!", &k, &PyTuple_Type, &columns))
        return NULL;
    if (!table_open(t, columns, true, c->n))
        return NULL;
    longs = PyList_New(0);
    for (int64_t i = 0; longs && i < c->n; i++) {
        const exblas_cell *one = group(c, i) + k;
        double form[3];
        bool is_long = !short_form(one, form);
        for (int j = 0; j < 3; j++)
            *double_at(t, j, i) = is_long ? 0 : form[j];
        *count_at(t, i) = is_long ? IS_LONG : exblas_cell_count(one);
        if (is_long && !append(longs, one))
            Py_CLEAR(longs);
    }
    arrays_close(4, t);
    return longs;
}

/* The sum of three doubles of n terms; false unless they can be one. */
static bool read_short(exblas_cell *one, const table t, int64_t i)
{
    const int64_t most = (int64_t)1 << 62, n = *count_at(t, i);
    *one = (exblas_cell){.n_or_wide = 2 * (n % most)};
    for (int k = 0; k < 3; k++)
        one->term[k] = *double_at(t, k, i);
    return n > -most && n < most && isfinite(one->term[0]) && isfinite(one->term[1]) &&
           isfinite(one->term[2]);
}

static bool read_long(exblas_cell *one, exblas_cell_wide *room, PyObject *longs, int64_t i)
{
    char *bytes;
    Py_ssize_t n_bytes;
    PyObject *item = PySequence_GetItem(longs, (Py_ssize_t)i);
    bool good = item && !PyBytes_AsStringAndSize(item, &bytes, &n_bytes) &&
                import(one, room, bytes, (size_t)n_bytes);
    Py_XDECREF(item);
    return good;
}

/* add_columns(k, (t0, t1, t2, n), list, numbers): what write_columns wrote into cells k of the
 * groups that the numbers name. */
PyObject *cells_add_columns(PyObject *self, PyObject *arguments)
{
    cells *c = (cells *)self;
    PyObject *columns, *longs, *numbers;
    int64_t n_longs = 0;
    array places;
    table t;
    int k;
    if (!PyArg_ParseTuple(arguments, "iO!OO", &k, &PyTuple_Type, &columns, &longs, &numbers) ||
        !words_open(&places, numbers, false, -1))
        return NULL;
    int64_t n = array_size(&places);
    const int64_t *to = (const void *)places.data;
    outcome o = DONE;
    if (table_open(t, columns, false, n)) {
        for (int64_t i = 0; i < n && o == DONE; i++) {
            exblas_cell one;
            exblas_cell_wide room;
            bool good = to[i] >= 0 && to[i] < c->n &&
                        (*count_at(t, i) == IS_LONG ? read_long(&one, &room, longs, n_longs++)
                                                    : read_short(&one, t, i));
            o = good ? add_cell(group(c, to[i]) + k, &one) : BAD_INDEX;
        }
        arrays_close(4, t);
    }
    array_close(&places);
    return PyErr_Occurred() ? NULL : result_of(o);
}
