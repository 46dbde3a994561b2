/* The inner loops of NumPy's matmul, vecdot, matvec and vecmat, which the operator @ takes, too.
 * They call BLAS for operands of certain strides and add in loops of their own for all others, such
 * as reversed and broadcast ones. Here these are copied first, so that all of them reach BLAS. Of
 * other types than BLAS's the calls are counted. */
#include "core.h"

#include "observe/tally.h"

#include <exblas/cblas.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An older library has none. */
__attribute__((weak)) void exb_report_own(exb_tally_kind library, const char *reason);

/* NumPy's interface: arguments, the number of products and the sizes of a product's dimensions, the
 * steps from one product to the next and then those of each operand's dimensions, in bytes. */
typedef void loop(char **, const intptr_t *, const intptr_t *, void *);
typedef int replace_loop(PyObject *ufunc, loop *new, const int *types, loop **old);
enum { REPLACE_LOOP = 30, N_OPERANDS = 3, MOST_SIZES = 4, MOST_STEPS = 9 };

/* Which of the sizes each operand has; 0: none. */
enum { MATMUL, VECDOT, MATVEC, VECMAT, N_UFUNCS };
static const struct {
    const char *name;
    int n_sizes, size[N_OPERANDS][2];
} ufuncs[N_UFUNCS] = {{"matmul", 4, {{1, 2}, {2, 3}, {1, 3}}},
                      {"vecdot", 2, {{1, 0}, {1, 0}, {0, 0}}},
                      {"matvec", 3, {{1, 2}, {2, 0}, {1, 0}}},
                      {"vecmat", 3, {{1, 0}, {1, 2}, {2, 0}}}};

/* number: NumPy's. n_bytes: 0 for types that BLAS has not. */
enum { SINGLE, DOUBLE, COMPLEX, COMPLEX_DOUBLE, HALF, LONG, LONG_COMPLEX, N_TYPES };
static const struct {
    const char *name;
    int number, n_bytes;
} types[N_TYPES] = {{"float32", 11, 4},     {"float64", 12, 8}, {"complex64", 14, 8},
                    {"complex128", 15, 16}, {"float16", 23, 0}, {"longdouble", 13, 0},
                    {"clongdouble", 16, 0}};

static loop *originals[N_UFUNCS][N_TYPES];

/* One operand of one product; vectors are rows. */
typedef struct {
    intptr_t shape[2], step[2];
    bool is_copied;
    size_t offset; /* of its copy */
} operand;

static bool is_step(intptr_t step, intptr_t least, intptr_t n_bytes)
{
    return step >= least * n_bytes && step % n_bytes == 0;
}

static bool suits_blas(const operand *o, intptr_t n_bytes)
{
    intptr_t m = o->shape[0], n = o->shape[1];
    if (m == 1)
        return n == 1 || is_step(o->step[1], 1, n_bytes);
    if (n == 1)
        return is_step(o->step[0], 1, n_bytes);
    return (o->step[1] == n_bytes && is_step(o->step[0], n, n_bytes)) ||
           (o->step[0] == n_bytes && is_step(o->step[1], m, n_bytes));
}

/* What is the same for all products of a call. inner: the steps of one whose operands are copied
 * where they have to be. is_outer: of one term, which NumPy never leaves to BLAS; real ones are
 * rounded once all the same. */
typedef struct {
    int ufunc, type;
    bool is_outer;
    operand o[N_OPERANDS];
    intptr_t size[MOST_SIZES], inner[MOST_STEPS], n_bytes;
    char *copies;
    void *data;
} product;

/* Returns how many bytes the copies take. */
static size_t read_operands(product *p, const intptr_t *step)
{
    size_t total = 0;
    intptr_t *inner = p->inner + N_OPERANDS;
    step += N_OPERANDS;
    for (int i = 0; i < N_OPERANDS; i++) {
        const int *place = ufuncs[p->ufunc].size[i];
        int n_dims = (place[0] > 0) + (place[1] > 0);
        operand *o = &p->o[i];
        *o = (operand){{1, 1}, {0, 0}, false, total};
        for (int k = 0; k < n_dims; k++) {
            o->shape[2 - n_dims + k] = p->size[place[k]];
            o->step[2 - n_dims + k] = inner[k] = step[k];
        }
        o->is_copied = p->is_outer || !suits_blas(o, p->n_bytes);
        if (o->is_copied) {
            total += (size_t)(o->shape[0] * o->shape[1] * p->n_bytes);
            inner[0] = o->shape[1] * p->n_bytes;
            inner[n_dims > 0 ? n_dims - 1 : 0] = p->n_bytes;
        }
        step += n_dims;
        inner += n_dims;
    }
    return total;
}

static void copy_elements(const operand *o, char *copy, char *strided, intptr_t n_bytes, bool back)
{
    for (intptr_t i = 0; i < o->shape[0]; i++)
        for (intptr_t k = 0; k < o->shape[1]; k++, copy += n_bytes) {
            char *element = strided + i * o->step[0] + k * o->step[1];
            memcpy(back ? element : copy, back ? copy : element, (size_t)n_bytes);
        }
}

/* CBLAS's. */
enum { BY_ROWS = 101, AS_IS = 111, CONJUGATED = 113 };

/* Of each two elements the product; vecmat conjugates the vector's. */
static void multiply_each(const product *p, char *const at[N_OPERANDS])
{
    static const double one[] = {1, 0}, zero[] = {0, 0};
    static const float one_f[] = {1, 0}, zero_f[] = {0, 0};
    int64_t m = p->o[0].shape[0] * p->o[0].shape[1], n = p->o[1].shape[0] * p->o[1].shape[1];
    int how = p->ufunc == VECMAT ? CONJUGATED : AS_IS;
    if (p->type == COMPLEX)
        excblas_cgemm_64(BY_ROWS, how, AS_IS, m, n, 1, one_f, at[0], 1, at[1], n, zero_f, at[2], n);
    else
        excblas_zgemm_64(BY_ROWS, how, AS_IS, m, n, 1, one, at[0], 1, at[1], n, zero, at[2], n);
}

