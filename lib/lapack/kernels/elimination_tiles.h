/* Kernels of eliminations. */
#pragma once

#include "core/kernels.h"

enum {
    EXB_UPDATE_RUN = 32, /* products that are summed one after the other */
    EXB_UPDATE_RUNS = 8, /* such sums that are added up */
    EXB_UPDATE_TERMS = EXB_UPDATE_RUN * EXB_UPDATE_RUNS,
    EXB_SMALL_COLUMNS = 8 /* that are eliminated one by one */
};

/* Steps of eliminations in plain arithmetic, of matrices by rows, ld from one to the next; but for
 * the last one `vectors` <= most_vectors vectors of columns at once. */
struct exb_elimination_kernels {
    int lanes, most_vectors;
    /* C -= A B: m rows, 0 < k <= EXB_UPDATE_TERMS products. Each run's sum starts at 0, with or
     * without FMA; the sums are added up one after the other and subtracted from C. */
    void (*update)(int64_t m, int vectors, int64_t k, const double *a, int64_t lda, const double *b,
                   int64_t ldb, double *c, int64_t ldc);
    /* L X = X for a lower triangle of n <= EXB_UPDATE_TERMS rows, whose diagonal is ones or has
     * these reciprocals: each element in one update at most and fewer than eight subtractions of
     * single products, and a multiplication by a reciprocal. */
    void (*solve)(int64_t n, int vectors, const double *l, int64_t ldl, const double *reciprocal,
                  double *x, int64_t ldx);
    /* The first n <= EXB_SMALL_COLUMNS columns of m >= n rows, with row pivot[k] >= k instead of k
     * in step k, and quotients with at most two roundings. False if a pivot is 0 or not finite.
     * work: EXB_SMALL_COLUMNS columns of m elements, m rounded up to as many. */
    bool (*factor)(int64_t m, int n, double *a, int64_t lda, double *work, int64_t *pivot);
};
