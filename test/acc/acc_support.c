#include "acc_support.h"

#include "testing.h"

#include <gmp.h>

enum { PAYLOAD_BYTES = 536 };

uint32_t crc32_bitwise(const unsigned char *bytes, size_t n_bytes)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < 8 * n_bytes; i++) {
        uint32_t bit = (bytes[i / 8] >> i % 8 & 1u) ^ (crc & 1u);
        crc = crc >> 1 ^ (bit ? 0xedb88320u : 0);
    }
    return ~crc;
}

static void little_endian(unsigned char *bytes, int n_bytes, uint32_t value)
{
    for (int i = 0; i < n_bytes; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
}

/* The sum in units of 2^-2148, modulo 2^4288. */
static void write_payload(const mpfr_t sum, unsigned char *payload)
{
    mpz_t units, modulus;
    MPFR(scaled, mpfr_get_prec(sum));
    mpz_inits(units, modulus, NULL);
    mpfr_mul_2si(scaled, sum, 2148, MPFR_RNDN);
    assert_int_equal(mpfr_get_z(units, scaled, MPFR_RNDN), 0);
    mpz_setbit(modulus, 8 * PAYLOAD_BYTES);
    mpz_mod(units, units, modulus);
    memset(payload, 0, PAYLOAD_BYTES);
    mpz_export(payload, NULL, -1, 1, -1, 0, units);
    mpz_clears(units, modulus, NULL);
}

void expected_bytes(const oracle *o, unsigned char bytes[EXBLAS_ACC_BYTES])
{
    bool is_nan = o->has_nan || (o->has_pos_inf && o->has_neg_inf);
    uint32_t kind = is_nan ? 3 : o->has_pos_inf ? 1 : o->has_neg_inf ? 2 : 0;
    memcpy(bytes, "ExAc", 4);
    bytes[4] = 1;
    bytes[5] = (unsigned char)kind;
    bytes[6] = bytes[7] = 0;
    memset(bytes + 16, 0, PAYLOAD_BYTES);
    if (kind == 0)
        write_payload(o->sum, bytes + 16);
    little_endian(bytes + 8, 4, crc32_bitwise(bytes + 16, PAYLOAD_BYTES) ^ kind);
    little_endian(bytes + 12, 4, PAYLOAD_BYTES);
}

void assert_sum_at(const exblas_acc *a, const oracle *o, const char *file, int line)
{
    unsigned char got[EXBLAS_ACC_BYTES], wanted[EXBLAS_ACC_BYTES];
    expected_bytes(o, wanted);
    exblas_acc_export(a, got);
    for (int i = 0; i < EXBLAS_ACC_BYTES; i++)
        if (got[i] != wanted[i]) {
            print_error("%s:%d: byte %d is %02x, not %02x\n", file, line, i, got[i], wanted[i]);
            _fail(file, line);
        }
    double d = exblas_acc_to_double(a), s = (double)exblas_acc_to_float(a);
    assert_same_bits_at(d, oracle_round(o, FORMAT_D), "the double", file, line);
    assert_same_bits_at(s, oracle_round(o, FORMAT_S), "the float", file, line);
}

void assert_same_sum_at(const exblas_acc *a, const exblas_acc *b, const char *file, int line)
{
    unsigned char bytes_a[EXBLAS_ACC_BYTES], bytes_b[EXBLAS_ACC_BYTES];
    exblas_acc_export(a, bytes_a);
    exblas_acc_export(b, bytes_b);
    _assert_memory_equal(bytes_a, bytes_b, EXBLAS_ACC_BYTES, file, line);
}
