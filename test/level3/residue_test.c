/* The residue engine's constants against GMP, and its kernels, of every instruction set, against
 * their definitions at the ends of their ranges. With TEST_TILE_KERNELS: products of the
 * processor's tiles, without what Bochs 3.0 lacks of these (test/core/simd/simd_amx_unsigned.h). */
#if defined(__x86_64__)
#define EXB_ISA_generic
#define EXB_ISA generic
#include "level3/kernels/residue_bytes.h"
#endif
#include "core/cpu.h"
#include "core/tiles.h"
#include "level3/residue.h"
#include "test_random.h"
#include "testing.h"

#include <gmp.h>
#include <math.h>

enum { MOST_KERNELS = 16, PLANE = EXB_STRIP * 72 };

#ifdef TEST_TILE_KERNELS
extern const exb_residue_kernels exb_residue_amx_unsigned;

static int all_kernels(const exb_residue_kernels *out[MOST_KERNELS])
{
    out[0] = &exb_residue_amx_unsigned;
    return exb_cpu_has("amx") && exb_tiles_permitted();
}

#else
/* The kernels of all instruction sets of this CPU that the system permits, each once. */
static int all_kernels(const exb_residue_kernels *out[MOST_KERNELS])
{
    int n = 0;
    for (int i = 0; i < exb_isa_count(); i++) {
        if (exb_isa_select(exb_isa_name(i)) != 0)
            continue;
        const exb_residue_kernels *k = exb_residue_permitted();
        bool is_new = k;
        for (int j = 0; j < n; j++)
            is_new = is_new && out[j] != k;
        if (is_new)
            out[n++] = k;
    }
    return n;
}
#endif

/* Fewer rounds under Bochs, which takes a hundred times as long. */
static int rounds(int n)
{
    return getenv("TEST_BOCHS") ? n / 4 : n;
}

static int modulo(int64_t x, int p)
{
    return (int)((x % p + p) % p);
}

/* The least residue with a sign: a byte, at most p / 2 + 1 in magnitude. */
static int lowest(int p)
{
    return p / 2 + 1 < 128 ? -(p / 2 + 1) : -128;
}

static void product_of_moduli(mpz_t out, const exb_residue_system *s, int without, int and_without)
{
    mpz_set_ui(out, 1);
    for (int i = 0; i < s->n_moduli; i++)
        if (i != without && i != and_without)
            mpz_mul_ui(out, out, (unsigned long)s->modulus[i].p);
}

/* P / p inverted modulo p. */
static int inverse_of_rest(const exb_residue_system *s, int i)
{
    mpz_t rest, p;
    mpz_inits(rest, p, NULL);
    product_of_moduli(rest, s, i, -1);
    mpz_set_si(p, s->modulus[i].p);
    assert_true(mpz_invert(rest, rest, p));
    int inverse = (int)mpz_get_si(rest);
    mpz_clears(rest, p, NULL);
    return inverse;
}

static int signed_byte(uint32_t word, int i)
{
    return (int8_t)(word >> (8 * i));
}

/* Four bytes c, 256 c, ... modulo p. */
static void check_bytes(uint32_t word, int64_t c, int p)
{
    for (int i = 0; i < 4; i++, c = c * 256 % p) {
        assert_int_equal(modulo(signed_byte(word, i), p), modulo(c, p));
        assert_true(abs(signed_byte(word, i)) <= 127);
    }
}

static void check_modulus(const exb_residue_system *s, int i)
{
    const exb_modulus *m = &s->modulus[i];
    for (int side = 0; side < 2; side++) {
        int64_t weight = side ? inverse_of_rest(s, i) : 1, offset = 0;
        for (int d = 0; d < s->n_digits; d++) {
            check_bytes(m->digit[side][d], weight, m->p);
            offset -= weight * (1 << 30) % m->p;
            weight = weight * ((int64_t)1 << 31) % m->p;
        }
        assert_int_equal(modulo(m->offset[side], m->p), modulo(offset, m->p));
        assert_true(abs(m->offset[side]) <= 127);
    }
    check_bytes(m->sum_digit, 1, m->p);
    assert_int_equal(modulo(m->sum_offset, m->p), modulo(-((int64_t)1 << 31), m->p));
    assert_true(abs(m->sum_offset) <= 127);
    assert_true(m->inverse == (float)(1.0f / (float)m->p)); /* where floats are computed wider */
    assert_true(m->p <= 255);
}

