/* The long accumulator word by word: after every operation the words hold exactly what
 * MPFR holds, also in the bits that no rounding would show, and no word leaves the range
 * that the carry-save layout promises. */
#include "superacc_value.h"
#include "test_random.h"

#include <float.h>
#include <math.h>

/* An accumulator and what it should hold. */
typedef struct {
    exb_finish_acc storage; /* room for every window */
    exb_superacc *a;
    mpfr_t value, term;
} pair;

typedef enum { SUM, PRODUCT, FINISH, N_WINDOWS } window;

static void start(pair *p, window w)
{
    static const int first[] = {EXB_SUM_FIRST, EXB_PRODUCT_FIRST, EXB_FINISH_FIRST};
    static const int n_words[] = {EXB_SUM_WORDS, EXB_PRODUCT_WORDS, EXB_FINISH_WORDS};
    p->a = &p->storage.acc;
    exb_superacc_init(p->a, p->storage.word, first[w], n_words[w]);
    mpfr_inits2(VALUE_BITS, p->value, p->term, (mpfr_ptr)0);
    mpfr_set_zero(p->value, 1);
}

static void stop(pair *p)
{
    assert_value(p->a, p->value);
    mpfr_clears(p->value, p->term, (mpfr_ptr)0);
}

/* value += sign * term, exactly. */
static void expect(pair *p, int sign)
{
    assert_int_equal((sign < 0 ? mpfr_sub : mpfr_add)(p->value, p->value, p->term, MPFR_RNDN), 0);
}

static void add(pair *p, double x)
{
    exb_superacc_add(p->a, x);
    mpfr_set_d(p->term, x, MPFR_RNDN);
    expect(p, 1);
}

static void add_product(pair *p, double x, double y, int sign)
{
    exb_superacc_add_product(p->a, sign < 0 ? -x : x, y);
    mpfr_set_d(p->term, x, MPFR_RNDN);
    assert_int_equal(mpfr_mul_d(p->term, p->term, y, MPFR_RNDN), 0);
    expect(p, sign);
}

static void deposit(pair *p, bool negative, exb_u128 significand, int exp2)
{
    exb_superacc_deposit(p->a, negative, significand, exp2);
    mpfr_set_uj_2exp(p->term, (uint64_t)(significand >> 64), exp2 + 64, MPFR_RNDN);
    expect(p, negative ? -1 : 1);
    mpfr_set_uj_2exp(p->term, (uint64_t)significand, exp2, MPFR_RNDN);
    expect(p, negative ? -1 : 1);
}

static const exb_u128 most_53 = ((exb_u128)1 << 53) - 1;
static const exb_u128 most_106 = ((exb_u128)1 << 106) - 1;

static void word_index(NO_STATE)
{
    for (int n = 0; n < 54272; n++)
        assert_int_equal(exb_word_index(n), n / 53);
}

/* Each double-sized and each product-sized term alone, at each place in each window that
 * its numbers can reach, so at every shift within a word. */
static void every_place(NO_STATE)
{
    static const struct {
        window w;
        int lowest, highest; /* exponent of the last bit */
        int step;
    } ranges[] = {{SUM, -1104, 971, 1}, {PRODUCT, -2164, 1942, 1}, {FINISH, -3277, 2960, 3}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        for (int e = ranges[i].lowest; e <= ranges[i].highest; e += ranges[i].step) {
            pair p;
            start(&p, ranges[i].w);
            deposit(&p, e & 1, i == 0 ? most_53 : most_106, e);
            deposit(&p, e & 2, 1, e);
            stop(&p);
        }
}

static void every_double_exponent(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "double exponents");
    for (window w = SUM; w < N_WINDOWS; w++) {
        pair p;
        start(&p, w);
        for (int e = -1074; e <= 1023; e++) {
            add(&p, random_number(&r, FORMAT_D, e));
            if (e % 64 == 0)
                assert_value(p.a, p.value);
        }
        stop(&p);
    }
}

