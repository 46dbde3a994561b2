/* Products of 16-bit numbers and their conversions against integers and exact sums.
 *
 * All products: RN(a b) is a function of the significands, the sum of the exponents and the sign,
 * which only passes through. So all a of one sign, times b of all significands and of exponents
 * with which those of a reach every sum, are all 2^32 products. A subnormal number is a normal one
 * of a smaller exponent, and so its product one of normal numbers or one that rounds to 0. The sign
 * of b alternates. Unless TEST_ROUNDS (random products) asks for many, b of half has every seventh
 * significand, and the instruction set is the best. */
#include "core/kernels.h"
#include "core/partition.h"
#include "oracle.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/cblas.h>
#include <exblas/exblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/mman.h>
#endif

/* --- formats ------------------------------------------------------------------ */

typedef struct {
    int n_bits, min_exp2;
    uint32_t infinity, nan, sign;
    number_format number;
} format;

static const format bf16 = {8, -133, 0x7f80, 0x7fc0, 0x8000, FORMAT_B};
static const format f16 = {11, -24, 0x7c00, 0x7e00, 0x8000, FORMAT_H};
static const format f32 = {24, -149, 0x7f800000, 0x7fc00000, 0x80000000, FORMAT_S};

static bool is_finite(format f, uint32_t x)
{
    return (x & ~f.sign) < f.infinity;
}

/* |x| = the result * 2^*exp2. */
static uint32_t split(format f, uint32_t x, int *exp2)
{
    uint32_t magnitude = x & ~f.sign, field = magnitude >> (f.n_bits - 1);
    *exp2 = f.min_exp2 + (field > 0 ? (int)field - 1 : 0);
    return magnitude - (field > 1 ? (field - 1) << (f.n_bits - 1) : 0);
}

/* RN(s 2^exp2) by counting: the multiples of the last bit below it, and what is left. */
static uint32_t round_product(format f, uint64_t s, int exp2)
{
    if (s == 0)
        return 0;
    int n = 64 - __builtin_clzll(s), last = exp2 + n - f.n_bits;
    last = last < f.min_exp2 ? f.min_exp2 : last;
    int drop = last - exp2;
    if (drop <= 0)
        s <<= -drop;
    uint64_t q = drop <= 0 ? s : drop > 63 ? 0 : s >> drop;
    uint64_t rest = drop <= 0 ? 0 : drop > 63 ? s : s & ((UINT64_C(1) << drop) - 1);
    uint64_t half = drop <= 0 ? 1 : drop > 63 ? UINT64_MAX : UINT64_C(1) << (drop - 1);
    q += rest > half || (rest == half && q & 1);
    uint64_t r = ((uint64_t)(last - f.min_exp2) << (f.n_bits - 1)) + q;
    return r < f.infinity ? (uint32_t)r : f.infinity;
}

/* What a call computes: `of` and `to` are the formats of the operands and of the result. */
typedef struct {
    format of, to;
    int64_t k;
    uint32_t alpha, beta;
} terms;

static double value_of(format f, uint32_t x)
{
    const uint16_t half = (uint16_t)x;
    return load_number(f.number, f.number == FORMAT_S ? (const void *)&x : &half, 0);
}

static uint32_t expected(const terms *q, const uint16_t *a, int64_t sa, const uint16_t *b,
                         int64_t sb, uint32_t c)
{
    oracle sum;
    bool reads_a = q->alpha & ~q->to.sign;
    if ((!reads_a || q->k == 0) && q->beta == round_product(q->to, 1, 0))
        return c; /* left alone */
    oracle_init(&sum);
    for (int64_t l = 0; reads_a && l < q->k; l++)
        oracle_add_product(&sum, value_of(q->of, a[l * sa]), value_of(q->of, b[l * sb]));
    double r = oracle_scaled(&sum, value_of(q->to, q->alpha), value_of(q->to, q->beta),
                             value_of(q->to, c), q->to.number);
    oracle_clear(&sum);
    uint16_t half;
    store_number(q->to.number, q->to.number == FORMAT_S ? (void *)&c : &half, 0, r);
    return q->to.number == FORMAT_S ? c : half;
}

/* --- routines ------------------------------------------------------------------ */

/* bfloat16 or half, to floats or to the same. */
typedef struct {
    bool is_bf16, is_half;
} kind;

static const kind kinds[] = {{true, false}, {false, false}, {true, true}, {false, true}};

enum { N_KINDS = 4 };

static format format_of(kind t)
{
    return t.is_bf16 ? bf16 : f16;
}