/* The limbs add up to the number; all but perhaps the top have at most 32 bits. */
static void check_limbs(const exb_residue_system *s, const double *limb, const mpz_t expected,
                        int top_bits)
{
    mpz_t sum, x;
    mpz_inits(sum, x, NULL);
    for (int j = 0; j < s->n_limbs; j++) {
        double units = ldexp(limb[j], -32 * j);
        assert_true(units == floor(units));
        assert_true(units < ldexp(1, j + 1 < s->n_limbs ? 32 : top_bits));
        mpz_set_d(x, limb[j]);
        mpz_add(sum, sum, x);
    }
    assert_int_equal(mpz_cmp(sum, expected), 0);
    mpz_clears(sum, x, NULL);
}

static void constants(NO_STATE)
{
    for (int n = EXB_MODULI_MIN; n <= EXB_MODULI_MAX; n++) {
        exb_residue_system s, again;
        exb_residue_system_init(&s, n);
        exb_residue_system_init(&again, n);
        assert_memory_equal(&s, &again, sizeof s);
        mpz_t p, rest;
        mpz_inits(p, rest, NULL);
        product_of_moduli(p, &s, -1, -1);
        assert_int_equal(s.n_moduli, n);
        for (int i = 0; i < n; i++)
            check_modulus(&s, i); /* inverses exist: the moduli are coprime */
        check_limbs(&s, s.limb, p, 48);
        assert_int_equal(s.n_pairs, (n + 1) / 2);
        for (int t = 0; t < s.n_pairs; t++) {
            int a = 2 * t, b = 2 * t + 1 < n ? 2 * t + 1 : -1;
            int pa = s.modulus[a].p, pb = b < 0 ? 1 : s.modulus[b].p;
            product_of_moduli(rest, &s, a, b);
            check_limbs(&s, s.pair[t].limb, rest, 32);
            assert_int_equal(s.pair[t].multiply[0], pb | pa << 8);
            assert_int_equal((uint32_t)s.pair[t].multiply[1], (uint32_t)(pb | pa << 8) << 16);
        }
        long exp2;
        double fraction = mpz_get_d_2exp(&exp2, p);
        assert_true(fabs(s.log2_p - (log2(fraction) + (double)exp2)) < 0x1p-30);
        assert_true(s.log2_p == exb_residue_log2(n));
        assert_true(fabs(s.inverse * mpz_get_d(p) - 1) < 0x1p-48);
        /* The largest a', 2^((log2 P - 1) / 2), in digits of which the top has one bit to spare. */
        assert_true((s.log2_p - 1) / 2 <= 31 * (s.n_digits - 1) + 29);
        assert_true(s.n_digits >= 2 && s.n_digits <= EXB_DIGITS_MAX);
        mpz_clears(p, rest, NULL);
    }
}

/* --- reduce -------------------------------------------------------------- */

/* x * 2^-31 rounded to an integer, ties to even. */
static int64_t rounded(int64_t x)
{
    int64_t unit = (int64_t)1 << 31, floor_of = x >> 31, rest = x - floor_of * unit;
    bool up = 2 * rest > unit || (2 * rest == unit && floor_of % 2 != 0);
    return floor_of + up;
}

/* What the kernels' two operations make of v, in integers: inverse is a multiple of 2^-31. */
static int reduced(const exb_modulus *m, int64_t v)
{
    int64_t f = (1 << 23) + (m->base - EXB_FLOAT_ONE_UNIT) + v;
    int64_t inverse = (int64_t)ldexp(m->inverse, 31);
    int64_t q = rounded(f * inverse + (int64_t)m->to_quotient * ((int64_t)1 << 31));
    assert_true(f >= 1 << 23 && f < 1 << 24 && q >= 1 << 23 && q < 1 << 24);
    return (int8_t)((v & 255) + (q & 255) * m->minus_p);
}

