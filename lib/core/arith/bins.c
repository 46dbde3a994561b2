#include "core/arith/bins.h"

void exb_bins_init(exb_bins *b, exb_bins_base base)
{
    memset(b->bin, 0, sizeof b->bin);
    b->base = base;
    b->n_free = base == EXB_BINS_SUM ? INT64_MAX : (int64_t)1 << 13;
}

/* Eight bits are final where the next bin begins, and the rest is a carry of less than 2^119;
 * twelve bins are a deposit of 96. */
static exb_i128 deposit_bins(const exb_bins *b, int first, int end, exb_i128 carry,
                             exb_superacc *acc)
{
    exb_u128 bits = 0;
    for (int i = first; i < end; i++) {
        carry += (exb_i128)b->bin[i];
        bits |= (exb_u128)(uint8_t)carry << 8 * (i - first);
        carry >>= 8;
    }
    if (bits)
        exb_superacc_deposit(acc, false, bits, (int)b->base + 8 * first);
    return carry;
}

/* 128 bits are two deposits of at most 106. */
static void deposit_carry(exb_superacc *acc, exb_i128 carry, int exp2)
{
    bool negative = carry < 0;
    exb_u128 magnitude = negative ? -(exb_u128)carry : (exb_u128)carry;
    exb_superacc_deposit(acc, negative, (uint64_t)magnitude, exp2);
    if (magnitude >> 64)
        exb_superacc_deposit(acc, negative, magnitude >> 64, exp2 + 64);
}

void exb_bins_drain(const exb_bins *b, exb_superacc *acc)
{
    int first = 0, end = EXB_N_BINS;
    while (first < end && !b->bin[first])
        first++;
    while (end > first && !b->bin[end - 1])
        end--;
    exb_i128 carry = 0;
    for (int i = first; i < end; i += 12)
        carry = deposit_bins(b, i, i + 12 < end ? i + 12 : end, carry, acc);
    if (carry)
        deposit_carry(acc, carry, (int)b->base + 8 * end);
}
