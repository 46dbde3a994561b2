/* The constants of the residue engine, from their definitions, in words of 32 bits. */
#include "level3/residue.h"

#include <math.h>
#include <string.h>

/* Coprime numbers, greedily from 255 down. */
static const int moduli[EXB_MODULI_MAX] = {255, 254, 253, 251, 247, 241, 239, 233, 229, 227, 223,
                                           217, 211, 199, 197, 193, 191, 181, 179, 173, 167, 163,
                                           157, 151, 149, 139, 137, 131, 113, 109, 107, 103};

enum { WORDS = EXB_LIMBS_MAX };

/* x *= n */
static void multiply_words(uint32_t *x, uint32_t n)
{
    uint64_t carry = 0;
    for (int i = 0; i < WORDS; i++) {
        carry += (uint64_t)x[i] * n;
        x[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* The product of all moduli but a and b (-1: none). */
static void product_without(uint32_t *x, int n, int a, int b)
{
    memset(x, 0, WORDS * sizeof *x);
    x[0] = 1;
    for (int i = 0; i < n; i++)
        if (i != a && i != b)
            multiply_words(x, (uint32_t)moduli[i]);
}

/* Of the product of the other moduli, modulo the i-th. */
static int inverse_of_others(int n, int i)
{
    int p = moduli[i], x = 1, y = 1;
    for (int j = 0; j < n; j++)
        x = j == i ? x : x * moduli[j] % p;
    while (x * y % p != 1)
        y++;
    return y;
}

/* Four signed bytes: c, 256 c, 256^2 c, 256^3 c mod p. */
static uint32_t byte_constants(int64_t c, int p)
{
    uint32_t packed = 0;
    for (int i = 0; i < 4; i++, c = c * 256 % p)
        packed |= (uint32_t)(uint8_t)exb_symmetric(c, p) << (8 * i);
    return packed;
}

static void init_modulus(exb_modulus *m, int p, int inv, int n_digits)
{
    m->p = p;
    m->inverse = 1.0f / (float)p;
    /* The largest multiple of 256 p that is no more than 1.5 * 2^23 is within 256 * 255 of it. */
    int32_t quotient = 3 * (1 << 22) / p / 256 * 256;
    m->to_quotient = (float)(3 * (1 << 22) - quotient);
    m->base = EXB_FLOAT_ONE_UNIT + (p * quotient - (1 << 23));
    m->minus_p = -p & 255;
    for (int side = 0; side < 2; side++) {
        int64_t weight = side ? inv : 1, offset = 0;
        for (int d = 0; d < n_digits; d++) {
            m->digit[side][d] = byte_constants(weight, p);
            offset += weight * ((int64_t)1 << (EXB_DIGIT_BITS - 1)) % p;
            weight = weight * ((int64_t)1 << EXB_DIGIT_BITS) % p;
        }
        m->offset[side] = exb_symmetric(-offset, p);
    }
    m->sum_digit = byte_constants(1, p);
    m->sum_offset = exb_symmetric(-((int64_t)1 << 31), p);
}

static void to_limbs(double *limb, const uint32_t *x, int n_limbs)
{
    for (int j = 0; j < n_limbs; j++)
        limb[j] = ldexp((double)x[j], EXB_LIMB_BITS * j);
    /* The top one takes what is left: P has up to 16 bits more than the limbs of the pairs. */
    for (int j = n_limbs; j < WORDS; j++)
        limb[n_limbs - 1] += ldexp((double)x[j], EXB_LIMB_BITS * j);
}

static void init_pair(exb_residue_system *s, int t)
{
    uint32_t x[WORDS];
    int a = 2 * t, b = 2 * t + 1 < s->n_moduli ? 2 * t + 1 : -1;
    uint32_t pa = (uint32_t)moduli[a], pb = b < 0 ? 1 : (uint32_t)moduli[b];
    product_without(x, s->n_moduli, a, b);
    s->pair[t].multiply[0] = (int32_t)(pb | pa << 8);
    s->pair[t].multiply[1] = (int32_t)((pb | pa << 8) << 16);
    to_limbs(s->pair[t].limb, x, s->n_limbs);
}

double exb_residue_log2(int n_moduli)
{
    double sum = 0;
    for (int i = 0; i < n_moduli; i++)
        sum += log2(moduli[i]);
    return sum;
}

/* Digits hold |a'| < 2^(31 (n - 1) + 29); |a'| is at most sqrt(P / 2) (residue_operands_tmpl.c). */
static int digits_for(double log2_p)
{
    int n = 2;
    while (EXB_DIGIT_BITS * (n - 1) + 29 < log2_p / 2)
        n++;
    return n;
}

/* Limbs hold P / (p_x p_y), of which the last one of an odd number is the largest. */
static int limbs_for(int n_moduli, double log2_p)
{
    double most = log2_p - log2(moduli[n_moduli - 1]);
    if (n_moduli % 2 == 0)
        most -= log2(moduli[n_moduli - 2]);
    return (int)(most / EXB_LIMB_BITS) + 1;
}

void exb_residue_system_init(exb_residue_system *s, int n_moduli)
{
    uint32_t x[WORDS];
    memset(s, 0, sizeof *s);
    s->n_moduli = n_moduli;
    s->n_pairs = (n_moduli + 1) / 2;
    s->log2_p = exb_residue_log2(n_moduli);
    s->n_digits = digits_for(s->log2_p);
    s->n_limbs = limbs_for(n_moduli, s->log2_p);
    for (int i = 0; i < n_moduli; i++)
        init_modulus(&s->modulus[i], moduli[i], inverse_of_others(n_moduli, i), s->n_digits);
    for (int t = 0; t < s->n_pairs; t++)
        init_pair(s, t);
    product_without(x, n_moduli, -1, -1);
    to_limbs(s->limb, x, s->n_limbs);
    double p = 0, low = 0, error;
    for (int j = s->n_limbs - 1; j >= 0; j--) {
        p = exb_fast_two_sum(p, s->limb[j], &error);
        low += error;
    }
    for (int j = 0; j < s->n_limbs; j++)
        s->carry[j] = ldexp(0x1.8p52, EXB_LIMB_BITS * (j + 1));
    s->inverse = 1 / (p + low);
}