static void check_reduced(const exb_modulus *m, int64_t v, int r)
{
    if ((v - r) % m->p != 0 || abs(r) > m->p / 2 + 1)
        fail_msg("%lld modulo %d: %d", (long long)v, m->p, r);
}

/* Of all sums that conversion and multiplication can have. */
static void reduce(NO_STATE)
{
    if (getenv("TEST_BOCHS"))
        leave_test("of no instruction set");
    exb_residue_system s;
    exb_residue_system_init(&s, EXB_MODULI_MAX);
    for (int i = 0; i < s.n_moduli; i++) {
        const exb_modulus *m = &s.modulus[i];
        assert_true(ldexp(m->inverse, 31) == floor(ldexp(m->inverse, 31)));
        for (int64_t v = -EXB_REDUCED; v <= EXB_REDUCED; v++) {
            check_reduced(m, v, reduced(m, v));
        }
    }
}

/* The same of the operations for any x86-64, which have no FMA. */
static void reduce_without_fma(NO_STATE)
{
#if defined(__x86_64__)
    if (getenv("TEST_BOCHS"))
        leave_test("for SSE2");
    exb_residue_system s;
    exb_residue_system_init(&s, EXB_MODULI_MAX);
    for (int i = 0; i < s.n_moduli; i++) {
        const exb_modulus *m = &s.modulus[i];
        const exb_reducer by = exb_reducer_of(m);
        for (int32_t v = -EXB_REDUCED; v <= EXB_REDUCED; v += 16) {
            int32_t bits[16], r[16];
            for (int j = 0; j < 16; j++)
                bits[j] = m->base + (v + j <= EXB_REDUCED ? v + j : 0);
            w_store(r, exb_reduce(w_load(bits), &by));
            for (int j = 0; j < 16; j++)
                check_reduced(m, bits[j] - m->base, (int8_t)(r[j] & 255));
        }
    }
#else
    skip();
#endif
}

/* --- convert ------------------------------------------------------------- */

/* Integers and halves near powers of two, where digits are largest, and anything. */
static double element(test_random *r, int top_exp2)
{
    int e = (int)random_between(r, 0, 3) ? (int)random_between(r, -3, top_exp2 - 1) : top_exp2 - 1;
    int digit = (int)random_between(r, 1, 3) * 31;
    switch (random_between(r, 0, 7)) {
    case 0:
        return 0;
    case 1: /* the largest */
        return random_sign(r) * (ldexp(1, top_exp2) - ldexp(1, top_exp2 - 53));
    case 2: /* halves of a digit's weight: ties on the way */
        return random_sign(r) * (double)random_between(r, 1, 1 << 20) *
               ldexp(1, (digit <= top_exp2 - 21 ? digit : 31) - 1 - (top_exp2 < 52 ? 13 : 0));
    case 3:
        return random_sign(r) * ((double)random_between(r, 0, 1 << 18) + 0.5);
    case 4:
        return random_sign(r) * 0x1p-1074;
    case 5:
        return random_sign(r) * (ldexp(1, 30) - (double)random_between(r, 0, 3) * 0.5) /
               (top_exp2 < 31 ? 4096 : 1);
    default:
        return random_number(r, FORMAT_D, e);
    }
}

/* x rounded to an integer, modulo p; times `factor`. */
static int residue_of(double x, int factor, int p)
{
    mpz_t z;
    mpz_init_set_d(z, rint(x));
    int r = (int)mpz_fdiv_ui(z, (unsigned long)p);
    mpz_clear(z);
    return r * factor % p;
}

/* Where element l of vector v is, of n_quads fours: as residue.h says. */
static int64_t place_of(const exb_residue_kernels *kernels, int side, int64_t n_quads, int64_t v,
                        int64_t l)
{
    int64_t q = l % n_quads, four = 16 * q + v;
    if (kernels->quads == EXB_TILE_QUADS && side == 1)
        four = 16 * v + q;
    return 4 * four + l / n_quads;
}

