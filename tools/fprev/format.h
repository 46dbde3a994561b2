/* The element types: their parameters, storage and arithmetic. Values travel as double,
 * in which every one of them is exact. */
#pragma once

#include "fprev.h"

#include <stddef.h>

typedef struct {
    char letter;
    size_t size;
    int precision;        /* bits of the significand */
    int min_exp, max_exp; /* normal numbers: 2^min_exp <= |x| < 2^(max_exp + 1) */
} fprev_format;

extern const fprev_format fprev_formats[4];

/* value must be a number of the type. */
void fprev_store(fprev_type type, void *buffer, int64_t i, double value);
double fprev_load(fprev_type type, const void *buffer, int64_t i);

/* Correctly rounded to the type; arguments of add, mul and fma are numbers of it. */
double fprev_round(fprev_type type, double x);
double fprev_add(fprev_type type, double x, double y);
double fprev_mul(fprev_type type, double x, double y);
double fprev_fma(fprev_type type, double x, double y, double z);
