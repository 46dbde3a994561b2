/* Exact sums of many groups, for chunks that anybody adds up in any order: rows into cells. */
#include "chunks.h"
#include "integers.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_PIECES = 3 };

bool words_open(array *a, PyObject *source, bool writable, int64_t n)
{
    if (!array_open(a, source, writable))
        return false;
    if (a->element.n_bytes == 8 && is_contiguous(a) && (n < 0 || array_size(a) == n))
        return true;
    array_close(a);
    result_of(BAD_INDEX);
    return false;
}

static size_t n_bytes_of(const cells *c, int64_t n)
{
    return (size_t)n * (size_t)c->n_kept * sizeof *c->cell;
}

static bool reserve(cells *c, int64_t n)
{
    if (n > INT64_MAX / 4 / (int64_t)n_bytes_of(c, 1))
        return false;
    if (n > c->n_room) {
        int64_t n_room = n > 2 * c->n_room ? n : 2 * c->n_room;
        exblas_cell *cell = zeroed(n_bytes_of(c, n_room));
        if (!cell)
            return false;
        if (c->n)
            memcpy(cell, c->cell, n_bytes_of(c, c->n));
        free(c->cell);
        c->cell = cell;
        c->n_room = n_room;
    }
    return true;
}

static bool cells_grow(cells *c, int64_t n)
{
    if (!reserve(c, n))
        return false;
    c->n = n > c->n ? n : c->n;
    return true;
}

exblas_cell_wide *wide_room(void *none)
{
    return malloc(sizeof(exblas_cell_wide));
}

/* What a call of add brings; columns that are not there have no rows. */
typedef struct {
    column x, y, by;
    bool skips_nan;
} rows;

typedef struct {
    int n, n_x, n_y;
    double x[MOST_PIECES][CHUNK], y[MOST_PIECES][CHUNK];
    bool counts[CHUNK];
    int64_t place[CHUNK];
} block;

/* Rows of a block whose numbers are there. */
static void drop_nulls(const column *c, int64_t begin, block *b)
{
    for (int i = 0; c->valid && i < b->n; i++)
        b->counts[i] &= bit_at(c->valid, c->first_bit + begin + i);
}

static void drop_nan(const double *x, block *b)
{
    for (int i = 0; i < b->n; i++)
        b->counts[i] &= !isnan(x[i]);
}

/* Pieces of 43 bits. */
static int load(const column *c, int64_t begin, int n, double piece[][CHUNK])
{
    if (c->line.element.n_bytes < 16)
        return line_pieces(&c->line, begin, n, piece);
    for (int i = 0; i < n; i++) {
        int128 x;
        memcpy(&x, c->line.at + (begin + i) * c->line.stride, sizeof x);
        uint64_t mask = ((uint64_t)1 << 43) - 1;
        piece[0][i] = (double)((uint64_t)x & mask);
        piece[1][i] = (double)((uint64_t)(x >> 43) & mask) * 0x1p43;
        piece[2][i] = (double)(int64_t)(x >> 86) * 0x1p86;
    }
    return 3;
}

/* Keys to the numbers of groups, which are there then. */
static bool number(cells *c, int n, int64_t *place, const bool *counts)
{
    return keys_number(&c->keys, n, place, counts) && cells_grow(c, c->keys.n);
}

/* The groups of the rows; of those that do not count, -1. */
static outcome place(cells *c, const rows *r, int64_t begin, block *b)
{
    line part = r->by.line;
    part.at += begin * part.stride;
    part.n = b->n;
    line_words(&part, b->place);
    drop_nulls(&r->by, begin, b);
    if (c->has_keys)
        return number(c, b->n, b->place, b->counts) ? DONE : NO_MEMORY;
    for (int i = 0; i < b->n; i++) {
        if (b->counts[i] && b->place[i] >= c->n)
            return BAD_INDEX;
        b->counts[i] &= b->place[i] >= 0;
    }
    return DONE;
}

