/* A matrix as the solvers' function, and the inverses of its diagonal blocks.
 * Types: s d. */
#include "indexed.h"
#include "sparse/csr.h"

#include "core/check/check.h"
#include "core/fpenv.h"
#include "core/memory.h"

exblas_status exblas_t(csr_apply)(void *matrix, exblas_int64 n, const exb_real *x, exb_real *y)
{
    const exblas_t(csr) *a = matrix;
    if (!a || n != a->n)
        return EXBLAS_EINVAL;
    return exblas_t(csrmv)(EXB_NO_TRANS, a->n, a->n, 1, a->row_start, a->column, a->value, x, 0, y);
}

enum { MOST_SIZE = 512 };

/* Rows first ... first + size - 1 of the block's columns, entries with the same place added in
 * their order. */
static void load_block(const exb_t(csr) *a, int64_t first, int64_t size, double *block)
{
    memset(block, 0, (size_t)(size * size) * sizeof *block);
    for (int64_t i = 0; i < size; i++)
        for (int64_t e = exb_t(csr_begin)(a, first + i); e < exb_t(csr_begin)(a, first + i + 1);
             e++) {
            int64_t j = exb_index_at(a->column, e) - first;
            if (j >= 0 && j < size)
                block[i * size + j] += a->value[e];
        }
}

static int64_t pivot_row(const double *block, int64_t size, int64_t k)
{
    int64_t best = k;
    for (int64_t i = k + 1; i < size; i++)
        if (fabs(block[i * size + k]) > fabs(block[best * size + k]))
            best = i;
    return best;
}

static void exchange_rows(double *block, int64_t size, int64_t i, int64_t k)
{
    for (int64_t j = 0; j < size && i != k; j++) {
        double t = block[i * size + j];
        block[i * size + j] = block[k * size + j];
        block[k * size + j] = t;
    }
}

static void subtract_row(double *block, int64_t size, int64_t from, int64_t row, double factor)
{
    for (int64_t j = 0; j < size; j++)
        block[row * size + j] -= factor * block[from * size + j];
}

static void scale_row(double *block, int64_t size, int64_t row, double divisor)
{
    for (int64_t j = 0; j < size; j++)
        block[row * size + j] /= divisor;
}

/* inverse = block^-1; block becomes the identity. False: singular. */
static bool invert_block(double *block, int64_t size, double *inverse)
{
    memset(inverse, 0, (size_t)(size * size) * sizeof *inverse);
    for (int64_t i = 0; i < size; i++)
        inverse[i * size + i] = 1;
    for (int64_t k = 0; k < size; k++) {
        int64_t p = pivot_row(block, size, k);
        double pivot = block[p * size + k];
        if (pivot == 0 || pivot - pivot != 0)
            return false;
        exchange_rows(block, size, p, k);
        exchange_rows(inverse, size, p, k);
        scale_row(block, size, k, pivot);
        scale_row(inverse, size, k, pivot);
        for (int64_t i = 0; i < size; i++) {
            double factor = block[i * size + k];
            if (i == k || factor == 0)
                continue;
            subtract_row(block, size, k, i, factor);
            subtract_row(inverse, size, k, i, factor);
        }
    }
    return true;
}

static bool round_inverse(const double *from, int64_t n, exb_real *to)
{
    bool finite = true;
    for (int64_t i = 0; i < n; i++) {
        to[i] = (exb_real)from[i];
        finite = finite && to[i] - to[i] == 0;
    }
    return finite;
}

/* All inverses one after the other, row by row; EXBLAS_ERANGE if one does not exist. */
static exblas_status invert_blocks(const exb_t(csr) *a, int64_t size, exb_real *out)
{
    double *block = exb_memory_get((size_t)(2 * size * size) * sizeof *block);
    if (!block)
        return EXBLAS_ENOMEM;
    bool good = true;
    for (int64_t first = 0; first < a->m && good; first += size) {
        int64_t n = exb_least(size, a->m - first);
        load_block(a, first, n, block);
        good = invert_block(block, n, block + size * size) &&
               round_inverse(block + size * size, n * n, out + first * size);
    }
    exb_memory_put(block);
    return good ? EXBLAS_OK : EXBLAS_ERANGE;
}

/* The number of entries before row i of the result, and the first column of its block. */
static int64_t entries_before(int64_t n, int64_t size, int64_t i)
{
    int64_t first = i / size * size;
    return first * size + (i - first) * exb_least(size, n - first);
}

static void put_structure(int64_t n, int64_t size, exb_index_target start, exb_index_target column)
{
    for (int64_t i = 0; i <= n; i++) {
        int64_t at = entries_before(n, size, i), first = i / size * size;
        exb_index_put(start, i, at);
        for (int64_t j = 0; i < n && j < exb_least(size, n - first); j++)
            exb_index_put(column, at + j, first + j);
    }
}

exblas_status exb_t(csr_block_inverse)(int64_t n, int64_t size, exb_index row_start,
                                       exb_index column, const exb_real *value,
                                       exb_index_target to_row_start, exb_index_target to_column,
                                       exb_real *to_value)
{
    const exb_t(csr) a = exb_t(csr_of)(n, n, row_start, column, value);
    bool has_output =
        !exb_index_has_no_target(to_row_start) && !exb_index_has_no_target(to_column) && to_value;
    if (size < 1 || size > MOST_SIZE || !has_output || !exb_t(csr_is_good)(&a))
        return EXBLAS_EINVAL;
    size_t bytes = (size_t)entries_before(n, size, n) * sizeof *to_value;
    exb_real *inverse = exb_memory_get(bytes + 1);
    if (!inverse)
        return EXBLAS_ENOMEM;
    exblas_status status;
    EXB_GUARDED(status = invert_blocks(&a, size, inverse));
    if (status == EXBLAS_OK) {
        memcpy(to_value, inverse, bytes);
        put_structure(n, size, to_row_start, to_column);
    }
    exb_memory_put(inverse);
    return status;
}
