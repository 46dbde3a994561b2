/* Numbers of MPFR that are cleared at the end of their block. */
#pragma once

#include <stdint.h> /* MPFR declares its functions of intmax_t only behind it */

#include <mpfr.h>

static inline void scoped_clear(mpfr_t *x)
{
    mpfr_clear(*x);
}

/* A declaration, and the beginning as NaN. */
#define MPFR(name, n_bits)                                                                         \
    __attribute__((cleanup(scoped_clear))) mpfr_t name;                                            \
    mpfr_init2(name, (n_bits))
