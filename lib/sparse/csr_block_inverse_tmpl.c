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
 * their order, and behind each row that of the identity. */
static void load_block(const exb_t(csr) *a, int64_t first, int64_t size, double *block)
{
    memset(block, 0, (size_t)(2 * size * size) * sizeof *block);
    double *row = block;
    for (int64_t i = 0; i < size; i++, row += 2 * size) {
        int64_t begin = exb_t(csr_begin)(a, first + i), end = exb_t(csr_begin)(a, first + i + 1);
        row[size + i] = 1;
        for (int64_t e = begin; e < end; e++) {
            int64_t j = exb_index_at(a->column, e) - first;
            if (j >= 0 && j < size)
                row[j] += a->value[e];
        }
    }
}

static int64_t pivot_row(const double *block, int64_t size, int64_t k)
{
    int64_t best = k;
    for (int64_t i = k + 1; i < size; i++)
        if (fabs(block[2 * i * size + k]) > fabs(block[2 * best * size + k]))
            best = i;
    return best;
}

/* The block becomes the identity, and what is behind it the inverse. False: singular. */
static bool invert_block(double *block, int64_t size)
{
    int64_t n = 2 * size;
    for (int64_t k = 0; k < size; k++) {
        double *row = block + k * n, *from = block + pivot_row(block, size, k) * n;
        double pivot = from[k];
        if (pivot == 0 || pivot - pivot != 0)
            return false;
        for (int64_t j = 0; j < n; j++) {
            double old = row[j];
            row[j] = from[j] / pivot;
            if (from != row)
                from[j] = old;
        }
        for (int64_t i = 0; i < size; i++) {
            double *other = block + i * n, factor = other[k];
            for (int64_t j = 0; j < n && i != k && factor != 0; j++)
                other[j] -= factor * row[j];
        }
    }
    return true;
}

/* The inverse behind a block. */
static bool round_inverse(const double *block, int64_t size, exb_real *to)
{
    bool finite = true;
    for (int64_t i = 0; i < size * size; i++) {
        to[i] = (exb_real)block[i / size * 2 * size + size + i % size];
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
        good = invert_block(block, n) && round_inverse(block, n, out + first * size);
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
