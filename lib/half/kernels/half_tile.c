/* Chains of bfloat16 (half_chain.h): tiles of sums of floats in registers.
 * Instruction sets: generic avx2 avx512 avx512bf16 neon. */
#include "half/half_chain.h"

#include "core/partition.h"
#include "core/simd/simd.h"
#include "element/column.h"

#include <math.h>

enum {
    VECTORS = EXB_LANES == 4 ? 2 : EXB_CHAIN_VECTORS,
    COLS = EXB_LANES == 4 ? 6 : EXB_CHAIN_COLS,
    WIDTH = 2 * EXB_LANES, /* floats of a vector */
    ROWS = VECTORS * WIDTH
};
_Static_assert((int)ROWS <= (int)EXB_HALF_MOST_ROWS && (int)COLS <= (int)EXB_HALF_MOST_COLS,
               "room");

typedef uint32_t pairs __attribute__((vector_size(8 * EXB_LANES)));
typedef float few_floats __attribute__((vector_size(4 * EXB_LANES)));
typedef exb_floats tile[COLS][VECTORS];

/* The upper halves are floats; the lower ones, moved there. The mask stays in memory: registers are
 * for sums. */
EXB_INLINE exb_floats floats_of(pairs x, int half)
{
    static const uint32_t upper = 0xffff0000;
    const uint32_t *mask = &upper;
    __asm__("" : "+r"(mask));
    return (exb_floats)(half ? x & (pairs)v_set1_f(mask) : x << 16);
}

/* A pair of products goes at once, or half by half. */
#ifdef EXB_HAVE_PAIRS
enum { STEPS = 1 };
#define v_add_some exb_add_pairs
#else
enum { STEPS = 2 };
#define v_add_some v_add_product_f
#endif

EXB_INLINE exb_floats half_of(pairs x, int half)
{
    return STEPS == 1 ? (exb_floats)x : floats_of(x, half);
}

EXB_INLINE exb_floats load_half(const uint32_t *p, int half)
{
    pairs x;
    memcpy(&x, p, sizeof x);
    return half_of(x, half);
}

/* A pair of products for each sum. */
EXB_INLINE void add_pairs(const uint32_t *a, const uint32_t *b, tile sum)
{
#pragma GCC unroll 2
    for (int half = 0; half < STEPS; half++) {
        exb_floats x[VECTORS];
        __asm__("" : "+r"(a), "+r"(b)); /* else compilers keep what the other half loaded */
#pragma GCC unroll 8
        for (int i = 0; i < VECTORS; i++)
            x[i] = load_half(a + i * WIDTH, half);
#pragma GCC unroll 8
        for (int j = 0; j < COLS; j++) {
            exb_floats y = half_of((pairs)v_set1_f(b + j), half);
#pragma GCC unroll 8
            for (int i = 0; i < VECTORS; i++)
                sum[j][i] = v_add_some(x[i], y, sum[j][i]);
        }
    }
}

/* One run of chains, added to s. */
EXB_INLINE void add_run(int64_t n_pairs, const uint32_t *a, const uint32_t *b, double *s)
{
    tile sum;
#pragma GCC unroll 8
    for (int j = 0; j < COLS; j++)
#pragma GCC unroll 8
        for (int i = 0; i < VECTORS; i++)
            sum[j][i] = (exb_floats){0};
    for (int64_t l = 0; l < n_pairs; l++, a += ROWS, b += COLS)
        add_pairs(a, b, sum);
#pragma GCC unroll 8
    for (int j = 0; j < COLS; j++)
#pragma GCC unroll 8
        for (int i = 0; i < VECTORS; i++, s += WIDTH) {
            v_store(s, v_add(v_load(s), v_half_f(sum[j][i], 0)));
            v_store(s + EXB_LANES, v_add(v_load(s + EXB_LANES), v_half_f(sum[j][i], 1)));
        }
}

static void sum_tile(int64_t n_pairs, const uint32_t *a, const uint32_t *b, double *s)
{
    enum { RUN = EXB_HALF_RUN / 2 };
    memset(s, 0, ROWS * COLS * sizeof *s);
    for (int64_t l = 0; l < n_pairs; l += RUN)
        add_run(exb_least(n_pairs - l, RUN), a + l * ROWS, b + l * COLS, s);
}