/* The terms of a strip. */
typedef struct {
    int64_t k;
    double x[EXB_RESIDUE_TERMS * EXB_STRIP];
} strip;

static double element_at(const strip *s, int64_t v, int64_t l)
{
    return l < s->k ? s->x[l * EXB_STRIP + v] : 0;
}

static void check_converted(const exb_residue_kernels *kernels, const exb_residue_system *s,
                            int side, const strip *x, const uint8_t *out, int64_t plane)
{
    int64_t unit = 4 * kernels->quads, n_terms = (x->k + unit - 1) / unit * unit;
    for (int i = 0; i < s->n_moduli; i++) {
        int p = s->modulus[i].p, factor = side ? inverse_of_rest(s, i) : 1;
        for (int64_t l = 0; l < n_terms; l++)
            for (int64_t v = 0; v < EXB_STRIP; v++) {
                uint8_t byte = out[i * plane + place_of(kernels, side, n_terms / 4, v, l)];
                int expected = residue_of(element_at(x, v, l), factor, p);
                int value = side ? (int8_t)byte : byte;
                assert_int_equal(modulo(value, p), expected);
                assert_true(side ? abs(value) <= p / 2 + 1 : value < p);
            }
        for (int64_t at = n_terms * EXB_STRIP; at < PLANE; at++)
            assert_int_equal(out[i * plane + at], 0xee); /* nothing behind the end */
    }
}

/* The sums of |delta| and delta^2, added to what was there; zero only if all are. */
static void check_lost(const strip *x, const double *one, const double *two, double before)
{
    for (int64_t v = 0; v < EXB_STRIP; v++) {
        double sum = before, squares = before;
        for (int64_t l = 0; l < x->k; l++) {
            double delta = fabs(element_at(x, v, l) - rint(element_at(x, v, l)));
            sum += delta;
            squares += delta * delta;
        }
        assert_true(fabs(one[v] - sum) <= sum * 0x1p-40);
        assert_true(fabs(two[v] - squares) <= squares * 0x1p-40);
    }
}

/* Planes are written past the caches if they are large. */
enum { LARGE_PLANE = (1 << 19) + 64 };

static void check_convert(const exb_residue_kernels *kernels, test_random *r, int n_moduli,
                          strip *x, int64_t n)
{
    _Alignas(64) static uint8_t out[(int64_t)EXB_MODULI_MAX * LARGE_PLANE];
    int64_t plane = n_moduli % 4 == 1 ? LARGE_PLANE : PLANE;
    double one[EXB_STRIP], two[EXB_STRIP];
    exb_residue_system s;
    exb_residue_system_init(&s, n_moduli);
    int top = (int)floor((s.log2_p - 1) / 2);
    for (int side = 0; side < 2; side++) {
        double before = side ? 0x1p-1000 : 0;
        memset(x->x, 0, sizeof x->x);
        for (int64_t v = 0; v < n; v++)
            for (int64_t l = 0; l < x->k; l++)
                x->x[l * EXB_STRIP + v] = v == 3 ? rint(element(r, top)) : element(r, top);
        const exb_residue_side lost = {.lost_1 = one, .lost_2 = two};
        for (int v = 0; v < EXB_STRIP; v++)
            one[v] = two[v] = before;
        for (int i = 0; i < n_moduli; i++)
            memset(out + i * plane, 0xee, PLANE);
        kernels->convert(&s, kernels->quads, side, x->k, x->x, out, plane, &lost);
        check_converted(kernels, &s, side, x, out, plane);
        check_lost(x, one, two, before);
    }
}

