/* The order in which a Python function adds (fprev.h). */
#include "core.h"

#include "fprev.h"

#include <stdlib.h>

typedef struct {
    PyObject *function, *terms; /* terms: a writable view of n doubles, filled before each call */
    array view;
} call;

/* One call: terms in, the sum out. Runs with the interpreter's lock. */
static int call_function(void *context, const void *a, const void *b, void *results)
{
    call *c = context;
    double *terms = (double *)(void *)c->view.data;
    for (int64_t i = 0; i < c->view.shape[0]; i++)
        terms[i] = ((const double *)a)[i];
    PyObject *sum = PyObject_CallFunctionObjArgs(c->function, c->terms, NULL);
    if (!sum)
        return 1;
    *(double *)results = PyFloat_AsDouble(sum);
    Py_DECREF(sum);
    return PyErr_Occurred() != NULL;
}

static PyObject *described(const fprev_result *r)
{
    char *text = r->tree.n_nodes ? fprev_tree_text(&r->tree) : NULL;
    PyObject *result = Py_BuildValue(
        "{s:s,s:s,s:K,s:L,s:i,s:i,s:s}", "class", fprev_class_name(r->class_), "tree",
        text ? text : "", "hash", (unsigned long long)r->hash, "calls", (long long)r->total_calls,
        "replays", r->replay_runs, "mismatches", r->replay_mismatches, "note", r->note);
    free(text);
    return result;
}

static PyObject *reveal(call *c)
{
    fprev_function f = {.n_terms = c->view.shape[0],
                        .n_results = 1,
                        .type = FPREV_DOUBLE,
                        .result_type = FPREV_DOUBLE,
                        .ctx = c,
                        .call = call_function};
    fprev_options options = {.seed = 1};
    fprev_result r;
    fprev_status status = fprev_reveal(&f, &options, &r);
    PyObject *result = NULL;
    if (status == FPREV_OK)
        result = described(&r);
    else if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, fprev_status_text(status));
    fprev_result_free(&r);
    return result;
}

/* fprev(function, terms): terms is a writable buffer of doubles, which the function is given. */
PyObject *core_fprev(PyObject *module, PyObject *arguments)
{
    call c;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(arguments, "OO", &c.function, &c.terms) ||
        !array_open(&c.view, c.terms, true))
        return NULL;
    if (is_float(&c.view, 8, 1) && c.view.n_dims == 1 && is_contiguous(&c.view))
        result = reveal(&c);
    else
        PyErr_SetString(PyExc_TypeError, "a vector of doubles is needed");
    array_close(&c.view);
    return result;
}
