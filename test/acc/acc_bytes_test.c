/* Canonical bytes: there and back, and everything else refused. */
#include "acc_support.h"
#include "adversarial.h"
#include "hostile_env.h"
#include "testing.h"

#include <float.h>
#include <math.h>

static const double samples[] = {
    0,        1,        -1,        0x1p-1074, -0x1p-1074,          DBL_MAX,
    -DBL_MAX, HUGE_VAL, -HUGE_VAL, NAN,       0x1.23456789abcdep-7};
enum { N_SAMPLES = sizeof samples / sizeof *samples };

static void export_of(double x, unsigned char bytes[EXBLAS_ACC_BYTES])
{
    unsigned char room[EXBLAS_ACC_BYTES + 1] = {[EXBLAS_ACC_BYTES] = 0xa5};
    exblas_acc a;
    exblas_acc_init(&a);
    exblas_acc_add(&a, x);
    exblas_acc_export(&a, room);
    assert_int_equal(room[EXBLAS_ACC_BYTES], 0xa5);
    memcpy(bytes, room, EXBLAS_ACC_BYTES);
}

static void check_value_of_crc(NO_STATE)
{
    assert_int_equal(crc32_bitwise((const unsigned char *)"123456789", 9), 0xcbf43926u);
}

static void there_and_back(NO_STATE)
{
    unsigned char bytes[EXBLAS_ACC_BYTES], again[EXBLAS_ACC_BYTES];
    double x[50];
    test_random r = test_random_start(test_seed(), "bytes");
    for (size_t i = 0; i < N_SAMPLES + terms_kinds(); i++) {
        exblas_acc a, b;
        exblas_acc_init(&a);
        if (i < N_SAMPLES) {
            exblas_acc_add(&a, samples[i]);
        } else {
            terms_fill(i - N_SAMPLES, &r, FORMAT_D, 50, x);
            exblas_acc_add_vector(&a, 50, x, 1);
            exblas_acc_add_dot(&a, 50, x, 1, x, 1);
        }
        exblas_acc_export(&a, bytes);
        memset(&b, 0x55, sizeof b);
        assert_int_equal(exblas_acc_import(&b, bytes, sizeof bytes), EXBLAS_OK);
        exblas_acc_export(&b, again);
        assert_memory_equal(bytes, again, sizeof bytes);
        /* What came in goes on as before. */
        exblas_acc_add(&a, -7.5);
        exblas_acc_add(&b, -7.5);
        assert_same_sum(&a, &b);
    }
}

/* The payload is two's complement in units of 2^-2148: of n 2^e, the bits of n from bit e + 2148
 * up, and of a negative number ones above them; also while carries are still in the words. */
static void known_payloads(NO_STATE)
{
    for (int e = -1074; e <= 1000; e += 1)
        for (int64_t n = -1500; n <= 1500; n += 375) {
            unsigned char bytes[EXBLAS_ACC_BYTES], expected[536] = {0};
            exblas_acc a;
            exblas_acc_init(&a);
            for (int64_t i = 0; i < (n < 0 ? -n : n); i += 375)
                exblas_acc_add(&a, ldexp(n < 0 ? -375 : 375, e));
            for (int bit = e + 2148; bit < 8 * 536; bit++) {
                int place = bit - e - 2148;
                int64_t b = n >> (place < 63 ? place : 63) & 1;
                expected[bit / 8] |= (unsigned char)(b << bit % 8);
            }
            exblas_acc_export(&a, bytes);
            assert_memory_equal(bytes + 16, expected, sizeof expected);
        }
}

/* The two ends of the range. */
static void extreme_payloads(NO_STATE)
{
    for (int negative = 0; negative <= 1; negative++) {
        unsigned char bytes[EXBLAS_ACC_BYTES], again[EXBLAS_ACC_BYTES];
        exblas_acc a, b;
        export_of(0, bytes);
        memset(bytes + 16, negative ? 0 : 0xff, 536);
        bytes[EXBLAS_ACC_BYTES - 1] = negative ? 0x80 : 0x7f;
        uint32_t crc = crc32_bitwise(bytes + 16, 536);
        for (int i = 0; i < 4; i++)
            bytes[8 + i] = (unsigned char)(crc >> 8 * i);
        assert_int_equal(exblas_acc_import(&a, bytes, sizeof bytes), EXBLAS_OK);
        exblas_acc_export(&a, again);
        assert_memory_equal(bytes, again, sizeof bytes);
        assert_same_bits(exblas_acc_to_double(&a), negative ? -HUGE_VAL : HUGE_VAL);
        assert_int_equal(exblas_acc_sign(&a), negative ? -1 : 1);
        /* Past the end sums wrap; nothing else happens. */
        b = a;
        exblas_acc_merge(&a, &b);
        exblas_acc_add_product(&a, DBL_MAX, negative ? -DBL_MAX : DBL_MAX);
        exblas_acc_negate(&a);
        exblas_acc_export(&a, again);
        assert_int_equal(exblas_acc_import(&b, again, sizeof again), EXBLAS_OK);
    }
}

