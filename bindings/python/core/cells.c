/* Exact sums of many groups, for chunks that anybody adds up in any order: _core.Cells has cells
 * (exblas/cell.h) for each group, _core.Keys numbers keys by their first rows. No object may be
 * used by two threads at a time. */
#include "chunks.h"

#include <exblas/cell.h>

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MOST_PIECES = 3 };

/* Bytes that are 0. Tables that rows hit at random need pages as large as there are. */
static void *zeroed(size_t n_bytes)
{
    const size_t page = (size_t)1 << 21;
    size_t n_rounded = (n_bytes + page - 1) / page * page;
    if (n_bytes < 2 * page)
        return calloc(n_bytes + 1, 1);
    void *room = aligned_alloc(page, n_rounded);
    if (!room)
        return NULL;
#ifdef MADV_HUGEPAGE
    madvise(room, n_rounded, MADV_HUGEPAGE);
#endif
    return memset(room, 0, n_bytes);
}

/* ---- Keys */

typedef struct {
    int64_t key, number; /* number + 1; 0: free */
} slot;

typedef struct {
    PyObject_HEAD int64_t n;
    int log2_slots;
    slot *slots;
} keys;

static slot *slot_of(const keys *k, int64_t key)
{
    uint64_t mask = ((uint64_t)1 << k->log2_slots) - 1;
    uint64_t at = (uint64_t)key * 0x9e3779b97f4a7c15u >> (64 - k->log2_slots);
    while (k->slots[at].number && k->slots[at].key != key)
        at = (at + 1) & mask;
    return &k->slots[at];
}

/* Room for n more, half of the slots free. */
static bool keys_reserve(keys *k, int64_t n)
{
    keys larger = *k;
    int64_t n_old = k->slots ? (int64_t)1 << k->log2_slots : 0;
    if (2 * (k->n + n) <= n_old)
        return true;
    while (2 * (k->n + n) > (int64_t)1 << larger.log2_slots || larger.log2_slots < 10)
        larger.log2_slots++;
    larger.slots = zeroed(sizeof(slot) << larger.log2_slots);
    for (int64_t i = 0; larger.slots && i < n_old; i++)
        if (k->slots[i].number)
            *slot_of(&larger, k->slots[i].key) = k->slots[i];
    if (!larger.slots)
        return false;
    free(k->slots);
    k->log2_slots = larger.log2_slots;
    k->slots = larger.slots;
    return true;
}

/* Keys in, numbers out; rows that do not count, -1. */
static bool keys_number(keys *k, int n, int64_t *row, const bool *counts)
{
    if (!keys_reserve(k, n))
        return false;
    for (int i = 0; i < n && k->log2_slots > 12; i++)
        __builtin_prefetch(
            &k->slots[(uint64_t)row[i] * 0x9e3779b97f4a7c15u >> (64 - k->log2_slots)]);
    for (int i = 0; i < n; i++) {
        slot *s = counts[i] ? slot_of(k, row[i]) : NULL;
        if (s && !s->number)
            *s = (slot){row[i], ++k->n};
        row[i] = s ? s->number - 1 : -1;
    }
    return true;
}

/* write(buffer): the keys, by their numbers. */
static PyObject *keys_write(PyObject *self, PyObject *target)
{
    keys *k = (keys *)self;
    array out;
    if (!array_open(&out, target, true))
        return NULL;
    int64_t *to = (int64_t *)(void *)out.data, n_slots = k->slots ? (int64_t)1 << k->log2_slots : 0;
    bool fits = is_contiguous(&out) && out.element.n_bytes == 8 && array_size(&out) == k->n;
    for (int64_t i = 0; i < n_slots && fits; i++)
        if (k->slots[i].number)
            to[k->slots[i].number - 1] = k->slots[i].key;
    array_close(&out);
    return result_of(fits ? DONE : BAD_INDEX);
}

