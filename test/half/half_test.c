/* Products of 16-bit numbers and their conversions against integers and exact sums.
 *
 * All products: RN(a b) is a function of the significands, the sum of the exponents and the sign,
 * which only passes through. So all a of one sign, times b of all significands and of exponents
 * with which those of a reach every sum, are all 2^32 products. A subnormal number is a normal one
 * of a smaller exponent, and so its product one of normal numbers or one that rounds to 0. The sign
 * of b alternates. Unless TEST_ROUNDS (random products) asks for many, b of half has every seventh
 * significand, and the instruction set is the best. */
#include "core/kernels.h"
#include "fuzz/differential/compare.h"
#include "fuzz/differential/expect.h"
#include "fuzz/differential/generate.h"
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

static double value_of(format f, uint32_t x)
{
    const uint16_t half = (uint16_t)x;
    return load_number(f.number, f.number == FORMAT_S ? (const void *)&x : &half, 0);
}

/* --- routines ------------------------------------------------------------------ */

/* From bfloat16 and half to floats, and to the same. */
static const char *const products[] = {"sbgemm", "shgemm", "bgemm", "hgemm"};
static const char *const vectors[] = {"sbgemv", "shgemv", "bgemv", "hgemv"};

enum { N_KINDS = 4 };

static const char *isas[FUZZ_MOST_ISAS];
static int n_isas;

static format format_of(number_format f)
{
    return f == FORMAT_B ? bf16 : f == FORMAT_H ? f16 : f32;
}

static format factors_of(const fuzz_case *c)
{
    return format_of(fuzz_operand_format(c, OPERAND_A));
}

static format result_of(const fuzz_case *c)
{
    return format_of(fuzz_format(c));
}

/* Element (i, j) of op of A or B. */
static double *element(const fuzz_case *c, fuzz_which which, int64_t i, int64_t j)
{
    const fuzz_operand *o = &c->operand[which];
    bool is_turned = (which == OPERAND_A ? c->transa : c->transb) != 'n';
    return &o->v[is_turned ? i * o->rows + j : j * o->rows + i].re;
}

/* Against the models; the case ends here, as below. */
static void check(fuzz_case *c, int threads, int isa)
{
    c->set.threads = threads;
    c->set.isa = isas[isa % n_isas];
    fuzz_verdict v = fuzz_try(c, NULL);
    if (v.differs)
        fuzz_print(stderr, c, &v);
    assert_false(v.differs);
    fuzz_case_free(c);
}

