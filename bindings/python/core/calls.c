/* Functions of the library as they are. Python has seen to it that the arrays are packed, of one
 * type of floats and one of indices, and of sizes that fit. */
#include "core.h"

#include <exblas/lapack.h>
#include <exblas/scatter.h>
#include <exblas/sparse.h>

enum { MOST_ARRAYS = 5 };

typedef exblas_status function(void *context, const array *a);

/* Its status for n arrays, of which number `written` is written. */
static PyObject *call(function *f, void *context, int n, PyObject *const *source, int written)
{
    array a[MOST_ARRAYS];
    exblas_status status;
    if (!arrays_open(n, a, source, written))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = f(context, a);
    Py_END_ALLOW_THREADS;
    arrays_close(n, a);
    return status == EXBLAS_ENOMEM   ? PyErr_NoMemory()
           : status == EXBLAS_EINVAL ? result_of(BAD_INDEX)
                                     : PyLong_FromLong(status);
}

static PyObject *call_of_three(function *f, PyObject *arguments)
{
    PyObject *source[3];
    if (!PyArg_ParseTuple(arguments, "OOO", &source[0], &source[1], &source[2]))
        return NULL;
    return call(f, NULL, 3, source, 2);
}

static bool are_wide(const array *a)
{
    return a->element.n_bytes == 8;
}

/* For doubles or floats, whose pointers have no type here. */
#define OF_TYPE(a, verb, ...)                                                                      \
    (are_wide(a) ? exblas_d##verb(__VA_ARGS__) : exblas_s##verb(__VA_ARGS__))

static exblas_status solved(void *none, const array *all)
{
    int64_t n = all[0].shape[0], m = all[0].shape[1], nrhs = all[1].shape[0], ld = m > 1 ? m : 1;
    const void *a = all[0].data, *b = all[1].data;
    void *x = all[2].data;
    return m == n ? OF_TYPE(all, gesv_64, n, nrhs, a, ld, b, ld, x, n, NULL)
                  : OF_TYPE(all, gels_64, m, n, nrhs, a, ld, b, ld, x, n, NULL);
}

/* solve(a, b, x): the status of A X = B, or of least squares or norms, for the transposes of three
 * matrices with elements: by rows they are what Fortran calls columns. */
PyObject *core_solve(PyObject *module, PyObject *arguments)
{
    return call_of_three(solved, arguments);
}

static exblas_status added(void *none, const array *a)
{
    const void *x = a[0].data, *index = a[1].data;
    void *y = a[2].data;
    return OF_TYPE(a, scatter_add_64, a[0].shape[0], x, index, a[2].shape[0], y);
}

/* scatter_add(x, index, y): y[index[i]] += x[i], each y rounded once. */
PyObject *core_scatter_add(PyObject *module, PyObject *arguments)
{
    return call_of_three(added, arguments);
}

static exblas_status summed(void *none, const array *a)
{
    const void *x = a[0].data, *offset = a[1].data;
    return OF_TYPE(a, segment_sum_64, a[2].shape[0], offset, x, (void *)a[2].data);
}

/* segment_sum(x, offset, y): y[i] = the sum of x[offset[i]:offset[i + 1]]. */
PyObject *core_segment_sum(PyObject *module, PyObject *arguments)
{
    return call_of_three(summed, arguments);
}

/* What a sparse matrix of n columns is for. */
typedef struct {
    long long n;
    int trans;
    void *handle;
} sparse;

#define CALL(function, int_type, scalar)                                                           \
    function(EXBLAS_ROW_MAJOR, s->trans, (int_type)m, (int_type)s->n, (int_type)k, scalar(one),    \
             (const int_type *)start, (const int_type *)column, value, x, (int_type)k,             \
             scalar(zero), y, (int_type)k)
#define BOTH_WIDTHS(function, scalar)                                                              \
    (are_wide(a) ? CALL(function##_64, exblas_int64, scalar) : CALL(function, exblas_int, scalar))
#define FIRST(p) (*(p))
#define POINTER(p) (p)

static exblas_status multiplied(void *context, const array *a)
{
    const sparse *s = context;
    const void *start = a[0].data, *column = a[1].data, *value = a[2].data, *x = a[3].data;
    void *y = a[4].data;
    int64_t m = a[0].shape[0] - 1, k = a[3].shape[1];
    bool is_complex = a[2].element.n_parts == 2;
    if (are_wide(&a[2])) {
        static const double one[] = {1, 0}, zero[] = {0, 0};
        return is_complex ? BOTH_WIDTHS(exblas_zcsrmm, POINTER) : BOTH_WIDTHS(exblas_dcsrmm, FIRST);
    }
    static const float one[] = {1, 0}, zero[] = {0, 0};
    return is_complex ? BOTH_WIDTHS(exblas_ccsrmm, POINTER) : BOTH_WIDTHS(exblas_scsrmm, FIRST);
}

/* csrmm(trans, n, row_start, column, value, x, y): y = op(A) x for A of n columns and x and y of
 * one or more. */
PyObject *core_csrmm(PyObject *module, PyObject *arguments)
{
    PyObject *source[5];
    sparse s;
    if (!PyArg_ParseTuple(arguments, "iLOOOOO", &s.trans, &s.n, &source[0], &source[1], &source[2],
                          &source[3], &source[4]))
        return NULL;
    return call(multiplied, &s, 5, source, 4);
}

#define HANDLE_S "exblas.scsr_handle"
#define HANDLE_D "exblas.dcsr_handle"

static void free_handle(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, HANDLE_D))
        exblas_dcsr_free(PyCapsule_GetPointer(capsule, HANDLE_D));
    else
        exblas_scsr_free(PyCapsule_GetPointer(capsule, HANDLE_S));
}

static exblas_status created(void *context, const array *a)
{
    sparse *s = context;
    const void *start = a[0].data, *column = a[1].data, *value = a[2].data;
    int64_t m = a[0].shape[0] - 1;
    void *out = &s->handle;
    return OF_TYPE(&a[2], csr_create_64, m, s->n, start, column, value, out);
}

/* csr_handle(n, row_start, column, value, is_double): a real matrix of n columns that is looked at
 * once; indices are of 64 bits. */
PyObject *core_csr_handle(PyObject *module, PyObject *arguments)
{
    PyObject *source[3];
    sparse s = {0, 0, NULL};
    int is_double;
    if (!PyArg_ParseTuple(arguments, "LOOOp", &s.n, &source[0], &source[1], &source[2], &is_double))
        return NULL;
    PyObject *status = call(created, &s, 3, source, -1);
    PyObject *capsule =
        status ? PyCapsule_New(s.handle, is_double ? HANDLE_D : HANDLE_S, free_handle) : NULL;
    Py_XDECREF(status);
    return capsule;
}

static exblas_status multiplied_vector(void *handle, const array *a)
{
    const void *x = a[0].data;
    void *y = a[1].data;
    return OF_TYPE(a, csr_mv, handle, 1, x, 0, y);
}

/* csr_mv(handle, x, y): y = A x for vectors of its type. */
PyObject *core_csr_mv(PyObject *module, PyObject *arguments)
{
    PyObject *capsule, *source[2];
    if (!PyArg_ParseTuple(arguments, "OOO", &capsule, &source[0], &source[1]))
        return NULL;
    void *handle = PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule));
    return handle ? call(multiplied_vector, handle, 2, source, 1) : NULL;
}