static const double extremes[] = {0.0,
                                  -0.0,
                                  0x1p-1074,
                                  -0x0.fffffffffffffp-1022,
                                  0x1p-1022,
                                  -1.0,
                                  0x1.8p0,
                                  0x1.fffffffffffffp-1,
                                  -0x1p1023,
                                  DBL_MAX,
                                  -DBL_MAX,
                                  0x1.5555555555555p-537,
                                  0x1p-485,
                                  -0x1p511,
                                  0x1.0000000000001p-1021};
enum { N_EXTREMES = sizeof extremes / sizeof *extremes };

static void products_of_extremes(NO_STATE)
{
    for (window w = PRODUCT; w < N_WINDOWS; w++)
        for (int i = 0; i < N_EXTREMES; i++)
            for (int j = 0; j < N_EXTREMES; j++) {
                pair p;
                start(&p, w);
                add_product(&p, extremes[i], extremes[j], 1);
                assert_value(p.a, p.value);
                add_product(&p, extremes[j], extremes[i], -1);
                assert_value(p.a, p.value);
                add_product(&p, -extremes[i], extremes[j], -1);
                stop(&p);
            }
}

/* All exponents of one factor, a grid of the other's, so that every exponent of a
 * product occurs, underflowing and overflowing ones included. */
static void products_of_all_exponents(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "product exponents");
    pair p;
    start(&p, PRODUCT);
    for (int e = -1074; e <= 1023; e++)
        for (int f = -1074 + (e & 63); f <= 1023; f += 64) {
            double x = random_number(&r, FORMAT_D, e), y = random_number(&r, FORMAT_D, f);
            add_product(&p, x, y, f & 1 ? 1 : -1);
            if ((f + e) % 997 == 0)
                assert_value(p.a, p.value);
        }
    stop(&p);
}

/* |word| < (k + 1) 2^53 after k deposits from normalised words. */
static void assert_within_carry_bound(const exb_superacc *a)
{
    int64_t k = EXB_MAX_DEPOSITS - a->n_free;
    for (int i = 0; i + 1 < a->n_words; i++)
        assert_true(llabs(a->word[i]) < (k + 1) * ((int64_t)1 << EXB_WORD_BITS));
}

/* Largest terms of one sign, then of both, three times as many as fit between carries;
 * at every shift that puts most bits into one word. */
static void carries(NO_STATE)
{
    static const int exp2[] = {-1104, -1052, -1051, -1050, -52, -1, 0, 971};
    for (size_t i = 0; i < sizeof exp2 / sizeof *exp2; i++)
        for (int pattern = 0; pattern < 4; pattern++) {
            pair p;
            start(&p, pattern & 1 ? PRODUCT : SUM);
            for (int k = 0; k < 3 * EXB_MAX_DEPOSITS + 7; k++) {
                bool negative = pattern < 2 ? i & 1 : (k / (pattern == 2 ? 1 : 1500)) & 1;
                deposit(&p, negative, pattern & 1 ? most_106 : most_53, exp2[i]);
                assert_within_carry_bound(p.a);
            }
            stop(&p);
        }
}

/* Exactly as many deposits as are allowed, and the carries that then move. */
static void normalize_keeps_the_value(NO_STATE)
{
    for (int sign = 0; sign < 2; sign++)
        for (window w = SUM; w < N_WINDOWS; w++) {
            pair p;
            start(&p, w);
            for (int k = 0; k < EXB_MAX_DEPOSITS; k++)
                deposit(&p, sign, most_53, -1104 + 53 * (k % 38));
            assert_int_equal(p.a->n_free, 0);
            assert_value(p.a, p.value);
            exb_superacc_normalize(p.a);
            assert_int_equal(p.a->n_free, EXB_MAX_DEPOSITS);
            assert_normalised(p.a);
            assert_value(p.a, p.value);
            exb_superacc_normalize(p.a);
            stop(&p);
        }
}

