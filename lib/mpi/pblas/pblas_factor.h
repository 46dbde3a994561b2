/* The factors of a product on processes: of C = A B' its rows are vectors of k terms, a row of A
 * for each row of C and a row of B for each column. Each process computes the elements of C that it
 * has, window by window, from the vectors that go with them. */
#pragma once

#include "mpi/pblas/pblas_operands.h"

/* The vectors of `source`, in a buffer or where they lie. Of a symmetric or Hermitian matrix they
 * are what is stored there, completed by what is stored in the mirror image. is_pair: behind each,
 * k terms more, is one of `second`. */
typedef struct {
    exb_spread source, second;
    bool is_pair, symmetric, lower, hermitian;
    exb_windows windows;
    int64_t k;
    bool in_place;
    exb_spread here, mirrored; /* vectors of the last window; those of a mirror image */
} exb_factor;

/* op(A), or the transpose of that, of a call with a symmetric or a Hermitian A. */
exb_factor exb_factor_symmetric(const exb_pblas_call *q, bool transposed, size_t size);

/* `compute` is called for each window of C, whose vectors are in a.here and b.here; `triangle`, 'L'
 * or 'U', if it has elements there. */
typedef struct exb_factors {
    exb_factor a, b;
    exb_spread c;
    char triangle;
    void (*compute)(exb_pblas_call *q, const struct exb_factors *p, const exb_spread *c,
                    exb_range rows, exb_range cols);
} exb_factors;

/* Buffers for windows of as many rows and columns as there is room for, three quarters of them
 * rows, which are fetched once; symmetric factors take twice as much. scales: there are no terms,
 * and the factors are not read. may_stay: they need no buffers where every process has its part
 * already. As exb_pblas_ready. */
bool exb_factors_take(exb_pblas_call *q, exb_factors *p, bool scales, bool may_stay);
void exb_factors_compute(exb_pblas_call *q, exb_factors *p);