/* number(keys, numbers): a buffer of keys to one of their numbers. */
static PyObject *keys_of(PyObject *self, PyObject *arguments)
{
    PyObject *source, *target;
    array x, out;
    bool fits = false, counts[CHUNK];
    if (!PyArg_ParseTuple(arguments, "OO", &source, &target) || !array_open(&x, source, false))
        return NULL;
    if (array_open(&out, target, true)) {
        int64_t n = array_size(&x), *to = (int64_t *)(void *)out.data;
        fits = is_contiguous(&x) && is_contiguous(&out) && x.element.n_bytes == 8 &&
               out.element.n_bytes == 8 && array_size(&out) == n;
        if (fits)
            memcpy(to, x.data, (size_t)n * sizeof *to);
        memset(counts, 1, sizeof counts);
        for (int64_t i = 0; i < n && fits; i += CHUNK)
            fits = keys_number((keys *)self, n - i < CHUNK ? (int)(n - i) : CHUNK, to + i, counts);
        array_close(&out);
    }
    array_close(&x);
    return PyErr_Occurred() ? NULL : result_of(fits ? DONE : BAD_INDEX);
}

static PyObject *keys_count(PyObject *self, PyObject *none)
{
    (void)none;
    return PyLong_FromLongLong(((keys *)self)->n);
}

static void release(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc free_object = __extension__(freefunc) PyType_GetSlot(type, Py_tp_free);
    free_object(self);
    Py_DECREF(type);
}

static void keys_release(PyObject *self)
{
    free(((keys *)self)->slots);
    release(self);
}

/* ---- Cells */

/* Cells of sums of x, or of products; or of x and of x^2, side by side for each group. */
typedef struct {
    PyObject_HEAD int64_t n, n_room;
    int n_kept;
    exblas_cell *cell;
} cells;

static bool cells_grow(cells *c, int64_t n)
{
    size_t n_bytes = (size_t)c->n_kept * sizeof *c->cell;
    if (n > INT64_MAX / 4 / (int64_t)n_bytes)
        return false;
    if (n > c->n_room) {
        int64_t n_room = n > 2 * c->n_room ? n : 2 * c->n_room;
        exblas_cell *cell = zeroed((size_t)n_room * n_bytes);
        if (!cell)
            return false;
        if (c->n)
            memcpy(cell, c->cell, (size_t)c->n * n_bytes);
        free(c->cell);
        c->cell = cell;
        c->n_room = n_room;
    }
    c->n = n > c->n ? n : c->n;
    return true;
}

static exblas_cell *group(const cells *c, int64_t i)
{
    return c->cell + i * c->n_kept;
}

static bool widen(exblas_cell *c)
{
    exblas_cell_wide *room = malloc(sizeof *room);
    if (room)
        exblas_cell_widen(c, room);
    return room != NULL;
}

/* Terms into cell k of their groups, or all into one group; y is NULL for a sum of x. */
static bool add_terms(int k, int64_t n, void *const *state, exblas_cell *one, const double *x,
                      const double *y)
{
    size_t offset = (size_t)k * sizeof *one;
    for (int64_t i = 0; i < n;) {
        if (one)
            i += y ? exblas_cell_add_dot(one + k, n - i, x + i, y + i)
                   : exblas_cell_add_vector(one + k, n - i, x + i);
        else
            i += y ? exblas_cell_add_each_product(n - i, state + i, offset, x + i, y + i)
                   : exblas_cell_add_each(n - i, state + i, offset, x + i);
        if (i < n && !widen((one ? one : (exblas_cell *)state[i]) + k))
            return false;
    }
    return true;
}

