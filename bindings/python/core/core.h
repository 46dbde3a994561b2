/* What module.c puts into the module. */
#ifndef EXBLAS_PYTHON_CORE_H
#define EXBLAS_PYTHON_CORE_H

#include "array.h"

#include <string.h>

/* name, how Python gives the arguments: in lines that are not to be joined */
/* clang-format off */
#define CORE_FUNCTIONS(use) \
    use(set_numpy, METH_O) \
    use(total, METH_O) \
    use(reduce, METH_VARARGS) \
    use(cumsum, METH_VARARGS) \
    use(dot, METH_VARARGS) \
    use(gemm, METH_VARARGS) \
    use(product, METH_VARARGS) \
    use(moments, METH_VARARGS) \
    use(set_loops, METH_VARARGS) \
    use(fprev, METH_VARARGS)
/* clang-format on */

#define CORE_PROTOTYPE(name, how) PyObject *core_##name(PyObject *module, PyObject *arguments);
CORE_FUNCTIONS(CORE_PROTOTYPE)

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