/* Long runs of zeros and ones, of any length: the bytes that the oracle makes of them, rounded. */
static void payloads_of_runs(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "payloads");
    gmp_randstate_t runs;
    mpz_t units;
    gmp_randinit_default(runs);
    gmp_randseed_ui(runs, random_bits(&r));
    mpz_init(units);
    for (int k = 0; k < 4000; k++) {
        unsigned char bytes[EXBLAS_ACC_BYTES];
        exblas_acc a;
        ORACLE(o);
        mpz_rrandomb(units, runs, (mp_bitcnt_t)random_between(&r, 1, 8 * 536 - 1));
        assert_int_equal(mpfr_set_z_2exp(o.sum, units, -2148, MPFR_RNDN), 0);
        mpfr_setsign(o.sum, o.sum, k % 2, MPFR_RNDN);
        expected_bytes(&o, bytes);
        assert_int_equal(exblas_acc_import(&a, bytes, sizeof bytes), EXBLAS_OK);
        assert_sum(&a, &o);
        assert_int_equal(exblas_acc_sign(&a), k % 2 ? -1 : 1);
    }
    mpz_clear(units);
    gmp_randclear(runs);
}

/* Every byte wrong in every bit, of sums of every kind: refused, and nothing changed. */
static void damaged(NO_STATE)
{
    unsigned char bytes[EXBLAS_ACC_BYTES];
    exblas_acc a, before;
    exblas_acc_init(&a);
    exblas_acc_add(&a, 42);
    before = a;
    for (int s = 0; s < N_SAMPLES; s++) {
        export_of(samples[s], bytes);
        for (int i = 0; i < EXBLAS_ACC_BYTES; i++)
            for (int bit = 0; bit < 9; bit++) {
                unsigned char mask = (unsigned char)(bit < 8 ? 1 << bit : 0xff);
                bytes[i] ^= mask;
                assert_int_equal(exblas_acc_import(&a, bytes, sizeof bytes), EXBLAS_EFORMAT);
                bytes[i] ^= mask;
            }
        for (size_t n = 0; n < EXBLAS_ACC_BYTES; n += 29)
            assert_int_equal(exblas_acc_import(&a, bytes, n), EXBLAS_EFORMAT);
        assert_int_equal(exblas_acc_import(&a, bytes, sizeof bytes + 1), EXBLAS_EFORMAT);
    }
    assert_memory_equal(&a, &before, sizeof a);
}

/* Infinite, but with a payload whose CRC is right. */
static void contradictory(NO_STATE)
{
    unsigned char bytes[EXBLAS_ACC_BYTES];
    exblas_acc a;
    export_of(1, bytes);
    for (unsigned kind = 1; kind < 256; kind++) {
        bytes[5] = (unsigned char)kind;
        bytes[8] ^= (unsigned char)kind;
        assert_int_equal(exblas_acc_import(&a, bytes, sizeof bytes), EXBLAS_EFORMAT);
        bytes[8] ^= (unsigned char)kind;
    }
}

/* Every function in every environment, flags included, leaves it alone and gives the
 * bytes of the default one. */
static void use_all(const double *x, const float *f, unsigned char *bytes, double *results)
{
    exblas_acc a, b;
    exblas_acc_init(&a);
    exblas_acc_add(&a, x[0]);
    exblas_acc_sub(&a, x[1]);
    exblas_acc_add_product(&a, x[2], x[3]);
    exblas_acc_sub_product(&a, x[4], x[5]);
    exblas_acc_add_atomic(&a, x[6]);
    exblas_acc_add_vector(&a, 20, x, 1);
    exblas_acc_add_dot(&a, 20, x, 1, x, -1);
    exblas_acc_add_magnitudes(&a, 20, x, 1);
    exblas_acc_add_vector_f(&a, 20, f, 1);
    exblas_acc_add_dot_f(&a, 20, f, 1, f, -1);
    exblas_acc_add_magnitudes_f(&a, 20, f, 2);
    b = a;
    exblas_acc_scale(&b, -0x1p-10);
    exblas_acc_merge(&a, &b);
    exblas_acc_export(&a, bytes);
    results[0] = exblas_acc_to_double(&a);
    results[1] = exblas_acc_root_to_double(&a);
    results[2] = exblas_acc_affine_to_double(&a, x[0], x[1], x[2]);
    results[3] = exblas_acc_compare(&a, &b) + exblas_acc_sign(&a);
}

static void hostile_environments(NO_STATE)
{
    unsigned char wanted[EXBLAS_ACC_BYTES], bytes[EXBLAS_ACC_BYTES];
    double x[40], results[4], first[4];
    float f[40];
    test_random r = test_random_start(test_seed(), "environments");
    for (size_t kind = 0; kind < terms_kinds(); kind++) {
        terms_fill(kind, &r, FORMAT_S, 40, x);
        for (int i = 0; i < 40; i++)
            f[i] = (float)x[i];
        terms_fill(kind, &r, FORMAT_D, 40, x);
        if (kind == 0)
            x[6] = HUGE_VAL, x[2] = from_bits(0x7ff0000000000001u); /* signalling */
        use_all(x, f, wanted, first);
        for (int e = 0; e < hostile_env_count(); e++) {
            memset(bytes, 0, sizeof bytes);
            hostile_env_enter(e);
            use_all(x, f, bytes, results);
            assert_true(hostile_env_leave());
            assert_memory_equal(bytes, wanted, sizeof bytes);
            assert_memory_equal(results, first, sizeof first);
        }
    }
}

TESTS(check_value_of_crc, there_and_back, known_payloads, extreme_payloads, payloads_of_runs,
      damaged, contradictory, hostile_environments)
