/* The library's accumulator, on words of 5 bits (superacc_small.h), against the model that is
 * proved (superacc_model.h): word for word after every deposit, and every rounding. */
#include "superacc_model.h"
#include "superacc_small.h"

#include "testing.h"

static const model_sizes sizes = {EXB_WORD_BITS, EXB_STORED_BITS, SMALL_MAX_DEPOSITS};

enum { N_WORDS = 5, TERM_BITS = 2 * EXB_WORD_BITS };

typedef struct {
    exb_superacc acc;
    int8_t word[N_WORDS];
    model expected;
} pair;

static void start(pair *p)
{
    exb_superacc_init(&p->acc, p->word, 0, N_WORDS);
    p->expected = (model){{0}, N_WORDS, SMALL_MAX_DEPOSITS};
}

static void deposit_both(pair *p, bool negative, int term, int offset)
{
    int w = 1 << EXB_WORD_BITS;
    model_deposit d = model_deposit_of(&sizes, negative, term / w, term % w, offset);
    exb_superacc_deposit(&p->acc, negative, (uint16_t)term, SMALL_GRID_EXP2 + offset);
    model_add(&sizes, &p->expected, d);
}

static void check_both(const pair *p)
{
    for (int i = 0; i < N_WORDS; i++)
        assert_int_equal(p->word[i], p->expected.word[i]);
    assert_int_equal(p->acc.n_free, p->expected.n_free);
}

/* Every term at every place, either sign, after each of some numbers of other deposits: carries
 * move at all of them. */
static void every_deposit(NO_STATE)
{
    for (int term = 0; term < 1 << TERM_BITS; term++)
        for (int offset = 0; offset < TERM_BITS; offset++)
            for (int k = 0; k < 2 * 2 * (SMALL_MAX_DEPOSITS + 2); k++) {
                pair p;
                start(&p);
                for (int before = 0; before < k / 2; before++)
                    deposit_both(&p, before % 3 == 2, (1 << TERM_BITS) - 1 - before, offset / 2);
                deposit_both(&p, k % 2, term, offset);
                check_both(&p);
            }
}

/* What carries make of the words that deposits leave behind, of every pattern. */
static void every_carry(NO_STATE)
{
    enum { MOST = ((SMALL_MAX_DEPOSITS + 1) << EXB_WORD_BITS) - 1 };
    for (int w0 = -MOST; w0 <= MOST; w0++)
        for (int w1 = -MOST; w1 <= MOST; w1++)
            for (int w2 = -MOST; w2 <= MOST; w2 += 19) {
                pair p;
                start(&p);
                p.word[0] = (int8_t)w0, p.word[1] = (int8_t)w1, p.word[2] = (int8_t)w2;
                for (int i = 0; i < N_WORDS; i++)
                    p.expected.word[i] = p.word[i];
                long value = model_value(&sizes, &p.expected);
                exb_superacc_normalize(&p.acc);
                model_normalize(&sizes, &p.expected);
                check_both(&p);
                assert_int_equal(model_value(&sizes, &p.expected), value);
            }
}

/* Every leading byte, exact and not, rounded to every format of up to 5 bits, into its subnormal
 * numbers and below. The encoding is that of the model's integer and exponent. */
static void every_rounding(NO_STATE)
{
    for (int n_bits = 2; n_bits <= 5; n_bits++)
        for (int n = 128; n < 256; n++)
            for (int exp2 = -20; exp2 <= 3; exp2++)
                for (int inexact = 0; inexact < 2; inexact++) {
                    enum { MIN_EXP2 = -6 };
                    exb_format f = {n_bits, MIN_EXP2, (uint8_t)(7 << (n_bits - 1))};
                    exb_leading a = {(uint8_t)n, exp2, false, inexact};
                    int kept = model_kept_exponent(&sizes, n_bits, MIN_EXP2, exp2);
                    long m = model_rounded(&sizes, n_bits, MIN_EXP2, n, exp2, inexact);
                    long code = (kept - MIN_EXP2) * model_power(n_bits - 1) + m;
                    if (kept + n_bits - 1 > exb_max_exponent(f) || code > (long)f.infinity)
                        code = (long)f.infinity;
                    if (exb_encode_leading(f, &a) != code)
                        fail_msg("%d bits: %d * 2^%d%s", n_bits, n, exp2, inexact ? "+" : "");
                }
}

TESTS(every_deposit, every_carry, every_rounding)