static format result_of(kind t)
{
    return t.is_half ? format_of(t) : f32;
}

static float as_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A call of gemm; C as bits of its format, in arrays of its type. */
typedef struct {
    kind type;
    int layout, ta, tb;
    int32_t m, n, k, lda, ldb, ldc;
    uint32_t alpha, beta;
    const uint16_t *a, *b;
    void *c;
} gemm;

static void run_gemm(const gemm *g)
{
#define ARGUMENTS(alpha, beta)                                                                     \
    g->layout, g->ta, g->tb, g->m, g->n, g->k, alpha, g->a, g->lda, g->b, g->ldb, beta, g->c, g->ldc
    if (g->type.is_half)
        (g->type.is_bf16 ? excblas_bgemm
                         : excblas_hgemm)(ARGUMENTS((uint16_t)g->alpha, (uint16_t)g->beta));
    else
        (g->type.is_bf16 ? excblas_sbgemm
                         : excblas_shgemm)(ARGUMENTS(as_float(g->alpha), as_float(g->beta)));
#undef ARGUMENTS
}

static uint32_t element(const gemm *g, const void *c, int64_t at)
{
    return g->type.is_half ? ((const uint16_t *)c)[at] : ((const uint32_t *)c)[at];
}

static int64_t place(int layout, int64_t ld, int64_t i, int64_t j)
{
    return layout == 101 ? i * ld + j : j * ld + i;
}

/* Element (i, j) of C from the old values. */
static uint32_t expected_element(const gemm *g, const void *old, int64_t i, int64_t j)
{
    terms q = {format_of(g->type), result_of(g->type), g->k, g->alpha, g->beta};
    if (g->k == 0) /* RN(beta c), whatever alpha is */
        q.alpha = round_product(q.to, 1, 0);
    bool a_down = (g->ta == 111) == (g->layout == 102),
         b_down = (g->tb == 111) == (g->layout == 102);
    const uint16_t *a = g->a + i * (a_down ? 1 : g->lda), *b = g->b + j * (b_down ? g->ldb : 1);
    return expected(&q, a, a_down ? g->lda : 1, b, b_down ? 1 : g->ldb,
                    element(g, old, place(g->layout, g->ldc, i, j)));
}

static void check_gemm(const gemm *g, const void *old, int one_in)
{
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = i % one_in; j < g->n; j += one_in) {
            uint32_t x = element(g, g->c, place(g->layout, g->ldc, i, j));
            uint32_t e = expected_element(g, old, i, j);
            if (x != e)
                fail_msg("%s%sgemm %d %d %d, %d %d %d, alpha %x beta %x, (%d, %d): %x, not %x",
                         g->type.is_half ? "" : "s", g->type.is_bf16 ? "b" : "h", g->layout, g->ta,
                         g->tb, g->m, g->n, g->k, g->alpha, g->beta, (int)i, (int)j, x, e);
        }
}

/* --- data -------------------------------------------------------------------------- */

enum { BITS, NEAR_ONE, INTEGERS, SPECIAL, MIDPOINTS, N_FILLS };

static uint32_t random_element(test_random *r, format f, int fill)
{
    uint32_t bits = (uint32_t)random_bits(r), one = (f.infinity >> 1) & -(1u << (f.n_bits - 1));
    uint32_t fraction = bits & ((1u << (f.n_bits - 1)) - 1), x = bits & (2 * f.sign - 1);
    if (fill == NEAR_ONE)
        return (one - (uint32_t)random_between(r, 0, 4) * (1u << (f.n_bits - 1)) + fraction) |
               (bits & f.sign);
    if (fill == INTEGERS)
        return round_product(f, (uint64_t)random_between(r, 0, 9), 0) | (bits & f.sign);
    if (fill == SPECIAL && random_chance(r, 12))
        return random_chance(r, 3) ? f.nan : f.infinity | (bits & f.sign);
    return is_finite(f, x) ? x : fraction;
}

/* Rows of A and columns of B whose product is a midpoint of two numbers of 16 bits, and a tiny
 * number more or less, or nothing; with pairs that cancel: y / 2 + y' / 2 + t s + v w - v w + 1 z +
 * 1 z'. */
