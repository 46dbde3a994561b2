/* Sparse matrices with vectors whose products are hard to round, calls of every routine on them,
 * and the answers of the oracle. */
#pragma once

#include "test_random.h"

#include <exblas/exblas.h>
#include <exblas/sparse.h>

typedef enum { CSR_GENERAL, CSR_SYMMETRIC, CSR_HERMITIAN } csr_kind;

/* Matrix of m rows, n columns; vectors v of n_vectors: x has n_in elements, y and answer n_out, at
 * [v * n_in] and [v * n_out]. */
typedef struct {
    char type; /* one of sdcz */
    csr_kind kind;
    int trans, uplo;
    int64_t m, n, n_entries, n_in, n_out, n_vectors;
    int64_t *row_start, *column;
    test_number *value, *x, *y, *answer, alpha, beta; /* im = 0 in the real types */
} csr_case;

/* How many entries rows have, and how their columns are chosen. */
size_t csr_shapes(void);

/* A case of some shape, its numbers from factors kind `kind` (adversarial.h), up to about
 * `most` entries. */
csr_case csr_case_make(test_random *r, char type, size_t shape, size_t kind, int64_t most);
void csr_case_free(csr_case *c);

/* Room for m, n and n_entries, n_vectors; all 0. */
csr_case csr_case_empty(char type, int64_t m, int64_t n, int64_t n_entries, int64_t n_vectors);
void csr_case_answer(csr_case *c);

/* How a call is made. */
typedef struct {
    bool wide, by_rows, as_matrix; /* 64-bit; B and C row-major; csrmm */
    bool by_handle;                /* csr_create, csr_mv: not as_matrix */
    int64_t padding;               /* of leading dimensions */
} csr_form;

/* The case may go by a handle. */
bool csr_case_has_handle(const csr_case *c);

/* Calls the routine in environment number `environment` (hostile_env.h), which it has to leave as
 * it was: aborts otherwise. y is read; the result goes to `result`, n_vectors * n_out numbers. */
exblas_status csr_call(const csr_case *c, csr_form f, int environment, test_number *result);

/* True if the result has the answer's bits; says which has not. */
bool csr_case_holds(const csr_case *c, const test_number *result);
