/* The plain loops and the peak that routines are measured against: the fastest inexact ones, eight
 * independent vectors, with the prefetch that helps them most. Compiled for each instruction set,
 * and allowed to fuse products and sums. */
#include "comparators.h"

#include <string.h>

/* As many lanes as a register has, that all sums stay in registers. */
#if defined(__AVX512F__)
enum { LANES = 8 };
#elif defined(__AVX__)
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif
enum { UNROLL = 8, STEP = LANES * UNROLL, AHEAD = 512 };

typedef double vec __attribute__((vector_size(8 * LANES)));
typedef int64_t ivec __attribute__((vector_size(8 * LANES)));

#define GLUE2(a, b) a##b
#define GLUE(a, b) GLUE2(a, b)

static inline vec load(const double *x)
{
    vec v;
    __builtin_prefetch(x + AHEAD);
    memcpy(&v, x, sizeof v);
    return v;
}

static inline double total(const vec *s)
{
    double sum = 0;
    vec v = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    for (int l = 0; l < LANES; l++)
        sum += v[l];
    return sum;
}

static inline vec magnitude(vec a)
{
    return (vec)((ivec)a & INT64_MAX);
}

/* A loop over `n` elements: `term` of the vectors at i, `last` of the element. */
#define SUM_OF(term, last)                                                                         \
    vec s[UNROLL] = {{0}};                                                                         \
    int64_t i = 0;                                                                                 \
    for (; i + STEP <= n; i += STEP)                                                               \
        for (int j = 0; j < UNROLL; j++) {                                                         \
            int64_t at = i + j * LANES;                                                            \
            s[j] += term;                                                                          \
        }                                                                                          \
    for (; i + LANES <= n; i += LANES) {                                                           \
        int64_t at = i;                                                                            \
        s[0] += term;                                                                              \
    }                                                                                              \
    double sum = total(s);                                                                         \
    for (; i < n; i++)                                                                             \
        sum += last;                                                                               \
    return sum;

static double add(int64_t n, const double *x)
{
    SUM_OF(load(x + at), x[i])
}

static double add_magnitudes(int64_t n, const double *x)
{
    SUM_OF(magnitude(load(x + at)), __builtin_fabs(x[i]))
}

static double add_squares(int64_t n, const double *x)
{
    SUM_OF(load(x + at) * load(x + at), x[i] * x[i])
}

static double add_products(int64_t n, const double *x, const double *y)
{
    SUM_OF(load(x + at) * load(y + at), x[i] * y[i])
}

/* Independent chains, as many as hide the latency and fit the registers. */
#if defined(__AVX512F__)
enum { CHAINS = 12 };
#else
enum { CHAINS = 8 };
#endif

static double multiply_add(int64_t n)
{
    vec c[CHAINS], factor = (vec){0} + 0.5, sum = {0};
    double result = 0;
    for (int j = 0; j < CHAINS; j++)
        c[j] = (vec){0} + (j + 2);
    for (int64_t i = 0; i < n; i += CHAINS * LANES)
        for (int j = 0; j < CHAINS; j++)
            c[j] = c[j] * factor + factor;
    for (int j = 0; j < CHAINS; j++)
        sum += c[j];
    for (int l = 0; l < LANES; l++)
        result += sum[l];
    return result;
}

const plain_loops GLUE(plain_, EXB_ISA) = {add, add_magnitudes, add_squares, add_products,
                                           multiply_add};