static void fill_midpoints(test_random *r, format f, int64_t m, int64_t n, int64_t k, uint16_t *a,
                           int64_t avs, int64_t als, uint16_t *b, int64_t bvs, int64_t bls)
{
    uint16_t half = (uint16_t)round_product(f, 1, -1), one = (uint16_t)round_product(f, 1, 0);
    int64_t shift = random_between(r, 0, k - 1);
#define AT(l) ((l) + shift) % k
    for (int64_t i = 0; i < m; i++) {
        uint16_t *row = a + i * avs, sign = random_chance(r, 2) ? 0x8000 : 0;
        uint32_t y = (uint32_t)random_between(r, 0, f.infinity - 2);
        bool overflows = random_chance(r, 10);
        for (int64_t l = 0; l < k; l++)
            row[l * als] = 0;
        row[AT(0) * als] = overflows ? 0 : (uint16_t)y | sign;
        row[AT(1) * als] = overflows ? 0 : (uint16_t)(y + 1) | sign;
        row[AT(2) * als] = (uint16_t)random_between(r, 1, 3);
        row[AT(3) * als] = row[AT(4) * als] = (uint16_t)random_element(r, f, NEAR_ONE);
        row[AT(5) * als] = overflows ? (uint16_t)(f.infinity - 1) | sign : 0;
        row[AT(6) * als] = overflows ? (uint16_t)(f.infinity - (1u << (f.n_bits - 1)) -
                                                  ((uint32_t)f.n_bits << (f.n_bits - 1))) |
                                           sign
                                     : 0;
    }
    for (int64_t j = 0; j < n; j++) {
        uint16_t *column = b + j * bvs, w = (uint16_t)random_element(r, f, NEAR_ONE);
        for (int64_t l = 0; l < k; l++)
            column[l * bls] = (uint16_t)random_element(r, f, NEAR_ONE);
        column[AT(0) * bls] = column[AT(1) * bls] = half;
        column[AT(2) * bls] = (uint16_t)(j % 3 == 0 ? 0 : j % 3 == 1 ? 1 : 0x8001);
        column[AT(3) * bls] = w;
        column[AT(4) * bls] = w ^ 0x8000;
        column[AT(5) * bls] = column[AT(6) * bls] = one;
    }
#undef AT
}

static uint32_t random_factor(test_random *r, format f, int fill)
{
    uint32_t one = round_product(f, 1, 0);
    switch (random_between(r, 0, fill == MIDPOINTS ? 4 : 6)) {
    case 0:
        return 0;
    case 1:
        return one | f.sign;
    case 2:
        return random_element(r, f, fill == MIDPOINTS ? INTEGERS : fill);
    default:
        return one;
    }
}

static const char *best_isa;

/* --- tests ------------------------------------------------------------------------- */

static int rounds(int n)
{
    const char *text = getenv("TEST_ROUNDS");
    return text ? atoi(text) : test_is_emulated() ? n / 10 : n;
}

static void all_products_of(int t, int step)
{
    enum { ROWS = 1 << 15, COLUMNS = 16 };
    static uint16_t a[ROWS], b[COLUMNS], c[ROWS * COLUMNS];
    static const int fields[][5] = {{0, 1, 64, 127, 254}, {0, 1, 15, 30, -1}};
    format f = t == 0 ? bf16 : f16;
    int n_significands = 1 << (f.n_bits - 1);
    int64_t n_wrong = 0;
    for (int i = 0; i < ROWS; i++)
        a[i] = (uint16_t)i;
    for (int e = 0; e < 5 && fields[t][e] >= 0; e++)
        for (int s = 0; s < n_significands; s += COLUMNS * step) {
            for (int j = 0; j < COLUMNS; j++)
                b[j] = (uint16_t)(((fields[t][e] << (f.n_bits - 1)) |
                                   (s + j * step) % n_significands) |
                                  (j % 2) << 15);
            gemm g = {{t == 0, true},         102, 111, 111, ROWS, COLUMNS, 1, ROWS, 1, ROWS,
                      round_product(f, 1, 0), 0,   a,   b,   c};
            run_gemm(&g);
            for (int64_t j = 0; j < COLUMNS; j++)
                for (uint32_t i = 0; i < f.infinity; i++) {
                    int ea, eb;
                    uint64_t p = (uint64_t)split(f, i, &ea) * split(f, b[j], &eb);
                    uint32_t x = round_product(f, p, ea + eb) | (p ? b[j] & f.sign : 0);
                    n_wrong += c[j * ROWS + i] != x;
                }
        }
    assert_int_equal(n_wrong, 0);
}

static void all_products(NO_STATE)
{
    bool all = rounds(1) > 1;
    for (int isa = 0; isa < (all ? exb_isa_count() : 1); isa++) {
        exb_isa_select(all ? exb_isa_name(isa) : best_isa);
        all_products_of(0, all || !test_is_emulated() ? 1 : 7);
        all_products_of(1, all ? 1 : 7);
    }
    exb_isa_select(best_isa);
}

