/* Canonical bytes of accumulators (exblas/accumulator.h). */
#include "acc/acc_bytes.h"

#include "acc/acc_view.h"

enum {
    VERSION = 1,
    PAYLOAD_AT = 16,
    PAYLOAD_BYTES = EXB_ACC_PAYLOAD_BYTES,
    /* Bits of the window below the unit, which are 0. */
    N_BELOW = EXB_ACC_MIN_EXP2 - (EXB_GRID_EXP2 + EXB_WORD_BITS * EXB_PRODUCT_FIRST)
};
typedef enum { KIND_FINITE, KIND_POS_INF, KIND_NEG_INF, KIND_NAN, N_KINDS } kind;

_Static_assert(N_BELOW >= 0 &&
                   (EXBLAS_ACC_WORDS - 1) * EXB_WORD_BITS + 64 - N_BELOW == 8 * PAYLOAD_BYTES,
               "the payload is the window from the unit to the last bit of the top word");

/* Polynomial 0x04c11db7, bits reflected, ones before and after. Four bits at a time. */
uint32_t exb_crc32(uint32_t crc, const unsigned char *bytes, size_t n_bytes)
{
    uint32_t step[16];
    for (uint32_t i = 0; i < 16; i++) {
        step[i] = i;
        for (int bit = 0; bit < 4; bit++)
            step[i] = step[i] >> 1 ^ (0xedb88320u & (0 - (step[i] & 1)));
    }
    crc = ~crc;
    for (size_t i = 0; i < n_bytes; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ step[crc & 15];
        crc = crc >> 4 ^ step[crc & 15];
    }
    return ~crc;
}

static kind kind_of(const exb_superacc *a)
{
    if (exb_superacc_is_nan(a))
        return KIND_NAN;
    return !a->special ? KIND_FINITE : a->special & EXB_HAS_POS_INF ? KIND_POS_INF : KIND_NEG_INF;
}

/* The normalised words as a two's complement number. */
static void write_words(const int64_t *word, unsigned char *payload)
{
    exb_u128 buffer = (exb_u128)word[0] >> N_BELOW;
    int n_bits = EXB_WORD_BITS - N_BELOW, next = 1;
    for (int i = 0; i < PAYLOAD_BYTES; i++) {
        if (n_bits < 8 && next < EXBLAS_ACC_WORDS) {
            buffer |= (exb_u128)(uint64_t)word[next++] << n_bits;
            n_bits += EXB_WORD_BITS; /* the top word's last eleven bits stay in the buffer */
        }
        payload[i] = (unsigned char)buffer;
        buffer >>= 8;
        n_bits -= 8;
    }
}

/* Bits begin ... begin + n_bits - 1 of the payload, n_bits <= 64; those below bit 0 are 0. */
static uint64_t read_bits(const unsigned char *payload, int begin, int n_bits)
{
    uint64_t bits = 0;
    for (int i = begin < 0 ? 0 : begin; i < begin + n_bits; i++)
        bits |= (uint64_t)(payload[i / 8] >> i % 8 & 1) << (i - begin);
    return bits;
}

static void read_words(const unsigned char *payload, int64_t *word)
{
    for (int i = 0; i < EXBLAS_ACC_WORDS; i++) {
        int n_bits = i < EXBLAS_ACC_WORDS - 1 ? EXB_WORD_BITS : 64;
        word[i] = (int64_t)read_bits(payload, EXB_WORD_BITS * i - N_BELOW, n_bits);
    }
}

void exb_acc_write_payload(const exblas_acc *a, unsigned char payload[EXB_ACC_PAYLOAD_BYTES])
{
    exblas_acc copy = *a;
    exblas_acc_normalize(&copy);
    write_words(copy.word, payload);
}

void exb_acc_read_payload(exblas_acc *a, const unsigned char payload[EXB_ACC_PAYLOAD_BYTES])
{
    exblas_acc_init(a);
    read_words(payload, a->word);
}

static void write_header(unsigned char *bytes, kind k)
{
    memcpy(bytes, "ExAc", 4);
    exb_put_number(bytes + 4, VERSION | (uint32_t)k << 8, 4);
    exb_put_number(bytes + 8, exb_crc32(0, bytes + PAYLOAD_AT, PAYLOAD_BYTES) ^ (uint32_t)k, 4);
    exb_put_number(bytes + 12, PAYLOAD_BYTES, 4);
}

void exblas_acc_export(const exblas_acc *a, unsigned char bytes[EXBLAS_ACC_BYTES])
{
    exblas_acc copy = *a;
    exb_superacc view = exb_acc_view(&copy);
    kind k = kind_of(&view);
    exb_superacc_normalize(&view);
    if (k == KIND_FINITE)
        write_words(copy.word, bytes + PAYLOAD_AT);
    else
        memset(bytes + PAYLOAD_AT, 0, PAYLOAD_BYTES);
    write_header(bytes, k);
}

exblas_status exblas_acc_import(exblas_acc *a, const unsigned char *bytes, size_t n_bytes)
{
    static const unsigned special[] = {0, EXB_HAS_POS_INF, EXB_HAS_NEG_INF, EXB_HAS_NAN};
    exblas_acc read;
    unsigned char canonical[EXBLAS_ACC_BYTES];
    if (n_bytes != EXBLAS_ACC_BYTES || bytes[5] >= N_KINDS)
        return EXBLAS_EFORMAT;
    exb_acc_read_payload(&read, bytes + PAYLOAD_AT);
    read.special = special[bytes[5]];
    /* There is one form for each sum: what would not be written like this is refused. */
    exblas_acc_export(&read, canonical);
    if (memcmp(bytes, canonical, EXBLAS_ACC_BYTES) != 0)
        return EXBLAS_EFORMAT;
    *a = read;
    if (a->special)
        memset(a->word, 0, sizeof a->word);
    return EXBLAS_OK;
}
