/* Arrays of numbers as the buffer protocol gives them, and lines of them: a line is n real numbers
 * at equal distances. Every element is taken exactly. */
#ifndef EXBLAS_PYTHON_ARRAY_H
#define EXBLAS_PYTHON_ARRAY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <exblas/exblas.h>

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 int128;

enum { MAX_DIMS = 64, CHUNK = 512 };

/* Of one real part of an element. */
typedef enum { INTEGER, UNSIGNED, FLOAT } number_kind;

typedef struct {
    number_kind kind;
    int n_bytes;
    int n_parts; /* 2: complex */
} element;

typedef struct {
    Py_buffer buffer;
    element element;
    char *data;
    int n_dims;
    int64_t shape[MAX_DIMS], stride[MAX_DIMS]; /* strides in bytes */
} array;

typedef struct {
    element element; /* of one part */
    const char *at;  /* the first number; the next one is stride bytes further */
    int64_t n, stride;
} line;

/* False with a TypeError if the object has no buffer of numbers of this machine. Otherwise to be
 * closed. */
bool array_open(array *a, PyObject *source, bool writable);
void array_close(array *a);

/* All of n or none; number `written` is written. */
bool arrays_open(int n, array *all, PyObject *const *source, int written);
void arrays_close(int n, array *all);

int64_t array_size(const array *a);
bool is_float(const array *a, int n_bytes, int n_parts);
bool is_contiguous(const array *a);

/* One real part of the elements along an axis, from the element at `at`. */
line line_along(const array *a, int axis, const char *at, int part);

/* May the library read the line as a vector of doubles or floats? With its increment. */
static inline bool line_is_vector(const line *l, int n_bytes, int64_t *increment)
{
    *increment = l->stride / n_bytes;
    return l->element.kind == FLOAT && l->element.n_bytes == n_bytes && l->stride % n_bytes == 0 &&
           (l->n == 0 || (uintptr_t)l->at % (uintptr_t)n_bytes == 0);
}

/* BLAS's pointer of a vector is its lowest address; a negative increment starts at the far end. */
const void *line_lowest(const line *l);

/* Numbers begin ... begin + n - 1, at most CHUNK, as doubles whose sums they are. Returns how many
 * doubles each takes: 1, or 2 where integers are wide. */
int line_pieces(const line *l, int64_t begin, int n, double piece[2][CHUNK]);

/* a += the sum of the numbers, of their magnitudes, of the products of two lines of one length. */
void line_add(exblas_acc *a, const line *l);
void line_add_magnitudes(exblas_acc *a, const line *l);
void line_add_products(exblas_acc *a, const line *x, const line *y);

#endif