static void fill_gemm(test_random *r, int fill, gemm *g, uint16_t *a, uint16_t *b, size_t most)
{
    format f = format_of(g->type);
    bool a_down = (g->ta == 111) == (g->layout == 102),
         b_down = (g->tb == 111) == (g->layout == 102);
    g->lda = (a_down ? g->m : g->k) + 1;
    g->ldb = (b_down ? g->k : g->n) + 2;
    g->ldc = (g->layout == 101 ? g->n : g->m) + 3;
    g->a = a;
    g->b = b;
    for (size_t i = 0; i < most; i++) {
        a[i] = (uint16_t)random_element(r, f, fill == MIDPOINTS ? NEAR_ONE : fill);
        b[i] = (uint16_t)random_element(r, f, fill == MIDPOINTS ? NEAR_ONE : fill);
    }
    if (fill == MIDPOINTS && g->k >= 7)
        fill_midpoints(r, f, g->m, g->n, g->k, a, a_down ? 1 : g->lda, a_down ? g->lda : 1, b,
                       b_down ? g->ldb : 1, b_down ? 1 : g->ldb);
}

static void fill_c(test_random *r, int fill, const gemm *g, void *c, void *old, size_t most)
{
    for (size_t i = 0; i < most; i++) {
        uint32_t x = random_element(r, result_of(g->type), fill == MIDPOINTS ? INTEGERS : fill);
        if (fill == INTEGERS && random_chance(r, 2)) /* next to what may be a midpoint */
            x = 1 | (x & result_of(g->type).sign);
        if (g->type.is_half)
            ((uint16_t *)c)[i] = (uint16_t)x;
        else
            ((uint32_t *)c)[i] = x;
    }
    memcpy(old, c, most * (g->type.is_half ? sizeof(uint16_t) : sizeof(uint32_t)));
}

enum { MOST = 72 * 80 };

static void random_products(NO_STATE)
{
    static uint16_t a[MOST], b[MOST];
    static uint32_t c[MOST], old[MOST];
    test_random r = test_random_start(test_seed(), "products of 16-bit numbers");
    for (int round = 0; round < rounds(3000); round++) {
        static const size_t memory[] = {0, 0, 1, 1 << 14, 1 << 17};
        gemm g = {.type = kinds[round % N_KINDS], .c = c};
        int fill = round / N_KINDS % N_FILLS, most = round % 7 == 0 ? 64 : 12;
        g.layout = (int)random_between(&r, 101, 102);
        g.ta = (int)random_between(&r, 111, 113);
        g.tb = (int)random_between(&r, 111, 113);
        g.m = (int32_t)random_between(&r, 1, most);
        g.n = (int32_t)random_between(&r, 1, most);
        g.k = (int32_t)random_between(&r, fill == MIDPOINTS ? 7 : 0, 40);
        g.alpha = random_factor(&r, result_of(g.type), fill);
        g.beta = random_chance(&r, 2) ? 0 : random_factor(&r, result_of(g.type), fill);
        fill_gemm(&r, fill, &g, a, b, MOST);
        fill_c(&r, fill, &g, c, old, MOST);
        exblas_set_workspace(memory[random_between(&r, 0, 4)]);
        exb_isa_select(exb_isa_name((int)random_between(&r, 0, exb_isa_count() - 1)));
        run_gemm(&g);
        check_gemm(&g, old, 1);
        for (int64_t at = 0; at < MOST; at++) {
            int64_t line = at / g.ldc, along = at % g.ldc;
            if (along >= (g.layout == 101 ? g.n : g.m) || line >= (g.layout == 101 ? g.m : g.n))
                assert_int_equal(element(&g, c, at), element(&g, old, at));
        }
    }
    exblas_set_workspace(0);
    exb_isa_select(best_isa);
}