/* Every one_in-th element of each row. */
static void check_some(fuzz_case *c, int one_in, int threads, int isa)
{
    c->set.threads = threads;
    c->set.isa = isas[isa % n_isas];
    fuzz_settle(&c->set);
    test_number *found = fuzz_computed(c);
    for (int64_t i = 0; i < c->m; i++)
        for (int64_t j = i % one_in; j < c->n; j += one_in) {
            double x = found[j * c->m + i].re, wanted = fuzz_element(c, i, j).re;
            if (!same_bits(x, wanted)) {
                fuzz_print_case(stderr, c);
                fail_msg("(%d, %d): %a, not %a", (int)i, (int)j, x, wanted);
            }
        }
    free(found);
    fuzz_case_free(c);
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
static void fill_midpoints(test_random *r, const fuzz_case *c)
{
    format f = factors_of(c);
    int64_t shift = random_between(r, 0, c->k - 1);
#define AT(l) ((l) + shift) % c->k
    for (int64_t i = 0; i < c->m; i++) {
        double sign = random_sign(r), near = value_of(f, (uint32_t)random_element(r, f, NEAR_ONE));
        uint32_t y = (uint32_t)random_between(r, 0, f.infinity - 2);
        bool overflows = random_chance(r, 10);
        uint32_t below =
            f.infinity - (1u << (f.n_bits - 1)) - ((uint32_t)f.n_bits << (f.n_bits - 1));
        const double row[] = {overflows ? 0 : sign * value_of(f, y),
                              overflows ? 0 : sign * value_of(f, y + 1),
                              value_of(f, (uint32_t)random_between(r, 1, 3)),
                              near,
                              near,
                              overflows ? sign * value_of(f, f.infinity - 1) : 0,
                              overflows ? sign * value_of(f, below) : 0};
        for (int64_t l = 0; l < c->k; l++)
            *element(c, OPERAND_A, i, AT(l)) = l < 7 ? row[l] : 0;
    }
    for (int64_t j = 0; j < c->n; j++) {
        double w = value_of(f, random_element(r, f, NEAR_ONE)), tiny = value_of(f, 1);
        const double column[] = {0.5, 0.5, j % 3 == 0 ? 0 : j % 3 == 1 ? tiny : -tiny, w, -w, 1, 1};
        for (int64_t l = 0; l < c->k; l++)
            *element(c, OPERAND_B, AT(l), j) =
                l < 7 ? column[l] : value_of(f, random_element(r, f, NEAR_ONE));
    }
#undef AT
}

static uint32_t random_factor_bits(test_random *r, format f, int fill)
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

static double random_factor(test_random *r, const fuzz_case *c, int fill)
{
    return value_of(result_of(c), random_factor_bits(r, result_of(c), fill));
}

static void fill_operand(test_random *r, const fuzz_case *c, fuzz_which which, int fill)
{
    format f = format_of(fuzz_operand_format(c, which));
    const fuzz_operand *o = &c->operand[which];
    for (int64_t i = 0; i < o->rows * o->cols; i++)
        o->v[i].re = value_of(f, random_element(r, f, fill));
}

static void fill_product(test_random *r, fuzz_case *c, int fill)
{
    const fuzz_operand *o = &c->operand[OPERAND_C];
    fuzz_allocate(c);
    fill_operand(r, c, OPERAND_A, fill == MIDPOINTS ? NEAR_ONE : fill);
    fill_operand(r, c, OPERAND_B, fill == MIDPOINTS ? NEAR_ONE : fill);
    fill_operand(r, c, OPERAND_C, fill == MIDPOINTS ? INTEGERS : fill);
    if (fill == MIDPOINTS && c->k >= 7)
        fill_midpoints(r, c);
    for (int64_t i = 0; i < o->rows * o->cols && fill == INTEGERS; i++)
        if (random_chance(r, 2)) /* next to what may be a midpoint */
            o->v[i].re = copysign(value_of(result_of(c), 1), o->v[i].re);
}

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
            (t == 0 ? excblas_bgemm : excblas_hgemm)(102, 111, 111, ROWS, COLUMNS, 1,
                                                     (uint16_t)round_product(f, 1, 0), a, ROWS, b,
                                                     1, 0, c, ROWS);
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
    for (int isa = all ? 0 : n_isas - 1; isa < n_isas; isa++) {
        exb_isa_select(isas[isa]);
        all_products_of(0, all || !test_is_emulated() ? 1 : 7);
        all_products_of(1, all ? 1 : 7);
    }
}

static void random_products(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "products of 16-bit numbers");
    for (int round = 0; round < rounds(3000); round++) {
        static const size_t memory[] = {0, 0, 1, 1 << 14, 1 << 17};
        fuzz_case c = fuzz_case_named(products[round % N_KINDS]);
        int fill = round / N_KINDS % N_FILLS, most = round % 7 == 0 ? 64 : 12;
        c.layout = random_letter(&r, "rc");
        c.transa = random_letter(&r, "ntc");
        c.transb = random_letter(&r, "ntc");
        c.m = random_between(&r, 1, most);
        c.n = random_between(&r, 1, most);
        c.k = random_between(&r, fill == MIDPOINTS ? 7 : 0, 40);
        c.alpha.re = random_factor(&r, &c, fill);
        c.beta.re = random_chance(&r, 2) ? 0 : random_factor(&r, &c, fill);
        for (int w = 0; w < 3; w++)
            c.padding[w] = w + 1;
        fill_product(&r, &c, fill);
        c.set.workspace = memory[random_between(&r, 0, 4)];
        check(&c, 1, (int)random_between(&r, 0, n_isas - 1));
    }
}

