/* rotg by its formulas on exact sums. */
#pragma once

#include "test_bits.h"

/* r, z, c, s for finite a, b that are not 0. */
void rotg_model_real(double a, double b, number_format f, double out[4]);
/* re r, im r, c, re s, im s for finite a, b that are not 0. */
void rotg_model_complex(const double *a, const double *b, number_format f, double out[5]);