/* Whole blocks and others. */
static void convert(NO_STATE)
{
    static strip x;
    test_random r = test_random_start(test_seed(), "residue convert");
    const exb_residue_kernels *kernels[MOST_KERNELS];
    for (int i = 0, n = all_kernels(kernels); i < n; i++)
        for (int n_moduli = EXB_MODULI_MIN; n_moduli <= EXB_MODULI_MAX; n_moduli++)
            for (int round = 0; round < 3; round++) {
                bool whole = random_chance(&r, 2);
                x.k = whole ? EXB_RESIDUE_TERMS : random_between(&r, 1, EXB_RESIDUE_TERMS);
                check_convert(kernels[i], &r, n_moduli, &x,
                              whole ? EXB_STRIP : random_between(&r, 1, EXB_STRIP));
            }
}

/* --- multiply ------------------------------------------------------------ */

enum { MOST_QUADS = EXB_RESIDUE_QUADS, STRIPS = 5, MULTIPLIED_ROWS = EXB_STRIP * STRIPS };

typedef struct {
    uint8_t *a;
    int8_t *b; /* STRIPS strips each */
} bytes;

/* Byte `at` of vector v of an operand. */
static int64_t byte_at(const exb_residue_kernels *kernels, int side, exb_residue_strips x,
                       int64_t v, int64_t at)
{
    int64_t q = at / 4 % kernels->quads, tile = at / 4 / kernels->quads;
    const uint8_t *p = x.p + v / EXB_STRIP * x.stride + tile * 4 * EXB_STRIP * kernels->quads;
    p += place_of(kernels, side, kernels->quads, v % EXB_STRIP, q) + at % 4;
    return side ? (int8_t)*p : *p;
}

/* Sums of products, in plain C, and nothing beyond the rows. */
static void check_area(const exb_residue_area *q, const int8_t *before)
{
    int p = q->modulus->p;
    for (int64_t j = 0; j < q->columns * EXB_STRIP; j++)
        for (int64_t i = 0; i < q->ld; i++) {
            int value = q->out[j * q->ld + i], old = before[j * q->ld + i];
            if (i >= q->rows * EXB_STRIP) {
                assert_int_equal(value, old);
                continue;
            }
            int64_t sum = q->add ? old : 0;
            for (int64_t l = 0; l < 4 * q->kq; l++)
                sum += byte_at(q->kernels, 0, q->a, i, l) * byte_at(q->kernels, 1, q->b, j, l);
            assert_int_equal(modulo(value, p), modulo(sum, p));
            assert_true(abs(value) <= p / 2 + 1);
        }
}

/* All at an end, alternating ends, or any. */
static void fill_bytes(test_random *r, int kind, int p, int64_t n_bytes, bytes x)
{
    for (int64_t i = 0; i < n_bytes; i++) {
        int end = kind == 0 || (kind == 1 && i % 2) ? p / 2 : lowest(p);
        x.a[i] = (uint8_t)(kind == 3 ? random_between(r, 0, p - 1) : p - 1);
        x.b[i] = (int8_t)(kind == 3 ? random_between(r, -(p / 2), p / 2) : end);
    }
}

static void check_multiply(const exb_residue_kernels *kernels, test_random *r, const exb_modulus *m,
                           int64_t kq, int64_t most_strips, int kind, bytes x)
{
    enum { LD = MULTIPLIED_ROWS + 3 };
    static int8_t out[MULTIPLIED_ROWS * LD], before[sizeof out];
    int64_t stride = 4 * EXB_STRIP * kq;
    fill_bytes(r, kind, m->p, most_strips * stride, x);
    for (size_t i = 0; i < sizeof out; i++)
        before[i] = out[i] = (int8_t)(random_chance(r, 2) ? m->p / 2 : lowest(m->p));
    exb_residue_area q = {.kernels = kernels,
                          .modulus = m,
                          .rows = random_between(r, 1, most_strips),
                          .columns = random_between(r, 1, most_strips),
                          .kq = kq,
                          .a = {x.a, stride},
                          .b = {(const uint8_t *)x.b, stride},
                          .add = random_chance(r, 2),
                          .out = out,
                          .ld = LD};
    kernels->multiply(&q);
    check_area(&q, before);
}

