/* The library part: arithmetic of the formats and exact sums against MPFR, the callback interface,
 * and random trees that come back. */
#include "check.h"
#include "exact.h"
#include "format.h"
#include "probe.h"

#include "mpfr_range.h"
#include "test_random.h"
#include "testing.h"

#include <math.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <string.h>

static void short_formats_store_all_patterns(NO_STATE)
{
    for (int t = FPREV_HALF; t <= FPREV_BFLOAT16; t++)
        for (int bits = 0; bits < 0x10000; bits++) {
            uint16_t from = (uint16_t)bits, to = 0;
            double x = fprev_load((fprev_type)t, &from, 0);
            if (isnan(x))
                continue;
            fprev_store((fprev_type)t, &to, 0, x);
            assert_int_equal(from, to);
            assert_same_bits(fprev_round((fprev_type)t, x), x);
        }
}

/* x rounded to the format, from an exact value. */
static double rounded(fprev_type type, mpfr_t exact, mpfr_rnd_t mode)
{
    const fprev_format *f = &fprev_formats[type];
    mpfr_t x;
    mpfr_init2(x, f->precision);
    int ternary = mpfr_set(x, exact, mode);
    double result = mpfr_in_range(x, ternary, f->min_exp - f->precision + 2, f->max_exp + 1, mode);
    mpfr_clear(x);
    return result;
}

static double random_value(test_random *r, fprev_type type)
{
    const fprev_format *f = &fprev_formats[type];
    int low = f->min_exp - f->precision + 1, span = f->max_exp + 1 - low;
    double x =
        ldexp((double)(random_bits(r) >> 11), low + (int)(random_bits(r) % (uint64_t)span) - 53);
    x = fprev_round(type, random_bits(r) & 1 ? x : -x);
    return isfinite(x) ? x : 1;
}

static void arithmetic_is_correctly_rounded(NO_STATE)
{
    test_random r = test_random_start(1, "fprev");
    mpfr_t x;
    mpfr_init2(x, 4400);
    for (int k = 0; k < 200000; k++) {
        fprev_type t = (fprev_type)(FPREV_FLOAT + k % 3);
        double a = random_value(&r, t), b = random_value(&r, t), c = random_value(&r, t);
        if (k % 2)
            c = fprev_mul(t, a, b) * -1;
        if (!isfinite(c))
            continue;
        mpfr_set_d(x, a, MPFR_RNDN);
        mpfr_add_d(x, x, b, MPFR_RNDN);
        assert_same_bits(fprev_add(t, a, b) + 0.0, rounded(t, x, MPFR_RNDN) + 0.0);
        mpfr_set_d(x, a, MPFR_RNDN);
        mpfr_mul_d(x, x, b, MPFR_RNDN);
        assert_same_bits(fprev_mul(t, a, b), rounded(t, x, MPFR_RNDN));
        mpfr_add_d(x, x, c, MPFR_RNDN);
        assert_same_bits(fprev_fma(t, a, b, c) + 0.0, rounded(t, x, MPFR_RNDN) + 0.0);
    }
    mpfr_clear(x);
}

static void sums_are_exact(NO_STATE)
{
    test_random r = test_random_start(2, "fprev");
    mpfr_t sum, term;
    mpfr_inits2(4500, sum, term, (mpfr_ptr)0);
    for (int k = 0; k < 4000; k++) {
        fprev_exact e;
        fprev_exact_clear(&e);
        mpfr_set_zero(sum, 1);
        for (int i = 0; i < 1 + k % 9; i++) {
            double a = random_value(&r, FPREV_DOUBLE),
                   b = k % 2 ? random_value(&r, FPREV_DOUBLE) : 1;
            fprev_exact_add(&e, a, b, FPREV_NO_CUT);
            mpfr_set_d(term, a, MPFR_RNDN);
            assert_int_equal(mpfr_mul_d(term, term, b, MPFR_RNDN), 0);
            assert_int_equal(mpfr_add(sum, sum, term, MPFR_RNDN), 0);
        }
        fprev_type t = (fprev_type)(k / 2 % 4);
        assert_same_bits(fprev_exact_round(&e, t, true), rounded(t, sum, MPFR_RNDN));
        assert_same_bits(fprev_exact_round(&e, t, false), rounded(t, sum, MPFR_RNDZ));
    }
    mpfr_clears(sum, term, (mpfr_ptr)0);
}

/* A function that adds by a list of pairs: slot[i] += slot[j]. */
typedef struct {
    int n, into[64], from[64];
    int n_calls, fail_at;
    double give;
} adder;

static adder random_adder(int n, uint64_t seed)
{
    test_random r = test_random_start(seed, "fprev");
    adder s = {.n = n, .fail_at = -1};
    int slot[64];
    for (int i = 0; i < n; i++)
        slot[i] = i;
    for (int m = n, k = 0; m > 1; m--, k++) {
        int i = (int)(random_bits(&r) % (uint64_t)m),
            j = (int)(random_bits(&r) % (uint64_t)(m - 1));
        j += j >= i;
        s.into[k] = slot[i];
        s.from[k] = slot[j];
        slot[j] = slot[m - 1];
    }
    return s;
}

static int add_pairs(void *ctx, const void *a, const void *b, void *results)
{
    adder *s = ctx;
    double x[64];
    (void)b;
    if (s->n_calls++ == s->fail_at) {
        *(double *)results = s->give;
        return s->give == 0;
    }
    memcpy(x, a, (size_t)s->n * sizeof *x);
    for (int k = 0; k < s->n - 1; k++)
        x[s->into[k]] += x[s->from[k]];
    *(double *)results = x[s->n > 1 ? s->into[s->n - 2] : 0];
    return 0;
}

