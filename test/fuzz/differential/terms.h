/* The terms of results that are sums of products, as elements of a case that can be changed. */
#pragma once

#include "case.h"

/* Term l of one result: number times factor (NULL: 1), of which the real parts count. */
typedef struct {
    test_number *number, *factor;
} fuzz_term;

/* A result that is a sum of products: element (i, j) of an operand, or the routine's result. */
typedef struct {
    fuzz_which out;
    int64_t i, j, n_terms;
} fuzz_target;

/* False if the result has no such term, or one that cannot be changed. */
bool fuzz_term_of(const fuzz_case *c, const fuzz_target *t, int64_t l, fuzz_term *out);
/* A result whose terms can be changed; false if the routine has none. */
bool fuzz_find_target(test_random *r, const fuzz_case *c, fuzz_target *t);
