/* Deposits, carries, signs and rounding of the long accumulator, exhaustively, on words of 5 bits
 * (superacc_small.h): against integers, and word for word against the model that is proved
 * (superacc_model.h). */
#include "superacc_model.h"
#include "superacc_small.h"

#include "testing.h"

enum { W = EXB_WORD_BITS, MOST_WORDS = 5 };

typedef struct {
    exb_superacc acc;
    int8_t word[MOST_WORDS];
} small;

static exb_superacc *start(small *s, int n_words)
{
    exb_superacc_init(&s->acc, s->word, 0, n_words);
    return &s->acc;
}

static long value_of(const exb_superacc *a)
{
    long v = 0;
    for (int i = a->n_words - 1; i >= 0; i--)
        v = v * (1 << W) + a->word[i];
    return v;
}

static void set_value(exb_superacc *a, long v)
{
    for (int i = 0; i < a->n_words - 1; i++) {
        a->word[i] = (int8_t)(v & ((1 << W) - 1));
        v >>= W;
    }
    a->word[a->n_words - 1] = (int8_t)v;
}

static void check_normalised(const exb_superacc *a, long v)
{
    assert_int_equal(value_of(a), v);
    for (int i = 0; i < a->n_words - 1; i++)
        assert_in_range(a->word[i], 0, (1 << W) - 1);
    assert_int_equal(a->n_free, SMALL_MAX_DEPOSITS);
}

/* The bound that makes carry-save words safe. */
static void check_words(const exb_superacc *a)
{
    int used = SMALL_MAX_DEPOSITS - a->n_free;
    for (int i = 0; i < a->n_words - 1; i++)
        if (abs(a->word[i]) >= (used + 1) << W)
            fail_msg("after %d deposits a word is %d", used, a->word[i]);
}

static void word_index(NO_STATE)
{
    for (int n = 0; n < 5000; n++)
        assert_int_equal(exb_word_index(n), n / W);
}

/* All numbers, and all products of two, as terms. */
static void every_number_and_product(NO_STATE)
{
    for (int x = -31; x <= 31; x++)
        for (int e = 0; e <= 2 * W; e++) {
            small s;
            double xe = ldexp(x, e);
            exb_superacc *a = start(&s, 4);
            exb_superacc_add(a, xe);
            assert_int_equal(value_of(a), (long)xe);
            check_words(a);
        }
    /* A product's exponent counts from twice the grid's; only the offset matters here. */
    for (int x = -31; x <= 31; x++)
        for (int y = -31; y <= 31; y++)
            for (int e = 0; e < W; e++) {
                small s;
                exb_superacc *a = start(&s, MOST_WORDS);
                exb_superacc_deposit(a, x * y < 0, (uint16_t)abs(x * y), SMALL_GRID_EXP2 + e);
                check_words(a);
                assert_int_equal(value_of(a), (long)x * y * (1 << e));
            }
}

/* Sums of all triples of extreme terms, and of each many times over: carries in time. */
static void carries_in_time(NO_STATE)
{
    static const int extreme[] = {1, 15, 16, 17, 30, 31};
    enum { TERMS = 6 * 8 * 2 };
    double term[TERMS];
    for (int i = 0; i < TERMS; i++)
        term[i] = (i & 1 ? -1 : 1) * ldexp(extreme[i / 2 % 6], i / 12);
    for (int i = 0; i < TERMS; i++)
        for (int j = 0; j < TERMS; j++)
            for (int k = 0; k < TERMS; k++) {
                small s;
                double sum = 0, three[3] = {term[i], term[j], term[k]};
                exb_superacc *a = start(&s, 4);
                for (int n = 0; n < (i == j ? 40 : 7); n++) {
                    exb_superacc_add(a, three[n % 3]);
                    sum += three[n % 3];
                    check_words(a);
                }
                assert_int_equal(value_of(a), (long)sum);
                exb_superacc_normalize(a);
                check_normalised(a, (long)sum);
            }
}

/* Pairs of sums, one of them with carries in hand: merged, with the other's negative, compared. */
static void every_pair(NO_STATE)
{
    for (long v = -2100; v <= 2100; v += 7)
        for (long w = -2100; w <= 2100; w += 5) {
            small s, t;
            exb_superacc *a = start(&s, 3), *b = start(&t, 3);
            set_value(a, v);
            set_value(b, w - 31);
            exb_superacc_add(b, 31);
            exb_superacc_merge(a, b);
            assert_int_equal(value_of(a), v + w);
            exb_superacc_negate(b);
            exb_superacc_merge(a, b);
            exb_superacc_merge(a, b);
            exb_superacc_negate(b);
            assert_int_equal(value_of(a), v - w);
            assert_int_equal(value_of(b), w);
            assert_int_equal(exb_superacc_compare(a, b), (v - w > w) - (v - w < w));
        }
}

/* dst += n src for all words of src and all n. */
static void every_multiple(NO_STATE)
{
    for (long v = 0; v < 1 << 2 * W; v++)
        for (unsigned n = 0; n < 1u << (W + 2); n += n < 40 ? 1 : 3) {
            small s, t;
            exb_superacc *a = start(&s, MOST_WORDS), *src = start(&t, 3);
            set_value(src, v);
            exb_superacc_add_multiple(a, v & 1, (uint8_t)n, 1, src);
            assert_int_equal(value_of(a), (v & 1 ? -2 : 2) * v * (long)n);
        }
}

/* The leading byte of every value of n_words words, both signs, and whether there is more. */
static void check_leading(int n_words, long step)
{
    for (long v = 1; v < 1L << (W * (n_words - 1) + 7); v += step)
        for (int negative = 0; negative < 2; negative++) {
            small s;
            exb_superacc *a = start(&s, n_words);
            exb_leading leading;
            int below = 63 - __builtin_clzl((unsigned long)v) - (EXB_STORED_BITS - 1);
            set_value(a, negative ? -v : v);
            assert_true(exb_superacc_leading(a, &leading));
            assert_int_equal(leading.significand, below > 0 ? v >> below : v << -below);
            assert_int_equal(leading.exp2, SMALL_GRID_EXP2 + below);
            assert_int_equal(leading.inexact, below > 0 && (v & ((1L << below) - 1)) != 0);
            assert_int_equal(leading.negative, negative);
            assert_int_equal(value_of(a), negative ? -v : v);
        }
}

static void every_leading_byte(NO_STATE)
{
    check_leading(3, 1);
    check_leading(4, 7);
    check_leading(5, 31); /* far bits */
}

static void zero(NO_STATE)
{
    small s;
    exb_leading leading;
    assert_false(exb_superacc_leading(start(&s, 3), &leading));
    assert_int_equal(exb_superacc_sign(start(&s, 3)), 0);
}

/* --- the model that is proved ------------------------------------------------- */

static const model_sizes sizes = {EXB_WORD_BITS, EXB_STORED_BITS, SMALL_MAX_DEPOSITS};

enum { N_WORDS = MOST_WORDS, TERM_BITS = 2 * EXB_WORD_BITS };

typedef struct {
    exb_superacc acc;
    int8_t word[N_WORDS];
    model expected;
} pair;

static void start_both(pair *p)
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
                start_both(&p);
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
                start_both(&p);
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

TESTS(word_index, every_number_and_product, carries_in_time, every_pair, every_multiple,
      every_leading_byte, zero, every_deposit, every_carry, every_rounding)