static void run_copied(const product *p, char *const arguments[N_OPERANDS])
{
    char *at[N_OPERANDS];
    for (int i = 0; i < N_OPERANDS; i++) {
        at[i] = p->o[i].is_copied ? p->copies + p->o[i].offset : arguments[i];
        if (p->o[i].is_copied && i < 2)
            copy_elements(&p->o[i], at[i], arguments[i], p->n_bytes, false);
    }
    if (p->is_outer)
        multiply_each(p, at);
    else
        originals[p->ufunc][p->type](at, p->size, p->inner, p->data);
    if (p->o[2].is_copied)
        copy_elements(&p->o[2], at[2], arguments[2], p->n_bytes, true);
}

/* What was not led to BLAS. */
static void run_own(const product *p, char **arguments, const intptr_t *size, const intptr_t *step)
{
    char reason[64];
    originals[p->ufunc][p->type](arguments, size, step, p->data);
    snprintf(reason, sizeof reason, "%s of %s", ufuncs[p->ufunc].name, types[p->type].name);
    if (exb_report_own)
        exb_report_own(EXB_NUMPY, reason);
}

/* Sets what the sizes tell; returns whether there is a product with terms. */
static bool read_sizes(product *p, const intptr_t *size)
{
    bool has_terms = true;
    p->size[0] = 1;
    for (int i = 1; i < ufuncs[p->ufunc].n_sizes; i++) {
        p->size[i] = size[i];
        has_terms = has_terms && size[i] > 0;
    }
    bool is_complex = p->type == COMPLEX || p->type == COMPLEX_DOUBLE;
    p->is_outer = is_complex && p->ufunc != VECDOT && size[p->ufunc == VECMAT ? 1 : 2] == 1;
    return has_terms;
}

static void run(int ufunc, int type, char **arguments, const intptr_t *size, const intptr_t *step,
                void *data)
{
    product p = {.ufunc = ufunc, .type = type, .n_bytes = types[type].n_bytes, .data = data};
    bool has_terms = read_sizes(&p, size);
    size_t n_copied = has_terms && p.n_bytes > 0 ? read_operands(&p, step) : 0;
    p.copies = n_copied > 0 ? malloc(n_copied) : NULL;
    if (has_terms && (p.n_bytes == 0 || (n_copied > 0 && !p.copies)))
        run_own(&p, arguments, size, step);
    else if (n_copied == 0)
        originals[ufunc][type](arguments, size, step, data);
    for (intptr_t k = 0; p.copies && k < size[0]; k++) {
        char *at[N_OPERANDS];
        for (int i = 0; i < N_OPERANDS; i++)
            at[i] = arguments[i] + k * step[i];
        run_copied(&p, at);
    }
    free(p.copies);
}

/* NumPy does not tell a loop which one it is: one function for each. */
#define FORWARD(ufunc, type)                                                                       \
    static void loop_##ufunc##_##type(char **a, const intptr_t *n, const intptr_t *s, void *d)     \
    {                                                                                              \
        run(ufunc, type, a, n, s, d);                                                              \
    }
#define NAME(ufunc, type) loop_##ufunc##_##type,
#define EACH_TYPE(use, ufunc)                                                                      \
    use(ufunc, SINGLE) use(ufunc, DOUBLE) use(ufunc, COMPLEX) use(ufunc, COMPLEX_DOUBLE)           \
        use(ufunc, HALF) use(ufunc, LONG) use(ufunc, LONG_COMPLEX)
EACH_TYPE(FORWARD, MATMUL)
EACH_TYPE(FORWARD, VECDOT)
EACH_TYPE(FORWARD, MATVEC)
EACH_TYPE(FORWARD, VECMAT)
static loop *const ours[N_UFUNCS][N_TYPES] = {{EACH_TYPE(NAME, MATMUL)},
                                              {EACH_TYPE(NAME, VECDOT)},
                                              {EACH_TYPE(NAME, MATVEC)},
                                              {EACH_TYPE(NAME, VECMAT)}};

/* (NumPy's table of functions of ufuncs, a ufunc, its name, whether ours or its own): the number of
 * its loops that were replaced. */
PyObject *core_set_loops(PyObject *module, PyObject *arguments)
{
    PyObject *capsule, *ufunc;
    const char *name;
    int takes, count = 0, which = 0;
    if (!PyArg_ParseTuple(arguments, "OOsp", &capsule, &ufunc, &name, &takes))
        return NULL;
    void **table = PyCapsule_GetPointer(capsule, NULL);
    while (which < N_UFUNCS && strcmp(ufuncs[which].name, name) != 0)
        which++;
    if (!table || which == N_UFUNCS)
        return table ? PyErr_Format(PyExc_ValueError, "%s has no loops of ours", name) : NULL;
    replace_loop *replace;
    memcpy(&replace, &table[REPLACE_LOOP], sizeof replace);
    for (int t = 0; t < N_TYPES; t++) {
        int n = types[t].number, signature[N_OPERANDS] = {n, n, n};
        loop *old = NULL, *new = takes ? ours[which][t] : originals[which][t];
        if (!new || replace(ufunc, new, signature, &old) != 0)
            continue;
        if (takes && old != new)
            originals[which][t] = old;
        count++;
    }
    return PyLong_FromLong(count);
}
