/* The exact value of an accumulator's words, read without the library's help. */
#pragma once

#include "core/arith/superacc.h"

#include "scoped.h"
#include "testing.h"

/* Holds any FINISH window (6413 bits and the carries above them) exactly. */
enum { VALUE_BITS = 8000 };

/* value = sum of word[i] * 2^(exponent of the window + 53 i); special values are not looked at. */
static inline void superacc_value(mpfr_t value, const exb_superacc *a)
{
    MPFR(term, VALUE_BITS);
    mpfr_set_zero(value, 1);
    for (int i = 0; i < a->n_words; i++)
        if (a->word[i] != 0) {
            int exp2 = EXB_GRID_EXP2 + EXB_WORD_BITS * (a->first + i);
            assert_int_equal(mpfr_set_sj_2exp(term, a->word[i], exp2, MPFR_RNDN), 0);
            assert_int_equal(mpfr_add(value, value, term, MPFR_RNDN), 0);
        }
}

/* The value is the one expected, and, where that is promised, the words are normalised. */
#define assert_value(a, expected) assert_value_at((a), (expected), __FILE__, __LINE__)

static inline void assert_value_at(const exb_superacc *a, const mpfr_t expected, const char *file,
                                   int line)
{
    MPFR(value, VALUE_BITS);
    superacc_value(value, a);
    bool equal = mpfr_equal_p(value, expected);
    if (!equal) {
        mpfr_sub(value, value, expected, MPFR_RNDN);
        print_error("%s:%d: the words' value is off by about %a * 2^%ld\n", file, line,
                    mpfr_get_d_2exp(&(long){0}, value, MPFR_RNDN), (long)mpfr_get_exp(value));
    }
    if (!equal)
        _fail(file, line);
}

static inline void assert_normalised(const exb_superacc *a)
{
    for (int i = 0; i + 1 < a->n_words; i++)
        assert_true(a->word[i] >= 0 && a->word[i] < (int64_t)1 << EXB_WORD_BITS);
}
