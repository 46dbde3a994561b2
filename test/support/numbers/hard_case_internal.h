/* Shared by hard_product.c and hard_system.c. */
#ifndef HARD_CASE_INTERNAL_H
#define HARD_CASE_INTERNAL_H

#include "hard_case.h"

char random_letter(test_random *r, const char *letters);
/* Options at random; sizes, scalars and data are the caller's. */
void hard_case_start(hard_case *h, test_random *r, blas_op op, char type, const char *kind);

#endif