/* Leaves below the lowest common addition, from the list alone. */
static int common(const adder *s, int i, int j)
{
    uint64_t below[64];
    for (int k = 0; k < s->n; k++)
        below[k] = (uint64_t)1 << k;
    for (int k = 0; k < s->n - 1; k++) {
        below[s->into[k]] |= below[s->from[k]];
        uint64_t set = below[s->into[k]];
        if (set >> i & set >> j & 1)
            return __builtin_popcountll(set);
    }
    return -1;
}

static fprev_function function_of(adder *s)
{
    return (fprev_function){s->n, 1, FPREV_DOUBLE, FPREV_DOUBLE, .ctx = s, .call = add_pairs};
}

static void random_trees_come_back(NO_STATE)
{
    for (int k = 0; k < 300; k++) {
        adder s = random_adder(k % 62 + 2, (uint64_t)k);
        fprev_function f = function_of(&s);
        fprev_options o = {.seed = (uint64_t)k};
        fprev_result r;
        assert_int_equal(fprev_reveal(&f, &o, &r), FPREV_OK);
        assert_int_equal(r.class_, FPREV_TREE);
        assert_int_equal(r.replay_mismatches, 0);
        for (int i = 0; i < s.n; i++)
            for (int j = i + 1; j < s.n; j++)
                assert_int_equal(fprev_tree_common(&r.tree, i, j), common(&s, i, j));
        fprev_result_free(&r);
    }
}

/* The trees are 300 kB and more; what malloc keeps at hand is less. */
static void no_memory_is_left_behind(NO_STATE)
{
#if defined(__GLIBC__)
    size_t before = mallinfo2().uordblks;
    random_trees_come_back(state);
    assert_true(mallinfo2().uordblks < before + 100000);
#endif
}

static void errors_are_reported(NO_STATE)
{
    static const struct {
        int64_t n, element;
        int fail_at;
        double give;
        fprev_status status;
    } cases[] = {
        {5, 0, 0, NAN, FPREV_E_NAN},     {5, 0, 7, NAN, FPREV_E_NAN},
        {5, 0, 3, 0, FPREV_E_CALL},      {0, 0, -1, 0, FPREV_E_ARGUMENT},
        {5, 1, -1, 0, FPREV_E_ARGUMENT}, {5, -1, -1, 0, FPREV_E_ARGUMENT},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        adder s = random_adder(9, k);
        s.n = (int)cases[k].n;
        s = s.n > 1 ? random_adder(s.n, k) : s;
        s.fail_at = cases[k].fail_at;
        s.give = cases[k].give;
        fprev_function f = function_of(&s);
        fprev_options o = {.element = cases[k].element};
        fprev_result r;
        assert_int_equal(fprev_reveal(&f, &o, &r), cases[k].status);
        fprev_result_free(&r);
    }
}

/* Adds the halves of a range of half-precision terms, in float. */
static float sum_of_halves(const void *a, int64_t begin, int64_t n)
{
    return n == 1 ? (float)fprev_load(FPREV_HALF, a, begin)
                  : sum_of_halves(a, begin, n / 2) + sum_of_halves(a, begin + n / 2, n - n / 2);
}

static int add_halves(void *ctx, const void *a, const void *b, void *results)
{
    (void)b;
    *(float *)results = sum_of_halves(a, 0, *(const int64_t *)ctx);
    return 0;
}

/* The largest half over the smallest is 2^39 and float has 24 bits: 2^15 units are half an ulp of
 * M, and a quarter of all meets it at once. */
static void half_sums_in_float(NO_STATE)
{
    enum { N = 200000 };
    static const struct {
        int64_t i, j, common;
    } pairs[] = {{0, N - 1, N},
                 {N / 2 - 1, N / 2, N},
                 {0, N / 2 - 1, N / 2},
                 {N / 2, N - 1, N / 2},
                 {7, N / 2 - 1, N / 2}};
    int64_t n = N;
    fprev_function f = {N, 1, FPREV_HALF, FPREV_FLOAT, .ctx = &n, .call = add_halves};
    fprev_probe p;
    assert_true(fprev_probe_start(&p, &f, 0, NULL));
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        assert_int_equal(fprev_probe_common(&p, pairs[k].i, pairs[k].j), pairs[k].common);
    fprev_probe_stop(&p);
}

/* The exact sum; NaN from 2^106 on. */
static int add_below(void *ctx, const void *a, const void *b, void *results)
{
    fprev_exact e;
    bool below = true;
    (void)b;
    fprev_exact_clear(&e);
    for (int64_t i = 0; i < *(const int64_t *)ctx; i++) {
        double x = ((const double *)a)[i];
        below &= fabs(x) < 0x1p106;
        fprev_exact_add(&e, x, 1, FPREV_NO_CUT);
    }
    *(double *)results = below ? fprev_exact_round(&e, FPREV_DOUBLE, true) : NAN;
    return 0;
}

/* Of 53, 106, 212, 424 ... binades around 1, ties among them, 212 end at 2^106. */
static void spans_of_exact_sums(NO_STATE)
{
    int64_t n = 9;
    int full;
    fprev_function f = {9, 1, FPREV_DOUBLE, FPREV_DOUBLE, .ctx = &n, .call = add_below};
    fprev_probe p;
    assert_true(fprev_probe_start(&p, &f, 0, NULL));
    assert_int_equal(fprev_exact_span(&p, 1, &full), 212);
    fprev_probe_stop(&p);
}

TESTS(short_formats_store_all_patterns, arithmetic_is_correctly_rounded, sums_are_exact,
      random_trees_come_back, no_memory_is_left_behind, half_sums_in_float, spans_of_exact_sums,
      errors_are_reported)