/* Products that go through engines, in blocks, in little memory, and by several threads. */
static void large_products(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "large products of 16-bit numbers");
    for (int round = 0; round < (test_is_emulated() ? 8 : 40); round++) {
        static const int fills[] = {NEAR_ONE, INTEGERS, MIDPOINTS, BITS};
        fuzz_case c = fuzz_case_named(products[round % N_KINDS]);
        c.m = 300;
        c.n = 250;
        c.k = 280;
        c.layout = round / 4 % 2 ? 'c' : 'r';
        c.transa = round % 2 ? 't' : 'n';
        c.alpha.re = 1;
        c.beta.re = round % 3 == 0;
        fill_product(&r, &c, fills[round / N_KINDS % 4]);
        c.set.workspace = round % 5 ? 0 : 1 << 19;
        check_some(&c, 97, 1 + round % 3, round / 3);
    }
}

/* Sums above midpoints, where chains of floats are below by nearly all of their bound
 * (half_chain.h): each run has 1 + 2^-8 - 14 * 2^-23 and 29 times a bit less than 2^-24; or
 * is_lost: what doubles are as far from a midpoint as they are wrong: 1 + 2^-8 +- 2^-53. Rows
 * alternate in sign. */
static void fill_drops(bool is_lost, const fuzz_case *c)
{
    static const double rows[2][4] = {{1, 0x1p-4, -14 * 0x1p-13, 255 * 0x1p-16},
                                      {1, 0x1p-4, 0x1p-27, 0}},
                        columns[2][4] = {{1, 0x1p-4, 0x1p-10, 0x1p-16}, {1, 0x1p-4, 0x1p-26, 0}};
    for (int64_t l = 0; l < c->k; l++) {
        int64_t t = l % 32 < 3 ? l % 32 : 3;
        for (int64_t i = 0; i < c->m; i++)
            *element(c, OPERAND_A, i, l) = (i % 2 ? -1 : 1) * rows[is_lost][t];
        for (int64_t j = 0; j < c->n; j++)
            *element(c, OPERAND_B, l, j) =
                (is_lost && t == 2 && j % 2 ? -1 : 1) * columns[is_lost][t];
    }
}

/* Products to bfloat16 that are large enough. Some rows and columns are 0; of BITS and SPECIAL
 * norms do not fit. */
