/* The filters' bounds: the exact sum lies inside every enclosure, for every
 * instruction set, length and kind of data, and next to the ends of what the anchors
 * allow. And the filters do decide ordinary data: a filter that never does would
 * pass every other test. */
#include "core/kernels.h"
#include "core/arith/round.h"

#include "adversarial.h"
#include "enclosing.h"
#include "isa_from.h"
#include "level1_reduce_d.h"
#include "oracle.h"
#include "testing.h"

static void oracle_terms(oracle *o, exb_term term, int64_t n, const double *x, const double *y)
{
    oracle_reset(o);
    for (int64_t i = 0; i < n; i++) {
        if (term == EXB_TERM_XY)
            oracle_add_product(o, x[i], y[i]);
        else
            oracle_add(o, term == EXB_TERM_X ? x[i] : fabs(x[i]));
    }
}

static exb_enclosure filter(exb_term term, int64_t n, const double *x, const double *y)
{
    exb_dreduction r = {term, n, x, 1, y, 1};
    return exb_dreduce_filter(&r);
}

typedef void visit(exb_term term, int64_t n, const double *x, const double *y, oracle *o);

/* Elements of even and of odd number as parts of complex numbers, and both parts of products of
 * such or of the conjugates of x; side by side or some apart. */
static void check_parts(exb_term term, int64_t n, const double *x, const double *y, oracle *o)
{
    for (int64_t inc = 1; inc <= 4 && exb_kernels_current()->has_fma; inc++) {
        bool conjugate = inc % 2 == 0;
        exb_enclosure v[2];
        const exb_dreduction r = {term, n / 2 / inc, x, inc, y, 1};
        exb_dreduce_filter_by(&r, (exb_filter){2, false, conjugate}, v);
        for (int k = 0; k < 2; k++) {
            double sign = conjugate == (k == 1) ? -1 : 1;
            oracle_reset(o);
            for (int64_t i = 0; i < r.n; i++)
                if (term == EXB_TERM_X) {
                    oracle_add(o, x[2 * i * inc + k]);
                } else {
                    oracle_add_product(o, x[2 * i * inc], y[2 * i + k]);
                    oracle_add_product(o, sign * x[2 * i * inc + 1], y[2 * i + 1 - k]);
                }
            assert_encloses(o, v[k]);
        }
    }
}

static void check_brief(exb_term term, int64_t n, const double *x, const oracle *o)
{
    exb_enclosure v;
    double r;
    bool is_certain = exb_kernels_current()->d.brief(term, n, x, &v, &r);
    assert_encloses(o, v);
    if (is_certain)
        assert_same_bits(r, oracle_round(o, FORMAT_D));
    if (o->has_nan || o->has_pos_inf || o->has_neg_inf)
        assert_true(v.e == INFINITY);
}

static void check(exb_term term, int64_t n, const double *x, const double *y, oracle *o)
{
    if (term != EXB_TERM_ABS_X)
        check_parts(term, n, x, y, o);
    oracle_terms(o, term, n, x, y);
    assert_encloses(o, filter(term, n, x, y));
    if (term != EXB_TERM_XY && n >= 8 && n <= EXB_BRIEF)
        check_brief(term, n, x, o);
}

static void each_isa(visit *f, exb_term term, int64_t n, const double *x, const double *y,
                     oracle *o)
{
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
        f(term, n, x, y, o);
}

enum { MOST = 9000 };
static double x[MOST + 8], y[MOST + 8];

static void encloses_hostile_data(NO_STATE)
{
    static const int64_t lengths[] = {1,  2,  3,   7,   8,   9,    16,   20,   21,
                                      63, 95, 191, 192, 511, 1000, 2048, 4097, 9000};
    ORACLE(o);
    test_random r = test_random_start(test_seed(), "filter");
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t kind = 0; kind < terms_kinds() + factors_kinds(); kind++) {
            int64_t n = lengths[i], shift = random_between(&r, 0, 7);
            if (kind < terms_kinds()) {
                terms_fill(kind, &r, FORMAT_D, n, x + shift);
                each_isa(check, EXB_TERM_X, n, x + shift, NULL, &o);
                each_isa(check, EXB_TERM_ABS_X, n, x + shift, NULL, &o);
            } else {
                factors_fill(kind - terms_kinds(), &r, FORMAT_D, n, x, y);
                each_isa(check, EXB_TERM_XY, n, x, y, &o);
            }
        }
}

/* The anchor's worst cases: all terms at 2^g or an ulp beside it, all of one sign (s
 * runs to the end of the binade), rests of exactly half a unit, at the largest and the
 * smallest anchors. */