/* What a call of add brings. */
typedef struct {
    column x, y, by;
    bool has_y, has_by, skips_nan;
    keys *keys;
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

/* The groups of the rows; of those that do not count, -1. */
static outcome place(cells *c, const rows *r, int64_t begin, block *b)
{
    line part = r->by.line;
    part.at += begin * part.stride;
    part.n = b->n;
    line_words(&part, b->place);
    drop_nulls(&r->by, begin, b);
    if (r->keys)
        return keys_number(r->keys, b->n, b->place, b->counts) && cells_grow(c, r->keys->n)
                   ? DONE
                   : NO_MEMORY;
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
            if (!add_terms(k, b->n, state, one, b->x[i], n_y ? y[j] : NULL))
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
    b.n_y = r->has_y ? load(&r->y, begin, n, b.y) : 0;
    drop_nulls(&r->x, begin, &b);
    if (r->has_y)
        drop_nulls(&r->y, begin, &b);
    if (r->skips_nan)
        drop_nan(b.x[0], &b);
    if (r->skips_nan && r->has_y)
        drop_nan(b.y[0], &b);
    outcome o = r->has_by ? place(c, r, begin, &b) : DONE;
    if (o != DONE)
        return o;
    if (memchr(b.counts, 0, (size_t)n))
        pack(&b);
    for (int i = 0; i < b.n && r->has_by; i++)
        state[i] = group(c, b.place[i]);
    exblas_cell *all = r->has_by ? NULL : group(c, one);
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
    return line_is_vector(&r->x.line, 8, &step) && step == 1 && !r->x.valid && !r->has_y &&
           !r->has_by && !r->skips_nan && c->n_kept == 1;
}

static outcome add_rows(cells *c, const rows *r, int64_t begin, int64_t end, int64_t one)
{
    outcome o = DONE;
    if (is_plain(c, r)) {
        const double *x = (const void *)r->x.line.at;
        return add_terms(0, end - begin, NULL, group(c, one), x + begin, NULL) ? DONE : NO_MEMORY;
    }
    for (int64_t i = begin; i < end && o == DONE; i += CHUNK)
        o = add_block(c, r, i, end - i < CHUNK ? (int)(end - i) : CHUNK, one);
    return o;
}

/* arrow_total(source): RN of the sum of Arrow's doubles without nulls, by all threads; None for
 * others. */
PyObject *core_arrow_total(PyObject *module, PyObject *source)
{
    column x;
    int64_t step;
    double sum;
    (void)module;
    if (!column_open(&x, source, false))
        return NULL;
    bool is_plain = line_is_vector(&x.line, 8, &step) && !x.valid;
    if (is_plain) {
        Py_BEGIN_ALLOW_THREADS;
        sum = excblas_dsum_64(x.line.n, (const void *)x.line.at, step);
        Py_END_ALLOW_THREADS;
    }
    column_close(&x);
    if (is_plain)
        return PyFloat_FromDouble(sum);
    Py_RETURN_NONE;
}

static bool rows_open(rows *r, PyObject *x, PyObject *y, PyObject *by)
{
    r->has_y = y != Py_None;
    r->has_by = by != Py_None;
    if (!column_open(&r->x, x, false))
        return false;
    if (r->has_y && !column_open(&r->y, y, false)) {
        column_close(&r->x);
        return false;
    }
    if (r->has_by && !column_open(&r->by, by, true)) {
        column_close(&r->x);
        if (r->has_y)
            column_close(&r->y);
        return false;
    }
    return true;
}

static void rows_close(rows *r)
{
    column_close(&r->x);
    if (r->has_y)
        column_close(&r->y);
    if (r->has_by)
        column_close(&r->by);
}

static bool is_keys(PyObject *o)
{
    void *its = PyType_GetSlot(Py_TYPE(o), Py_tp_dealloc);
    PyErr_Clear(); /* no slots of static types before Python 3.10 */
    return its == __extension__(void *) keys_release;
}

/* NULL, or what is wrong. */
static const char *fault_of(const cells *c, const rows *r)
{
    int64_t n = r->x.line.n;
    if ((r->has_y && r->y.line.n != n) || (r->has_by && r->by.line.n != n))
        return "columns of one length are needed";
    if (r->has_by && (r->by.line.element.kind == FLOAT || r->by.line.element.n_bytes > 8))
        return "keys are integers, or a dictionary: encode them first";
    return !r->has_by && c->n < 1 ? "there is no group for the rows" : NULL;
}

/* add(x, y or None, by or None, keys or None, skips_nan): rows into the groups that the
 * keys number, or that `by` numbers; without `by` into group 0. */
static PyObject *cells_add(PyObject *self, PyObject *arguments)
{
    PyObject *x, *y, *by, *numbers;
    int skips_nan;
    rows r = {.has_y = false};
    outcome o = DONE;
    if (!PyArg_ParseTuple(arguments, "OOOOp", &x, &y, &by, &numbers, &skips_nan))
        return NULL;
    if (numbers != Py_None && !is_keys(numbers)) {
        PyErr_SetString(PyExc_TypeError, "keys are numbered by an exblas._core.Keys");
        return NULL;
    }
    if (!rows_open(&r, x, y, by))
        return NULL;
    const char *fault = fault_of((cells *)self, &r);
    r.keys = numbers == Py_None ? NULL : (keys *)numbers;
    r.skips_nan = skips_nan;
    if (!fault) {
        Py_BEGIN_ALLOW_THREADS;
        o = add_rows((cells *)self, &r, 0, r.x.line.n, 0);
        Py_END_ALLOW_THREADS;
    }
    rows_close(&r);
    if (!fault)
        return result_of(o);
    PyErr_SetString(PyExc_TypeError, fault);
    return NULL;
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

/* add_lists(source, skips_nan, first): list i of Arrow's into group first + i. Threads may do so at
 * a time if there are these groups, other ones for each. */
static PyObject *cells_add_lists(PyObject *self, PyObject *arguments)
{
    PyObject *source;
    int skips_nan;
    long long first;
    cells *c = (cells *)self;
    rows r = {.has_y = false};
    lists l;
    outcome o;
    if (!PyArg_ParseTuple(arguments, "OpL", &source, &skips_nan, &first) ||
        !lists_open(&l, &r.x, source))
        return NULL;
    r.skips_nan = skips_nan;
    if (!cells_grow(c, first + l.n))
        return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS;
    o = add_lists(c, &r, &l, first);
    Py_END_ALLOW_THREADS;
    return result_of(o);
}

/* Lines of a matrix into their groups: along the lines, or, if those lie side by side, across. */
static outcome add_lines(cells *c, const array *x, rows *r)
{
    outcome o = DONE;
    bool across = llabs(x->stride[0]) < llabs(x->stride[1]);
    int64_t *number = across ? malloc((size_t)x->shape[0] * sizeof *number + 1) : NULL;
    for (int64_t i = 0; number && i < x->shape[0]; i++)
        number[i] = i;
    if (across && !number)
        return NO_MEMORY;
    r->has_by = across;
    r->by = (column){.line = {{INTEGER, 8, 1}, (const char *)number, x->shape[0], 8}};
    for (int64_t i = 0; i < x->shape[across] && o == DONE; i++) {
        r->x.line = line_along(x, !across, x->data + i * x->stride[across], 0);
        o = add_rows(c, r, 0, r->x.line.n, i);
    }
    free(number);
    return o;
}

/* add_lines(matrix, skips_nan): line i into group i. */
static PyObject *cells_add_lines(PyObject *self, PyObject *arguments)
{
    PyObject *source;
    int skips_nan;
    array x;
    rows r = {.has_y = false};
    outcome o = DONE;
    if (!PyArg_ParseTuple(arguments, "Op", &source, &skips_nan) || !array_open(&x, source, false))
        return NULL;
    r.skips_nan = skips_nan;
    bool fits = x.n_dims == 2 && x.shape[0] == ((cells *)self)->n && x.element.n_parts == 1;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS;
        o = add_lines((cells *)self, &x, &r);
        Py_END_ALLOW_THREADS;
    }
    array_close(&x);
    if (fits)
        return result_of(o);
    PyErr_SetString(PyExc_TypeError,
                    "a matrix of real numbers with a line for each group is needed");
    return NULL;
}

/* Groups of b into those of a that a vector names, or of the same number. */
static outcome merge(cells *a, const cells *b, const array *places)
{
    const int64_t *place_of = places ? (const void *)places->data : NULL;
    for (int64_t i = 0; i < b->n; i++) {
        int64_t to = place_of ? place_of[i] : i;
        if (to < 0 || to >= a->n)
            return BAD_INDEX;
        for (int k = 0; k < a->n_kept; k++)
            while (exblas_cell_combine(group(a, to) + k, group(b, i) + k) == EXBLAS_ENOMEM)
                if (!widen(group(a, to) + k))
                    return NO_MEMORY;
    }
    return DONE;
}

/* merge(cells, numbers or None, n): a += b; there are then n groups or more. */
static PyObject *cells_merge(PyObject *self, PyObject *arguments)
{
    PyObject *other, *numbers;
    long long n;
    array places;
    outcome o;
    if (!PyArg_ParseTuple(arguments, "OOL", &other, &numbers, &n))
        return NULL;
    cells *a = (cells *)self, *b = (cells *)other;
    if (Py_TYPE(other) != Py_TYPE(self) || a->n_kept != b->n_kept)
        return result_of(BAD_INDEX);
    if (!cells_grow(a, n))
        return PyErr_NoMemory();
    if (numbers != Py_None && !array_open(&places, numbers, false))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    o = numbers == Py_None ? merge(a, b, NULL)
        : places.element.n_bytes == 8 && is_contiguous(&places) && array_size(&places) == b->n
            ? merge(a, b, &places)
            : BAD_INDEX;
    Py_END_ALLOW_THREADS;
    if (numbers != Py_None)
        array_close(&places);
    return result_of(o);
}

/* ---- Results */

enum { SUM, MEAN, VARIANCE, DEVIATION };

/* Rounding twice is no different from once, unless the first result is halfway between two floats
 * or subnormal. */
static bool narrows_once(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return !(fabs(x) < 0x1p-126) && (bits & 0x1fffffff) != 0x10000000;
}

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
        else
            o = write_integer(group(c, i), &out->element, out->data + 8 * i);
    return o;
}