/* Products that go through engines, in blocks, in little memory, and by several threads. */
static void large_products(NO_STATE)
{
    enum { N = 300, MEMORY = N * (N + 4) };
    static uint16_t a[MEMORY], b[MEMORY];
    static uint32_t c[MEMORY], old[MEMORY];
    test_random r = test_random_start(test_seed(), "large products of 16-bit numbers");
    exb_partition_set_grain(1);
    for (int round = 0; round < (test_is_emulated() ? 8 : 40); round++) {
        static const int fills[] = {NEAR_ONE, INTEGERS, MIDPOINTS, BITS};
        int fill = fills[round / N_KINDS % 4];
        gemm g = {.type = kinds[round % N_KINDS], .tb = 111, .m = N, .n = 250, .k = 280, .c = c};
        g.layout = 101 + round / 4 % 2;
        g.ta = 111 + round % 2;
        g.alpha = round_product(result_of(g.type), 1, 0);
        g.beta = round % 3 ? 0 : g.alpha;
        fill_gemm(&r, fill, &g, a, b, MEMORY);
        fill_c(&r, fill, &g, c, old, MEMORY);
        exblas_set_workspace(round % 5 ? 0 : 1 << 19);
        exblas_set_num_threads(1 + round % 3);
        exb_isa_select(exb_isa_name(round / 3 % exb_isa_count()));
        run_gemm(&g);
        check_gemm(&g, old, 97);
    }
    exb_partition_set_grain(0);
    exblas_set_num_threads(0);
    exblas_set_workspace(0);
    exb_isa_select(best_isa);
}

/* Sums above midpoints, where chains of floats are below by nearly all of their bound
 * (half_chain.h): each run has 1 + 2^-8 - 14 * 2^-23 and 29 times a bit less than 2^-24; or
 * is_lost: what doubles are as far from a midpoint as they are wrong: 1 + 2^-8 +- 2^-53. Rows
 * alternate in sign. */
static void fill_drops(bool is_lost, const gemm *g, uint16_t *a, uint16_t *b)
{
    const uint16_t one = 0x3f80, sixteenth = 0x3d80, minus = 0x8000;
    const uint16_t small = (uint16_t)round_product(bf16, 255, -16);
    const uint16_t least[] = {(uint16_t)round_product(bf16, 1, -27),
                              (uint16_t)round_product(bf16, 1, -26)};
    const uint16_t rows[2][4] = {
        {one, sixteenth, (uint16_t)round_product(bf16, 14, -13) | minus, small},
        {one, sixteenth, least[0], 0}};
    const uint16_t columns[2][4] = {{one, sixteenth, (uint16_t)round_product(bf16, 1, -10),
                                     (uint16_t)round_product(bf16, 1, -16)},
                                    {one, sixteenth, least[1], 0}};
    for (int64_t l = 0; l < g->k; l++) {
        int64_t t = exb_least(l % 32, 3);
        for (int64_t i = 0; i < g->m; i++)
            a[i * g->lda + l] = (uint16_t)(rows[is_lost][t] ^ (i % 2) << 15);
        for (int64_t j = 0; j < g->n; j++)
            b[j * g->ldb + l] =
                (uint16_t)(columns[is_lost][t] ^ (is_lost && t == 2) * (j % 2) << 15);
    }
}

/* Products to bfloat16 that are large enough. Some rows and columns are 0; of BITS and SPECIAL
 * norms do not fit. */
static void chains_of_floats(void **state)
{
    enum { LEAST = 96, MOST = 110, MEMORY = MOST * (MOST + 3) };
    static uint16_t a[MEMORY], b[MEMORY], c[MEMORY], old[MEMORY];
    (void)state;
    test_random r = test_random_start(test_seed(), "chains of floats");
    exb_partition_set_grain(1);
    for (int round = 0; round < rounds(300); round++) {
        int fill = round % (N_FILLS + 2) < N_FILLS ? round % (N_FILLS + 2) : NEAR_ONE;
        bool drops = round % (N_FILLS + 2) > N_FILLS;
        gemm g = {{true, true}, 102, 112, 111, .c = c};
        g.layout = drops ? 102 : (int)random_between(&r, 101, 102);
        g.ta = drops ? 112 : (int)random_between(&r, 111, 112);
        g.tb = drops ? 111 : (int)random_between(&r, 111, 112);
        g.m = (int32_t)random_between(&r, LEAST, MOST);
        g.n = (int32_t)random_between(&r, LEAST, MOST);
        g.k = drops ? 64 : (int32_t)random_between(&r, LEAST, MOST);
        g.alpha = drops || random_chance(&r, 2) ? 0x3f80 : random_factor(&r, bf16, fill);
        g.beta = drops || random_chance(&r, 2) ? 0 : random_factor(&r, bf16, fill);
        fill_gemm(&r, fill, &g, a, b, MEMORY);
        if (drops)
            fill_drops(round % 3 == 0, &g, a, b);
        for (int64_t l = 0; !drops && l < g.lda; l++) /* rows of A or terms */
            a[5 * g.lda + l] = b[7 * g.ldb + l] = 0;
        fill_c(&r, fill, &g, c, old, MEMORY);
        if (fill == INTEGERS && round % 2) { /* -0 - 0 */
            g.alpha = 0xbf80;
            g.beta = 0x3f80;
            for (int i = 0; i < MEMORY; i++)
                c[i] = old[i] = 0x8000;
        }
        exblas_set_num_threads(1 + round % 3);
        exb_isa_select(exb_isa_name(round % exb_isa_count()));
        run_gemm(&g);
        check_gemm(&g, old, drops ? 7 : 3);
    }
    exb_partition_set_grain(0);
    exblas_set_num_threads(0);
    exb_isa_select(best_isa);
}

