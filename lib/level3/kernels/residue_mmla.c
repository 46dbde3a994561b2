/* The products of bytes of the residue engine (residue.h) by USMMLA: two vectors of eight unsigned
 * bytes by two of eight signed ones are four sums. So 16 rows and 4 columns of eight terms take 16
 * instructions and 10 loads. Sums stay in 32 bits as residue.h says.
 * Instruction sets: i8mm. */
#include "level3/kernels/residue_bytes.h"

EXB_RESIDUE_PROTOTYPES(EXB_OWN_ISA)

enum { ROW_PAIRS = EXB_STRIP / 2, COLUMN_PAIRS = 2, PAIR = 16 /* bytes: eight of two vectors */ };

/* Sums of two columns, by pairs of rows {r0 c0, r0 c1, r1 c0, r1 c1}, as two columns. */
static void store_columns(const exb_residue_area *area, const int32x4_t *sum, int8_t *out)
{
    const exb_reducer by = exb_reducer_of(area->modulus);
    exb_w first, second;
    for (int i = 0; i < EXB_PARTS; i++) {
        first.part[i] = vuzp1q_s32(sum[2 * i], sum[2 * i + 1]);
        second.part[i] = vuzp2q_s32(sum[2 * i], sum[2 * i + 1]);
    }
    exb_store_residues(&by, first, area->add, out);
    exb_store_residues(&by, second, area->add, out + area->ld);
}

static void multiply_strip(const exb_residue_area *area, const uint8_t *a, const uint8_t *b,
                           int8_t *out)
{
    int32x4_t sum[COLUMN_PAIRS][ROW_PAIRS];
#pragma GCC unroll 2
    for (int j = 0; j < COLUMN_PAIRS; j++)
#pragma GCC unroll 8
        for (int i = 0; i < ROW_PAIRS; i++)
            sum[j][i] = vdupq_n_s32(0);
    for (int64_t q = 0; q < area->kq; q += EXB_PAIR_QUADS) {
        int8x16_t y[COLUMN_PAIRS];
        __builtin_prefetch(area->a.p + 64 * q, 0, 2); /* where the next columns start */
#pragma GCC unroll 2
        for (int j = 0; j < COLUMN_PAIRS; j++)
            y[j] = vreinterpretq_s8_u8(vld1q_u8(b + 64 * q + PAIR * j));
#pragma GCC unroll 8
        for (int i = 0; i < ROW_PAIRS; i++) {
            uint8x16_t x = vld1q_u8(a + 64 * q + PAIR * i);
#pragma GCC unroll 2
            for (int j = 0; j < COLUMN_PAIRS; j++)
                sum[j][i] = vusmmlaq_s32(sum[j][i], x, y[j]);
        }
    }
    for (int j = 0; j < COLUMN_PAIRS; j++)
        store_columns(area, sum[j], out + 2 * j * area->ld);
}

void EXB_RESIDUE_NAME(multiply, EXB_OWN_ISA)(const exb_residue_area *area)
{
    for (int64_t c = 0; c < area->columns * EXB_STRIP; c += 2 * COLUMN_PAIRS)
        for (int64_t r = 0; r < area->rows; r++)
            multiply_strip(area, area->a.p + r * area->a.stride,
                           area->b.p + c / EXB_STRIP * area->b.stride + c % EXB_STRIP / 2 * PAIR,
                           area->out + c * area->ld + r * EXB_STRIP);
}
