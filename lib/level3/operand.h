/* What the product reads: vectors of real numbers, the rows of op(A) or the columns of op(B). A
 * dense operand is strides; any other (parts of complex matrices, symmetric, triangular) writes
 * the elements that are asked for into a buffer. */
#pragma once

#include "core/kernels.h"
#include "core/partition.h"
#include "core/type.h"

/* Element l of vector v is p[v * vs + l * ls]. */
typedef struct {
    const exb_real *p;
    int64_t vs, ls;
} exb_p(elements);

/* The elements lie in place; or, with gather, they are what it writes to out[v' * nl + l'] for
 * vectors v0 + v', v' < nv, and elements l0 + l', l' < nl, all inside the operand. Parts of complex
 * elements are gathered; if in_place.p is not NULL they are those, or their conjugates, that lie
 * there side by side. */
typedef struct exb_p(operand)
{
    exb_p(elements) in_place;
    bool conjugate;
    int n_alike; /* vectors that elements of a complex one have, of the same magnitudes */
    void (*gather)(const void *source, int64_t v0, int64_t nv, int64_t l0, int64_t nl,
                   exb_real *out);
    /* All n vectors, element l of number v at out[EXB_PARTS * (l * n + v)]; NULL: not so. */
    void (*write_out)(const void *source, int64_t n, exb_real *out);
    const void *source;
    /* The terms of a vector that take part in exact sums, in one or two runs; NULL: all. The
     * others are gathered as zeros, and zeros times Inf must not count. */
    int (*runs)(const void *source, int64_t v, exb_range runs[2]);
    /* second.p: elements below n_first lie at in_place, the others, counted anew, at second. */
    exb_p(elements) second;
    int64_t n_first; /* 0: gather writes what lies at neither, or parts of complex elements */
}
exb_p(operand);

enum {
    EXB_GATHER_VECTORS = 8, /* both even: complex operands come in pairs of reals */
    EXB_GATHER_TERMS = 256
};

/* Vectors v0, v0 + 1, ... from element l0 on; p stays NULL where none lie in place. */
EXB_INLINE exb_p(elements) exb_p(elements_from)(exb_p(elements) e, int64_t v0, int64_t l0)
{
    if (e.p)
        e.p += v0 * e.vs + l0 * e.ls;
    return e;
}

/* Where elements l0 ... l0 + n - 1 lie in place: the next of them, at most n, and how many. */
EXB_INLINE exb_p(elements)
    exb_p(next_in_place)(const exb_p(operand) *o, int64_t v0, int64_t l0, int64_t *n)
{
    if (o->n_first == 0)
        return exb_p(elements_from)(o->in_place, v0, l0);
    if (l0 >= o->n_first)
        return exb_p(elements_from)(o->second, v0, l0 - o->n_first);
    *n = exb_least(*n, o->n_first - l0);
    return exb_p(elements_from)(o->in_place, v0, l0);
}

/* Some elements of an operand, in place or in the buffer. nv <= EXB_GATHER_VECTORS and
 * nl <= EXB_GATHER_TERMS unless they lie in place. */
EXB_INLINE exb_p(elements) exb_p(operand_at)(const exb_p(operand) *o, int64_t v0, int64_t nv,
                                             int64_t l0, int64_t nl, exb_real *buffer)
{
    if (!o->gather)
        return exb_p(elements_from)(o->in_place, v0, l0);
    o->gather(o->source, v0, nv, l0, nl, buffer);
    return (exb_p(elements)){buffer, nl, 1};
}

/* --- packed vectors: norms, which decide how vectors are scaled, and strips ------------------ */

/* Entries 0 ... n - 1 for vectors v0 ... v0 + n - 1 of k elements: the sum of the squares of one is
 * sumsq * 4^shift, with a relative error below 2^-21 for up to 2^28 elements, and sumsq is 0 or a
 * normal number; NaN or Inf if an element is. largest: the largest magnitude (if all are finite).
 */
void exb_p(norms)(const exb_p(operand) *o, int64_t v0, int64_t n, int64_t k, double *sumsq,
                  double *largest, int *shift);

/* The least magnitude in vector v that is not 0, DBL_MAX if there is none; a NaN may be dropped. */
double exb_p(least_in_vector)(const exb_p(operand) *o, int64_t v, int64_t k);

/* Where packed vectors go: strips of `width` <= EXB_MOST_WIDTH vectors, `stride` apart (kernel
 * pack, kernels.h), each vector times its factor. */
enum { EXB_MOST_WIDTH = 24 };

typedef struct {
    int width;
    int64_t stride;
    double *p;
    const double *factor;
    double *lost;
} exb_strips;

/* Elements l0 ... l0 + k - 1 of vectors v0 ... v0 + n - 1. */
void exb_p(pack_strips)(const exb_p(operand) *o, int64_t v0, int64_t n, int64_t l0, int64_t k,
                        exb_strips out);
