/* The plain loops that sums are measured against: the fastest inexact ones, eight
 * independent vector sums, with the prefetch that helps them most. Compiled for each
 * instruction set. */
#include "plain.h"

#include <immintrin.h>

#if defined(__AVX512F__)
typedef __m512d vec;
#define NAME(f) plain_##f##_avx512
#define LOAD _mm512_loadu_pd
#define ADD _mm512_add_pd
#define ABS _mm512_abs_pd
#define ZERO _mm512_setzero_pd
#define FMA _mm512_fmadd_pd
#else
typedef __m256d vec;
#define NAME(f) plain_##f##_avx2
#define LOAD _mm256_loadu_pd
#define ADD _mm256_add_pd
#define ABS(x) _mm256_andnot_pd(_mm256_set1_pd(-0.0), x)
#define ZERO _mm256_setzero_pd
#define FMA _mm256_fmadd_pd
#endif

enum { LANES = sizeof(vec) / sizeof(double), UNROLL = 8, AHEAD = 512 };

static double total(vec *s)
{
    double lane[LANES], sum = 0;
    for (int half = UNROLL / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++)
            s[j] = ADD(s[j], s[j + half]);
    __builtin_memcpy(lane, s, sizeof lane);
    for (int i = 0; i < LANES; i++)
        sum += lane[i];
    return sum;
}

double NAME(sum)(int64_t n, const double *x)
{
    vec s[UNROLL];
    int64_t i = 0;
    for (int j = 0; j < UNROLL; j++)
        s[j] = ZERO();
    for (; i + UNROLL * LANES <= n; i += UNROLL * LANES)
        for (int j = 0; j < UNROLL; j++) {
            _mm_prefetch((const char *)(x + i + j * LANES + AHEAD), _MM_HINT_T0);
            s[j] = ADD(s[j], LOAD(x + i + j * LANES));
        }
    for (; i + LANES <= n; i += LANES)
        s[0] = ADD(s[0], LOAD(x + i));
    double sum = total(s);
    for (; i < n; i++)
        sum += x[i];
    return sum;
}

double NAME(asum)(int64_t n, const double *x)
{
    vec s[UNROLL];
    int64_t i = 0;
    for (int j = 0; j < UNROLL; j++)
        s[j] = ZERO();
    for (; i + UNROLL * LANES <= n; i += UNROLL * LANES)
        for (int j = 0; j < UNROLL; j++) {
            _mm_prefetch((const char *)(x + i + j * LANES + AHEAD), _MM_HINT_T0);
            s[j] = ADD(s[j], ABS(LOAD(x + i + j * LANES)));
        }
    for (; i + LANES <= n; i += LANES)
        s[0] = ADD(s[0], ABS(LOAD(x + i)));
    double sum = total(s);
    for (; i < n; i++)
        sum += __builtin_fabs(x[i]);
    return sum;
}

double NAME(sumsq)(int64_t n, const double *x)
{
    vec s[UNROLL];
    int64_t i = 0;
    for (int j = 0; j < UNROLL; j++)
        s[j] = ZERO();
    for (; i + UNROLL * LANES <= n; i += UNROLL * LANES)
        for (int j = 0; j < UNROLL; j++) {
            _mm_prefetch((const char *)(x + i + j * LANES + AHEAD), _MM_HINT_T0);
            vec v = LOAD(x + i + j * LANES);
            s[j] = FMA(v, v, s[j]);
        }
    for (; i + LANES <= n; i += LANES)
        s[0] = FMA(LOAD(x + i), LOAD(x + i), s[0]);
    double sum = total(s);
    for (; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}