/* Only the rows that count. */
static void pack(block *b)
{
    int n = 0;
    for (int i = 0; i < b->n; i++) {
        for (int k = 0; k < b->n_x; k++)
            b->x[k][n] = b->x[k][i];
        for (int k = 0; k < b->n_y; k++)
            b->y[k][n] = b->y[k][i];
        b->place[n] = b->place[i];
        n += b->counts[i];
    }
    b->n = n;
}

/* Inf and NaN times an integer of several pieces: 1 times their product, and 1 times 0. */
static void whole_products(int n, int n_y, double *x, double y[][CHUNK])
{
    for (int i = 0; i < n; i++) {
        if (isfinite(x[i]))
            continue;
        double all = 0;
        for (int k = n_y - 1; k >= 0; k--) {
            all += y[k][i];
            y[k][i] = 0;
        }
        y[0][i] = x[i] * all;
        x[i] = 1;
    }
}

/* Products of all pieces, each row one term: zeros taken away set the count right. */
static bool add_pieces(const block *b, int k, void *const *state, exblas_cell *one, bool squares)
{
    const double(*y)[CHUNK] = squares ? b->x : b->y;
    int n_y = squares ? b->n_x : b->n_y;
    for (int i = 0; i < b->n_x; i++)
        for (int j = 0; j < (n_y ? n_y : 1); j++) {
            if (!cells_add_rows(k, b->n, state, one, b->x[i], n_y ? y[j] : NULL, wide_room, NULL))
                return false;
            for (int64_t t = 0; t < b->n && i + j > 0; t++)
                exblas_cell_sub((one ? one : (exblas_cell *)state[t]) + k, 0);
        }
    return true;
}

/* Rows begin ... begin + n - 1, at most CHUNK, into group `one`, or each into its own. */
static outcome add_block(cells *c, const rows *r, int64_t begin, int n, int64_t one)
{
    block b;
    void *state[CHUNK];
    b.n = n;
    memset(b.counts, 1, sizeof b.counts);
    b.n_x = load(&r->x, begin, n, b.x);
    b.n_y = r->y.is_there ? load(&r->y, begin, n, b.y) : 0;
    drop_nulls(&r->x, begin, &b);
    drop_nulls(&r->y, begin, &b);
    if (r->skips_nan)
        drop_nan(b.x[0], &b);
    if (r->skips_nan && r->y.is_there)
        drop_nan(b.y[0], &b);
    outcome o = r->by.is_there ? place(c, r, begin, &b) : DONE;
    if (o != DONE)
        return o;
    if (memchr(b.counts, 0, (size_t)n))
        pack(&b);
    for (int i = 0; i < b.n && r->by.is_there; i++)
        state[i] = group(c, b.place[i]);
    exblas_cell *all = r->by.is_there ? NULL : group(c, one);
    bool good = c->n_kept < 2 || add_pieces(&b, 1, state, all, true);
    if (b.n_x == 1 && b.n_y > 1)
        whole_products(b.n, b.n_y, b.x[0], b.y);
    if (b.n_y == 1 && b.n_x > 1)
        whole_products(b.n, b.n_x, b.y[0], b.x);
    good = good && add_pieces(&b, 0, state, all, false);
    return good ? DONE : NO_MEMORY;
}

/* Can the library read the rows where they are? */
static bool is_plain(const cells *c, const rows *r)
{
    int64_t step;
    return line_is_vector(&r->x.line, 8, &step) && step == 1 && !r->x.valid && !r->y.is_there &&
           !r->by.is_there && !r->skips_nan && c->n_kept == 1;
}

static outcome add_rows(cells *c, const rows *r, int64_t begin, int64_t end, int64_t one)
{
    outcome o = DONE;
    if (is_plain(c, r)) {
        const double *x = (const void *)r->x.line.at;
        return cells_add_rows(0, end - begin, NULL, group(c, one), x + begin, NULL, wide_room, NULL)
                   ? DONE
                   : NO_MEMORY;
    }
    for (int64_t i = begin; i < end && o == DONE; i += CHUNK)
        o = add_block(c, r, i, end - i < CHUNK ? (int)(end - i) : CHUNK, one);
    return o;
}

