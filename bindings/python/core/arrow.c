/* Arrow's C data interface and its capsules (arrow.apache.org/docs/format/CDataInterface.html). */
#include "chunks.h"

#include <stdlib.h>

typedef struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
} ArrowSchema;

typedef struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
} ArrowArray;

typedef struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
} ArrowArrayStream;

/* The exporter may run Python. */
#define RELEASE(name, type)                                                                        \
    static void release_##name(PyObject *capsule)                                                  \
    {                                                                                              \
        type *x = PyCapsule_GetPointer(capsule, "arrow_" #name);                                   \
        PyObject *error[3];                                                                        \
        PyErr_Fetch(&error[0], &error[1], &error[2]);                                              \
        if (x->release)                                                                            \
            x->release(x);                                                                         \
        PyErr_Restore(error[0], error[1], error[2]);                                               \
        free(x);                                                                                   \
    }
RELEASE(schema, ArrowSchema)
RELEASE(array, ArrowArray)

static PyObject *stream_error(ArrowArrayStream *stream)
{
    const char *words = stream->get_last_error(stream);
    PyErr_Format(PyExc_OSError, "the Arrow stream ends with an error: %s", words ? words : "none");
    return NULL;
}

/* arrow_schema(stream) */
PyObject *core_arrow_schema(PyObject *module, PyObject *capsule)
{
    ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    ArrowSchema *s;
    if (!stream || !(s = calloc(1, sizeof *s)))
        return stream ? PyErr_NoMemory() : NULL;
    PyObject *result = PyCapsule_New(s, "arrow_schema", release_schema);
    if (result && stream->get_schema(stream, s)) {
        Py_DECREF(result);
        return stream_error(stream);
    }
    return result;
}

/* arrow_next(stream): the next array, or None. */
PyObject *core_arrow_next(PyObject *module, PyObject *capsule)
{
    ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    ArrowArray *a;
    int failed;
    if (!stream || !(a = calloc(1, sizeof *a)))
        return stream ? PyErr_NoMemory() : NULL;
    PyObject *result = PyCapsule_New(a, "arrow_array", release_array);
    if (!result)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    failed = stream->get_next(stream, a);
    Py_END_ALLOW_THREADS;
    if (!failed && a->release)
        return result;
    Py_DECREF(result);
    if (failed)
        return stream_error(stream);
    Py_RETURN_NONE;
}

/* arrow_fields(schema): pairs of the name and format of each field of a struct; of what is none,
 * its format. */
PyObject *core_arrow_fields(PyObject *module, PyObject *capsule)
{
    const ArrowSchema *s = PyCapsule_GetPointer(capsule, "arrow_schema");
    if (!s || strcmp(s->format, "+s") != 0)
        return s ? PyUnicode_FromString(s->format) : NULL;
    PyObject *fields = PyList_New(s->n_children);
    for (int64_t i = 0; fields && i < s->n_children; i++) {
        const ArrowSchema *child = s->children[i];
        PyObject *pair = Py_BuildValue("(ss)", child->name ? child->name : "", child->format);
        if (!pair || PyList_SetItem(fields, i, pair))
            Py_CLEAR(fields);
    }
    return fields;
}

/* arrow_length(array) */
PyObject *core_arrow_length(PyObject *module, PyObject *capsule)
{
    const ArrowArray *a = PyCapsule_GetPointer(capsule, "arrow_array");
    return a ? PyLong_FromLongLong(a->length) : NULL;
}

/* What a tuple (schema, array, field) names, and the offset that a struct adds to its rows. */
typedef struct {
    const ArrowSchema *schema;
    const ArrowArray *array;
    int64_t offset, n;
} field;

static bool has_nulls(const ArrowArray *a)
{
    return a->null_count != 0 && a->n_buffers > 0 && a->buffers[0];
}

static bool field_of(field *f, PyObject *source)
{
    PyObject *schema, *array;
    long long i, begin, end;
    if (!PyArg_ParseTuple(source, "OOLLL", &schema, &array, &i, &begin, &end) ||
        !(f->schema = PyCapsule_GetPointer(schema, "arrow_schema")) ||
        !(f->array = PyCapsule_GetPointer(array, "arrow_array")))
        return false;
    f->offset = begin;
    f->n = end - begin;
    if (begin < 0 || end < begin || end > f->array->length) {
        PyErr_SetString(PyExc_IndexError, "the array has no such rows");
        return false;
    }
    if (i >= 0) {
        if (has_nulls(f->array)) {
            PyErr_SetString(PyExc_TypeError, "a struct that is null has no numbers: give a column");
            return false;
        }
        f->offset += f->array->offset;
        f->schema = f->schema->children[i];
        f->array = f->array->children[i];
    }
    f->offset += f->array->offset;
    return true;
}

/* arrow_dictionary(source): where the values of its dictionary are, a tuple that only the same
 * values have; None without one, False of values in several arrays. */
PyObject *core_arrow_dictionary(PyObject *module, PyObject *source)
{
    field f;
    if (!field_of(&f, source))
        return NULL;
    if (!f.array->dictionary)
        Py_RETURN_NONE;
    const ArrowArray *d = f.array->dictionary;
    if (d->n_children || d->dictionary || !f.schema->dictionary)
        Py_RETURN_FALSE;
    /* The last buffer of a view has the lengths of the others, and is made for each export. */
    const char *format = f.schema->dictionary->format;
    int64_t n = d->n_buffers - (format[0] == 'v' && format[1] && d->n_buffers > 2);
    PyObject *result = PyTuple_New((Py_ssize_t)n + 2);
    for (int64_t i = 0; result && i < n + 2; i++) {
        PyObject *item = i < 2 ? PyLong_FromLongLong(i ? d->offset : d->length)
                               : PyLong_FromVoidPtr((void *)(uintptr_t)d->buffers[i - 2]);
        if (!item || PyTuple_SetItem(result, (Py_ssize_t)i, item))
            Py_CLEAR(result);
    }
    return result;
}

static int decimal_bytes(const char *format)
{
    const char *bits = strrchr(format, ',');
    int n_bits = strchr(format, ',') == bits ? 128 : atoi(bits + 1);
    return n_bits <= 128 ? n_bits / 8 : 0;
}

/* Letters for numbers; d:precision,scale or d:precision,scale,bits for decimals. */
static bool element_of(element *e, const char *format)
{
    static const char letter[] = "cCsSiIlLefg";
    const char *at = format[0] && !format[1] ? strchr(letter, format[0]) : NULL;
    *e = (element){INTEGER, 0, 1};
    if (at && at - letter < 8)
        *e = (element){(at - letter) % 2 ? UNSIGNED : INTEGER, 1 << (at - letter) / 2, 1};
    else if (at)
        *e = (element){FLOAT, 2 << (at - letter - 8), 1};
    else if (format[0] == 'd')
        e->n_bytes = decimal_bytes(format);
    return e->n_bytes > 0;
}

static bool column_of_field(column *c, const field *f, bool are_keys)
{
    element e;
    if (!are_keys && (f->schema->dictionary || f->array->dictionary)) {
        PyErr_SetString(PyExc_TypeError,
                        "the values are in a dictionary: decode or cast them first");
        return false;
    }
    if (!element_of(&e, f->schema->format) || f->array->n_buffers != 2) {
        PyErr_Format(PyExc_TypeError, "Arrow's type '%s' has no numbers to add: cast it first",
                     f->schema->format);
        return false;
    }
    *c = (column){.is_there = true};
    c->line = (line){e, NULL, f->n, e.n_bytes};
    if (f->n > 0)
        c->line.at = (const char *)f->array->buffers[1] + f->offset * e.n_bytes;
    c->valid = has_nulls(f->array) ? f->array->buffers[0] : NULL;
    c->first_bit = f->offset;
    return true;
}

bool column_open(column *c, PyObject *source, bool are_keys)
{
    field f;
    *c = (column){.is_there = false};
    if (source == Py_None)
        return true;
    if (PyTuple_Check(source))
        return field_of(&f, source) && column_of_field(c, &f, are_keys);
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

bool lists_open(lists *l, column *elements, PyObject *source)
{
    field f;
    if (!field_of(&f, source))
        return false;
    bool is_wide = strcmp(f.schema->format, "+L") == 0;
    if (!is_wide && strcmp(f.schema->format, "+l") != 0) {
        PyErr_Format(PyExc_TypeError, "Arrow's type '%s' is no list", f.schema->format);
        return false;
    }
    int n_bytes = is_wide ? 8 : 4;
    *l = (lists){f.n, NULL, n_bytes, has_nulls(f.array) ? f.array->buffers[0] : NULL, f.offset};
    if (f.n > 0)
        l->offset = (const char *)f.array->buffers[1] + f.offset * n_bytes;
    field inner = {f.schema->children[0], f.array->children[0], f.array->children[0]->offset,
                   f.array->children[0]->length};
    return column_of_field(elements, &inner, false);
}

/* arrow_total(source): RN of the sum of Arrow's doubles without nulls, by all threads; None for
 * others. */
PyObject *core_arrow_total(PyObject *module, PyObject *source)
{
    column x;
    int64_t step;
    double sum;
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