static void anchors_at_their_limits(NO_STATE)
{
    static const int exponents[] = {-1074, -1022, -960, -900, -600, 0,   600,
                                    870,   888,   889,  890,  900,  1010};
    ORACLE(o);
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++)
        for (int shape = 0; shape < 6; shape++) {
            double top = power_of_two(exponents[i]);
            for (int64_t j = 0; j < MOST; j++) {
                double t = shape & 1 ? top : top * (1 - 0x1p-53 * (double)(j % 3));
                x[j] = shape < 2 ? t : shape < 4 ? -t : t * (j & 1 ? 0x1.8p-43 : -0x1.8p-42);
                y[j] = shape < 4 ? 1 : 0x1.fffffffffffffp-1;
            }
            each_isa(check, EXB_TERM_X, MOST, x, NULL, &o);
            each_isa(check, EXB_TERM_ABS_X, MOST, x, NULL, &o);
            each_isa(check, EXB_TERM_XY, MOST, x, y, &o);
        }
}

/* The kernels against an anchor that just holds the terms: a whole chunk of terms of
 * exactly 2^g and one sign, from every alignment, takes every lane to the end of its
 * binade. */
static void parts_at_the_anchor_limit(exb_term term, int64_t n, const double *a, const double *b,
                                      oracle *o)
{
    exb_anchored part[4];
    int g = exponent_of(a[0]);
    exb_kernels_current()->d.anchor(term, 2, n, a, b, exb_anchor_sigma(g), part);
    for (int k = 0; k < (term == EXB_TERM_X ? 2 : 4); k++) {
        assert_true(part[k].valid && part[k].m <= power_of_two(g));
        oracle_terms(o, term, n / 2, a, b); /* all terms are the same */
        assert_encloses(o, exb_anchored_enclosure(&part[k], g, n / 2));
    }
}

static void lanes_at_the_end_of_the_binade(NO_STATE)
{
    static double ones[EXB_CHUNK + 8];
    ORACLE(o);
    for (int64_t j = 0; j < EXB_CHUNK + 8; j++)
        ones[j] = 1;
    for (int g = -800; g <= 800; g += 400)
        for (int sign = 1; sign >= -1; sign -= 2) {
            for (int64_t j = 0; j < EXB_CHUNK + 8; j++)
                x[j] = sign * power_of_two(g);
            for (int shift = 0; shift < 8; shift++)
                for (int64_t n = EXB_CHUNK; n > EXB_CHUNK - 3; n -= 2) {
                    each_isa(parts_at_the_anchor_limit, EXB_TERM_X, n, x + shift, NULL, &o);
                    if (exb_kernels_current()->has_fma)
                        parts_at_the_anchor_limit(EXB_TERM_XY, n, x + shift, ones + shift, &o);
                }
        }
}

/* The kernel `brief` where all numbers but the samples are as large as its anchor holds, in lanes
 * of one sign or of both, and do not end at the anchor's unit; and one that no lane has room for.
 */
static void brief_at_the_limit(exb_term term, int64_t n, const double *a, const double *b,
                               oracle *o)
{
    (void)b;
    oracle_terms(o, term, n, a, NULL);
    exb_enclosure v;
    double r;
    exb_kernels_current()->d.brief(term, n, a, &v, &r);
    assert_true(exb_enclosure_is_finite(v));
    assert_encloses(o, v);
    double last = x[n - 1];
    x[n - 1] = ldexp(last, EXB_ANCHOR_NU + 1);
    assert_false(exb_kernels_current()->d.brief(term, n, a, &v, &r));
    assert_false(exb_enclosure_is_finite(v));
    x[n - 1] = last;
}

static void sums_of_what_an_anchor_just_holds(NO_STATE)
{
    enum { SAMPLES = 8, ROOM = 5 /* bits above 2^p */ };
    static const int64_t lengths[] = {8, 11, 64, 100, 1001, EXB_BRIEF};
    ORACLE(o);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int p = -860; p <= 860; p += 215)
            for (int alternate = 0; alternate < 2; alternate++) {
                int64_t n = lengths[i];
                for (int64_t j = 0; j < n; j++)
                    x[j] = (alternate && j / 8 % 2 ? -1 : 1) * power_of_two(p + ROOM);
                for (int64_t j = 0; j + 3 < n; j += 3) /* what is left is not 0 */
                    x[j] *= 1 - 0x1p-53;
                for (int s = 0; s < SAMPLES; s++)
                    x[n / SAMPLES * s] = (2 - 0x1p-52) * power_of_two(p);
                if (n / SAMPLES > 2)
                    each_isa(brief_at_the_limit, EXB_TERM_X, n, x, NULL, &o);
            }
}