#ifndef _WIN32
/* n numbers of 1 before a page that must not be read. */
static uint16_t *before_guard(size_t n)
{
    size_t page = 4096, size = (n * sizeof(uint16_t) + page - 1) / page * page;
    char *p = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED && mprotect(p + size, page, PROT_NONE) == 0);
    uint16_t *first = (uint16_t *)(p + size) - n;
    for (size_t i = 0; i < n; i++)
        first[i] = 0x3f80;
    return first;
}

/* Operands that are not widened to memory, of an odd number of terms. */
static void nothing_beyond_operands(NO_STATE)
{
    enum { N = 601, M = 128 };
    static float c[N * N];
    static uint16_t sums[M * M];
    uint16_t *a = before_guard(N * N), *b = before_guard(N * N);
    exblas_set_workspace(1 << 20);
    for (int isa = 0; isa < exb_isa_count(); isa++) {
        exb_isa_select(exb_isa_name(isa));
        excblas_sbgemm(102, 111, 112, N, N, N, 1, a, N, b, N, 0, c, N);
        assert_true(c[0] == N && c[N * N - 1] == N);
        excblas_bgemm(102, 112, 111, M, M, N, 0x3f80, a + (N - M) * N, N, b + (N - M) * N, N, 0,
                      sums, M);
        assert_int_equal(sums[M * M - 1], 0x4416); /* 600 */
    }
    exblas_set_method("superacc"); /* row by row */
    excblas_sbgemv(102, 111, 64, 1, 1, before_guard(64), 64, b, 1, 0, c, 1);
    exblas_set_method(NULL);
    uint16_t *old = before_guard(N);
    excblas_bgemm(102, 111, 112, N, 1, 1, 0x3f80, a, N, b, 1, 0x3f80, old, N);
    assert_true(c[63] == 1 && old[0] == 0x4000 && old[N - 1] == 0x4000);
    exblas_set_workspace(0);
    exb_isa_select(best_isa);
}
#else
static void nothing_beyond_operands(NO_STATE)
{
    leave_test("there are no such pages");
}
#endif

static void run_gemv(const gemm *g, const uint16_t *x, int32_t incx, void *y, int32_t incy)
{
    if (g->type.is_half)
        (g->type.is_bf16 ? excblas_bgemv : excblas_hgemv)(g->layout, g->ta, g->m, g->n,
                                                          (uint16_t)g->alpha, g->a, g->lda, x, incx,
                                                          (uint16_t)g->beta, y, incy);
    else
        (g->type.is_bf16 ? excblas_sbgemv : excblas_shgemv)(g->layout, g->ta, g->m, g->n,
                                                            as_float(g->alpha), g->a, g->lda, x,
                                                            incx, as_float(g->beta), y, incy);
}

/* y = RN(alpha op(A) x + beta y), m x n the stored matrix; op(A) has `rows`. */
static void check_gemv(test_random *r, int round, const gemm *g, uint16_t *x, uint32_t *y,
                       uint32_t *old)
{
    static const int32_t steps[] = {1, 2, -1, -3};
    int32_t incx = steps[round / 3 % 4], incy = steps[round / 5 % 4];
    bool down = (g->ta == 111) == (g->layout == 102);
    int64_t rows = g->ta == 111 ? g->m : g->n, k = g->ta == 111 ? g->n : g->m;
    terms q = {format_of(g->type), result_of(g->type), k, g->alpha, g->beta};
    fill_c(r, NEAR_ONE, g, y, old, (size_t)(3 * rows));
    run_gemv(g, x, incx, y, incy);
    for (int64_t i = 0; i < rows; i++) {
        int64_t at = incy > 0 ? i * incy : (i - rows + 1) * incy;
        const uint16_t *first = incx > 0 ? x : x + (1 - k) * incx;
        uint32_t e = expected(&q, g->a + i * (down ? 1 : g->lda), down ? g->lda : 1, first, incx,
                              element(g, old, at));
        assert_int_equal(element(g, y, at), e);
    }
}

