/* libFuzzer: importing accumulators. Bytes are accepted exactly if they are what the header file
 * describes, checked here by other means; then the value is the payload's, by big integers, and
 * exporting gives the bytes back. Half of the inputs get a right checksum first. */
#include "fuzz_input.h"

#include <exblas/exblas.h>
#include <gmp.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { HEADER = 16, PAYLOAD = EXBLAS_ACC_BYTES - HEADER };

/* CRC-32 by its definition: the remainder of a polynomial division, one bit at a time. */
static uint32_t crc_of(const unsigned char *bytes, int n)
{
    uint32_t remainder = 0xffffffffu;
    for (int i = 0; i < 8 * n; i++) {
        uint32_t bit = bytes[i / 8] >> i % 8 & 1u;
        remainder = remainder >> 1 ^ ((remainder ^ bit) & 1 ? 0xedb88320u : 0);
    }
    return ~remainder;
}

static uint32_t little(const unsigned char *bytes, int n)
{
    uint32_t value = 0;
    for (int i = n - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static bool is_valid(const unsigned char *b, size_t n)
{
    if (n != EXBLAS_ACC_BYTES || memcmp(b, "ExAc\1", 5) != 0 || b[5] > 3 || little(b + 6, 2) != 0)
        return false;
    if (little(b + 12, 4) != PAYLOAD || little(b + 8, 4) != (crc_of(b + HEADER, PAYLOAD) ^ b[5]))
        return false;
    for (int i = HEADER; b[5] && i < EXBLAS_ACC_BYTES; i++)
        if (b[i])
            return false;
    return true;
}

static void set_header(unsigned char *b, unsigned kind)
{
    memcpy(b, "ExAc\1", 5);
    b[5] = (unsigned char)kind;
    if (kind)
        memset(b + HEADER, 0, PAYLOAD);
    uint32_t crc = crc_of(b + HEADER, PAYLOAD) ^ kind, length = PAYLOAD;
    b[6] = b[7] = 0;
    for (int i = 0; i < 4; i++) {
        b[8 + i] = (unsigned char)(crc >> 8 * i);
        b[12 + i] = (unsigned char)(length >> 8 * i);
    }
}

/* The input as bytes to import: as it is, or a payload of a few runs of equal bytes. */
static size_t take_bytes(fuzz_input *in, unsigned char *b)
{
    unsigned shape = fuzz_next(in);
    if (shape < 64) {
        size_t n = in->n < EXBLAS_ACC_BYTES + 1 ? in->n : EXBLAS_ACC_BYTES + 1;
        memcpy(b, in->p, n);
        return n;
    }
    memset(b, 0, EXBLAS_ACC_BYTES);
    for (int at = HEADER; at < EXBLAS_ACC_BYTES && in->n;) {
        unsigned run = fuzz_next(in), byte = fuzz_next(in);
        for (unsigned i = 0; i <= run && at < EXBLAS_ACC_BYTES; i++)
            b[at++] = (unsigned char)byte;
    }
    set_header(b, shape < 80 ? shape % 4 : 0);
    if (shape >= 240) /* one wrong bit somewhere */
        b[fuzz_next(in) * 2 % EXBLAS_ACC_BYTES] ^= (unsigned char)(1u << shape % 8);
    return EXBLAS_ACC_BYTES;
}

/* The payload, two's complement with the least significant byte first. */
static void take_payload(mpz_t m, const unsigned char *payload)
{
    mpz_import(m, PAYLOAD, -1, 1, 0, 0, payload);
    if (payload[PAYLOAD - 1] & 0x80) {
        mpz_t top;
        mpz_init(top);
        mpz_setbit(top, 8 * PAYLOAD);
        mpz_sub(m, m, top);
        mpz_clear(top);
    }
}

/* RN(m 2^-2148) for n_bits places and a least exponent; exact halves go to even. */
static double rounded(const mpz_t m, int n_bits, int min_exp2, double largest)
{
    mpz_t kept, half;
    int last = (int)mpz_sizeinbase(m, 2) - 2148 - n_bits; /* exponent of the last kept place */
    last = last < min_exp2 ? min_exp2 : last;
    mp_bitcnt_t n_drop = (mp_bitcnt_t)(last + 2148); /* at least 2148 - 1074 */
    mpz_inits(kept, half, (mpz_ptr)0);
    mpz_abs(half, m);
    mpz_tdiv_q_2exp(kept, half, n_drop);
    bool is_up = mpz_tstbit(half, n_drop - 1);
    bool is_tie = is_up && mpz_scan1(half, 0) == n_drop - 1;
    if (is_up && (!is_tie || mpz_odd_p(kept)))
        mpz_add_ui(kept, kept, 1);
    double x = ldexp(mpz_get_d(kept), last);
    mpz_clears(kept, half, (mpz_ptr)0);
    x = x > largest ? (double)INFINITY : x;
    return mpz_sgn(m) < 0 ? -x : x;
}

static void check_value(const exblas_acc *a, const unsigned char *b)
{
    static const double special[] = {0, (double)INFINITY, -(double)INFINITY, (double)NAN};
    mpz_t m;
    mpz_init(m);
    take_payload(m, b + HEADER);
    fuzz_compare("to double", exblas_acc_to_double(a),
                 b[5] ? special[b[5]] : rounded(m, 53, -1074, 0x1.fffffffffffffp1023));
    fuzz_compare("to float", (double)exblas_acc_to_float(a),
                 b[5] ? special[b[5]] : rounded(m, 24, -149, 0x1.fffffep127));
    int sign = b[5] ? (int[]){1, -1, 2}[b[5] - 1] : mpz_sgn(m);
    fuzz_require(exblas_acc_sign(a) == sign, "sign");
    mpz_clear(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char b[EXBLAS_ACC_BYTES + 1] = {0}, again[EXBLAS_ACC_BYTES];
    exblas_acc a, before;
    fuzz_input in = {data, size};
    size_t n = take_bytes(&in, b);
    exblas_acc_init(&a);
    exblas_acc_add(&a, 0x1.8p100);
    before = a;
    exblas_status status = exblas_acc_import(&a, b, n);
    if (!is_valid(b, n)) {
        fuzz_require(status == EXBLAS_EFORMAT, "damaged bytes were taken");
        fuzz_require(memcmp(&a, &before, sizeof a) == 0, "a refused import wrote");
        return 0;
    }
    fuzz_require(status == EXBLAS_OK, "whole bytes were refused");
    check_value(&a, b);
    exblas_acc_export(&a, again);
    fuzz_require(memcmp(again, b, sizeof again) == 0, "other bytes come back");
    return 0;
}
