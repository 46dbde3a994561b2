#include "data.h"

#include <math.h>
#include <string.h>

static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double data_uniform(uint64_t *state)
{
    return (double)(next(state) >> 11) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    return sqrt(-2 * log(1 - data_uniform(state))) * cos(6.283185307179586 * data_uniform(state));
}

static void uniform(int64_t n, double *x, const double *unused, uint64_t seed)
{
    (void)unused;
    for (int64_t i = 0; i < n; i++)
        x[i] = 2 * data_uniform(&seed) - 1;
}

/* Of so many bits, and either sign. */
static void integers(int64_t n, double *x, const double *n_bits, uint64_t seed)
{
    for (int64_t i = 0; i < n; i++) {
        double m = floor(ldexp(data_uniform(&seed), (int)*n_bits));
        x[i] = next(&seed) & 1 ? m : -m;
    }
}

static void gauss(int64_t n, double *x, const double *unused, uint64_t seed)
{
    (void)unused;
    for (int64_t i = 0; i < n; i++)
        x[i] = normal(&seed);
}

/* (u - 1/2) exp(phi g) */
static void lognormal(int64_t n, double *x, const double *phi, uint64_t seed)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (data_uniform(&seed) - 0.5) * exp(*phi * normal(&seed));
}

/* Signs at random, magnitudes log-uniform over 10^-d/2 ... 10^d/2. */
static void loguniform(int64_t n, double *x, const double *d, uint64_t seed)
{
    for (int64_t i = 0; i < n; i++) {
        double m = pow(10, *d * (data_uniform(&seed) - 0.5));
        x[i] = next(&seed) & 1 ? m : -m;
    }
}

/* Every exponent of normal and subnormal numbers below 2^1000. */
static void full_range(int64_t n, double *x, const double *unused, uint64_t seed)
{
    (void)unused;
    for (int64_t i = 0; i < n; i++) {
        uint64_t b = next(&seed);
        uint64_t exponent = (b >> 52 & 0x7ff) % 2023;
        b = (b & 0x800fffffffffffffu) | exponent << 52;
        memcpy(&x[i], &b, sizeof b);
    }
}

/* The full range, and the sum is 0: the second half is the first, negated, in
 * another order. */
static void cancelling(int64_t n, double *x, const double *unused, uint64_t seed)
{
    full_range(n / 2, x, unused, seed);
    for (int64_t i = 0; i < n / 2; i++)
        x[n / 2 + i] = -x[n / 2 - 1 - i];
    if (n & 1)
        x[n - 1] = 0;
}

/* Sums of condition about 2^60: large numbers in cancelling pairs plus small ones. */
static void ill_conditioned(int64_t n, double *x, const double *unused, uint64_t seed)
{
    (void)unused;
    for (int64_t i = 0; i + 1 < n; i += 2) {
        x[i] = ldexp(2 * data_uniform(&seed) - 1, 60);
        x[i + 1] = -x[i];
    }
    if (n > 2)
        x[n - 1] = data_uniform(&seed);
}

static const struct {
    const char *name;
    void (*fill)(int64_t n, double *x, const double *parameter, uint64_t seed);
    double parameter;
} kinds[] = {
    {"uniform", uniform, 0},
    {"normal", gauss, 0},
    {"exp(2 normal)", lognormal, 2},
    {"10^60", loguniform, 60},
    {"full range", full_range, 0},
    {"cancelling", cancelling, 0},
    {"condition 2^60", ill_conditioned, 0},
    {"integers of 11 bits", integers, 11},
};

void data_fill(const char *kind, int64_t n, double *x, uint64_t seed, int narrow)
{
    int k = 0;
    while (strcmp(kinds[k].name, kind) != 0)
        k++;
    kinds[k].fill(n, x, &kinds[k].parameter, seed);
    for (int64_t i = 0; i < n && narrow; i++) {
        float f = (float)x[i];
        memcpy((char *)x + (size_t)i * sizeof f, &f, sizeof f);
    }
}

void data_cut(int bf16, int64_t n, double *x, void *bits)
{
    for (int64_t i = 0; i < n; i++) {
        char *at = (char *)x + (size_t)i * sizeof(float);
        uint32_t b;
        memcpy(&b, at, sizeof b);
        b &= bf16 ? 0xffff0000 : (b & 0x7fffffff) < 0x38800000 ? 0x80000000 : 0xffffe000;
        uint32_t magnitude = (b & 0x7fffffff) >> (bf16 ? 16 : 13), rebias = bf16 ? 0 : 112 << 10;
        uint16_t half =
            (uint16_t)(b >> 16 & 0x8000) | (uint16_t)(magnitude ? magnitude - rebias : 0);
        memcpy(at, &b, sizeof b);
        memcpy((char *)bits + (size_t)i * sizeof half, &half, sizeof half);
    }
}
