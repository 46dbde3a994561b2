/* Questions to a function. */
#pragma once

#include "fprev.h"

/* A huge term M and a small one, the unit, each a product of two numbers: M swallows
 * `capacity` units and so many are counted exactly. */
typedef struct {
    double mask_a, mask_b, unit_a, unit_b;
    int64_t capacity;
} fprev_mask;

fprev_mask fprev_mask_of(const fprev_function *f);

typedef struct {
    const fprev_function *f;
    fprev_mask mask;
    void *a, *b, *results; /* buffers in the function's types */
    int64_t element;       /* the result that is looked at */
    int64_t n_calls;
    volatile int64_t *count; /* n_calls for others to see, or NULL */
    fprev_status status;     /* the first error */
} fprev_probe;

/* All units. False if out of memory; to be stopped either way. */
bool fprev_probe_start(fprev_probe *p, const fprev_function *f, int64_t element,
                       volatile int64_t *count);
void fprev_probe_stop(fprev_probe *p);

/* Term i becomes a * b (b is ignored without products). */
void fprev_probe_set(fprev_probe *p, int64_t i, double a, double b);
void fprev_probe_fill(fprev_probe *p, double a, double b);

/* Calls the function. NaN with p->status set if it failed or returned NaN. */
double fprev_probe_call(fprev_probe *p);

/* Calls it on terms a[i] * b[i]. The terms stay. */
double fprev_probe_on(fprev_probe *p, const double *a, const double *b);

/* With all terms units: M for i, -M for j leaves the units that meet them after both; the
 * others, i and j included, are the leaves below their lowest common addition. Returns the number
 * of these, or -1 if the result is no such number or p->status is set. Terms are units
 * afterwards. */
int64_t fprev_probe_common(fprev_probe *p, int64_t i, int64_t j);

/* Without cancellation: are i and j added to each other before either meets k? 1 and twice half
 * an ulp of it, all else zero: only the sum of both halves makes a difference. Terms are to
 * be zero and are afterwards. */
bool fprev_probe_closer(fprev_probe *p, int64_t i, int64_t j, int64_t k);