static void multiply(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "residue multiply");
    bytes x = {malloc(64 * MOST_QUADS), malloc(64 * MOST_QUADS)};
    assert_true(x.a && x.b);
    exb_residue_system s;
    exb_residue_system_init(&s, EXB_MODULI_MAX);
    const exb_residue_kernels *kernels[MOST_KERNELS];
    for (int i = 0, n = all_kernels(kernels); i < n; i++) {
        for (int round = 0; round < rounds(96); round++) {
            int64_t kq = kernels[i]->quads *
                         random_between(&r, 1, kernels[i]->quads == EXB_TILE_QUADS ? 5 : 33);
            check_multiply(kernels[i], &r, &s.modulus[round % 32], kq, STRIPS, round % 3, x);
            if (round % 16 == 0) /* around the panels of sums that stay in the first-level cache */
                check_multiply(kernels[i], &r, &s.modulus[round % 32],
                               256 + 16 * (round / 16 % 3 - 1), STRIPS, 3, x);
        }
        for (int kind = 0; kind < rounds(4); kind++) /* the largest sums of all */
            check_multiply(kernels[i], &r, &s.modulus[kind / 2], MOST_QUADS, 1, kind, x);
    }
    free(x.a);
    free(x.b);
}

/* --- combine ------------------------------------------------------------- */

/* All pairs of residues, sums and differences, of both sides; the last bytes beyond a vector. */
static void check_combine(const exb_residue_kernels *kernels, const exb_modulus *m, int side)
{
    enum { AT = 260 };
    uint8_t x[AT], y[AT], out[AT];
    int low = side ? lowest(m->p) : 0, high = side ? m->p / 2 : m->p - 1;
    int n = high - low + 1;
    for (int b = low; b <= high; b++)
        for (exb_combination how = EXB_PLUS; how <= EXB_MINUS; how++) {
            for (int i = 0; i < n; i++) {
                x[i] = (uint8_t)(low + i);
                y[i] = (uint8_t)b;
            }
            memset(out, 0xee, sizeof out);
            kernels->combine(m, side, how, n, x, y, out);
            for (int i = 0; i < n; i++) {
                int expected = how == EXB_PLUS ? low + i + b : low + i - b;
                int r = side ? (int8_t)out[i] : out[i];
                assert_int_equal(modulo(r, m->p), modulo(expected, m->p));
                assert_true(side ? abs(r) <= m->p / 2 + 1 : r < m->p);
            }
            for (int i = n; i < AT; i++)
                assert_int_equal(out[i], 0xee);
        }
}

static void combine(NO_STATE)
{
    exb_residue_system s;
    exb_residue_system_init(&s, EXB_MODULI_MAX);
    const exb_residue_kernels *kernels[MOST_KERNELS];
    for (int i = 0, n = all_kernels(kernels); i < n; i++)
        for (int m = 0; m < s.n_moduli; m++)
            for (int side = 0; side < 2; side++)
                check_combine(kernels[i], &s.modulus[m], side);
}

/* --- multiply by halves -------------------------------------------------- */

enum { HALVED_STRIPS = 8, HALVED_QUADS = 128, HALVED_ROWS = EXB_STRIP * HALVED_STRIPS };