static void matrices_times_vectors(NO_STATE)
{
    enum { N = 5000, MEMORY = 91 * 701 };
    static const int32_t large[][2] = {{90, 700}, {4, N}, {1100, 16}};
    static uint16_t a[MEMORY], x[3 * N];
    static uint32_t y[3 * N], old[3 * N];
    test_random r = test_random_start(test_seed(), "16-bit matrices times vectors");
    exb_partition_set_grain(1);
    for (int round = 0; round < 96; round++) {
        int fill = round / N_KINDS % MIDPOINTS;
        gemm g = {.type = kinds[round % N_KINDS], .layout = 101 + round % 2, .a = a};
        g.ta = 111 + (int)random_between(&r, 0, 2);
        const int32_t *size = large[round / 3 % 3];
        g.m = round % 3 ? (int32_t)random_between(&r, 1, 20) : size[0];
        g.n = round % 3 ? (int32_t)random_between(&r, 1, 20) : size[1];
        g.lda = (g.layout == 101 ? g.n : g.m) + 1;
        g.alpha = random_factor(&r, result_of(g.type), fill);
        g.beta = random_factor(&r, result_of(g.type), fill);
        for (int i = 0; i < MEMORY; i++)
            a[i] = (uint16_t)random_element(&r, format_of(g.type), fill);
        for (int i = 0; i < 3 * N; i++)
            x[i] = (uint16_t)random_element(&r, format_of(g.type), fill);
        exblas_set_workspace(round % 5 == 1 ? 1 : round % 5 == 2 ? 1 << 17 : 0);
        exblas_set_num_threads(1 + round % 3);
        exb_isa_select(exb_isa_name(round / 3 % exb_isa_count()));
        check_gemv(&r, round, &g, x, y, old);
    }
    exb_partition_set_grain(0);
    exblas_set_num_threads(0);
    exblas_set_workspace(0);
    exb_isa_select(best_isa);
}

/* Sums that are ties of floats, 2^15 + 2^-9, or next to them by m m - (m - 1) (m + 1) = 1 times
 * 2^-38, a bit less than doubles have there: in one lane, in that order. */
static void ties_of_floats(NO_STATE)
{
    enum { M = 130, K = 3000, STEP = 8 };
    static uint16_t a[M * K], x[K];
    static uint32_t y[3 * M], old[3 * M];
    test_random r = test_random_start(test_seed(), "ties of floats");
    for (int round = 0; round < 160; round++) {
        gemm g = {kinds[round % 2], 101 + round / 2 % 2, 111, .n = round % 11 ? 40 : K, .a = a};
        format f = format_of(g.type);
        g.m = (int32_t[]){1, 2, 5, 64, M}[round / 4 % 5];
        g.alpha = round_product(f32, 1, 0);
        int e = (int)random_between(&r, -23, -15);
        uint64_t m = (UINT64_C(1) << f.n_bits) - 1;
        g.lda = g.layout == 101 ? g.n : g.m;
        memset(a, 0, sizeof a);
        x[0] = x[STEP] = (uint16_t)round_product(f, 1, 0);
        x[2 * STEP] = (uint16_t)round_product(f, m, -38 - e);
        x[3 * STEP] = (uint16_t)round_product(f, m + 1, -38 - e);
        const uint32_t row[] = {round_product(f, 1, 15), round_product(f, 1, -9),
                                round_product(f, m, e), round_product(f, m - 1, e) ^ f.sign};
        for (int i = 0; i < g.m; i++) {
            uint32_t sign = random_chance(&r, 2) ? f.sign : 0;
            for (int t = random_chance(&r, 3) ? 1 : 3; t >= 0; t--)
                a[place(g.layout, g.lda, i, t * STEP)] = (uint16_t)(row[t] ^ (t < 2 ? 0 : sign));
        }
        exb_isa_select(exb_isa_name(round / 20 % exb_isa_count()));
        check_gemv(&r, 0, &g, x, y, old);
    }
    exb_isa_select(best_isa);
}

