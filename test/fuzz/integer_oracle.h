/* An oracle on big integers (GMP), independent of the library and of the MPFR oracle: a
 * sum of doubles and of products of up to three is an integer multiple of 2^-3222. */
#ifndef INTEGER_ORACLE_H
#define INTEGER_ORACLE_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    mpz_t sum; /* in units of 2^-3222 */
    bool has_pos_inf, has_neg_inf, has_nan;
} integer_oracle;

void integer_oracle_init(integer_oracle *o);
void integer_oracle_clear(integer_oracle *o);
void integer_oracle_add(integer_oracle *o, double x);
void integer_oracle_add_product(integer_oracle *o, double x, double y);

/* += z * sum of another one, in the extended reals: Inf * 0 = NaN. */
void integer_oracle_add_scaled(integer_oracle *o, double z, const integer_oracle *sum);

/* RN(sum / d) as a double for a finite d that is not 0; an exact zero is +0. */
double integer_oracle_quotient(const integer_oracle *o, double d);

/* += the two's complement number of n_bytes, least significant first, in units of 2^exp2. */
void integer_oracle_add_bytes(integer_oracle *o, const unsigned char *bytes, size_t n_bytes,
                              int exp2);

/* RN(sum) and RN(sqrt(sum)) as doubles or, for is_float, as floats. */
double integer_oracle_round(const integer_oracle *o, bool is_float);
double integer_oracle_root(const integer_oracle *o, bool is_float);

#endif
