/* What module.c puts into the module. Each function takes positional arguments. */
#ifndef EXBLAS_PYTHON_CORE_H
#define EXBLAS_PYTHON_CORE_H

#include "array.h"

#include <string.h>

PyObject *core_total(PyObject *module, PyObject *source);
PyObject *core_set_numpy(PyObject *module, PyObject *arguments);
PyObject *core_reduce(PyObject *module, PyObject *arguments);
PyObject *core_cumsum(PyObject *module, PyObject *arguments);
PyObject *core_dot(PyObject *module, PyObject *arguments);
PyObject *core_gemm(PyObject *module, PyObject *arguments);
PyObject *core_product(PyObject *module, PyObject *arguments);
PyObject *core_moments(PyObject *module, PyObject *arguments);
PyObject *core_scatter_add(PyObject *module, PyObject *arguments);
PyObject *core_segment_sum(PyObject *module, PyObject *arguments);
PyObject *core_solve(PyObject *module, PyObject *arguments);
PyObject *core_csrmm(PyObject *module, PyObject *arguments);
PyObject *core_csr_handle(PyObject *module, PyObject *arguments);
PyObject *core_csr_mv(PyObject *module, PyObject *arguments);
PyObject *core_set_loops(PyObject *module, PyObject *arguments);
PyObject *core_report_own(PyObject *module, PyObject *arguments);
PyObject *core_fprev(PyObject *module, PyObject *arguments);

extern PyType_Spec accumulator_spec;

/* What work without the interpreter's lock ends with. */
typedef enum { DONE, TOO_LARGE, NO_MEMORY, BAD_INDEX } outcome;

/* None, or NULL with the exception. */
PyObject *result_of(outcome o);

/* Whether NumPy's, once set_numpy has told of it. */
bool is_numpy_array(PyObject *x);

/* Of one or two parts, as a scalar of NumPy or a number of Python. */
PyObject *float_result(const element *e, const double part[2], bool is_numpys);

/* The same of an integer of 64 bits; NULL without an error if it has more. */
PyObject *integer_result(bool is_unsigned, int128 x, bool is_numpys);

/* Not of bool, whose sums are signed. */
bool is_unsigned(const array *x);

/* Writes an integer as int64_t or uint64_t; TOO_LARGE if it does not fit. */
outcome store_integer(const element *e, char *at, int128 x);

/* Writes a double as float or double. */
static inline void store_float(const element *e, char *at, double x)
{
    float f = (float)x;
    if (e->n_bytes == 4)
        memcpy(at, &f, sizeof f);
    else
        memcpy(at, &x, sizeof x);
}

#endif