/* write(operation, ddof, format, out): a result for each group, doubles or, of sums of integers,
 * integers of 64 bits. */
static PyObject *cells_write(PyObject *self, PyObject *arguments)
{
    const cells *c = (cells *)self;
    PyObject *target;
    int operation, format;
    long long ddof;
    array out;
    if (!PyArg_ParseTuple(arguments, "iLiO", &operation, &ddof, &format, &target) ||
        !array_open(&out, target, true))
        return NULL;
    bool fits = is_contiguous(&out) && out.element.n_bytes == 8 && array_size(&out) == c->n &&
                (operation < VARIANCE || c->n_kept == 2);
    outcome o = BAD_INDEX;
    Py_BEGIN_ALLOW_THREADS;
    if (fits)
        o = write_all(c, &out, operation, ddof, format);
    Py_END_ALLOW_THREADS;
    array_close(&out);
    return result_of(o);
}

/* counts(integers): of the rows of each group. */
static PyObject *cells_counts(PyObject *self, PyObject *target)
{
    const cells *c = (cells *)self;
    array out;
    if (!array_open(&out, target, true))
        return NULL;
    bool fits = is_contiguous(&out) && out.element.n_bytes == 8 && array_size(&out) == c->n;
    for (int64_t i = 0; i < c->n && fits; i++)
        ((int64_t *)(void *)out.data)[i] = exblas_cell_count(group(c, i));
    array_close(&out);
    return result_of(fits ? DONE : BAD_INDEX);
}

