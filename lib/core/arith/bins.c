#include "core/arith/bins.h"

void exb_bins_init(exb_bins *b, exb_bins_base base)
{
    memset(b->bin, 0, sizeof b->bin);
    b->base = base;
    b->n_free = base == EXB_BINS_SUM ? INT64_MAX : (int64_t)1 << 14;
}

/* 128 bits are two deposits of at most 106. */
static void deposit_bin(exb_superacc *acc, exb_u128 bin, int exp2)
{
    bool negative = bin >> 127;
    exb_u128 magnitude = negative ? -bin : bin;
    exb_superacc_deposit(acc, negative, (uint64_t)magnitude, exp2);
    if (magnitude >> 64)
        exb_superacc_deposit(acc, negative, magnitude >> 64, exp2 + 64);
}

void exb_bins_drain(exb_bins *b, exb_superacc *acc)
{
    for (int i = 0; i < EXB_N_BINS; i++)
        if (b->bin[i])
            deposit_bin(acc, b->bin[i], (int)b->base + 8 * i);
    exb_bins_init(b, b->base);
}
