/* Sparse matrices, as SciPy stores them, times dense ones; and handles of them, times vectors. */
#include "core.h"

#include <exblas/sparse.h>

enum { N_OPERANDS = 5 };

typedef union {
    struct {
        array row_start, column, value, x, y;
    };
    array all[N_OPERANDS];
} operands;

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

/* csrmm(trans, m, n, row_start, column, value, x, y): y = op(A) x for two-dimensional x and y. */
PyObject *core_csrmm(PyObject *module, PyObject *arguments)
{
    PyObject *source[N_OPERANDS];
    int trans;
    long long m, n;
    operands o;
    exblas_status status = EXBLAS_EINVAL;
    if (!PyArg_ParseTuple(arguments, "iLLOOOOO", &trans, &m, &n, &source[0], &source[1], &source[2],
                          &source[3], &source[4]) ||
        !arrays_open(N_OPERANDS, o.all, source, N_OPERANDS - 1))
        return NULL;
    bool fits = fit(&o, m, n, trans != EXBLAS_NO_TRANS);
    if (fits && rows_end_in_time(&o, m)) {
        Py_BEGIN_ALLOW_THREADS;
        status = multiply(&o, trans, m, n);
        Py_END_ALLOW_THREADS;
    }
    arrays_close(N_OPERANDS, o.all);
    if (!fits)
        return PyErr_Format(PyExc_TypeError,
                            "arrays of one type of floats and of indices are needed");
    return result_of(status == EXBLAS_OK ? DONE : status == EXBLAS_ENOMEM ? NO_MEMORY : BAD_INDEX);
}

/* --- handles ------------------------------------------------------------------------ */

#define HANDLE_S "exblas.scsr_handle"
#define HANDLE_D "exblas.dcsr_handle"

static void free_handle(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, HANDLE_D))
        exblas_dcsr_free(PyCapsule_GetPointer(capsule, HANDLE_D));
    else
        exblas_scsr_free(PyCapsule_GetPointer(capsule, HANDLE_S));
}

/* Of value, which is of floats or doubles. */
static exblas_status make_handle(const array *const o, int64_t m, int64_t n, void **out)
{
    const void *start = o[0].data, *column = o[1].data, *value = o[2].data;
    bool wide = o[0].element.n_bytes == 8, is_double = o[2].element.n_bytes == 8;
    if (is_double)
        return wide ? exblas_dcsr_create_64(m, n, start, column, value, (exblas_dcsr_handle **)out)
                    : exblas_dcsr_create((exblas_int)m, (exblas_int)n, start, column, value,
                                         (exblas_dcsr_handle **)out);
    return wide ? exblas_scsr_create_64(m, n, start, column, value, (exblas_scsr_handle **)out)
                : exblas_scsr_create((exblas_int)m, (exblas_int)n, start, column, value,
                                     (exblas_scsr_handle **)out);
}

/* csr_handle(m, n, row_start, column, value): a real matrix that is looked at once. */
PyObject *core_csr_handle(PyObject *module, PyObject *arguments)
{
    enum { N = 3 };
    PyObject *source[N];
    long long m, n;
    operands o;
    const array *all = o.all;
    void *handle = NULL;
    exblas_status status = EXBLAS_EINVAL;
    if (!PyArg_ParseTuple(arguments, "LLOOO", &m, &n, &source[0], &source[1], &source[2]) ||
        !arrays_open(N, o.all, source, -1))
        return NULL;
    int bytes = all[0].element.n_bytes, of_value = all[2].element.n_bytes;
    bool fits = (bytes == 4 || bytes == 8) && is_index(&all[0], bytes) &&
                is_index(&all[1], bytes) && all[0].shape[0] == m + 1 && all[2].n_dims == 1 &&
                (of_value == 4 || of_value == 8) && is_float(&all[2], of_value, 1) &&
                is_contiguous(&all[2]) && all[1].shape[0] == all[2].shape[0];
    if (fits && rows_end_in_time(&o, m)) {
        Py_BEGIN_ALLOW_THREADS;
        status = make_handle(all, m, n, &handle);
        Py_END_ALLOW_THREADS;
    }
    arrays_close(N, o.all);
    if (!fits)
        return PyErr_Format(PyExc_TypeError, "arrays of floats and of indices are needed");
    if (status != EXBLAS_OK)
        return result_of(status == EXBLAS_ENOMEM ? NO_MEMORY : BAD_INDEX);
    PyObject *capsule = PyCapsule_New(handle, of_value == 8 ? HANDLE_D : HANDLE_S, free_handle);
    if (!capsule && of_value == 8)
        exblas_dcsr_free(handle);
    else if (!capsule)
        exblas_scsr_free(handle);
    return capsule;
}

/* csr_mv(handle, m, n, x, y): y = A x for contiguous vectors of n and m elements of its type. */
PyObject *core_csr_mv(PyObject *module, PyObject *arguments)
{
    enum { N = 2 };
    PyObject *capsule, *source[N];
    long long m, n;
    array all[N];
    if (!PyArg_ParseTuple(arguments, "OLLOO", &capsule, &m, &n, &source[0], &source[1]) ||
        !arrays_open(N, all, source, 1))
        return NULL;
    bool is_double = PyCapsule_IsValid(capsule, HANDLE_D);
    bool fits = is_double || PyCapsule_IsValid(capsule, HANDLE_S);
    for (int i = 0; i < N && fits; i++)
        fits = is_float(&all[i], is_double ? 8 : 4, 1) && is_contiguous(&all[i]) &&
               all[i].n_dims == 1 && all[i].shape[0] == (i ? m : n);
    void *handle = fits ? PyCapsule_GetPointer(capsule, is_double ? HANDLE_D : HANDLE_S) : NULL;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS;
        if (is_double)
            exblas_dcsr_mv(handle, 1, (const double *)all[0].data, 0, (double *)all[1].data);
        else
            exblas_scsr_mv(handle, 1, (const float *)all[0].data, 0, (float *)all[1].data);
        Py_END_ALLOW_THREADS;
    }
    arrays_close(N, all);
    if (fits)
        Py_RETURN_NONE;
    return PyErr_Format(PyExc_TypeError, "vectors of the matrix's type and size are needed");
}
