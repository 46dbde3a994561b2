/* Numbers that break summation algorithms, by kind and from a seed.
 *
 * A terms kind fills one vector whose sum (of values, absolute values or
 * squares) is hard; a factors kind fills two whose products have a hard sum.
 * Numbers are doubles; for FORMAT_S every one of them is a float. */
#pragma once

#include "test_random.h"

#include <stddef.h>

size_t terms_kinds(void);
const char *terms_kind_name(size_t kind);
void terms_fill(size_t kind, test_random *r, number_format f, int64_t n, double *x);

size_t factors_kinds(void);
const char *factors_kind_name(size_t kind);
void factors_fill(size_t kind, test_random *r, number_format f, int64_t n, double *x, double *y);
