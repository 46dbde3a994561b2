/* Fixed-point numbers against GMP integers: every conversion, addition and comparison of
 * numbers at all the limits of several formats, and random ones; rounding against MPFR. */
#include "hostile_env.h"
#include "oracle.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/fixed.h>
#include <gmp.h>
#include <math.h>
#include <pthread.h>

enum { MOST_WORDS = 20 };

static const struct {
    int n, k;
} formats[] = {{1, 0}, {1, 1}, {2, 1}, {2, 0}, {2, 2}, {3, 2}, {6, 3}, {20, 17}, {18, 0}, {19, 19}};

#define N_FORMATS (sizeof formats / sizeof *formats)

/* W as a signed integer. */
static void to_integer(mpz_t z, const uint64_t *w, int n)
{
    mpz_import(z, (size_t)n, -1, sizeof *w, 0, 0, w);
    if (w[n - 1] >> 63) {
        mpz_t modulus;
        mpz_init(modulus);
        mpz_ui_pow_ui(modulus, 2, 64ul * (unsigned long)n);
        mpz_sub(z, z, modulus);
        mpz_clear(modulus);
    }
}

static bool fits(const mpz_t z, int n)
{
    mpz_t limit;
    mpz_init(limit);
    mpz_ui_pow_ui(limit, 2, 64ul * (unsigned long)n - 1);
    bool below = mpz_cmp(z, limit) < 0;
    mpz_neg(limit, limit);
    bool result = below && mpz_cmp(z, limit) >= 0;
    mpz_clear(limit);
    return result;
}

/* x * 2^(64 k) truncated toward zero; false if something was cut off. */
static bool scaled(mpz_t z, double x, int k)
{
    MPFR(v, 53);
    mpfr_set_d(v, x, MPFR_RNDN);
    mpfr_mul_2si(v, v, 64 * k, MPFR_RNDN);
    bool is_whole = mpfr_integer_p(v);
    mpfr_get_z(z, v, MPFR_RNDZ);
    return is_whole;
}

static void check_from_double(int n, int k, double x)
{
    uint64_t w[MOST_WORDS + 1];
    mpz_t expected, got;
    mpz_inits(expected, got, NULL);
    for (int i = 0; i <= n; i++)
        w[i] = 0x5555;
    bool is_whole = scaled(expected, x, k);
    exblas_status status = exblas_hp_from_double(w, n, k, x);
    assert_int_equal(w[n], 0x5555);
    if (!fits(expected, n)) {
        assert_int_equal(status, EXBLAS_ERANGE);
        for (int i = 0; i < n; i++)
            assert_int_equal(w[i], 0x5555);
    } else {
        to_integer(got, w, n);
        if (mpz_cmp(got, expected) != 0)
            fail_msg("from_double(%d, %d, %a)", n, k, x);
        assert_int_equal(status, is_whole ? EXBLAS_OK : EXBLAS_EUNDERFLOW);
    }
    mpz_clears(expected, got, NULL);
}

static void check_to_double(int n, int k, const uint64_t *w)
{
    double x = 77, expected;
    mpz_t z;
    mpz_init(z);
    MPFR(v, 64 * MOST_WORDS + 64);
    to_integer(z, w, n);
    mpfr_set_z_2exp(v, z, -64 * k, MPFR_RNDN);
    expected = oracle_round_exact(v, false, FORMAT_D);
    exblas_status status = exblas_hp_to_double(w, n, k, &x);
    if (isinf(expected)) {
        assert_int_equal(status, EXBLAS_ERANGE);
        assert_same_bits(x, 77);
    } else {
        assert_int_equal(status, EXBLAS_OK);
        assert_same_bits(x, expected);
    }
    mpz_clear(z);
}

/* All exponents, both signs, significands of few and many bits. */
static void every_exponent(NO_STATE)
{
    static const uint64_t fractions[] = {
        0, 1, 0x8000000000000, 0xfffffffffffff, 0x123456789abcd, 0x10000000};
    for (size_t f = 0; f < N_FORMATS; f++)
        for (uint64_t field = 0; field < 2047; field++)
            for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++)
                for (uint64_t sign = 0; sign < 2; sign++)
                    check_from_double(formats[f].n, formats[f].k,
                                      from_bits(sign << 63 | field << 52 | fractions[i]));
}