/* -1 in the lowest bit borrows through every word; 1 takes it back. */
static void borrow_through_all_words(NO_STATE)
{
    for (window w = SUM; w < N_WINDOWS; w++) {
        pair p;
        start(&p, w);
        int exp2 = exb_superacc_exp2(p.a);
        deposit(&p, true, 1, exp2);
        exb_superacc_normalize(p.a);
        assert_normalised(p.a);
        assert_value(p.a, p.value);
        assert_int_equal(exb_superacc_sign(p.a), -1);
        deposit(&p, false, 1, exp2);
        assert_int_equal(exb_superacc_sign(p.a), 0);
        for (int i = 0; i < p.a->n_words; i++)
            assert_int_equal(p.a->word[i], 0);
        stop(&p);
    }
}

/* Terms whose upper words would lie above the window. */
static void top_of_the_window(NO_STATE)
{
    for (window w = SUM; w < N_WINDOWS; w++) {
        pair p;
        start(&p, w);
        int top = exb_superacc_exp2(p.a) + EXB_WORD_BITS * (p.a->n_words - 1);
        for (int bit = 0; bit < 40; bit++) {
            deposit(&p, bit & 1, 3, top + bit);
            deposit(&p, bit & 2, most_53, top - 53 + bit % 13);
        }
        assert_value(p.a, p.value);
        exb_superacc_normalize(p.a);
        stop(&p);
    }
}

static void fill(pair *p, window w, test_random *r, int n, int sign)
{
    start(p, w);
    for (int k = 0; k < n; k++) {
        double x = random_number(r, FORMAT_D, (int)random_between(r, -1074, 1023));
        double y = random_number(r, FORMAT_D, (int)random_between(r, -1074, 1023));
        x = sign ? sign * fabs(x) : x;
        if (w == SUM)
            add(p, x);
        else
            add_product(p, x, sign ? fabs(y) : y, 1);
    }
}

/* Smaller windows into larger and equal ones, more often than fits between carries. The
 * source is normalised and keeps its value. */
static void merge(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "merge windows");
    for (window to = SUM; to < N_WINDOWS; to++)
        for (window from = SUM; from <= to; from++)
            for (int sign = -1; sign <= 1; sign++) {
                pair a, b;
                fill(&a, to, &r, 50, sign);
                fill(&b, from, &r, EXB_MAX_DEPOSITS, sign);
                for (int k = 0; k < 2 * EXB_MAX_DEPOSITS + 3; k++) {
                    exb_superacc_merge(a.a, b.a);
                    mpfr_set(a.term, b.value, MPFR_RNDN);
                    expect(&a, 1);
                }
                assert_normalised(b.a);
                stop(&a);
                stop(&b);
            }
}

static void negate(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "negate");
    for (int round = 0; round < 60; round++) {
        pair p;
        fill(&p, (window)(round % N_WINDOWS), &r, 1 + round * 31, round % 3 - 1);
        exb_superacc_negate(p.a);
        mpfr_neg(p.value, p.value, MPFR_RNDN);
        assert_value(p.a, p.value);
        for (int k = 0; k < 1500; k++) /* room for more deposits as before */
            add(&p, k & 1 ? DBL_MAX : -0x1.8p-1050);
        assert_value(p.a, p.value);
        exb_superacc_negate(p.a);
        mpfr_neg(p.value, p.value, MPFR_RNDN);
        stop(&p);
    }
}

/* dst += alpha * src for every kind of alpha, onto what dst already holds. */
static void add_scaled(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "scaled words");
    for (int round = 0; round < 60; round++) {
        pair src, dst;
        fill(&src, round & 1 ? SUM : PRODUCT, &r, 1 + round * 25, round % 3 - 1);
        start(&dst, FINISH);
        for (int k = 0; k < N_EXTREMES; k++) {
            double alpha = round < 20 ? extremes[k] : random_number(&r, FORMAT_D, 131 * k - 1000);
            exb_superacc_add_scaled(dst.a, alpha, src.a);
            assert_int_equal(mpfr_mul_d(dst.term, src.value, alpha, MPFR_RNDN), 0);
            expect(&dst, 1);
            assert_value(dst.a, dst.value);
        }
        assert_normalised(src.a);
        stop(&src);
        stop(&dst);
    }
}

