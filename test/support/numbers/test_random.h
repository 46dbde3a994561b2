/* Reproducible random numbers for tests, and numbers of the formats built to order. All are
 * doubles; for FORMAT_S every one of them is a float, and so on. */
#pragma once

#include "test_bits.h"

#include <stddef.h>

/* Normal numbers are 2^min_normal <= |x| < 2^(max_exp2 + 1), subnormal ones
 * multiples of 2^min_exp2. */
typedef struct {
    int n_bits, min_normal, max_exp2, min_exp2;
} format_limits;

format_limits limits_of(number_format f);

typedef struct {
    uint64_t state;
} test_random;

/* TEST_SEED if set, else a fixed number. Print it with every failure. */
uint64_t test_seed(void);
/* A generator for one test: the same seed and name, the same numbers. */
test_random test_random_start(uint64_t seed, const char *name);
uint64_t random_bits(test_random *r);
int64_t random_between(test_random *r, int64_t low, int64_t high); /* both included */
bool random_chance(test_random *r, int one_in);
char random_letter(test_random *r, const char *letters); /* any of them */

/* A number with full significand and random sign, 2^exp2 <= |x| < 2^(exp2+1);
 * below the normal range what remains of it. exp2 must not overflow. */
double random_number(test_random *r, number_format f, int exp2);

/* x * 2^exp2 if that is a number of the format, else x. */
double scale_if_exact(double x, int exp2, number_format f);
/* Half of the last place of x: 0 if that is below the format or x is not finite. */
double half_ulp(double x, number_format f);

/* An exponent with room on both sides for sums and their last bits. */
int middle_exponent(test_random *r, number_format f);
double random_sign(test_random *r);         /* 1 or -1 */
double round_to(number_format f, double x); /* of 16 bits: any NaN the canonical one */
int exponent_of(double x);                  /* 2^e <= |x| < 2^(e+1), x finite and not 0 */

/* Number i of an array of the format, which x is one of; of NaNs what fits of the payload. */
size_t number_size(number_format f);
void store_number(number_format f, void *p, int64_t i, double x);
double load_number(number_format f, const void *p, int64_t i);

/* A number of any type; im is 0 in the real ones. */
typedef struct {
    double re, im;
} test_number;

bool is_zero_number(test_number a);

/* Of the types s d c z, and b h of 16 bits. */
bool is_complex_type(char type);
number_format format_of_type(char type);

/* Inf and NaN with payloads in one to three places. */
void sprinkle_specials(test_random *r, int64_t n, double *x);

/* 0, 1, -1, a random number, a power of two, subnormal, huge, Inf, NaN. */
double random_scalar(test_random *r, number_format f);

/* The same permutation for both vectors; y may be NULL. */
void shuffle(test_random *r, int64_t n, double *x, double *y);
