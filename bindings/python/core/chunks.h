/* Columns of numbers: buffers, and arrays of Arrow's, without copies. */
#ifndef EXBLAS_PYTHON_CHUNKS_H
#define EXBLAS_PYTHON_CHUNKS_H

#include "core.h"

#include "../../sql/cell_rows.h"

/* Rows of numbers. Decimals of 128 bits are integers of 16 bytes. */
typedef struct {
    line line;
    const uint8_t *valid; /* a bit for each row, from first_bit on; NULL: all are */
    int64_t first_bit;
    array buffer;
    bool is_there, is_buffer;
} column;

/* Row i of a column of lists: elements begin ... end - 1 of another column. */
typedef struct {
    int64_t n;
    const char *offset;
    int n_bytes; /* of an offset */
    const uint8_t *valid;
    int64_t first_bit;
} lists;

/* A vector as a buffer, or what exblas._arrow.column gives; None is not there. False with an
 * exception; else to be closed. */
bool column_open(column *c, PyObject *source);
void column_close(column *c);

/* The first of what exblas._arrow.lists gives. Nothing to be closed. */
bool lists_open(lists *l, PyObject *source);

/* A vector of n words of 64 bits; n < 0: of any length. False with an exception; else to be closed.
 */
bool words_open(array *a, PyObject *source, bool writable, int64_t n);

/* Bytes that are 0. Tables that rows hit at random need pages as large as there are. */
void *zeroed(size_t n_bytes);

typedef struct {
    int64_t key, number; /* number + 1; 0: free */
} slot;

typedef struct {
    int64_t n;
    int log2_slots;
    slot *slots;
} keys;

/* Makes room for n more. False: there is no memory. */
bool keys_reserve(keys *k, int64_t n);

/* Keys in, numbers out; of rows that do not count, -1. False: there is no memory. */
bool keys_number(keys *k, int n, int64_t *row, const bool *counts);

void keys_release(keys *k);

/* The keys, by their numbers. */
void keys_write(const keys *k, int64_t *to);

/* _core.Cells: cells (exblas/cell.h) of sums of x, or of products; or of x and of x^2, side by side
 * for each group. Groups have numbers, or keys that are numbered. No object may be used by two
 * threads at a time. */
typedef struct {
    PyObject_HEAD int64_t n, n_room;
    int n_kept;
    bool has_keys;
    keys keys;
    exblas_cell *cell;
} cells;

static inline exblas_cell *group(const cells *c, int64_t i)
{
    return c->cell + i * c->n_kept;
}

/* For the wide part of a cell. */
exblas_cell_wide *wide_room(void *none);

/* c += one. */
outcome add_cell(exblas_cell *c, const exblas_cell *one);

/* The methods of Cells that say what is in it, and those that read and write bytes. */
PyObject *cells_write(PyObject *self, PyObject *arguments);
PyObject *cells_accumulator(PyObject *self, PyObject *number);
PyObject *cells_state(PyObject *self, PyObject *number);
PyObject *cells_add_state(PyObject *self, PyObject *arguments);
PyObject *cells_write_columns(PyObject *self, PyObject *arguments);
PyObject *cells_add_columns(PyObject *self, PyObject *arguments);

static inline bool bit_at(const uint8_t *bits, int64_t i)
{
    return bits[i / 8] >> i % 8 & 1;
}

extern PyType_Spec cells_spec;

#endif