/* Inf and NaN in alpha and in the source: the extended reals. */
static void add_scaled_special(NO_STATE)
{
    static const double x[] = {0, -0.0, 1, -1, 0x1p-1074, -DBL_MAX, INFINITY, -INFINITY, NAN};
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) {
            exb_product_acc source;
            exb_finish_acc total;
            exb_superacc *src = exb_product_acc_init(&source), *dst = exb_finish_acc_init(&total);
            exb_superacc_add(src, x[j]);
            exb_superacc_add_scaled(dst, x[i], src);
            double product = x[i] * x[j]; /* only its sign and kind count */
            int sign = isnan(product)               ? 2
                       : isinf(x[i]) || isinf(x[j]) ? (product > 0 ? 1 : -1)
                       : (x[i] > 0) - (x[i] < 0) == 0
                           ? 0
                           : ((x[i] > 0) - (x[i] < 0)) * ((x[j] > 0) - (x[j] < 0));
            assert_int_equal(exb_superacc_sign(dst), sign);
            assert_int_equal(dst->special != 0, isnan(product) || isinf(x[i]) || isinf(x[j]));
        }
}

/* Special values travel with merge and negate. */
static void special_values_travel(NO_STATE)
{
    static const double x[] = {1, INFINITY, -INFINITY, NAN};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            exb_product_acc sa, sb;
            exb_superacc *a = exb_product_acc_init(&sa), *b = exb_product_acc_init(&sb);
            exb_superacc_add(a, x[i]);
            exb_superacc_add(b, x[j]);
            double sum = x[i] + x[j];
            exb_superacc_merge(a, b);
            assert_int_equal(exb_superacc_sign(a), isnan(sum) ? 2 : (sum > 0) - (sum < 0));
            exb_superacc_negate(a);
            assert_int_equal(exb_superacc_sign(a), isnan(sum) ? 2 : (sum < 0) - (sum > 0));
        }
}

/* Values that differ in one bit at any place compare as MPFR says, before carries have
 * moved; neither value changes. */
static void sign_and_compare(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "compare");
    for (int round = 0; round < 200; round++) {
        window w = (window)(round % N_WINDOWS);
        pair a, b;
        fill(&a, w, &r, 20, 0);
        start(&b, w);
        exb_superacc_merge(b.a, a.a);
        mpfr_set(b.value, a.value, MPFR_RNDN);
        int low = exb_superacc_exp2(b.a);
        if (round % 5)
            deposit(&b, round & 1, 1, low + (int)random_between(&r, 0, w == SUM ? 2000 : 4000));
        assert_int_equal(exb_superacc_compare(a.a, b.a),
                         (mpfr_cmp(a.value, b.value) > 0) - (mpfr_cmp(a.value, b.value) < 0));
        exb_superacc_negate(a.a);
        mpfr_neg(a.value, a.value, MPFR_RNDN);
        exb_superacc_merge(b.a, a.a);
        mpfr_add(b.value, b.value, a.value, MPFR_RNDN);
        assert_int_equal(exb_superacc_sign(b.a), mpfr_sgn(b.value) > 0   ? 1
                                                 : mpfr_sgn(b.value) < 0 ? -1
                                                                         : 0);
        stop(&a);
        stop(&b);
    }
}

TESTS(word_index, every_place, every_double_exponent, products_of_extremes,
      products_of_all_exponents, carries, normalize_keeps_the_value, borrow_through_all_words,
      top_of_the_window, merge, negate, add_scaled, add_scaled_special, special_values_travel,
      sign_and_compare)
