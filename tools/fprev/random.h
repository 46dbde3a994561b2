/* Random numbers: splitmix64. */
#pragma once

#include <stdint.h>

static inline uint64_t fprev_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* 0 ... n - 1 */
static inline int64_t fprev_random_below(uint64_t *state, int64_t n)
{
    return (int64_t)(fprev_random(state) % (uint64_t)n);
}

/* [0, 1), a multiple of 2^-53 */
static inline double fprev_random_unit(uint64_t *state)
{
    return (double)(fprev_random(state) >> 11) * 0x1p-53;
}