static void not_finite(NO_STATE)
{
    static const double x[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};
    uint64_t w = 5;
    double d = 6;
    for (int i = 0; i < 3; i++)
        assert_int_equal(exblas_hp_from_double(&w, 1, 0, x[i]), EXBLAS_ERANGE);
    assert_int_equal(exblas_hp_from_double(&w, 0, 0, 1), EXBLAS_EINVAL);
    assert_int_equal(exblas_hp_from_double(&w, 1, 2, 1), EXBLAS_EINVAL);
    assert_int_equal(exblas_hp_from_double(&w, 1, -1, 1), EXBLAS_EINVAL);
    assert_int_equal(exblas_hp_to_double(&w, 0, 0, &d), EXBLAS_EINVAL);
    assert_int_equal(w, 5);
    assert_same_bits(d, 6);
}

/* Words at the limits: all ones, zeros, the sign, single bits and their neighbours. */
static const uint64_t edge_words[] = {0,
                                      1,
                                      2,
                                      UINT64_MAX,
                                      UINT64_MAX - 1,
                                      (uint64_t)1 << 63,
                                      ((uint64_t)1 << 63) - 1,
                                      ((uint64_t)1 << 63) + 1,
                                      0x00000000ffffffffu,
                                      0xffffffff00000000u,
                                      0x7ffffffffffffc00u,
                                      0x8000000000000400u};

enum { N_EDGES = sizeof edge_words / sizeof *edge_words };

static void random_words(test_random *r, int n, uint64_t *w)
{
    for (int i = 0; i < n; i++)
        w[i] = random_chance(r, 2) ? edge_words[random_between(r, 0, N_EDGES - 1)] : random_bits(r);
}

static void check_pair(const uint64_t *a, const uint64_t *b, int n)
{
    uint64_t sum[MOST_WORDS], shared[MOST_WORDS];
    mpz_t x, y, z;
    mpz_inits(x, y, z, NULL);
    to_integer(x, a, n);
    to_integer(y, b, n);
    int order = mpz_cmp(x, y);
    assert_int_equal(exblas_hp_compare(a, b, n), (order > 0) - (order < 0));
    memcpy(sum, a, (size_t)n * sizeof *a);
    memcpy(shared, a, (size_t)n * sizeof *a);
    exblas_status status = exblas_hp_add(sum, b, n);
    assert_int_equal(exblas_hp_atomic_add(shared, b, n), status);
    assert_memory_equal(shared, sum, (size_t)n * sizeof *sum);
    mpz_add(x, x, y);
    assert_int_equal(status, fits(x, n) ? EXBLAS_OK : EXBLAS_ERANGE);
    to_integer(z, sum, n);
    mpz_sub(z, z, x); /* 0 or the modulus */
    assert_true(mpz_divisible_2exp_p(z, 64ul * (unsigned long)n));
    assert_true(status == EXBLAS_ERANGE || mpz_sgn(z) == 0);
    mpz_clears(x, y, z, NULL);
}

/* v may be w: twice every number. */
static void check_doubling(const uint64_t *a, int n)
{
    uint64_t twice[MOST_WORDS], expected[MOST_WORDS];
    memcpy(twice, a, (size_t)n * sizeof *a);
    memcpy(expected, a, (size_t)n * sizeof *a);
    exblas_status status = exblas_hp_add(expected, a, n);
    assert_int_equal(exblas_hp_add(twice, twice, n), status);
    assert_memory_equal(twice, expected, (size_t)n * sizeof *a);
}

/* All pairs of numbers of one and two edge words. */
static void every_pair_of_edges(NO_STATE)
{
    for (int i = 0; i < N_EDGES; i++)
        for (int j = 0; j < N_EDGES; j++) {
            check_pair(&edge_words[i], &edge_words[j], 1);
            check_doubling((uint64_t[]){edge_words[i], edge_words[j]}, 2);
            for (int k = 0; k < N_EDGES; k++)
                for (int l = 0; l < N_EDGES; l++)
                    check_pair((uint64_t[]){edge_words[i], edge_words[j]},
                               (uint64_t[]){edge_words[k], edge_words[l]}, 2);
        }
}

static void every_edge_to_double(NO_STATE)
{
    for (int i = 0; i < N_EDGES; i++)
        for (int j = 0; j < N_EDGES; j++)
            for (int l = 0; l < N_EDGES; l++)
                for (int k = 0; k <= 3; k++)
                    check_to_double(3, k,
                                    (uint64_t[]){edge_words[i], edge_words[j], edge_words[l]});
}