EXB_INLINE void store_floats(float *to, exb_v x)
{
    few_floats f = __builtin_convertvector(x, few_floats);
    memcpy(to, &f, sizeof f);
}

/* Floats on both sides of a vector of elements. */
EXB_INLINE void enclose(const exb_column *q, int i, float *lo, float *hi)
{
    exb_v v = v_mul(v_set1(q->alpha), v_load(q->h + i)), size = v_abs(v);
    if (q->c) {
        exb_v c = v_mul(v_set1(q->beta), v_load(q->c + i));
        v = v_add(v, c);
        size = v_add(size, v_abs(c));
    }
    exb_v e = v_add_product(v_load(q->row_bound + i), v_set1(q->col_bound), v_set1(0x1p-149));
    e = v_add_product(size, v_set1(0x1p-22), e);
    store_floats(lo + i, v_sub(v, e));
    store_floats(hi + i, v_add(v, e));
}

static uint64_t end_column(const exb_column *q, uint16_t *r)
{
    float lo[ROWS], hi[ROWS];
    uint16_t differs[ROWS], any = 0;
    uint64_t open = 0;
    for (int i = 0; i < ROWS; i += EXB_LANES)
        enclose(q, i, lo, hi);
    for (int i = 0; i < ROWS; i++) { /* a loop that compilers vectorise */
        r[i] = exb_narrow_bf16(lo[i]);
        differs[i] = r[i] ^ exb_narrow_bf16(hi[i]);
        any |= differs[i];
    }
    for (int i = 0; any && i < ROWS; i++)
        open |= (uint64_t)(differs[i] != 0) << i;
    return open;
}

static double dot(int64_t k, const uint16_t *a, const uint16_t *b)
{
    exb_v sum[4] = {v_zero(), v_zero(), v_zero(), v_zero()};
    double rest = 0;
    int64_t l = 0;
    for (; l + 2 * WIDTH <= k; l += 2 * WIDTH) {
        pairs x, y;
        memcpy(&x, a + l, sizeof x);
        memcpy(&y, b + l, sizeof y);
#pragma GCC unroll 2
        for (int half = 0; half < 2; half++) {
            exb_floats p = floats_of(x, half) * floats_of(y, half);
            sum[2 * half] = v_add(sum[2 * half], v_half_f(p, 0));
            sum[2 * half + 1] = v_add(sum[2 * half + 1], v_half_f(p, 1));
        }
    }
    for (; l < k; l++)
        rest += (double)exb_widen_bf16(a[l]) * exb_widen_bf16(b[l]);
    return v_sum(v_add(v_add(sum[0], sum[1]), v_add(sum[2], sum[3]))) + rest;
}

/* Runs are whole vectors. */
static double norm(int64_t k, const uint16_t *a)
{
    double weight[EXB_HALF_RUN], rest = 0;
    exb_v sum = v_zero();
    int64_t l = 0;
    for (int i = 0; i < EXB_HALF_RUN; i++)
        weight[i] = EXB_HALF_RUN - i / 2 * 2;
    for (; l + EXB_HALF_RUN <= k; l += EXB_HALF_RUN)
#pragma GCC unroll 8
        for (int i = 0; i < EXB_HALF_RUN; i += EXB_LANES) {
            exb_v x = v_load_half(true, a + l + i);
            sum = v_add_product(v_mul(x, x), v_load(weight + i), sum);
        }
    for (; l < k; l++) {
        double x = exb_widen_bf16(a[l]);
        rest += x * x * weight[l % EXB_HALF_RUN];
    }
    return sqrt(v_sum(sum) + rest);
}

static void widen(exb_half_kind kind, int64_t n, const uint16_t *x, float *y)
{
    for (int64_t i = 0; i < n; i++) /* a loop that compilers vectorise, of either kind */
        y[i] = exb_widen_half(kind, x[i]);
}

const exb_half_chain EXB_PASTE2(exb_half_chain_, EXB_OWN_ISA) = {ROWS, COLS, sum_tile, end_column,
                                                                 dot,  norm, widen};