/* accumulator(i): the bytes of cell i as those of an accumulator. */
static PyObject *cells_accumulator(PyObject *self, PyObject *number)
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

/* ---- Bytes */

/* state(i): a group's cells as exblas_cell_export writes them, one behind the other. */
static PyObject *cells_state(PyObject *self, PyObject *number)
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

/* The cell that was exported; false with an exception. */
static bool import(exblas_cell *one, exblas_cell_wide *room, const unsigned char *bytes,
                   size_t n_bytes)
{
    *one = (exblas_cell){.n_or_wide = 0};
    exblas_cell_widen(one, room);
    if (exblas_cell_import(one, bytes, n_bytes) == EXBLAS_OK)
        return true;
    PyErr_SetString(PyExc_ValueError,
                    "not the bytes of an exact sum: damaged, foreign or of another version");
    return false;
}

/* c += one; false with an exception. */
static bool add_cell(exblas_cell *c, const exblas_cell *one)
{
    while (exblas_cell_combine(c, one) == EXBLAS_ENOMEM)
        if (!widen(c)) {
            PyErr_NoMemory();
            return false;
        }
    return true;
}

/* add_state(i, bytes): what state wrote, to a group. */
static PyObject *cells_add_state(PyObject *self, PyObject *arguments)
{
    cells *c = (cells *)self;
    const unsigned char *bytes;
    Py_ssize_t n_bytes;
    long long i;
    if (!PyArg_ParseTuple(arguments, "Ly#", &i, &bytes, &n_bytes))
        return NULL;
    if (i < 0 || i >= c->n)
        return result_of(BAD_INDEX);
    size_t n_left = (size_t)n_bytes, n_first = exported_bytes(bytes, n_left);
    size_t n_last = c->n_kept == 2 ? n_left - n_first : n_first;
    if (n_first + (c->n_kept == 2 ? n_last : 0) != n_left)
        n_first = 0; /* which no cell has */
    exblas_cell one[2];
    exblas_cell_wide room[2];
    bool good = import(&one[0], &room[0], bytes, n_first) &&
                (c->n_kept == 1 || import(&one[1], &room[1], bytes + n_first, n_last));
    for (int k = 0; k < c->n_kept && good; k++) /* only if both are good */
        good = add_cell(group(c, i) + k, &one[k]);
    if (!good)
        return NULL;
    Py_RETURN_NONE;
}