static void random_numbers(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "fixed");
    print_message("# seed: TEST_SEED=%llu\n", (unsigned long long)test_seed());
    for (int round = 0; round < 20000; round++) {
        uint64_t a[MOST_WORDS] = {0}, b[MOST_WORDS] = {0};
        int n = formats[(size_t)round % N_FORMATS].n, k = formats[(size_t)round % N_FORMATS].k;
        random_words(&r, n, a);
        random_words(&r, n, b);
        for (int i = n - 1; i >= 0 && random_chance(&r, 2); i--)
            a[i] = a[n - 1] >> 63 ? UINT64_MAX : 0; /* leading signs */
        check_pair(a, b, n);
        check_to_double(n, k, a);
    }
}

/* Numbers a little off a midpoint of doubles, by any bit below it. */
static void ties(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "fixed ties");
    for (int round = 0; round < 20000; round++) {
        uint64_t w[MOST_WORDS] = {0}, off[MOST_WORDS] = {0};
        int n = formats[(size_t)round % N_FORMATS].n, k = formats[(size_t)round % N_FORMATS].k;
        int bit = (int)random_between(&r, 0, 64 * n - 56);
        uint64_t m =
            (random_bits(&r) >> 10 | (uint64_t)1 << 53) | 1; /* 54 bits, the last one set */
        w[bit / 64] = m << bit % 64;
        if (bit % 64 && bit / 64 + 1 < n)
            w[bit / 64 + 1] = m >> (64 - bit % 64);
        if (random_chance(&r, 2) && bit > 0) {
            int lower = (int)random_between(&r, 0, bit - 1);
            off[lower / 64] = (uint64_t)1 << lower % 64;
            exblas_hp_add(w, off, n);
        }
        if (random_chance(&r, 2)) { /* -W = ~W + 1 */
            for (int i = 0; i < n; i++)
                w[i] = ~w[i];
            memset(off, 0, sizeof off);
            off[0] = 1;
            exblas_hp_add(w, off, n);
        }
        check_to_double(n, k, w);
    }
}

/* The caller's environment neither matters nor is changed, flags included. */
static void environments(NO_STATE)
{
    uint64_t w[3], v[3] = {1, 2, 3};
    double x;
    for (int e = 0; e < hostile_env_count(); e++) {
        hostile_env_enter(e);
        exblas_status first = exblas_hp_from_double(w, 3, 2, -0x1.fffffffffffffp-77);
        exblas_status second = exblas_hp_add(w, v, 3);
        exblas_status third = exblas_hp_to_double(w, 3, 2, &x);
        assert_true(hostile_env_leave());
        assert_true(first == EXBLAS_EUNDERFLOW && second == EXBLAS_OK && third == EXBLAS_OK);
        check_to_double(3, 2, w);
        assert_same_bits(x, 3);
    }
}

/* Many threads, one number. */
enum { N_THREADS = 4, N_TERMS = 20000, N = 3, K = 2 };

typedef struct {
    uint64_t *shared;
    const double *x;
    int n_refused;
} adder;

static void *add_all(void *p)
{
    adder *a = p;
    for (int i = 0; i < N_TERMS; i++) {
        uint64_t v[N] = {0};
        exblas_hp_from_double(v, N, K, a->x[i]);
        a->n_refused += exblas_hp_atomic_add(a->shared, v, N) != EXBLAS_OK;
    }
    return NULL;
}

static int add_in_threads(uint64_t *shared, const double *x)
{
    pthread_t thread[N_THREADS];
    adder a[N_THREADS];
    int n_refused = 0;
    for (int i = 0; i < N_THREADS; i++) {
        a[i] = (adder){shared, x + i * N_TERMS, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, add_all, &a[i]), 0);
    }
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(thread[i], NULL);
        n_refused += a[i].n_refused;
    }
    return n_refused;
}

static void threads_add_at_once(NO_STATE)
{
    static double x[N_THREADS * N_TERMS];
    test_random r = test_random_start(test_seed(), "fixed threads");
    uint64_t shared[N] = {0}, serial[N] = {0}, v[N] = {0};
    for (int i = 0; i < N_THREADS * N_TERMS; i++) {
        x[i] = random_number(&r, FORMAT_D, (int)random_between(&r, -70, 20));
        exblas_hp_from_double(v, N, K, x[i]);
        assert_int_equal(exblas_hp_add(serial, v, N), EXBLAS_OK);
    }
    assert_int_equal(add_in_threads(shared, x), 0);
    assert_memory_equal(shared, serial, sizeof serial);
    for (int i = 0; i < N_THREADS * N_TERMS; i++)
        x[i] = 0x1p50;
    assert_true(add_in_threads(shared, x) > 0); /* 80000 * 2^50 > 2^63 */
}

TESTS(every_exponent, not_finite, every_pair_of_edges, every_edge_to_double, random_numbers, ties,
      environments, threads_add_at_once)
