/* The products of bytes of the residue engine (residue.h) by scalar products of fours.
 * Instruction sets: avx512vnni avxvnni avxvnni-emulated sse2. */
#include "level3/kernels/residue_bytes.h"

EXB_RESIDUE_PROTOTYPES(EXB_OWN_ISA)

enum { STRIPS = EXB_DOT_STRIPS, COLUMNS = EXB_DOT_COLUMNS }; /* that are multiplied at once */

EXB_INLINE void multiply_strips(int n_strips, const exb_residue_area *area, const uint8_t *a,
                                const uint8_t *b, int8_t *out)
{
    const int64_t stride = area->a.stride;
    exb_w sum[COLUMNS][STRIPS];
#pragma GCC unroll 8
    for (int j = 0; j < COLUMNS; j++)
#pragma GCC unroll 3
        for (int i = 0; i < n_strips; i++)
            sum[j][i] = w_zero();
    for (int64_t q = 0; q < area->kq; q++) {
        exb_w x[STRIPS];
        __builtin_prefetch(area->a.p + 64 * q, 0, 2); /* where the next columns start */
#pragma GCC unroll 3
        for (int i = 0; i < n_strips; i++)
            x[i] = w_load(a + i * stride + 64 * q);
#pragma GCC unroll 8
        for (int j = 0; j < COLUMNS; j++) {
            int32_t four;
            memcpy(&four, b + 64 * q + 4 * j, sizeof four);
            exb_w y = w_set1(four);
#pragma GCC unroll 3
            for (int i = 0; i < n_strips; i++)
                sum[j][i] = w_dot(sum[j][i], x[i], y);
        }
    }
    const exb_reducer by = exb_reducer_of(area->modulus);
#pragma GCC unroll 8
    for (int j = 0; j < COLUMNS; j++)
#pragma GCC unroll 3
        for (int i = 0; i < n_strips; i++)
            exb_store_residues(&by, sum[j][i], area->add, out + j * area->ld + EXB_STRIP * i);
}

void EXB_RESIDUE_NAME(multiply, EXB_OWN_ISA)(const exb_residue_area *area)
{
    for (int64_t c = 0; c < area->columns * EXB_STRIP; c += COLUMNS)
        for (int64_t r = 0; r < area->rows; r += STRIPS) {
            const uint8_t *a = area->a.p + r * area->a.stride;
            const uint8_t *b = area->b.p + c / EXB_STRIP * area->b.stride + c % EXB_STRIP * 4;
            int8_t *out = area->out + c * area->ld + r * EXB_STRIP;
            if (STRIPS > 2 && area->rows - r > 2)
                multiply_strips(STRIPS, area, a, b, out);
            else if (STRIPS > 1 && area->rows - r > 1)
                multiply_strips(2, area, a, b, out);
            else
                multiply_strips(1, area, a, b, out);
        }
}
