/* Correctly rounded solutions of linear systems, and of least squares. */
#include "core.h"

#include <exblas/lapack.h>

typedef union {
    struct {
        array a, b, x;
    };
    array all[3];
} equations;

/* A matrix whose rows lie one after the other: what Fortran calls columns. */
static bool is_matrix(const array *m, int n_bytes, int64_t rows, int64_t columns)
{
    return is_float(m, n_bytes, 1) && m->n_dims == 2 && is_contiguous(m) && m->shape[0] == rows &&
           m->shape[1] == columns;
}

/* The transpose of A by rows, and right-hand sides and solutions as rows. */
static bool fits(const equations *s)
{
    int n_bytes = s->a.element.n_bytes;
    int64_t n = s->a.n_dims == 2 ? s->a.shape[0] : -1, m = n < 0 ? -1 : s->a.shape[1];
    int64_t nrhs = s->b.n_dims == 2 ? s->b.shape[0] : -1;
    return (n_bytes == 4 || n_bytes == 8) && is_matrix(&s->a, n_bytes, n, m) &&
           is_matrix(&s->b, n_bytes, nrhs, m) && is_matrix(&s->x, n_bytes, nrhs, n);
}

static exblas_status call(const equations *s)
{
    int64_t n = s->a.shape[0], m = s->a.shape[1], nrhs = s->b.shape[0];
    int64_t ld = m > 1 ? m : 1, ldx = n > 1 ? n : 1;
    const void *a = s->a.data, *b = s->b.data;
    void *x = s->x.data;
    if (m != n)
        return s->a.element.n_bytes == 8 ? exblas_dgels_64(m, n, nrhs, a, ld, b, ld, x, ldx, NULL)
                                         : exblas_sgels_64(m, n, nrhs, a, ld, b, ld, x, ldx, NULL);
    return s->a.element.n_bytes == 8 ? exblas_dgesv_64(n, nrhs, a, ld, b, ld, x, ldx, NULL)
                                     : exblas_sgesv_64(n, nrhs, a, ld, b, ld, x, ldx, NULL);
}

/* solve(a, b, x): the status of A X = B, or of least squares or norms, for the transposes of three
 * matrices. */
PyObject *core_solve(PyObject *module, PyObject *arguments)
{
    PyObject *source[3];
    equations s;
    exblas_status status = EXBLAS_OK;
    if (!PyArg_ParseTuple(arguments, "OOO", &source[0], &source[1], &source[2]) ||
        !arrays_open(3, s.all, source, 2))
        return NULL;
    bool good = fits(&s);
    if (good) {
        Py_BEGIN_ALLOW_THREADS;
        status = call(&s);
        Py_END_ALLOW_THREADS;
    }
    arrays_close(3, s.all);
    if (!good)
        return PyErr_Format(PyExc_TypeError,
                            "contiguous matrices of one type of floats are needed");
    return status == EXBLAS_ENOMEM ? PyErr_NoMemory() : PyLong_FromLong(status);
}
