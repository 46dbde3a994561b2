/* Scatter-add cases with their exact answers, for any implementation: the library's own,
 * with 32-bit or 64-bit indices, on a device. */
#pragma once

#include "test_random.h"

#include <exblas/scatter.h>

/* Adds x to y by index. All arrays hold doubles; for FORMAT_S every one is a float, and
 * so are the results. */
typedef exblas_status scatter_fn(number_format f, int64_t n, const double *x, const int64_t *index,
                                 int64_t n_bins, double *y);

/* Term k of n is x[k] and goes to bin index[k] of n_bins. y: before; answer: after. */
typedef struct {
    number_format format;
    const char *shape;
    int64_t n, n_bins;
    double *x, *y, *answer;
    int64_t *index;
} scatter_case;

/* How many terms bins have, and how many bins there are. */
size_t scatter_shapes(void);

/* Every bin's terms and its y together are one hostile sum (adversarial.h), at most
 * `most` terms in all; in random order or bin after bin. The answers come from the oracle. */
scatter_case scatter_case_make(test_random *r, number_format f, size_t shape, int64_t most);
void scatter_case_free(scatter_case *c);

/* Computes the answers again, after x, index or y were changed. */
void scatter_case_answer(scatter_case *c);

/* The terms in another order: the answers stay. */
void scatter_case_shuffle(test_random *r, scatter_case *c);

/* True if f's results have the bits of the answers; says which has not. */
bool scatter_case_holds(const scatter_case *c, scatter_fn *f);