/* Any bytes or those at the ends; more than one level only with sizes that allow it. */
static void check_multiply_by_halves(const exb_residue_kernels *kernels, test_random *r,
                                     const exb_modulus *m, int n_levels, int kind, bytes x)
{
    static int8_t out[HALVED_ROWS * (HALVED_ROWS + 16)], before[sizeof out];
    int64_t unit = (int64_t)1 << n_levels, stride = 64 * (HALVED_QUADS + 1);
    int64_t quads = unit * kernels->quads,
            most_quads = kernels->quads == EXB_TILE_QUADS ? HALVED_QUADS : 24;
    int64_t bytes = exb_residue_halving_bytes(HALVED_ROWS, HALVED_ROWS, 4 * HALVED_QUADS, n_levels);
    uint8_t *scratch = malloc((size_t)bytes + 1);
    assert_true(scratch);
    fill_bytes(r, kind, m->p, stride * HALVED_STRIPS, x);
    for (size_t i = 0; i < sizeof out; i++)
        before[i] = out[i] = (int8_t)(random_chance(r, 2) ? m->p / 2 : -(m->p / 2));
    exb_residue_area q = {.kernels = kernels,
                          .modulus = m,
                          .rows = unit * random_between(r, 1, HALVED_STRIPS / unit),
                          .columns = unit * random_between(r, 1, HALVED_STRIPS / unit),
                          .kq = quads * random_between(r, 1, most_quads / quads),
                          .a = {x.a, stride},
                          .b = {(const uint8_t *)x.b, stride},
                          .add = random_chance(r, 2),
                          .out = out,
                          .ld = HALVED_ROWS + 16};
    bytes =
        exb_residue_halving_bytes(q.rows * EXB_STRIP, q.columns * EXB_STRIP, 4 * q.kq, n_levels);
    scratch[bytes] = 0xee;
    exb_residue_multiply(&q, n_levels, scratch);
    assert_int_equal(scratch[bytes], 0xee);
    check_area(&q, before);
    free(scratch);
}

static void multiply_by_halves(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "residue halves");
    bytes x = {malloc(64 * MOST_QUADS), malloc(64 * MOST_QUADS)};
    assert_true(x.a && x.b);
    exb_residue_system s;
    exb_residue_system_init(&s, EXB_MODULI_MAX);
    const exb_residue_kernels *kernels[MOST_KERNELS];
    for (int i = 0, n = all_kernels(kernels); i < n; i++)
        for (int round = 0; round < rounds(32); round++)
            check_multiply_by_halves(kernels[i], &r, &s.modulus[round % 8 ? round : round / 8],
                                     round % 4, round / 4 % 4, x);
    free(x.a);
    free(x.b);
}

/* --- reconstruct --------------------------------------------------------- */

/* |C'| <= (1/2 - 0.006) P: at the limit, small, near half a digit, or anything. */
static void choose_value(mpz_t c, test_random *r, gmp_randstate_t random, const mpz_t p)
{
    mpz_t most;
    mpz_init(most);
    mpz_mul_ui(most, p, 494);
    mpz_fdiv_q_ui(most, most, 1000);
    switch (random_between(r, 0, 4)) {
    case 0:
        mpz_set(c, most);
        break;
    case 1:
        mpz_set_si(c, random_between(r, 0, 1000));
        break;
    case 2:
        mpz_urandomb(c, random, (mp_bitcnt_t)random_between(r, 1, (int64_t)mpz_sizeinbase(p, 2)));
        mpz_mod(c, c, most);
        break;
    default:
        mpz_urandomm(c, random, most);
    }
    if (random_chance(r, 2))
        mpz_neg(c, c);
    mpz_clear(most);
}

/* The residues that multiply leaves behind: of c (P / p)^-1, symmetric, any of the two halves. */
static void set_residues(const exb_residue_system *s, const int *inverse, test_random *r,
                         const mpz_t c, int8_t *out, int64_t plane)
{
    for (int i = 0; i < s->n_moduli; i++) {
        int p = s->modulus[i].p;
        int x = (int)mpz_fdiv_ui(c, (unsigned long)p) * inverse[i] % p;
        bool lower = 2 * x > p || (2 * x == p && random_chance(r, 2));
        out[i * plane] = (int8_t)(lower ? x - p : x);
    }
}

/* c - h - l within lost, and 0 if that is 0; lost is below 2^-90 P. */
static void check_enclosure(const mpz_t c, const mpz_t p, double h, double l, double lost)
{
    mpz_t left, x;
    mpz_inits(left, x, NULL);
    mpz_set_d(x, h);
    mpz_sub(left, c, x);
    mpz_set_d(x, l);
    mpz_sub(left, left, x);
    mpz_abs(left, left);
    mpz_set_d(x, lost * (1 + 0x1p-18));
    assert_true(h == rint(h) && l == rint(l));
    assert_true(mpz_cmp(left, x) <= 0);
    mpz_mul_2exp(x, x, 90);
    assert_true(mpz_cmp(x, p) <= 0);
    mpz_clears(left, x, NULL);
}

