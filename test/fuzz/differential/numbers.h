/* Numbers that come near the bounds of the library's filters. */
#pragma once

#include "test_random.h"

typedef enum {
    STYLE_RANDOM,    /* full significands, exponents near each other */
    STYLE_WIDE,      /* exponents far apart */
    STYLE_INTEGER,   /* sums and products are exact, with many exact zeros and ties */
    STYLE_SPARSE,    /* mostly zeros of both signs */
    STYLE_NEIGHBOUR, /* 2^k, or one or two ulps beside it */
    STYLE_SUBNORMAL, /* subnormal, or with subnormal products */
    STYLE_HIDDEN,    /* powers of two and pairs of them, with exponents at distances that make a
                        term, or the low part of a coefficient, half an ulp or far below it */
    STYLE_CONSTANT,  /* one value: what is lost has one sign and all lanes are equal */
    STYLE_LANE,      /* the same in every n-th place, else zeros */
    STYLE_TAIL,      /* 1 and half an ulp, against many numbers far below that are each lost */
    N_STYLES
} fuzz_style;

/* How the numbers of one operand are drawn. */
typedef struct {
    fuzz_style style;
    number_format format;
    int exp2, spread;      /* exponents are around exp2 */
    double value;          /* STYLE_CONSTANT, STYLE_LANE */
    int64_t lane, n_lanes; /* STYLE_LANE */
    int above;             /* STYLE_TAIL: what the half ulp has more, in units of the many */
} fuzz_source;

fuzz_source fuzz_source_of(test_random *r, number_format f);
/* Number i of the operand. */
double fuzz_number(test_random *r, const fuzz_source *s, int64_t i);
/* 0, -0, 1, -1, small integers, powers of two, subnormal, huge, and rarely Inf and NaN. */
double fuzz_scalar(test_random *r, number_format f, bool may_be_special);
/* 2^exp2 if the format has it, else the nearest power that it has. */
double fuzz_power(number_format f, int exp2);
