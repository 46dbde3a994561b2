/* Columns of numbers: buffers, and places in memory that exblas._arrow has found. */
#include "chunks.h"

static const void *place(unsigned long long address)
{
    return (const void *)(uintptr_t)address;
}

static bool column_at(column *c, PyObject *source)
{
    int kind, n_bytes;
    unsigned long long at, valid;
    long long n, first_bit;
    PyObject *owner;
    if (!PyArg_ParseTuple(source, "iiKLKLO", &kind, &n_bytes, &at, &n, &valid, &first_bit, &owner))
        return false;
    *c = (column){.valid = place(valid), .first_bit = first_bit, .is_there = true};
    c->line = (line){{(number_kind)kind, n_bytes, 1}, place(at), n, n_bytes};
    return true;
}

bool column_open(column *c, PyObject *source)
{
    *c = (column){.is_there = false};
    if (source == Py_None)
        return true;
    if (PyTuple_Check(source))
        return column_at(c, source);
    if (!array_open(&c->buffer, source, false))
        return false;
    c->is_there = c->is_buffer = true;
    if (c->buffer.n_dims == 1 && c->buffer.element.n_parts == 1) {
        c->line = line_along(&c->buffer, 0, c->buffer.data, 0);
        return true;
    }
    column_close(c);
    PyErr_SetString(PyExc_TypeError, "a vector of real numbers is needed");
    return false;
}

void column_close(column *c)
{
    if (c->is_buffer)
        array_close(&c->buffer);
    c->is_buffer = false;
}

bool lists_open(lists *l, PyObject *source)
{
    unsigned long long at, valid;
    long long n, first_bit;
    if (!PyArg_ParseTuple(source, "LKiKL", &n, &at, &l->n_bytes, &valid, &first_bit))
        return false;
    l->n = n;
    l->offset = place(at);
    l->valid = place(valid);
    l->first_bit = first_bit;
    return true;
}
