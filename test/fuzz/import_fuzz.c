/* libFuzzer: importing accumulators. Bytes are accepted exactly if they are what the header file
 * describes, checked here by other means; then the value is the payload's, by big integers, and
 * exporting gives the bytes back. Half of the inputs get a right checksum first. */
#include "fuzz_input.h"
#include "integer_oracle.h"

#include <exblas/exblas.h>
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

static void check_value(const exblas_acc *a, const unsigned char *b)
{
    integer_oracle value;
    integer_oracle_init(&value);
    integer_oracle_add_bytes(&value, b + HEADER, PAYLOAD, -2148);
    value.has_pos_inf = b[5] == 1;
    value.has_neg_inf = b[5] == 2;
    value.has_nan = b[5] == 3;
    fuzz_compare("to double", exblas_acc_to_double(a), integer_oracle_round(&value, false));
    fuzz_compare("to float", (double)exblas_acc_to_float(a), integer_oracle_round(&value, true));
    int sign = b[5] ? (int[]){1, -1, 2}[b[5] - 1] : mpz_sgn(value.sum);
    fuzz_require(exblas_acc_sign(a) == sign, "sign");
    integer_oracle_clear(&value);
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
