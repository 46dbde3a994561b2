/* Deposits, carries, signs and rounding of the long accumulator, exhaustively, on words of 5 bits
 * (superacc_small.h), against integers. */
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

/* Words that deposits can leave behind, of every pattern. */
static void every_carry(NO_STATE)
{
    enum { MOST = ((SMALL_MAX_DEPOSITS + 1) << W) - 1 };
    small s;
    exb_superacc *a = start(&s, 3);
    for (int w0 = -MOST; w0 <= MOST; w0++)
        for (int w1 = -MOST; w1 <= MOST; w1++)
            for (int w2 = -64; w2<64; w2 += w2> - 60 && w2 < 59 ? 17 : 1) {
                a->word[0] = (int8_t)w0;
                a->word[1] = (int8_t)w1;
                a->word[2] = (int8_t)w2;
                long v = value_of(a);
                exb_superacc_normalize(a);
                check_normalised(a, v);
                exb_superacc_negate(a);
                exb_superacc_normalize(a);
                check_normalised(a, -v);
                assert_int_equal(exb_superacc_sign(a), (v < 0) - (v > 0));
            }
}

/* Every term of up to 12 bits (products have ten) at every place, on words that are full. */
static void every_deposit(NO_STATE)
{
    static const long before[] = {0, 1, -1, (1L << 4 * W) - 1, -(1L << 4 * W), 0x55555, -0x2aaab};
    for (unsigned n = 0; n < 1u << (2 * W + 2); n++)
        for (int e = 0; e < 2 * W; e++)
            for (size_t k = 0; k < 2 * sizeof before / sizeof *before; k++) {
                bool negative = k & 1;
                long term = (long)n << e;
                small s;
                exb_superacc *a = start(&s, MOST_WORDS);
                set_value(a, before[k / 2]);
                exb_superacc_deposit(a, negative, (uint16_t)n, SMALL_GRID_EXP2 + e);
                assert_int_equal(value_of(a), before[k / 2] + (negative ? -term : term));
            }
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

/* --- rounding -------------------------------------------------------------- */

/* The number with the encoding b, in units of 2^min_exp2. */
static long number(int n_bits, unsigned b)
{
    unsigned field = b >> (n_bits - 1), fraction = b & ((1u << (n_bits - 1)) - 1);
    unsigned significand = field ? fraction | 1u << (n_bits - 1) : fraction;
    return (long)significand << (field ? field - 1 : 0);
}

/* Every value of n_words words, both signs, to a format whose smallest number is 2^min_exp2:
 * the nearest encoding, ties to even, is found by walking along with the value. */
static void round_all(int n_words, long step, int n_bits, int min_exp2)
{
    exb_format f = {n_bits, SMALL_GRID_EXP2 + min_exp2, 0};
    unsigned b = 0, n_fields = 250u >> (n_bits - 1);
    f.infinity = (n_fields > 15 ? 15 : n_fields) << (n_bits - 1);
    for (long v = 1; v < 1L << (W * (n_words - 1) + 7); v += step) {
        small s;
        exb_superacc *a = start(&s, n_words);
        exb_leading leading;
        while (b < f.infinity && number(n_bits, b + 1) << min_exp2 <= v)
            b++;
        long twice = 2 * v, middle = (number(n_bits, b) + number(n_bits, b + 1)) << min_exp2;
        unsigned expected =
            b + (b < f.infinity && (twice > middle || (twice == middle && (b & 1))));
        for (int negative = 0; negative < 2; negative++) {
            set_value(a, negative ? -v : v);
            if (!exb_superacc_leading(a, &leading))
                fail_msg("%ld is zero", v);
            unsigned r = exb_encode_leading(f, &leading);
            if (r != expected || leading.negative != negative || value_of(a) != (negative ? -v : v))
                fail_msg("%s%ld to %d bits from 2^%d: %u, not %u", negative ? "-" : "", v, n_bits,
                         min_exp2, r, expected);
        }
    }
}

static void every_rounding(NO_STATE)
{
    for (int n_bits = 2; n_bits <= 5; n_bits++)
        for (int min_exp2 = 0; min_exp2 <= 9; min_exp2 += 3)
            round_all(3, 1, n_bits, min_exp2);
    round_all(4, 1, 5, 2);
    round_all(5, 31, 4, 14); /* far sticky bits */
}

static void zero(NO_STATE)
{
    small s;
    exb_leading leading;
    assert_false(exb_superacc_leading(start(&s, 3), &leading));
    assert_int_equal(exb_superacc_sign(start(&s, 3)), 0);
}

TESTS(word_index, every_carry, every_deposit, every_number_and_product, carries_in_time, every_pair,
      every_multiple, every_rounding, zero)
