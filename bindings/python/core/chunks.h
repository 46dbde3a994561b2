/* Columns of numbers: buffers, and arrays of Arrow's C data interface, without copies. */
#ifndef EXBLAS_PYTHON_CHUNKS_H
#define EXBLAS_PYTHON_CHUNKS_H

#include "core.h"

/* Rows of numbers. Decimals of 128 bits are integers of 16 bytes. */
typedef struct {
    line line;
    const uint8_t *valid; /* a bit for each row, from first_bit on; NULL: all are */
    int64_t first_bit;
    array buffer;
    bool is_buffer;
} column;

/* Row i of a column of lists: elements begin ... end - 1 of another column. */
typedef struct {
    int64_t n;
    const char *offset;
    int n_bytes; /* of an offset */
    const uint8_t *valid;
    int64_t first_bit;
} lists;

/* A vector as a buffer, or a tuple (schema, array, field, begin, end) of Arrow's capsules, the
 * number of a struct's field or -1, and which rows. Only keys may be the indices of a dictionary.
 * False with an exception; else to be closed. */
bool column_open(column *c, PyObject *source, bool are_keys);
void column_close(column *c);

/* An array of lists, and the column of their elements. Nothing to be closed. */
bool lists_open(lists *l, column *elements, PyObject *source);

static inline bool bit_at(const uint8_t *bits, int64_t i)
{
    return bits[i / 8] >> i % 8 & 1;
}

PyObject *core_arrow_schema(PyObject *module, PyObject *stream);
PyObject *core_arrow_next(PyObject *module, PyObject *stream);
PyObject *core_arrow_fields(PyObject *module, PyObject *schema);
PyObject *core_arrow_length(PyObject *module, PyObject *capsule);
PyObject *core_arrow_dictionary(PyObject *module, PyObject *source);
PyObject *core_arrow_total(PyObject *module, PyObject *source);
PyObject *core_has_squares(PyObject *module, PyObject *state);

extern PyType_Spec cells_spec, keys_spec;

#endif
