/* Reductions of vectors of any stride: the drivers between the kernels, which
 * see contiguous chunks, and the routines of all levels. All of it is about reals: in c
 * and z the names are those of s and d. */
#pragma once

#include "core/kernels.h"
#include "core/method.h"
#include "core/partition.h"
#include "core/type.h"

/* The sum of n terms; element i is x[i * incx], y[i * incy]. y is not read by
 * terms in x alone. n >= 0. */
typedef struct {
    exb_term term;
    int64_t n;
    const exb_real *x;
    int64_t incx;
    const exb_real *y;
    int64_t incy;
} exb_p(reduction);

/* No element has to be copied for the kernels. */
EXB_INLINE bool exb_p(reduction_in_place)(const exb_p(reduction) *r)
{
    return r->incx == 1 && (r->term != EXB_TERM_XY || r->incy == 1);
}

/* The kernels of this type or, of a complex type, of its parts. */
#define exb_t_kernels() (&exb_kernels_current()->EXB_PART)

enum {
    EXB_SHORT = 32,            /* up to here a call is little more than its overhead */
    EXB_GATHER = 512,          /* elements of a strided vector that are copied at once */
    EXB_IN_THREE_PARTS = 1024, /* terms; from here on accumulators take no longer */
    EXB_PARTS_LENGTH = 96      /* from here both parts of complex numbers have an anchor */
};

/* From here the anchored filter is faster, by measurement on Zen 5. */
EXB_INLINE int64_t exb_anchor_length(void)
{
    return exb_kernels_current()->lanes == 4 ? 288 : 512;
}

/* Elements begin ... begin + n - 1, of one or two parts, contiguously: in place, or copied to
 * buffer. */
EXB_INLINE const exb_real *exb_p(contiguous)(int parts, const exb_real *x, int64_t incx,
                                             int64_t begin, int64_t n, exb_real *buffer)
{
    x += parts * begin * incx;
    if (incx == 1)
        return x;
    if (parts == 1 && incx == 2) /* parts of complex numbers: a loop that compilers vectorise */
        for (int64_t i = 0; i < n; i++)
            buffer[i] = x[2 * i];
    else
        for (int64_t i = 0; i < n; i++)
            for (int k = 0; k < parts; k++)
                buffer[parts * i + k] = x[parts * i * incx + k];
    return buffer;
}

/* The sum as an enclosure, unknown if the filter could not follow it. One thread. */
exb_enclosure exb_p(reduce_filter)(const exb_p(reduction) *r);

/* v, which a filter found for the sum of r, is 0 because every term is. */
bool exb_p(is_of_zeros)(const exb_p(reduction) *r, exb_enclosure v);

/* How: two parts are those of the sum of complex numbers, or of their products, perhaps with
 * conj(x), against one anchor. Plainly, of floats. */
typedef struct {
    int parts;
    bool plainly, conjugate;
} exb_filter;

/* The sums: unknown if a term is not finite or too large. r: complex numbers side by side, term X
 * or XY, increments count them. As many threads as pay off. Products of doubles only if has_fma. */
void exb_p(reduce_filter_by)(const exb_p(reduction) *r, exb_filter how, exb_enclosure v[2]);

/* A sum of three parts (triple.h), run by run, for what the filter left uncertified: ties,
 * cancellation, exact zeros. Of the terms but 0, the least and the largest magnitude, or bounds. */
typedef struct {
    exb_triples lanes;
    int64_t n; /* terms, and what stands for the ends of runs */
    double least, largest;
    bool are_numbers; /* not products */
} exb_three_parts;

EXB_INLINE exb_three_parts exb_no_parts(void)
{
    return (exb_three_parts){.least = DBL_MAX};
}

/* Adds a run. False for long sums, and for terms of so many orders of magnitude that it would
 * hardly help. */
bool exb_p(reduce_triple)(const exb_p(reduction) *r, exb_three_parts *sum);
exb_enclosure exb_p(three_parts_enclosure)(const exb_three_parts *sum);

/* The sum of n <= EXB_TRIPLE_MOST terms in lanes that the kernel `triple` filled. least: of
 * numbers, as of exb_triple_of_numbers; 0 for products. */
EXB_INLINE exb_enclosure exb_p(triples_enclosure)(const exb_triples *lanes, int64_t n,
                                                  bool exact_terms, double least)
{
    exb_triple sum;
    exb_t_kernels()->triple_sum(lanes, &sum);
    return exb_triple_enclosure(exb_triple_of_numbers(sum, least), n, exact_terms);
}

/* Adds the sum to acc exactly, as the method says. acc: a PRODUCT window for
 * EXB_TERM_XY, any for the other terms. One thread. */
void exb_p(reduce_exact)(const exb_p(reduction) *r, const exb_method *method, exb_superacc *acc);

/* The same with as many threads as pay off. */
exb_enclosure exb_p(reduce_filter_threads)(const exb_p(reduction) *r);
void exb_p(reduce_exact_threads)(const exb_p(reduction) *r, const exb_method *method,
                                 exb_superacc *acc);

/* The dot of two vectors given by their first elements. Order does not matter
 * to an exact sum, so two vectors that run backwards are read forwards. */
EXB_INLINE exb_p(reduction)
    exb_p(dot_of)(int64_t n, const exb_real *x, int64_t incx, const exb_real *y, int64_t incy)
{
    if (incx < 0 && incy <= 0 && n > 0)
        return (exb_p(reduction)){EXB_TERM_XY,        n,    x + (n - 1) * incx, -incx,
                                  y + (n - 1) * incy, -incy};
    return (exb_p(reduction)){EXB_TERM_XY, n, x, incx, y, incy};
}

/* dot, asum and nrm2 as the library itself calls them: others may stand in front of the entries,
 * and keep what these return (mpi/pmpi/fused.h). */
exb_real exb_p(own_dot)(int64_t n, const exb_real *x, int64_t incx, const exb_real *y,
                        int64_t incy);
exb_real exb_p(own_asum)(int64_t n, const exb_real *x, int64_t incx);
exb_real exb_p(own_nrm2)(int64_t n, const exb_real *x, int64_t incx);
