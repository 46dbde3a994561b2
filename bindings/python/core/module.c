/* The module exblas._core. */
#include "chunks.h"

#include <string.h>

PyObject *result_of(outcome o)
{
    switch (o) {
    case DONE:
        Py_RETURN_NONE;
    case TOO_LARGE:
        return PyErr_Format(PyExc_OverflowError,
                            "the exact integer does not fit into the result: give dtype=float");
    case NO_MEMORY:
        return PyErr_NoMemory();
    default:
        return PyErr_Format(PyExc_ValueError, "an index or offset is out of range");
    }
}

outcome store_integer(const element *e, char *at, int128 x)
{
    int n_bits = 8 * e->n_bytes - (e->kind == INTEGER);
    int128 limit = (int128)1 << n_bits;
    uint64_t bits = (uint64_t)x;
    if (x >= limit || x < (e->kind == INTEGER ? -limit : 0))
        return TOO_LARGE;
    memcpy(at, &bits, (size_t)e->n_bytes); /* little-endian */
    return DONE;
}

#define CORE_METHOD(name, how) {#name, core_##name, how, NULL},
static PyMethodDef functions[] = {CORE_FUNCTIONS(CORE_METHOD){NULL, NULL, 0, NULL}};

static int add_type(PyObject *module, const char *name, PyType_Spec *spec)
{
    PyObject *type = PyType_FromSpec(spec);
    int failed = !type || PyModule_AddObjectRef(module, name, type);
    Py_XDECREF(type);
    return failed;
}

static int fill(PyObject *module)
{
    bool failed = add_type(module, "Accumulator", &accumulator_spec) ||
                  add_type(module, "Cells", &cells_spec);
    return failed ? -1 : 0;
}

/* The others are for interpreters that know them. */
static PyModuleDef_Slot slots[4] = {{Py_mod_exec, __extension__(void *) fill}};

static PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT, .m_name = "_core", .m_methods = functions, .m_slots = slots};

/* From Python 3.13 on (the decimal of 3.12 crashes), what the headers of 3.11 do not name:
 * Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED; Py_mod_gil,
 * Py_MOD_GIL_NOT_USED. Interpreters share types of NumPy, which are compared with only and which
 * one of them has. Threads share accumulators, which are locked, and cells, as they always did. */
PyMODINIT_FUNC PyInit__core(void)
{
    if (Py_Version >= 0x030d0000) {
        slots[1] = (PyModuleDef_Slot){3, (void *)2};
        slots[2] = (PyModuleDef_Slot){4, (void *)1};
    }
    return PyModuleDef_Init(&definition);
}