/* Every number, back and forth; midpoints and what is next to them, from floats and doubles. */
static void conversions(NO_STATE)
{
    enum { N = 1 << 16 };
    static uint16_t x[N], back[N];
    static float s[N];
    static double d[N];
    for (int i = 0; i < N; i++)
        x[i] = (uint16_t)i;
    excblas_sbf16tos(N, x, 1, s, 1);
    excblas_dbf16tod(N, x, -1, d, -1);
    excblas_sbstobf16(N, s, 1, back, 1);
    for (int i = 0; i < N; i++) {
        bool is_nan = (i & 0x7fff) > 0x7f80;
        assert_int_equal(back[i], is_nan ? 0x7fc0 : i);
        assert_true(is_nan ? isnan(s[i]) && isnan(d[i]) : s[i] == value_of(bf16, (uint32_t)i));
        assert_true(is_nan || d[i] == s[i]);
    }
    for (int side = -1; side <= 1; side++)
        for (int i = 0; i < 0x7f80; i++) {
            float m = as_float((uint32_t)i << 16 | 0x8000);
            float near = as_float(((uint32_t)i << 16 | 0x8000) + (uint32_t)side);
            double nearer = nextafter(m, side * INFINITY);
            nearer = side == 0 ? (double)m : nearer;
            uint16_t from_s, from_d, up = (uint16_t)(i + (side > 0 || (side == 0 && i % 2)));
            excblas_sbstobf16(1, &near, 1, &from_s, 1);
            excblas_sbdtobf16(1, &nearer, 1, &from_d, 1);
            assert_int_equal(from_s, up);
            assert_int_equal(from_d, up);
        }
    const double ends[] = {DBL_MAX, -DBL_MAX, 0x1p-1074, -0x1p-1074, INFINITY};
    const uint16_t rounded[] = {0x7f80, 0xff80, 0, 0x8000, 0x7f80};
    excblas_sbdtobf16(5, ends, 1, back, 1);
    assert_memory_equal(back, rounded, sizeof rounded);
}

static int reported;

static void note(const char *routine, int info)
{
    (void)routine;
    reported = info;
}

static void bad_calls(NO_STATE)
{
    uint16_t a[4] = {0}, c[4] = {7, 7, 7, 7};
    float s = 7;
    exblas_set_xerbla(note);
    excblas_bgemm(102, 111, 111, 2, 2, 2, 0, a, 1, a, 2, 0, c, 2);
    assert_int_equal(reported, 9);
    excblas_sbgemm(102, 111, 111, 1, 1, -1, 1, a, 1, a, 1, 0, &s, 1);
    assert_int_equal(reported, 6);
    excblas_shgemv(102, 110, 1, 1, 1, a, 1, a, 1, 0, &s, 1);
    assert_int_equal(reported, 2);
    excblas_hgemm_batch_strided(102, 111, 111, 2, 1, 1, 0, a, 2, 2, a, 1, 1, 0, c, 2, 1, 2);
    assert_int_equal(reported, 17);
    exblas_set_xerbla(NULL);
    assert_true(s == 7 && c[0] == 7 && c[3] == 7);
    s = -0.0F;
    excblas_sbgemv(102, 111, 1, 1, 0, a, 1, a, 1, 1, &s, 1);
    assert_true(signbit(s)); /* left alone */
}

/* Normal numbers of few bits are expected to leave few elements open, whichever rows are sampled:
 * some rows have smaller numbers than those. */
static void few_are_left_open(NO_STATE)
{
    enum { N = 512 };
    static uint16_t a[N * N], b[N * N];
    static float c[N * N];
    test_random r = test_random_start(test_seed(), "few bits");
    exblas_stats_enable(1);
    uint64_t n_open = 0;
    for (int round = 0; round < 4; round++) {
        exblas_stats stats;
        for (int i = 0; i < N * N; i++) {
            double u = sqrt(-2 * log((double)random_between(&r, 1, 1 << 30) * 0x1p-30)) *
                       cos((double)random_between(&r, 0, 6283) / 1000);
            int exp2;
            double m = fabs(frexp(u, &exp2));
            a[i] = (uint16_t)(round_product(bf16, (uint64_t)(m * 0x1p30), exp2 - 30) |
                              (u < 0 ? 0x8000 : 0));
            b[N * N - 1 - i] = a[i];
        }
        excblas_sbgemm(102, 111, 111, N, N, N, 1, a, N, b, N, 0, c, N);
        assert_int_equal(exblas_stats_last(&stats), EXBLAS_OK);
        n_open += stats.fallbacks;
        excblas_sbgemv(102, 111 + round % 2, N, N, 1, a, N, b, 1, 0, c, 1);
        assert_int_equal(exblas_stats_last(&stats), EXBLAS_OK);
        assert_int_equal(stats.fallbacks, 0);
    }
    assert_true(n_open < 4 * N * N / 200);
    exblas_stats_enable(0);
}

int main(void)
{
    best_isa = exb_isa_current();
    return run_each(all_products, random_products, large_products, chains_of_floats,
                    nothing_beyond_operands, matrices_times_vectors, ties_of_floats, conversions,
                    bad_calls, few_are_left_open);
}
