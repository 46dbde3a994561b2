/* An oracle on big integers (GMP), independent of the library and of the MPFR oracle: a
 * sum of doubles and of products is an integer multiple of 2^-2148. */
#ifndef INTEGER_ORACLE_H
#define INTEGER_ORACLE_H

#include <gmp.h>
#include <stdbool.h>

typedef struct {
    mpz_t sum; /* in units of 2^-2148 */
    bool has_pos_inf, has_neg_inf, has_nan;
} integer_oracle;

void integer_oracle_init(integer_oracle *o);
void integer_oracle_clear(integer_oracle *o);
void integer_oracle_add(integer_oracle *o, double x);
void integer_oracle_add_product(integer_oracle *o, double x, double y);

/* RN(sum) and RN(sqrt(sum)) as doubles or, for is_float, as floats. */
double integer_oracle_round(const integer_oracle *o, bool is_float);
double integer_oracle_root(const integer_oracle *o, bool is_float);

#endif
