/* Sparse matrices, as SciPy stores them, times dense ones. */
#include "core.h"

#include <exblas/sparse.h>

typedef struct {
    array row_start, column, value, x, y;
} operands;

enum { N_OPERANDS = 5 };

static bool is_index(const array *a, int n_bytes)
{
    return a->element.kind == INTEGER && a->element.n_bytes == n_bytes && a->n_dims == 1 &&
           is_contiguous(a);
}

/* Contiguous arrays of one type of floats and one of indices, with room for the product. */
static bool fit(const operands *o, int64_t m, int64_t n, bool transposed)
{
    const array *all[] = {&o->value, &o->x, &o->y};
    int bytes = o->row_start.element.n_bytes;
    bool good = (bytes == 4 || bytes == 8) && is_index(&o->row_start, bytes) &&
                is_index(&o->column, bytes) && o->row_start.shape[0] == m + 1 && o->x.n_dims == 2 &&
                o->y.n_dims == 2 && o->value.n_dims == 1;
    for (int i = 0; i < 3 && good; i++)
        good = is_float(all[i], o->value.element.n_bytes, o->value.element.n_parts) &&
               is_contiguous(all[i]);
    return good && o->column.shape[0] == o->value.shape[0] && o->x.shape[1] == o->y.shape[1] &&
           o->x.shape[0] == (transposed ? m : n) && o->y.shape[0] == (transposed ? n : m);
}

/* The rows may not go beyond the entries. */
static bool rows_end_in_time(const operands *o, int64_t m)
{
    const void *start = o->row_start.data;
    int64_t end = o->row_start.element.n_bytes == 8 ? ((const int64_t *)start)[m]
                                                    : ((const int32_t *)start)[m];
    return end <= o->column.shape[0];
}

#define CALL(function, int_type, scalar)                                                           \
    function(EXBLAS_ROW_MAJOR, trans, (int_type)m, (int_type)n, (int_type)k, scalar(one),          \
             (const int_type *)start, (const int_type *)column, value, x, (int_type)ld,            \
             scalar(zero), y, (int_type)ld)
#define BOTH_WIDTHS(function, scalar)                                                              \
    (wide ? CALL(function##_64, exblas_int64, scalar) : CALL(function, exblas_int, scalar))
#define FIRST(p) (*(p))
#define POINTER(p) (p)

static exblas_status multiply(const operands *o, int trans, int64_t m, int64_t n)
{
    const void *start = o->row_start.data, *column = o->column.data, *value = o->value.data;
    const void *x = o->x.data;
    void *y = o->y.data;
    int64_t k = o->x.shape[1], ld = k > 1 ? k : 1;
    bool wide = o->row_start.element.n_bytes == 8, is_double = o->value.element.n_bytes == 8;
    if (is_double) {
        static const double one[] = {1, 0}, zero[] = {0, 0};
        return o->value.element.n_parts == 2 ? BOTH_WIDTHS(exblas_zcsrmm, POINTER)
                                             : BOTH_WIDTHS(exblas_dcsrmm, FIRST);
    }
    static const float one[] = {1, 0}, zero[] = {0, 0};
    return o->value.element.n_parts == 2 ? BOTH_WIDTHS(exblas_ccsrmm, POINTER)
                                         : BOTH_WIDTHS(exblas_scsrmm, FIRST);
}

/* Opens all or none; the last is written. */
static bool open_all(array *all, PyObject *const *source)
{
    for (int i = 0; i < N_OPERANDS; i++)
        if (!array_open(&all[i], source[i], i == N_OPERANDS - 1)) {
            while (i > 0)
                array_close(&all[--i]);
            return false;
        }
    return true;
}

/* csrmm(trans, m, n, row_start, column, value, x, y): y = op(A) x for two-dimensional x and y. */
PyObject *core_csrmm(PyObject *module, PyObject *arguments)
{
    PyObject *source[N_OPERANDS];
    int trans;
    long long m, n;
    operands o;
    array all[N_OPERANDS];
    exblas_status status = EXBLAS_EINVAL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "iLLOOOOO", &trans, &m, &n, &source[0], &source[1], &source[2],
                          &source[3], &source[4]) ||
        !open_all(all, source))
        return NULL;
    o = (operands){all[0], all[1], all[2], all[3], all[4]};
    bool fits = fit(&o, m, n, trans != EXBLAS_NO_TRANS);
    if (fits && rows_end_in_time(&o, m)) {
        Py_BEGIN_ALLOW_THREADS;
        status = multiply(&o, trans, m, n);
        Py_END_ALLOW_THREADS;
    }
    for (int i = 0; i < N_OPERANDS; i++)
        array_close(&all[i]);
    if (!fits) {
        PyErr_SetString(PyExc_TypeError, "arrays of one type of floats and of indices are needed");
        return NULL;
    }
    return result_of(status == EXBLAS_OK ? DONE : status == EXBLAS_ENOMEM ? NO_MEMORY : BAD_INDEX);
}
