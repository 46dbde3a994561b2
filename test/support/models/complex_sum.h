/* Exact sums of the models, in all types: two oracles, of which real types use one. */
#pragma once

#include "oracle.h"
#include "test_random.h"

typedef struct {
    char type;
    oracle re, im;
} complex_sum;

/* A factor of a product; real: its imaginary part does not count. */
typedef struct {
    test_number v;
    bool is_real;
} complex_factor;

void complex_sum_init(complex_sum *s, char type);
void complex_sum_clear(complex_sum *s);

/* A declaration: zero, and cleared at the end of the block. */
#define COMPLEX_SUM(name, type)                                                                    \
    __attribute__((cleanup(complex_sum_clear))) complex_sum name;                                  \
    complex_sum_init(&name, (type))

/* s += a b by the four-product formula, or by what is left of it for real factors. */
void complex_sum_add_product(complex_sum *s, complex_factor a, complex_factor b);

/* s += a t */
void complex_sum_add_scaled(complex_sum *s, complex_factor a, const complex_sum *t);

/* s and s / d, each part rounded once; signed: exact zeros as IEEE has them. */
test_number complex_sum_round(const complex_sum *s);
test_number complex_sum_round_signed(const complex_sum *s);
test_number complex_sum_quotient(const complex_sum *s, test_number d);

test_number conjugate_if(bool c, test_number a);