/* has_squares(bytes): are these of a state with squares? */
PyObject *core_has_squares(PyObject *module, PyObject *state)
{
    char *bytes;
    Py_ssize_t n_bytes;
    (void)module;
    if (PyBytes_AsStringAndSize(state, &bytes, &n_bytes))
        return NULL;
    size_t n_first = exported_bytes((const void *)bytes, (size_t)n_bytes);
    return PyBool_FromLong(n_first && n_first < (size_t)n_bytes);
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
typedef struct {
    array buffer[4];
    double *t[3];
    int64_t *n;
} table;

static void table_close(table *t, int n_open)
{
    while (n_open > 0)
        array_close(&t->buffer[--n_open]);
}

static bool table_open(table *t, PyObject *columns, bool writable)
{
    for (int i = 0; i < 4; i++) {
        PyObject *column = PyTuple_GetItem(columns, i);
        array *a = &t->buffer[i];
        if (!column || !array_open(a, column, writable)) {
            table_close(t, i);
            return false;
        }
        if (a->element.n_bytes != 8 || !is_contiguous(a) ||
            array_size(a) != array_size(t->buffer)) {
            table_close(t, i + 1);
            result_of(BAD_INDEX);
            return false;
        }
        if (i < 3)
            t->t[i] = (double *)(void *)a->data;
        else
            t->n = (int64_t *)(void *)a->data;
    }
    return true;
}

/* write_columns(k, (t0, t1, t2, n)): the short forms of the cells k of all groups. Returns a list
 * of the exported bytes of those without one, whose n is -2^63. */
static PyObject *cells_write_columns(PyObject *self, PyObject *arguments)
{
    const cells *c = (cells *)self;
    PyObject *columns, *longs = NULL;
    unsigned char bytes[EXBLAS_CELL_BYTES];
    double form[3];
    table t;
    int k;
    if (!PyArg_ParseTuple(arguments, "iO!", &k, &PyTuple_Type, &columns) ||
        !table_open(&t, columns, true))
        return NULL;
    if (array_size(t.buffer) == c->n && k < c->n_kept)
        longs = PyList_New(0);
    else
        result_of(BAD_INDEX);
    for (int64_t i = 0; longs && i < c->n; i++) {
        const exblas_cell *one = group(c, i) + k;
        bool is_long = !short_form(one, form);
        for (int j = 0; j < 3; j++)
            t.t[j][i] = is_long ? 0 : form[j];
        t.n[i] = is_long ? IS_LONG : exblas_cell_count(one);
        if (!is_long)
            continue;
        size_t n_bytes = exblas_cell_export(one, bytes);
        PyObject *item = PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)n_bytes);
        if (!item || PyList_Append(longs, item))
            Py_CLEAR(longs);
        Py_XDECREF(item);
    }
    table_close(&t, 4);
    return longs;
}

/* c += the sum of three doubles of n terms; false unless they can be one. */
static outcome add_short(exblas_cell *c, const table *t, int64_t i)
{
    const int64_t most = (int64_t)1 << 62, n = t->n[i];
    exblas_cell one = {{t->t[0][i], t->t[1][i], t->t[2][i]}, 2 * n};
    if (n <= -most || n >= most || !isfinite(one.term[0]) || !isfinite(one.term[1]) ||
        !isfinite(one.term[2]))
        return BAD_INDEX;
    while (exblas_cell_combine(c, &one) == EXBLAS_ENOMEM)
        if (!widen(c))
            return NO_MEMORY;
    return DONE;
}

static outcome add_long(exblas_cell *c, PyObject *longs, int64_t i)
{
    char *bytes;
    Py_ssize_t n_bytes;
    exblas_cell one;
    exblas_cell_wide room;
    PyObject *item = PySequence_GetItem(longs, (Py_ssize_t)i);
    bool good = item && !PyBytes_AsStringAndSize(item, &bytes, &n_bytes) &&
                import(&one, &room, (const void *)bytes, (size_t)n_bytes) && add_cell(c, &one);
    Py_XDECREF(item);
    return good ? DONE : BAD_INDEX;
}