static void chains_of_floats(NO_STATE)
{
    enum { LEAST = 96, MOST = 110 };
    test_random r = test_random_start(test_seed(), "chains of floats");
    for (int round = 0; round < rounds(300); round++) {
        int fill = round % (N_FILLS + 2) < N_FILLS ? round % (N_FILLS + 2) : NEAR_ONE;
        bool drops = round % (N_FILLS + 2) > N_FILLS;
        fuzz_case c = fuzz_case_named("bgemm");
        c.layout = drops ? 'c' : random_letter(&r, "rc");
        c.transa = drops ? 't' : random_letter(&r, "nt");
        c.transb = drops ? 'n' : random_letter(&r, "nt");
        c.m = random_between(&r, LEAST, MOST);
        c.n = random_between(&r, LEAST, MOST);
        c.k = drops ? 64 : random_between(&r, LEAST, MOST);
        c.alpha.re = drops || random_chance(&r, 2) ? 1 : random_factor(&r, &c, fill);
        c.beta.re = drops || random_chance(&r, 2) ? 0 : random_factor(&r, &c, fill);
        fill_product(&r, &c, fill);
        if (drops)
            fill_drops(round % 3 == 0, &c);
        const fuzz_operand *a = &c.operand[OPERAND_A], *b = &c.operand[OPERAND_B];
        for (int64_t i = 0; !drops && i < a->rows; i++) /* a row of op(A), or a term */
            a->v[5 * a->rows + i].re = 0;
        for (int64_t i = 0; !drops && i < b->rows; i++)
            b->v[7 * b->rows + i].re = 0;
        if (fill == INTEGERS && round % 2) { /* -0 - 0 */
            c.alpha.re = -1;
            c.beta.re = 1;
            for (int64_t i = 0; i < c.m * c.n; i++)
                c.operand[OPERAND_C].v[i].re = -0.0;
        }
        check_some(&c, drops ? 7 : 3, 1 + round % 3, round);
    }
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
    for (int isa = 0; isa < n_isas; isa++) {
        exb_isa_select(isas[isa]);
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
}
#else
static void nothing_beyond_operands(NO_STATE)
{
    leave_test("there are no such pages");
}
#endif

static void matrices_times_vectors(NO_STATE)
{
    static const int steps[] = {1, 2, -1, -3};
    static const int large[][2] = {{90, 700}, {4, 5000}, {1100, 16}};
    test_random r = test_random_start(test_seed(), "16-bit matrices times vectors");
    for (int round = 0; round < 96; round++) {
        int fill = round / N_KINDS % MIDPOINTS;
        const int *size = large[round / 3 % 3];
        fuzz_case c = fuzz_case_named(vectors[round % N_KINDS]);
        c.layout = round % 2 ? 'c' : 'r';
        c.transa = random_letter(&r, "ntc");
        c.m = round % 3 ? random_between(&r, 1, 20) : size[0];
        c.n = round % 3 ? random_between(&r, 1, 20) : size[1];
        c.padding[OPERAND_A] = 1;
        c.incx = steps[round / 3 % 4];
        c.incy = steps[round / 5 % 4];
        c.alpha.re = random_factor(&r, &c, fill);
        c.beta.re = random_factor(&r, &c, fill);
        fuzz_allocate(&c);
        fill_operand(&r, &c, OPERAND_A, fill);
        fill_operand(&r, &c, OPERAND_X, fill);
        fill_operand(&r, &c, OPERAND_Y, NEAR_ONE);
        c.set.workspace = round % 5 == 1 ? 1 : round % 5 == 2 ? 1 << 17 : 0;
        check(&c, 1 + round % 3, round / 3);
    }
}

/* Sums that are ties of floats, 2^15 + 2^-9, or next to them by m m - (m - 1) (m + 1) = 1 times
 * 2^-38, a bit less than doubles have there: in one lane, in that order. */
static void ties_of_floats(NO_STATE)
{
    enum { K = 3000, STEP = 8 };
    test_random r = test_random_start(test_seed(), "ties of floats");
    for (int round = 0; round < 160; round++) {
        fuzz_case c = fuzz_case_named(vectors[round % 2]);
        double m = (1 << factors_of(&c).n_bits) - 1;
        int e = (int)random_between(&r, -23, -15);
        c.layout = round / 2 % 2 ? 'c' : 'r';
        c.m = (int[]){1, 2, 5, 64, 130}[round / 4 % 5];
        c.n = round % 11 ? 40 : K;
        c.alpha.re = 1;
        fuzz_allocate(&c);
        test_number *x = c.operand[OPERAND_X].v;
        x[0].re = x[STEP].re = 1;
        x[2 * STEP].re = ldexp(m, -38 - e);
        x[3 * STEP].re = ldexp(m + 1, -38 - e);
        const double row[] = {0x1p15, 0x1p-9, ldexp(m, e), -ldexp(m - 1, e)};
        for (int64_t i = 0; i < c.m; i++) {
            double sign = random_sign(&r);
            for (int t = random_chance(&r, 3) ? 1 : 3; t >= 0; t--)
                *element(&c, OPERAND_A, i, t * STEP) = t < 2 ? row[t] : sign * row[t];
        }
        check(&c, 1, round / 20);
    }
}

static float as_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
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
    mode_restore(); /* the best instruction set */
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
    n_isas = fuzz_isas(&(fuzz_choice){.isa = NULL}, isas);
    return run_each(all_products, random_products, large_products, chains_of_floats,
                    nothing_beyond_operands, matrices_times_vectors, ties_of_floats, conversions,
                    bad_calls, few_are_left_open);
}