/* NULL, or what is wrong. */
static const char *fault_of(const cells *c, const rows *r, int64_t one)
{
    int64_t n = r->x.line.n;
    if (!r->x.is_there || (r->y.is_there && r->y.line.n != n) ||
        (r->by.is_there && r->by.line.n != n))
        return "columns of one length are needed";
    if (r->by.is_there && (r->by.line.element.kind == FLOAT || r->by.line.element.n_bytes > 8))
        return "keys are integers, or a dictionary: encode them first";
    return !r->by.is_there && c->n <= one ? "there is no group for the rows" : NULL;
}

/* add(x, y or None, by or None, skips_nan, one = 0): rows into the groups whose keys, or numbers,
 * are in `by`; without it into group `one`. */
static PyObject *cells_add(PyObject *self, PyObject *arguments)
{
    PyObject *x, *y, *by;
    int skips_nan;
    long long one = 0;
    rows r = {.skips_nan = false};
    outcome o = DONE;
    if (!PyArg_ParseTuple(arguments, "OOOp|L", &x, &y, &by, &skips_nan, &one))
        return NULL;
    bool is_open = column_open(&r.x, x) && column_open(&r.y, y) && column_open(&r.by, by);
    const char *fault = is_open ? fault_of((cells *)self, &r, one) : NULL;
    r.skips_nan = skips_nan;
    if (is_open && !fault) {
        Py_BEGIN_ALLOW_THREADS;
        o = add_rows((cells *)self, &r, 0, r.x.line.n, one);
        Py_END_ALLOW_THREADS;
    }
    column_close(&r.x);
    column_close(&r.y);
    column_close(&r.by);
    return fault ? PyErr_Format(PyExc_TypeError, "%s", fault) : is_open ? result_of(o) : NULL;
}

static outcome add_lists(cells *c, const rows *r, const lists *l, int64_t first)
{
    outcome o = DONE;
    for (int64_t i = 0; i < l->n && o == DONE; i++) {
        int64_t end[2] = {0, 0};
        for (int k = 0; k < 2; k++) /* little-endian */
            memcpy(&end[k], l->offset + (i + k) * l->n_bytes, (size_t)l->n_bytes);
        if (!l->valid || bit_at(l->valid, l->first_bit + i))
            o = add_rows(c, r, end[0], end[1], first + i);
    }
    return o;
}

/* add_lists(lists, elements, skips_nan, first): list i of Arrow's into group first + i. Threads may
 * do so at a time if there are these groups, other ones for each. */
static PyObject *cells_add_lists(PyObject *self, PyObject *arguments)
{
    PyObject *source, *elements;
    int skips_nan;
    long long first;
    cells *c = (cells *)self;
    rows r = {.skips_nan = false};
    lists l;
    outcome o;
    if (!PyArg_ParseTuple(arguments, "OOpL", &source, &elements, &skips_nan, &first) ||
        !lists_open(&l, source) || !column_open(&r.x, elements))
        return NULL;
    r.skips_nan = skips_nan;
    if (!cells_grow(c, first + l.n))
        return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS;
    o = add_lists(c, &r, &l, first);
    Py_END_ALLOW_THREADS;
    return result_of(o);
}

/* The groups of b into those of a that have their keys, or else their numbers. */
static bool merge(cells *a, const cells *b, const int64_t *key)
{
    bool counts[CHUNK];
    int64_t place[CHUNK];
    void *to[CHUNK], *from[CHUNK];
    memset(counts, 1, sizeof counts);
    if (key && a->n == 0 && !(keys_reserve(&a->keys, b->n) && reserve(a, b->n)))
        return false;
    for (int64_t i = 0; i < b->n; i += CHUNK) {
        int n = b->n - i < CHUNK ? (int)(b->n - i) : CHUNK;
        for (int j = 0; j < n; j++)
            place[j] = key ? key[i + j] : i + j;
        if (key && !number(a, n, place, counts))
            return false;
        for (int j = 0; j < n; j++) {
            to[j] = group(a, place[j]);
            from[j] = group(b, i + j);
        }
        if (!cells_combine_rows(a->n_kept, n, to, from, wide_room, NULL))
            return false;
    }
    return true;
}