/* add_columns(k, (t0, t1, t2, n), list, numbers): what write_columns wrote into cells k of the
 * groups that the numbers name. */
static PyObject *cells_add_columns(PyObject *self, PyObject *arguments)
{
    cells *c = (cells *)self;
    PyObject *columns, *longs, *numbers;
    outcome o = BAD_INDEX;
    int64_t n_longs = 0;
    array places;
    table t;
    int k;
    if (!PyArg_ParseTuple(arguments, "iO!OO", &k, &PyTuple_Type, &columns, &longs, &numbers) ||
        !table_open(&t, columns, false))
        return NULL;
    if (array_open(&places, numbers, false)) {
        int64_t n = array_size(&places);
        const int64_t *to = (const void *)places.data;
        if (places.element.n_bytes == 8 && is_contiguous(&places) && n == array_size(t.buffer) &&
            k < c->n_kept)
            o = DONE;
        for (int64_t i = 0; i < n && o == DONE; i++)
            o = to[i] < 0 || to[i] >= c->n ? BAD_INDEX
                : t.n[i] == IS_LONG        ? add_long(group(c, to[i]) + k, longs, n_longs++)
                                           : add_short(group(c, to[i]) + k, &t, i);
        array_close(&places);
    }
    table_close(&t, 4);
    return PyErr_Occurred() ? NULL : result_of(o);
}

static PyObject *cells_length(PyObject *self, PyObject *none)
{
    (void)none;
    return PyLong_FromLongLong(((cells *)self)->n);
}

/* Cells(n, n_kept): n_kept 2 keeps squares, too. */
static PyObject *cells_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    long long n;
    int n_kept;
    (void)names;
    if (!PyArg_ParseTuple(arguments, "Li", &n, &n_kept))
        return NULL;
    PyObject *self = PyType_GenericNew(type, NULL, NULL);
    if (!self)
        return NULL;
    ((cells *)self)->n_kept = n_kept == 2 ? 2 : 1;
    if (cells_grow((cells *)self, n))
        return self;
    Py_DECREF(self);
    return PyErr_NoMemory();
}

static void cells_release(PyObject *self)
{
    cells *c = (cells *)self;
    for (int64_t i = 0; i < c->n * c->n_kept; i++)
        free(exblas_cell_wide_part(c->cell + i));
    free(c->cell);
    release(self);
}

static PyMethodDef cells_methods[] = {
    {"add", cells_add, METH_VARARGS, NULL},
    {"add_lists", cells_add_lists, METH_VARARGS, NULL},
    {"add_lines", cells_add_lines, METH_VARARGS, NULL},
    {"merge", cells_merge, METH_VARARGS, NULL},
    {"write", cells_write, METH_VARARGS, NULL},
    {"counts", cells_counts, METH_O, NULL},
    {"accumulator", cells_accumulator, METH_O, NULL},
    {"state", cells_state, METH_O, NULL},
    {"add_state", cells_add_state, METH_VARARGS, NULL},
    {"write_columns", cells_write_columns, METH_VARARGS, NULL},
    {"add_columns", cells_add_columns, METH_VARARGS, NULL},
    {"length", cells_length, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef keys_methods[] = {
    {"number", keys_of, METH_VARARGS, NULL},
    {"write", keys_write, METH_O, NULL},
    {"length", keys_count, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot cells_slots[] = {
    {Py_tp_methods, cells_methods},
    {Py_tp_new, __extension__(void *) cells_new},
    {Py_tp_dealloc, __extension__(void *) cells_release},
    {0, NULL},
};

static PyType_Slot keys_slots[] = {
    {Py_tp_methods, keys_methods},
    {Py_tp_new, __extension__(void *) PyType_GenericNew},
    {Py_tp_dealloc, __extension__(void *) keys_release},
    {0, NULL},
};

PyType_Spec cells_spec = {"exblas._core.Cells", sizeof(cells), 0, Py_TPFLAGS_DEFAULT, cells_slots};
PyType_Spec keys_spec = {"exblas._core.Keys", sizeof(keys), 0, Py_TPFLAGS_DEFAULT, keys_slots};