/* One term far above the rest at any place: the chunk is done again with another
 * anchor; Inf and NaN anywhere leave nothing certified. */
static void outliers(NO_STATE)
{
    static const double outlier[] = {0x1p40, -0x1p300, 0x1p880, 0x1p1000, INFINITY, NAN};
    ORACLE(o);
    test_random r = test_random_start(test_seed(), "outliers");
    for (size_t i = 0; i < sizeof outlier / sizeof *outlier; i++)
        for (int round = 0; round < 40; round++) {
            int64_t n = random_between(&r, 512, MOST), at = random_between(&r, 0, n - 1);
            double result;
            for (int64_t j = 0; j < n; j++)
                x[j] = y[j] = random_number(&r, FORMAT_D, 0);
            x[at] = outlier[i];
            each_isa(check, EXB_TERM_X, n, x, NULL, &o);
            each_isa(check, EXB_TERM_XY, n, x, y, &o);
            if (!(fabs(outlier[i]) < INFINITY)) {
                exb_enclosure v[2];
                exb_dreduction pairs = {EXB_TERM_X, n / 2, x, 1, y, 1};
                exb_dreduce_filter_by(&pairs, (exb_filter){2, false, true}, v);
                assert_false(at / 2 < n / 2 && exb_enclosure_round_d(v[at % 2], &result));
                pairs.term = EXB_TERM_XY;
                if (exb_kernels_current()->has_fma)
                    exb_dreduce_filter_by(&pairs, (exb_filter){2, false, true}, v);
                assert_false(at / 2 < n / 2 && exb_enclosure_round_d(v[at % 2], &result));
                assert_false(exb_enclosure_round_d(filter(EXB_TERM_X, n, x, NULL), &result));
                assert_false(exb_enclosure_round_d(filter(EXB_TERM_XY, n, x, y), &result));
            }
        }
}

static void decides(exb_term term, int64_t n, const double *a, const double *b, oracle *o)
{
    double result;
    exb_enclosure v[2];
    const exb_dreduction pairs = {term, n / 2, a, 1, b, 1};
    bool has_parts =
        n > 192 && (term == EXB_TERM_X || (term == EXB_TERM_XY && exb_kernels_current()->has_fma));
    (void)o;
    if (has_parts)
        exb_dreduce_filter_by(&pairs, (exb_filter){2, false, true}, v);
    for (int k = 0; has_parts && k < 2; k++)
        assert_true(exb_enclosure_round_d(v[k], &result));
    assert_true(exb_enclosure_round_d(filter(term, n, a, b), &result));
}

static void ordinary_data_is_decided(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "ordinary");
    for (int64_t n = 2; n < MOST; n = n * 2 + 1)
        for (int64_t j = 0; j < n; j++) {
            x[j] = random_number(&r, FORMAT_D, (int)random_between(&r, -40, 40));
            y[j] = random_number(&r, FORMAT_D, (int)random_between(&r, -40, 40));
        }
    for (int64_t n = 3; n < MOST; n = n * 2 + 1) {
        each_isa(decides, EXB_TERM_X, n, x, NULL, NULL);
        each_isa(decides, EXB_TERM_ABS_X, n, x, NULL, NULL);
        each_isa(decides, EXB_TERM_XY, n, x, y, NULL);
    }
}

/* --- sums of three parts ------------------------------------------------------- */

/* No product loses anything in two_prod. */
static bool products_are_exact(int64_t n, const double *a, const double *b)
{
    for (int64_t i = 0; i < n; i++)
        if (a[i] != 0 && b[i] != 0 && !(fabs(a[i] * b[i]) >= 0x1p-960))
            return false;
    return true;
}

static exb_enclosure triple_of(exb_term term, int64_t n, const double *a, const double *b,
                               int64_t step)
{
    bool has_b = term == EXB_TERM_XY;
    exb_triples sum = {{0}, {0}, {0}, {0}};
    for (int64_t i = 0; i < n; i += step)
        exb_kernels_current()->d.triple(term, n - i < step ? n - i : step, a + i,
                                        has_b ? b + i : NULL, &sum);
    return exb_dtriples_enclosure(&sum, n, !has_b || products_are_exact(n, a, b), 0);
}