/* merge(cells, keys or None): adds the groups of others, which have these keys, or the same
 * numbers. */
static PyObject *cells_merge(PyObject *self, PyObject *arguments)
{
    PyObject *other, *numbers;
    array key;
    bool good;
    if (!PyArg_ParseTuple(arguments, "OO", &other, &numbers))
        return NULL;
    cells *a = (cells *)self, *b = (cells *)other;
    bool by_key = numbers != Py_None;
    if (Py_TYPE(other) != Py_TYPE(self) || a == b || a->n_kept != b->n_kept ||
        a->has_keys != by_key || (!by_key && b->n > a->n))
        return result_of(BAD_INDEX);
    if (by_key && !words_open(&key, numbers, false, b->n))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    good = merge(a, b, by_key ? (const void *)key.data : NULL);
    Py_END_ALLOW_THREADS;
    if (by_key)
        array_close(&key);
    return result_of(good ? DONE : NO_MEMORY);
}

/* keys(): the bytes of those of the groups, which have their numbers from then on. */
static PyObject *cells_keys(PyObject *self, PyObject *none)
{
    cells *c = (cells *)self;
    PyObject *keys = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(c->keys.n * sizeof(int64_t)));
    if (!keys)
        return NULL;
    keys_write(&c->keys, (int64_t *)(void *)PyBytes_AsString(keys));
    keys_release(&c->keys);
    c->has_keys = false;
    return keys;
}

/* Cells(n, n_kept, has_keys): n_kept 2 keeps squares, too. */
static PyObject *cells_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    long long n;
    int n_kept, has_keys;
    if (!PyArg_ParseTuple(arguments, "Lip", &n, &n_kept, &has_keys))
        return NULL;
    PyObject *self = PyType_GenericNew(type, NULL, NULL);
    if (!self)
        return NULL;
    ((cells *)self)->n_kept = n_kept == 2 ? 2 : 1;
    ((cells *)self)->has_keys = has_keys;
    if (cells_grow((cells *)self, n))
        return self;
    Py_DECREF(self);
    return PyErr_NoMemory();
}

static void cells_release(PyObject *self)
{
    cells *c = (cells *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc free_object = __extension__(freefunc) PyType_GetSlot(type, Py_tp_free);
    for (int64_t i = 0; i < c->n * c->n_kept; i++)
        free(exblas_cell_wide_part(c->cell + i));
    free(c->cell);
    keys_release(&c->keys);
    free_object(self);
    Py_DECREF(type);
}

static PyMethodDef cells_methods[] = {
    {"add", cells_add, METH_VARARGS, NULL},
    {"add_lists", cells_add_lists, METH_VARARGS, NULL},
    {"merge", cells_merge, METH_VARARGS, NULL},
    {"keys", cells_keys, METH_NOARGS, NULL},
    {"write", cells_write, METH_VARARGS, NULL},
    {"accumulator", cells_accumulator, METH_O, NULL},
    {"state", cells_state, METH_O, NULL},
    {"add_state", cells_add_state, METH_VARARGS, NULL},
    {"write_columns", cells_write_columns, METH_VARARGS, NULL},
    {"add_columns", cells_add_columns, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot cells_slots[] = {
    {Py_tp_methods, cells_methods},
    {Py_tp_new, __extension__(void *) cells_new},
    {Py_tp_dealloc, __extension__(void *) cells_release},
    {0, NULL},
};

PyType_Spec cells_spec = {"exblas._core.Cells", sizeof(cells), 0, Py_TPFLAGS_DEFAULT, cells_slots};