static void check_reconstruct(const exb_residue_kernels *kernels, test_random *r,
                              gmp_randstate_t random, int n_moduli)
{
    enum { N = 128, AT = 192 };
    static int8_t residues[EXB_MODULI_MAX * AT];
    double h[N], l[N], lost[N];
    int inverse[EXB_MODULI_MAX];
    exb_residue_system s;
    mpz_t p, c[N];
    exb_residue_system_init(&s, n_moduli);
    mpz_init(p);
    product_of_moduli(p, &s, -1, -1);
    for (int i = 0; i < n_moduli; i++)
        inverse[i] = inverse_of_rest(&s, i);
    for (int i = 0; i < N; i++) {
        mpz_init(c[i]);
        choose_value(c[i], r, random, p);
        if (i == 77)
            mpz_set_ui(c[i], 0);
        set_residues(&s, inverse, r, c[i], residues + i, AT);
    }
    kernels->reconstruct(&s, N, residues, AT, h, l, lost);
    for (int i = 0; i < N; i++) {
        check_enclosure(c[i], p, h[i], l[i], lost[i]);
    }
    for (int i = 0; i < N; i++)
        mpz_clear(c[i]);
    mpz_clear(p);
}

static void reconstruct(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "residue reconstruct");
    gmp_randstate_t random;
    gmp_randinit_default(random);
    gmp_randseed_ui(random, (unsigned long)test_seed());
    const exb_residue_kernels *kernels[MOST_KERNELS];
    for (int i = 0, n = all_kernels(kernels); i < n; i++)
        for (int n_moduli = EXB_MODULI_MIN; n_moduli <= EXB_MODULI_MAX; n_moduli++)
            for (int round = 0; round < 10; round++)
                check_reconstruct(kernels[i], &r, random, n_moduli);
    gmp_randclear(random);
}

/* --- bounds -------------------------------------------------------------- */

/* At least what residue_operands_tmpl.c's bound says, and not much more; 0 if nothing was lost. */
static void bounds(NO_STATE)
{
    enum { N = 21 };
    test_random r = test_random_start(test_seed(), "residue bounds");
    const exb_residue_kernels *kernels[MOST_KERNELS];
    for (int i = 0, n = all_kernels(kernels); i < n; i++)
        for (int round = 0; round < 1000; round++) {
            double row[4][N], e[N + 1], old[N + 1], column[4];
            for (int x = 0; x < 4; x++) {
                for (int v = 0; v < N; v++)
                    row[x][v] =
                        random_chance(&r, 6) ? 0 : ldexp(1, (int)random_between(&r, -40, 60)) * 1.7;
                column[x] =
                    random_chance(&r, 6) ? 0 : ldexp(1, (int)random_between(&r, -40, 60)) * 1.3;
            }
            for (int v = 0; v <= N; v++)
                e[v] = old[v] =
                    random_chance(&r, 2) ? 0 : ldexp(1.1, (int)random_between(&r, 0, 50));
            exb_residue_side norms = {NULL, NULL, row[0], row[1], row[2], row[3]};
            kernels[i]->add_bounds(N, &norms, column[0], column[1], column[2], column[3], e);
            for (int v = 0; v < N; v++) {
                double sum = old[v] + fmin(row[2][v] * column[0], row[3][v] * column[1]) +
                             fmin(row[0][v] * column[2], row[1][v] * column[3]);
                assert_true(e[v] >= sum * (1 + 0x1p-19) && e[v] <= sum * (1 + 0x1p-17));
            }
            assert_true(e[N] == old[N]);
        }
}

#ifdef TEST_TILE_KERNELS
TESTS(multiply)
#else
TESTS(combine, multiply_by_halves, constants, reduce, reduce_without_fma, convert, multiply,
      reconstruct, bounds)
#endif