/* In one call, and in several. */
static void triples_enclose(exb_term term, int64_t n, const double *a, const double *b, oracle *o)
{
    oracle_terms(o, term, n, a, b);
    assert_encloses(o, triple_of(term, n, a, b, n));
    assert_encloses(o, triple_of(term, n, a, b, 256));
}

static void triples_enclose_hostile_data(NO_STATE)
{
    static const int64_t lengths[] = {1, 2, 7, 8, 9, 15, 16, 17, 63, 200, 1000, 4097};
    ORACLE(o);
    test_random r = test_random_start(test_seed(), "triples");
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t kind = 0; kind < factors_kinds(); kind++) {
            factors_fill(kind, &r, FORMAT_D, (size_t)lengths[i], x, y);
            each_isa(triples_enclose, EXB_TERM_XY, lengths[i], x, y, &o);
        }
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t kind = 0; kind < terms_kinds(); kind++) {
            terms_fill(kind, &r, FORMAT_D, (size_t)lengths[i], x);
            each_isa(triples_enclose, EXB_TERM_X, lengths[i], x, NULL, &o);
            each_isa(triples_enclose, EXB_TERM_ABS_X, lengths[i], x, NULL, &o);
        }
}

/* Products of which all but two cancel, in any order; those two are about 2^-bits of the others. Of
 * numbers with n_bits bits. */
static void fill_cancelling(test_random *r, int64_t n, int bits, int n_bits)
{
    for (int64_t j = 0; j < n; j += 2) {
        x[j] = ldexp(rint(ldexp(random_number(r, FORMAT_D, 0), n_bits)), -n_bits);
        y[j] = y[j + 1] = ldexp(rint(ldexp(random_number(r, FORMAT_D, 0), n_bits)), -n_bits);
        x[j + 1] = -x[j];
    }
    x[n - 2] = random_number(r, FORMAT_D, 0);
    x[n - 1] = random_number(r, FORMAT_D, 0);
    y[n - 2] = ldexp(1, -bits);
    y[n - 1] = ldexp(1, -bits - 20); /* no tie */
    shuffle(r, n, x, y);
}

static void triple_decides(exb_term term, int64_t n, const double *a, const double *b, oracle *o)
{
    double result = 0;
    assert_true(exb_enclosure_round_d(triple_of(term, n, a, b, n), &result));
    oracle_terms(o, term, n, a, b);
    assert_same_bits(result, oracle_round(o, FORMAT_D));
}

/* What compensated sums do not know: little that is left of much, and ties and zeros. */
static void triples_decide(NO_STATE)
{
    int n_left = 0;
    double result;
    ORACLE(o);
    test_random r = test_random_start(test_seed(), "cancelling");
    for (int64_t n = 4; n <= 2048; n *= 2)
        for (int bits = 55; bits <= 70; bits += 5) {
            fill_cancelling(&r, n, bits, 52);
            n_left += !exb_enclosure_round_d(filter(EXB_TERM_XY, n, x, y), &result);
            each_isa(triple_decides, EXB_TERM_XY, n, x, y, &o);
        }
    assert_true(n_left > 20); /* of 40 */
    for (int tie = 0; tie < 2; tie++) {
        fill_cancelling(&r, 200, 1000, 40);
        for (int j = 0; j < 200; j++)
            if (y[j] < 1)
                x[j] = 0;
        x[200] = tie;
        x[201] = tie * 0x1p-53;
        y[200] = y[201] = 1;
        assert_false(exb_enclosure_round_d(filter(EXB_TERM_XY, 202, x, y), &result));
        each_isa(triple_decides, EXB_TERM_XY, 202, x, y, &o);
    }
}

/* The second filter of whole reductions, at any increment. */
static exb_enclosure second_filter(exb_term term, int64_t n, const double *a, int64_t inca,
                                   const double *b, int64_t incb)
{
    exb_dreduction r = {term, n, a, inca, b, incb};
    exb_three_parts sum = exb_no_parts();
    return exb_dreduce_triple(&r, &sum) ? exb_dthree_parts_enclosure(&sum)
                                        : exb_enclosure_unknown();
}

static void second_filter_decides(exb_term term, int64_t n, const double *a, const double *b,
                                  oracle *o)
{
    double result = 0, same = 0;
    static double a2[2 * MOST], b3[3 * MOST];
    for (int64_t i = 0; i < n; i++) {
        a2[2 * i] = a[i];
        b3[3 * i] = b ? b[i] : 0;
    }
    oracle_terms(o, term, n, a, b);
    assert_true(exb_enclosure_round_d(second_filter(term, n, a, 1, b, 1), &result));
    assert_true(exb_enclosure_round_d(second_filter(term, n, a2, 2, b3, 3), &same));
    assert_same_bits(result, oracle_round(o, FORMAT_D));
    assert_same_bits(same, result);
}

/* Integers, then a tie at 2^53. */
static void fill_tie(test_random *r, int64_t n, exb_term term)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        x[i] = (double)random_between(r, term == EXB_TERM_ABS_X ? 0 : -1000, 1000);
        y[i] = 1;
        sum += i < n - 2 ? x[i] : 0;
    }
    x[n - 2] = 0x1p53 - sum;
    x[n - 1] = 1;
}

static void ties_of_any_length(NO_STATE)
{
    static const int64_t lengths[] = {21, 64, 191, 192, 300, 511, 512, 513, 1000, 1024};
    double result;
    int n_left = 0;
    ORACLE(o);
    test_random r = test_random_start(test_seed(), "ties");
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int term = EXB_TERM_X; term <= EXB_TERM_XY; term++) {
            int64_t n = lengths[i];
            fill_tie(&r, n, (exb_term)term);
            n_left += !exb_enclosure_round_d(filter((exb_term)term, n, x, y), &result);
            each_isa(second_filter_decides, (exb_term)term, n, x, y, &o);
        }
    assert_true(n_left > 15); /* of 30 */
}

/* Long vectors, terms that are too far apart, products that underflow: the accumulators do them. */
static void second_filter_gives_up(NO_STATE)
{
    double result;
    test_random r = test_random_start(test_seed(), "gives up");
    fill_tie(&r, 1025, EXB_TERM_X);
    assert_false(exb_enclosure_round_d(second_filter(EXB_TERM_X, 1025, x, 1, y, 1), &result));
    const double far[] = {0x1p200, -0x1p200, 0x1p-200, 0x1p-300}, ones[] = {1, 1, 1, 1};
    assert_false(exb_enclosure_round_d(second_filter(EXB_TERM_X, 4, far, 1, NULL, 0), &result));
    assert_false(exb_enclosure_round_d(second_filter(EXB_TERM_XY, 4, far, 1, ones, 1), &result));
    const double tiny[] = {1, 0x1p-53, 0x1p-600, 0}, half[] = {1, 1, 0x1p-470, 0};
    assert_false(exb_enclosure_round_d(second_filter(EXB_TERM_XY, 4, tiny, 1, half, 1), &result));
}

/* Vectors whose middle says little of their largest terms: nothing, or a millionth, or is all there
 * is; and what is not finite anywhere. */
static void guesses_that_miss(NO_STATE)
{
    static const double middle[] = {0, 0x1p-20, 0x1p-300, 0x1p60};
    static const int64_t lengths[] = {192, 200, 1000, 4096, 4097, 9000};
    ORACLE(o);
    test_random r = test_random_start(test_seed(), "guesses");
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t m = 0; m < 6; m++) {
            int64_t n = lengths[i];
            for (int64_t j = 0; j < n; j++) {
                bool in_middle = m < 4 && llabs(2 * j - n) <= 64;
                x[j] = random_number(&r, FORMAT_D, 0) * (in_middle ? middle[m] : 1);
                y[j] = random_number(&r, FORMAT_D, 0);
            }
            if (m >= 4)
                x[random_between(&r, 0, n - 1)] = m == 4 ? HUGE_VAL : NAN;
            for (int term = EXB_TERM_X; term <= EXB_TERM_XY; term++)
                each_isa(check, (exb_term)term, n, x, y, &o);
        }
}

static void least_magnitudes(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "least");
    for (int isa = 0; isa < exb_isa_count(); isa++)
        for (int64_t n = 0; n <= 40 && exb_isa_select(exb_isa_name(isa)) == 0; n++)
            for (int n_zeros = 0; n_zeros <= 2; n_zeros++) {
                double least = DBL_MAX;
                for (int64_t j = 0; j < n; j++) {
                    x[j] =
                        random_between(&r, 0, 2) < n_zeros ? -0.0 : random_number(&r, FORMAT_D, 9);
                    least = x[j] != 0 && fabs(x[j]) < least ? fabs(x[j]) : least;
                }
                assert_same_bits(exb_kernels_current()->d.least(n, x), least);
            }
}

TESTS(encloses_hostile_data, anchors_at_their_limits, lanes_at_the_end_of_the_binade,
      sums_of_what_an_anchor_just_holds, outliers, ordinary_data_is_decided,
      triples_enclose_hostile_data, triples_decide, ties_of_any_length, second_filter_gives_up,
      guesses_that_miss, least_magnitudes)
